"""Lets agents think once before a match, so that kernels are not compiled in the middle of it."""

from __future__ import annotations

from scala40_env.agents import make_agent
from scala40_env.game import Game

from ..match import Match


def warmed_up(match: Match) -> Match:
    """Return a match whose agents are ready; their own randomness is left as it is."""
    game = Game(match.game.rules, seed=0)
    for spec in {player.spec for player in match.players if not player.is_person}:
        make_agent(spec).act(game.view(game.player), game.legal_moves())
    return match
