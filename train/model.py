"""The networks: a policy that scores the legal moves, and a critic that sees the hidden cards.

The policy reads the cards twice: as a plain vector, and as a board of 4 suits by 13 ranks, on which
every card is looked at in the same way, with its neighbours in suit and in rank. What it makes of a
card is shared by all suits, and goes to the moves that take, throw or lay off that card.

The moves of a batch of decisions lie one after the other in one array, so that a decision with two
moves costs no more than two rows. ``agents.learned.Network`` runs the policy without torch.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from scala40_env.agents.features import (
    CHOICE,
    CHOICE_AT,
    CHOICE_SIZE,
    HIDDEN_SIZE,
    STATE,
    STATE_SIZE,
    Block,
)
from scala40_env.agents.learned import CARD, NUM_PLANES, PLANES, REACH
from scala40_env.cards import JOKER, NUM_RANKS, NUM_SUITS
from scala40_env.engine.state import NUM_TYPES

_MASKED = -1e9
# The first policy follows the advice of the hard level, and among discards its own doubts.
PRIOR = {"hard": 4.0, "hard_worth": -4.0}


class Policy(nn.Module):
    """Scores each legal move, given the decision; and guesses the opponent's hand.

    Args:
        width: of the layers that read the decision.
        choice_width: of the layers that read a move.
        card_width: of the layers that read a card with its neighbours.
        use_advice: whether the first policy leans on the levels' advice.
        hide: names of features that it does not see.
    """

    def __init__(
        self,
        width: int,
        choice_width: int,
        card_width: int,
        use_advice: bool = True,
        hide: Collection[str] = (),
    ) -> None:
        super().__init__()
        self._seen_states = _seen(STATE, hide)
        self._seen_moves = _seen(CHOICE, hide)[:CARD]
        self.state1 = nn.Linear(STATE_SIZE, width)
        self.state2 = nn.Linear(width, width)
        self.card1 = _Neighbours(NUM_PLANES, card_width)
        self.card_context = nn.Linear(width, card_width, bias=False)
        self.card2 = _Neighbours(card_width, card_width)
        self.condition = nn.Linear(width + card_width, choice_width, bias=False)
        self.choice1 = nn.Linear(CHOICE_SIZE - 1, choice_width)
        self.choice_card = nn.Linear(card_width, choice_width, bias=False)
        self.choice2 = nn.Linear(choice_width, choice_width)
        self.score = nn.Linear(choice_width, 1)
        self.prior = nn.Linear(CHOICE_SIZE - 1, 1, bias=False)
        self.belief = nn.Linear(width, NUM_TYPES)
        self.card_belief = nn.Linear(card_width, 1, bias=False)
        _start(self)
        nn.init.orthogonal_(self.score.weight, 0.1)
        nn.init.zeros_(self.prior.weight)
        if use_advice:
            with torch.no_grad():
                for name, weight in PRIOR.items():
                    self.prior.weight[0, getattr(CHOICE_AT, name)] = weight
        with torch.no_grad():  # so that those who know nothing of ``hide`` can play the weights
            self.state1.weight *= self._seen_states
            self.choice1.weight *= self._seen_moves
            self.prior.weight *= self._seen_moves
            planes = self._seen_states[PLANES].view(NUM_PLANES, -1)[:, 0]
            for layer in (self.card1.suit, self.card1.rank):
                layer.weight *= planes[:, None, None]

    def forward(self, states: Tensor, choices: Tensor, owners: Tensor) -> tuple[Tensor, Tensor]:
        """Return the scores of all moves and the belief logits.

        Args:
            states: float32[B, STATE_SIZE].
            choices: float32[R, CHOICE_SIZE].
            owners: int64[R], the decision each move belongs to.

        Returns:
            float32[R] and float32[B, 53].
        """
        states = states * self._seen_states
        x = torch.relu(self.state1(states))
        x = x + torch.relu(self.state2(x))
        cards = self._cards(states, x)
        moves, moved = choices[:, :CARD] * self._seen_moves, choices[:, CARD].long()
        is_natural = (moved >= 0) & (moved < JOKER)
        of_card = cards[owners, :, moved.clamp(0, JOKER - 1)] * is_natural[:, None]
        h = self.choice1(moves) + self.choice_card(of_card)
        h = h + self.condition(torch.cat([x, cards.mean(dim=2)], dim=1))[owners]
        h = torch.relu(self.choice2(torch.relu(h)))
        scores = self.score(h) + self.prior(moves)
        held = functional.pad(self.card_belief(cards.transpose(1, 2))[:, :, 0], (0, 1))
        return scores[:, 0], self.belief(x) + held

    def _cards(self, states: Tensor, x: Tensor) -> Tensor:
        """Return what the network makes of each natural card: float32[B, card_width, 52]."""
        planes = states[:, PLANES].view(-1, NUM_PLANES, NUM_SUITS, NUM_RANKS)
        h = torch.relu(self.card1(planes) + self.card_context(x)[:, :, None, None])
        h = h + torch.relu(self.card2(h))
        return h.flatten(2)


class _Neighbours(nn.Module):
    """Looks at each card of a board [B, F, 4, 13] with its neighbours, in all suits alike.

    Neighbours are the two on either side in the suit (the ace lies beside the two and beside the
    king) and the sum of the rank.
    """

    def __init__(self, size: int, out: int) -> None:
        super().__init__()
        self.suit = nn.Conv2d(size, out, (1, REACH))
        self.rank = nn.Conv2d(size, out, 1, bias=False)

    def forward(self, board: Tensor) -> Tensor:
        side = REACH // 2
        wrapped = torch.cat([board[..., -side:], board, board[..., :side]], dim=3)
        # With the features of a card side by side the convolution takes half the time, and the
        # sum of a rank needs none: with both, a whole step of the policy is 1.3 times as fast.
        suit: Tensor = self.suit(wrapped.contiguous(memory_format=torch.channels_last))
        rank = torch.einsum("bfr,of->bor", board.sum(dim=2), self.rank.weight[:, :, 0, 0])
        return suit + rank[:, :, None]


class Critic(nn.Module):
    """The expected reward of the rest of the hand, from the view and the hidden cards."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Linear(STATE_SIZE + HIDDEN_SIZE, width)
        self.second = nn.Linear(width, width)
        self.value = nn.Linear(width, 1)
        _start(self)
        nn.init.orthogonal_(self.value.weight, 0.1)

    def forward(self, states: Tensor, hidden: Tensor) -> Tensor:
        """Return float32[B]."""
        x = torch.relu(self.first(torch.cat([states, hidden], dim=1)))
        x = x + torch.relu(self.second(x))
        return self.value(x)[:, 0]


