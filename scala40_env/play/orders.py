"""What a person types: commands in words and letters, and moves with as little as is clear.

    x kd      discard K♦            x k     discard the king, if there is only one
    m 7       lay the sevens        a 8s    lay 8♠ off, if only one meld takes it

Which moves are legal comes from the engine; here a text is only matched with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from scala40_env.cards import JOKER_TEXT, InvalidNotationError, card_text, parse_card
from scala40_env.game import Game
from scala40_env.melds import InvalidMeldError
from scala40_env.notation import parse_moves

from .i18n import N_, _
from .why import why_not
from .words import Words


class OrderError(ValueError):
    """A line that is no order or whose move is not possible; the message is one line."""


@dataclass(frozen=True)
class Command:
    """A command of the prompt.

    Attributes:
        name: the word.
        letter: the short form, if it has one.
        arguments: what follows it, for the help.
        help: what it does.
        verbs: the verbs of NOTATION that it can mean; none for what is no move.
    """

    name: str
    letter: str
    arguments: str
    help: str
    verbs: tuple[str, ...] = ()


COMMANDS: Final = (
    Command("draw", "s", "", N_("draw the top card of the stock"), ("draw",)),
    Command("take", "p", "", N_("take the top card of the pile"), ("take",)),
    Command("return", "b", "", N_("give the card just taken back"), ("return",)),
    Command("meld", "m", "7s 7h 7d", N_("lay a new meld; * is a joker"), ("meld",)),
    Command(
        "add", "a", "8s 2", N_("add a card to meld 2, or swap it for its joker"), ("add", "swap")
    ),
    Command("swap", "", "9d 1", N_("put a card in a joker's place and take the joker"), ("swap",)),
    Command("discard", "x", "kd", N_("throw a card; that ends your turn"), ("discard",)),
    Command("undo", "u", "", N_("take back your last move of this turn")),
    Command("hint", "h", "", N_("what a strong player would do, and why")),
    Command("legal", "", "", N_("all moves that are possible now")),
    Command("sort", "o", "", N_("sort your hand by suit or by rank")),
    Command("table", "t", "", N_("show the table and your hand again")),
    Command("score", "", "", N_("the points of all hands")),
    Command("history", "", "", N_("the turns of this hand")),
    Command("rules", "", "", N_("the rules that are played")),
    Command("tips", "", "", N_("how to play well")),
    Command("level", "l", "easy", N_("change the computer's level")),
    Command("save", "", "FILE", N_("save the match to a file")),
    Command("load", "", "FILE", N_("go on with a saved match")),
    Command("new", "n", "", N_("begin a new match")),
    Command("resign", "", "", N_("give the match up")),
    Command("help", "?", "", N_("this list")),
    Command("quit", "q", "", N_("leave; the match is saved")),
)
"""All commands in the order of the help."""

_MAX_CHOICES: Final = 8
_BY_WORD: Final = {
    **{command.name: command for command in COMMANDS},
    **{command.letter: command for command in COMMANDS if command.letter},
}
_BY_WORD["exit"] = _BY_WORD["quit"]


@dataclass(frozen=True)
class Order:
    """A command and the words after it.

    Attributes:
        typed: how the command was written.
    """

    command: Command
    words: tuple[str, ...]
    typed: str = ""


def read_order(line: str) -> Order:
    """Return what a line orders.

    Raises:
        OrderError: no command begins it, or several could.
    """
    first, *words = line.split() or [""]
    command = _BY_WORD.get(first.lower())
    if command is None:
        if all(map(_is_card, [first, *words])):
            return _only_cards([first, *words])
        command = _by_beginning(first.lower())
    if words and not command.arguments:
        raise OrderError(_("{command!r} stands alone.").format(command=command.name))
    return Order(command, tuple(words), first.lower())


def complete(before: str, legal: Sequence[str]) -> list[str]:
    """Return the words that could stand at the end of what is typed so far.

    Args:
        before: the line up to the cursor.
        legal: the legal moves as texts.
    """
    words = before.split()
    last = words.pop() if words and not before[-1].isspace() else ""
    if not words:
        return [command.name for command in COMMANDS if command.name.startswith(last.lower())]
    command = _BY_WORD.get(words[0].lower())
    verbs = command.verbs if command else ()
    wanted = [_normal(word) for word in words[1:]]
    moves = [text.split() for text in legal]
    following: dict[str, None] = {}
    for verb, *rest in moves:
        if verb in verbs and rest[: len(wanted)] == wanted:
            following.update(dict.fromkeys(rest[len(wanted) : len(wanted) + 1]))
    return [word for word in following if word.lower().startswith(last.lower())]


def _by_beginning(word: str) -> Command:
    found = [command for command in COMMANDS if word and command.name.startswith(word)]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(command.name for command in found)
        raise OrderError(_("{word} may mean: {names}").format(word=word, names=names))
    raise OrderError(_("{word!r} is no command; ? shows them all.").format(word=word))


def _is_card(word: str) -> bool:
    try:
        parse_card(word.removesuffix(JOKER_TEXT) or word)
    except InvalidNotationError:
        return False
    return True


def _only_cards(words: Sequence[str]) -> Order:
    """Three cards and more can only be a meld."""
    if len(words) >= 3:
        return Order(_BY_WORD["meld"], tuple(words))
    raise OrderError(
        _("What about {card}? To throw it: x {card}; to add it to a meld: a {card}").format(
            card=words[0]
        )
    )


def find_move(game: Game, order: Order, words: Words) -> str:
    """Return the text of the one legal move that an order means.

    Raises:
        OrderError: it means none, or several.
    """
    args = order.words
    # Who writes a verb out means it; a letter may stand for several.
    verbs = (order.typed,) if order.typed in order.command.verbs else order.command.verbs
    exact = [text for verb in verbs if _is_possible(game, text := " ".join([verb, *args]))]
    if len(exact) == 1:
        return exact[0]
    found = exact or _matching(game, verbs, args)
    if len(found) == 1:
        return found[0]
    if found and args:
        more = ["..."] if len(found) > _MAX_CHOICES else []
        moves = ", ".join([*found[:_MAX_CHOICES], *more])
        raise OrderError(_("Which one? {moves}").format(moves=moves))
    raise OrderError(_reason(game, order, words))


def _is_possible(game: Game, text: str) -> bool:
    try:
        game.clone().push(text)
    except ValueError:
        return False
    return True


def _matching(game: Game, verbs: Sequence[str], args: Sequence[str]) -> list[str]:
    """Return the legal moves that the words could be short for; those without a joker first."""
    wanted = [_normal(word) for word in args]
    moves = [text.split() for text in game.legal_texts()]
    fitting = [move for move in moves if move[0] in verbs and _fits(wanted, move[0], move[1:])]
    if not any(JOKER_TEXT in word for word in wanted):
        plain = [move for move in fitting if not any(JOKER_TEXT in word for word in move)]
        fitting = plain or fitting
    return [" ".join(move) for move in fitting]


def _normal(word: str) -> str:
    """Return a word as NOTATION would write it, as far as it is a card or a rank."""
    star = JOKER_TEXT if word.endswith(JOKER_TEXT) and len(word) > 1 else ""
    name = word.removesuffix(star)
    if _is_card(name):
        return card_text(parse_card(name)) + star
    if _is_card(f"{name}S"):  # a rank alone may be any suit
        return card_text(parse_card(f"{name}S"))[0]
    return word.lower()


def _fits(wanted: Sequence[str], verb: str, words: Sequence[str]) -> bool:
    """Tell whether each wanted word can stand for another word of the move."""
    if verb != "meld":
        return len(wanted) <= len(words) and all(map(_can_be, wanted, words))
    left = list(words)
    for want in sorted(wanted, key=len, reverse=True):  # whole cards before bare ranks
        match = next((word for word in left if _can_be(want, word)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def _can_be(want: str, word: str) -> bool:
    """Tell whether a word can be short for one of a move: a rank, a bare joker, a meld number."""
    if want == JOKER_TEXT:
        return word.endswith(JOKER_TEXT)
    return want == word if word.isdigit() else word.startswith(want)


def _reason(game: Game, order: Order, words: Words) -> str:
    """Return why an order means no legal move."""
    verbs, args = order.command.verbs, order.words
    if order.command.arguments and not args:
        return _("{command} needs more, for example: {command} {example}").format(
            command=order.command.name, example=order.command.arguments
        )
    if game.phase == "draw" and args:
        return _("First draw (s) or take the top discard (p).")
    if args and verbs[0] != "meld":
        args = (_held_of_rank(game, args[0]), *args[1:])
    for word in args if verbs[0] == "meld" else args[:1]:
        name = word.removesuffix(JOKER_TEXT) or word
        if _is_card(f"{name}s"):
            return _("Nothing that you can do now fits {words!r}.").format(words=" ".join(args))
        if not _is_card(name):
            return _(
                "{word!r} is no card; cards are written like 7s, 10d, kh, and * is a joker."
            ).format(word=word)
    verb = "swap" if "swap" in verbs and _is_joker_place(game, args) else verbs[0]
    try:
        moves = parse_moves(" ".join([verb, *args]), game.table, game.rules)
    except InvalidMeldError:
        return _("{cards} is neither a set nor a run.").format(cards=" ".join(args))
    except InvalidNotationError as error:
        return _why_no_move(game, verb, args, str(error))
    trial = game.clone()
    for move in moves:
        if move not in trial.legal_moves():
            return why_not(trial, move, words)
        trial.push(move)
    return _("That is not possible.")


def _held_of_rank(game: Game, word: str) -> str:
    """Return a card of the hand for a rank alone; any other word as it is."""
    held = [card_text(card) for card in game.hand(game.player)]
    rank = _normal(word)
    return next((card for card in held if card[0] == rank), word)


def _is_joker_place(game: Game, args: Sequence[str]) -> bool:
    """Tell whether a joker of a meld stands for the card named first."""
    number = int(args[1]) if len(args) > 1 and args[1].isdecimal() else -1
    card = parse_card(args[0].removesuffix(JOKER_TEXT) or args[0])
    return 0 <= number < len(game.table) and (card, True) in game.table[number].cards()


def _why_no_move(game: Game, verb: str, args: Sequence[str], error: str) -> str:
    """Return why words are no move beside this table."""
    if verb in ("add", "swap") and game.opened[game.player] and len(args) == 1:
        return _("{card} fits no meld of the table.").format(card=args[0])
    if verb in ("add", "swap") and len(args) == 1:
        return _("You have not opened: first lay new melds worth {needed} points.").format(
            needed=game.rules.opening_min
        )
    if verb in ("add", "swap") and not (args[1].isdecimal() and int(args[1]) < len(game.table)):
        return _("There is no meld {number} on the table.").format(number=args[1])
    return _("That is not possible: {reason}.").format(reason=error)
