"""The two sets of colours: a dark room and a light one, both with a green table."""

from __future__ import annotations

from typing import Final

from textual.theme import Theme

DARK: Final = Theme(
    name="scala40-dark",
    primary="#3f9d6d",
    secondary="#5b8def",
    accent="#ffd166",
    warning="#ffb454",
    error="#ff6b6b",
    success="#7bd88f",
    foreground="#e8ece6",
    background="#10201a",
    surface="#162a22",
    panel="#1d372c",
    dark=True,
    variables={
        "felt": "#14503a",
        "felt-text": "#cfe6d8",
        "felt-quiet": "#86b39b",
        "paper": "#f6f1e4",
        "paper-edge": "#9a948a",
        "paper-chosen": "#ffd166",
        "ink": "#17191c",
        "ink-red": "#c1121f",
        "ink-joker": "#6d28d9",
        "back": "#27476e",
        "back-text": "#6f96c9",
        "card-red-text": "#ff8a80",
    },
)
LIGHT: Final = Theme(
    name="scala40-light",
    primary="#1f7a4d",
    secondary="#2456b3",
    accent="#8a5a00",
    warning="#a04a00",
    error="#b3261e",
    success="#1f7a4d",
    foreground="#1c2420",
    background="#f1f4ee",
    surface="#e6ece4",
    panel="#d9e3d8",
    dark=False,
    variables={
        "felt": "#257a55",
        "felt-text": "#f4fff8",
        "felt-quiet": "#c3e6d3",
        "paper": "#fffdf6",
        "paper-edge": "#a9a399",
        "paper-chosen": "#ffd166",
        "ink": "#17191c",
        "ink-red": "#c1121f",
        "ink-joker": "#6d28d9",
        "back": "#2f5a94",
        "back-text": "#a9c6ee",
        "card-red-text": "#b3001b",
    },
)