def _seen(blocks: Sequence[Block], hide: Collection[str]) -> Tensor:
    """Return 1 where features are seen, 0 where they are hidden: float32[their size]."""
    return torch.cat([torch.full((block.size,), float(block.name not in hide)) for block in blocks])


def _start(module: nn.Module) -> None:
    for layer in module.modules():
        if isinstance(layer, nn.Linear | nn.Conv2d):
            nn.init.orthogonal_(layer.weight, 1.0)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)


def log_policy(
    scores: Tensor, owners: Tensor, columns: Tensor, count: int
) -> tuple[Tensor, Tensor]:
    """Return the log-probabilities of the legal moves as a padded array, and its mask.

    Args:
        scores: float32[R].
        owners: int64[R], the decision of each move.
        columns: int64[R], its number within the decision.
        count: B, how many decisions.

    Returns:
        float32[B, K] and bool[B, K]; where the mask is False there is no move, and its value is
        very small.
    """
    width = int(columns.max()) + 1
    padded = scores.new_full((count, width), _MASKED).index_put((owners, columns), scores)
    mask = torch.zeros((count, width), dtype=torch.bool).index_put(
        (owners, columns), torch.tensor(True)
    )
    return padded - padded.logsumexp(dim=1, keepdim=True), mask


def entropy(log_probs: Tensor, mask: Tensor) -> Tensor:
    """Return the entropy of each decision over its legal moves, float32[B]."""
    terms = torch.where(mask, log_probs.exp() * log_probs, torch.zeros(()))
    return -terms.sum(dim=1)


class TorchScorer:
    """A policy as ``agents.learned.Network`` shows itself, so that it can play while it learns."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    @torch.no_grad()
    def scores(
        self, states: NDArray[np.float32], choices: NDArray[np.float32], counts: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return the scores of all moves: float32[R]."""
        owners = torch.from_numpy(np.repeat(np.arange(len(counts)), counts))
        scores, _ = self.policy(torch.from_numpy(states), torch.from_numpy(choices), owners)
        return scores.numpy()


def weights_of(module: nn.Module) -> dict[str, NDArray[np.float32]]:
    """Return copies of the weights of a network by name."""
    return {name: tensor.numpy().copy() for name, tensor in module.state_dict().items()}


def set_weights(module: nn.Module, weights: dict[str, NDArray[np.float32]]) -> None:
    """Give a network its weights."""
    module.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
