"""What a training run is told: the fields of ``TrainConfig``, from a TOML file and from flags."""

from __future__ import annotations

import dataclasses
import math
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_type_hints

from scala40_env.agents.features import CHOICE, STATE


class ConfigError(ValueError):
    """A setting that does not exist or cannot be; the message is one line."""


_ABOVE_0: Final = (
    "minutes", "processes", "games", "batch", "minibatches", "epochs", "width", "choice_width",
    "card_width", "learning_rate", "start_temperature", "clip", "temperature", "rated_draws",
    "rated_kept", "pool_every", "evaluate_every", "evaluate_pairs", "checkpoint_every",
)  # fmt: skip
_AT_LEAST_0: Final = ("policy", "entropy", "value", "belief", "rated", "warm_up")
_SHARES: Final = ("rated_share", "closed_share", "turn_lambda", "move_lambda")
_LEAST_RATED: Final = 50  # rated decisions of a batch, where they are all that is learned from

NUM_SEEDS: Final = 256
"""Seeds of a config: each has 2**32 seeds of matches."""


@dataclass(frozen=True)
class TrainConfig:
    """A training run, from the advice of the levels: moves tried out, masked PPO, imitation."""

    name: str = "quick"
    """Name of the run; its folder is RUNS/NAME."""
    runs: str = "runs"
    """Folder of all runs."""
    rules: str = "browser"
    """Preset of rules."""
    num_players: int = 2
    """Seats of a game."""
    seed: int = 1
    """Of everything random in the run; 0 to 255."""
    minutes: float = 5.0
    """Time to train, evaluations in between included."""
    processes: int = 2
    """Processes of one thread each on this machine (torchrun decides where it starts us)."""
    games: int = 384
    """Games side by side in each process."""
    batch: int = 12288
    """Samples that each process collects for one update."""
    minibatches: int = 12
    """Steps of the optimiser in a pass over them."""
    epochs: int = 1
    """Passes over them."""
    width: int = 128
    """Width of the layers that read a decision."""
    choice_width: int = 64
    """Width of the layers that read a legal move."""
    card_width: int = 16
    """Width of the layers that read a card with its neighbours."""
    learning_rate: float = 1e-3
    """At the start; falls in a line to a tenth."""
    averaging: float = 0.98
    """The player is a running mean of the weights: the share of it that a step leaves as it was."""
    policy: float = 0.0
    """Weight of PPO's loss; 0: learn from rated decisions alone."""
    clip: float = 0.2
    """How far the probability of a move may change in one update."""
    entropy: float = 0.03
    """Weight of the entropy of the policy."""
    value: float = 0.5
    """Weight of the critic's loss."""
    belief: float = 0.3
    """Weight of the loss of the guess at the opponent's hand; 0 turns it off."""
    rated_share: float = 0.9
    """Of how many decisions all moves are tried out, the hard level playing on."""
    rated: float = 1.0
    """Weight of what was found by that."""
    temperature: float = 0.004
    """How much more a move must earn to be played e times as often."""
    rated_draws: int = 2
    """Rated decisions that are learned from with each sample."""
    rated_kept: int = 40_000
    """Such decisions that each process keeps to learn from again."""
    mix_suits: bool = True
    """Whether rated decisions are learned from with their suits in a random order."""
    closed_share: float = 0.0
    """Share of hands in which it may not open for one to eight turns; it learns from there on."""
    turn_lambda: float = 0.95
    """Lambda of the advantage estimate from one turn to the next ..."""
    move_lambda: float = 0.95
    """... and from one decision of a turn to the next."""
    reward: Literal["win_prob", "points"] = "win_prob"
    """What a hand is worth: the change of the chance to win the match, or points / 100."""
    oracle: bool = True
    """Whether the critic sees the hidden cards."""
    advice: bool = True
    """Whether the first policy leans on what the levels would play."""
    start: str = ""
    """A player to start from, a file of weights; empty: none, see advice."""
    start_temperature: float = 0.25
    """How sharp the policy of that player is at the start: its scores are divided by it."""
    hide: str = ""
    """Features that the policy does not see, by commas; of the decision and of the moves alike."""
    warm_up: int = 0
    """Samples, of all processes, in which the policy imitates the hard level."""
    share_self: float = 0.4
    """How often a game is against itself ..."""
    share_past: float = 0.0
    """... against a past self ..."""
    share_hard: float = 0.5
    """... against the hard level ..."""
    share_normal: float = 0.1
    """... against the normal level ..."""
    share_easy: float = 0.0
    """... against the easy level."""
    pool_every: float = 2.0
    """Minutes after which the current self joins its past selves."""
    evaluate_every: float = 2.5
    """Minutes between evaluations against the hard level."""
    evaluate_pairs: int = 200
    """Mirrored pairs of matches of such an evaluation."""
    checkpoint_every: float = 1.0
    """Minutes between checkpoints."""
    final_pairs: int = 500
    """Mirrored pairs of matches against each level in the table at the end."""
    tensorboard: bool = False
    """Whether to log for TensorBoard too."""

    def __post_init__(self) -> None:
        self._check(_ABOVE_0, "more than 0", lambda x: 0 < x < math.inf)
        self._check(_AT_LEAST_0, "0 or more", lambda x: 0 <= x < math.inf)
        self._check(_SHARES, "from 0 to 1", lambda x: 0 <= x <= 1)
        self._check(("averaging",), "from 0 to below 1", lambda x: 0 <= x < 1)
        self._check(("seed",), f"from 0 to {NUM_SEEDS - 1}", lambda x: 0 <= x < NUM_SEEDS)
        self._check(("final_pairs",), "2 or more", lambda x: x >= 2)
        # At the end of a batch each seat has a decision of which nothing is known yet.
        least = self.num_players * self.games + self.minibatches
        self._check(("batch",), f"{least} or more, for {self.games} games", lambda x: x >= least)
        rated = self.rated_share * self.batch if self.rated > 0 else 0
        if self.policy == 0 and rated < _LEAST_RATED:
            raise ConfigError(
                f"nothing to learn from: policy = 0, rated = {self.rated},"
                f" rated_share = {self.rated_share}"
            )
        if self.reward not in ("win_prob", "points"):
            raise ConfigError(f"reward = {self.reward!r} must be win_prob or points")
        for name in self.hidden_features:
            if name not in {block.name for block in (*STATE, *CHOICE)} - {"card"}:
                raise ConfigError(f"hide: there is no feature {name!r} to hide")

    def _check(self, fields: Iterable[str], wanted: str, fits: Callable[[Any], bool]) -> None:
        for field in fields:
            if not fits(getattr(self, field)):
                raise ConfigError(f"{field} = {getattr(self, field)!r} must be {wanted}")

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return Path(self.runs) / self.name

    @property
    def shares(self) -> dict[str, float]:
        """The opponents' shares by name."""
        names = ("self", "past", "hard", "normal", "easy")
        return {name: getattr(self, f"share_{name}") for name in names}

    @property
    def hidden_features(self) -> list[str]:
        """The names of the features that the policy does not see."""
        return [name.strip() for name in self.hide.split(",") if name.strip()]

    def to_dict(self) -> dict[str, Any]:
        """Return all settings."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, settings: dict[str, Any], source: str = "the settings") -> TrainConfig:
        """Return the config of some settings; the others are the defaults.

        Raises:
            ConfigError: an unknown name, or a value of the wrong type.
        """
        types = get_type_hints(cls)
        for key, value in settings.items():
            if key not in types:
                raise ConfigError(f"{source}: unknown setting {key!r}")
            if not _fits(value, types[key]):
                raise ConfigError(f"{source}: {key} = {value!r} is not possible")
        return cls(**settings)


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value of a TOML file fits the type of a field."""
    if get_args(kind):
        return value in get_args(kind)
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return type(value) is kind


def load_config(name: str) -> TrainConfig:
    """Return a config by name (``quick``, ``full``) or from a TOML file.

    Raises:
        ConfigError: there is none, or it holds settings that cannot be.
    """
    shipped = resources.files("scala40_env.configs").joinpath(f"{name}.toml")
    path = Path(name)
    try:
        if name.endswith(".toml"):
            text = path.read_text(encoding="utf-8")
        elif shipped.is_file():
            text = shipped.read_text(encoding="utf-8")
        else:
            raise ConfigError(f"no config {name!r}: neither quick, full nor a file *.toml")
        return TrainConfig.from_dict(tomllib.loads(text), name)
    except OSError as error:
        raise ConfigError(f"cannot read the config {name!r}: {error.strerror or error}") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{name!r} is no TOML: {error}") from error
