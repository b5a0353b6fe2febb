"""A game in the terminal: a person against a player, two people, or two players watched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from tengen.errors import CoordinateError, IllegalMove, TengenError
from tengen.front.reasons import reasons
from tengen.front.teaching import threat_lines
from tengen.go.coords import RESIGN, Color, Move, format_color, format_gtp, parse_gtp
from tengen.go.diagram import format_diagram
from tengen.go.position import Position
from tengen.go.record import GameRecord
from tengen.go.rules import Goal
from tengen.players import Decision, Limit, Player, Teacher

__all__ = ["HELP", "TerminalGame"]

HELP = """\
a point such as D4   play there          pass    pass (twice: the game is counted)
undo   u   take your last move back      hint h  what the computer would play
score  s   count the board as it stands  resign  give up
board  b   show the board again          save FILE   write the game as SGF
help   ?   this list                     quit q  leave"""

NAMES = {Color.BLACK: "Black", Color.WHITE: "White"}


@dataclass
class TerminalGame:
    """One game. ``players`` has a Player for each colour a program plays; the other colours are people's.

    ``ask`` shows a prompt and gives back a line, raising EOFError when there are no more; ``say`` shows text.
    ``adviser`` answers ``hint`` and judges dead stones at the end; one that is a Teacher also shows a person
    every chain in atari, and says how the game ended. Nothing is written to a file but by ``save``.
    """

    start: Position
    players: Mapping[Color, Player]
    adviser: Player
    ask: Callable[[str], str]
    say: Callable[[str], None]
    limit: Limit | None = None
    result: str | None = None
    position: Position = field(init=False)

    def __post_init__(self) -> None:
        self.position = self.start
        self._quit = False
        self._warned: Position | None = None

    # ---- the loop -----------------------------------------------------------------------------------------

    def play(self) -> str | None:
        """Play to the end; the result as SGF writes it, or None when the game was left before."""
        self.say(self.picture())
        while self.result is None and not self._quit:
            if self.position.is_over:
                self._finish()
                break
            player = self.players.get(self.position.to_move)
            try:
                if player is None:
                    self._person()
                else:
                    self._program(player)
            except EOFError:
                self._quit = True
        return self.result

    def _program(self, player: Player) -> None:
        color = self.position.to_move
        decision = player.choose(self.position, self.limit)
        if decision.move == RESIGN:
            self.say(f"{NAMES[color]} ({player.name}) resigns.")
            self._resign(color)
            return
        self.position = self.position.play(decision.move)
        self.say(f"{NAMES[color]} ({player.name}) plays {self._words(decision)}.")
        self.say(self.picture())

    def _person(self) -> None:
        color = self.position.to_move
        self._warn()
        words = self.ask(f"{NAMES[color]} to play> ").split()
        if not words:
            return
        command, *rest = words
        known = _COMMANDS.get(command.lower())
        try:
            if known is not None:
                known(self, rest)
            else:
                self._move(command)
        except (TengenError, OSError, ValueError) as error:
            self.say(f"{error}")

    def _warn(self) -> None:
        """Show the chains in atari, once a position."""
        if self.position is self._warned or not isinstance(self.adviser, Teacher):
            return
        self._warned = self.position
        for line in threat_lines(self.position, self.adviser.threatened(self.position)):
            self.say(line)

    def _move(self, word: str) -> None:
        rules = self.position.rules
        try:
            move = parse_gtp(word, rules.width, rules.height)
        except CoordinateError:
            corner = format_gtp(rules.width - 1, rules.width, rules.height)
            self.say(f"{word!r} is neither a point from A1 to {corner} nor a command; try help.")
            return
        if move == RESIGN:
            self._resign(self.position.to_move)
            return
        try:
            self.position = self.position.play(move)
        except IllegalMove as error:
            self.say(f"{error}.")
            return
        self.say(self.picture())

    # ---- commands -----------------------------------------------------------------------------------------

    def undo(self, words: list[str]) -> None:
        """Back to where the person who asks was last to move."""
        color = self.position.to_move
        position = self.position.previous
        while position is not None and position.to_move is not color and self.players:
            position = position.previous
        if position is None:
            self.say("There is nothing to take back.")
            return
        self.position = position
        self.say(self.picture())

    def hint(self, words: list[str]) -> None:
        if isinstance(self.adviser, Teacher):
            hint = self.adviser.hint(self.position)
            rules = self.position.rules
            self.say(f"Try {format_gtp(hint.move, rules.width, rules.height)}. {hint.text}")
            return
        decision = self.adviser.choose(self.position, self.limit)
        if decision.move == RESIGN:
            self.say(f"{self.adviser.name} would resign here.")
            return
        self.say(f"{self.adviser.name} would play {self._words(decision)}.")
        self.say(f"Why: {reasons(self.position, decision.move, self.adviser).rstrip('.')}.")

    def score(self, words: list[str]) -> None:
        result, dead = self._count()
        self.say(self.picture(dead))
        self.say(f"As it stands: {result}." + (" Dead stones are in lower case." if dead else ""))

    def resign(self, words: list[str]) -> None:
        self._resign(self.position.to_move)

    def show(self, words: list[str]) -> None:
        self.say(self.picture())

    def save(self, words: list[str]) -> None:
        if not words:
            self.say("save FILE: a name for the file is needed.")
            return
        path = Path(" ".join(words))
        self.write(path)
        self.say(f"Written to {path}.")

    def help(self, words: list[str]) -> None:
        self.say(HELP)

    def quit(self, words: list[str]) -> None:
        self._quit = True

    # ---- the end ------------------------------------------------------------------------------------------

    def _resign(self, color: Color) -> None:
        self.result = f"{format_color(color.opponent)}+R"
        self.say(f"{NAMES[color.opponent]} wins by resignation.")

    def _finish(self) -> None:
        if self.position.rules.goal is Goal.FIRST_CAPTURE:
            winner = self.position.capture_winner
            drawn = winner is Color.EMPTY
            self.result = "0" if drawn else f"{format_color(winner)}+"
            if isinstance(self.adviser, Teacher):
                self.say(self.adviser.ending(self.position))
            else:
                self.say(
                    "Nobody has captured: a draw."
                    if drawn
                    else f"{NAMES[winner]} has captured first and wins."
                )
            return
        self.result, dead = self._count()
        if dead:
            self.say(self.picture(dead))
            self.say("Dead stones are in lower case.")
        self.say(f"The game is over: {self.result}.")

    def _count(self) -> tuple[str, frozenset[Move]]:
        from tengen.go.scoring import format_result, score_position
        from tengen.knowledge.judging import find_dead

        if self.position.rules.goal is Goal.FIRST_CAPTURE:
            return "nobody has captured yet", frozenset()
        judge: Any = self.adviser
        judges = hasattr(judge, "dead_stones")
        dead = frozenset(judge.dead_stones(self.position)) if judges else find_dead(self.position)
        return format_result(score_position(self.position, dead)), dead

    # ---- words and pictures -------------------------------------------------------------------------------

    def picture(self, lower: frozenset[Move] | None = None) -> str:
        """The board, the last move (or the stones named) in lower case, and the captures under it."""
        position = self.position
        if lower is None:
            last = position.last_move
            lower = frozenset() if last is None or last < 0 else frozenset([last])
        marks = {move: "xo"[position.color_at(move) - 1] for move in lower if position.color_at(move)}
        black, white = position.captures
        return f"\n{format_diagram(position, marks)}\n   captured: Black {black}, White {white}\n"

    def _words(self, decision: Decision) -> str:
        rules = self.position.rules
        words = format_gtp(decision.move, rules.width, rules.height)
        if decision.winrate is not None:
            words += f" (winrate {decision.winrate:.0%})"
        return words

    def record(self) -> GameRecord:
        """The game so far."""
        first = self.position.root
        names = {color: player.name for color, player in self.players.items()}
        return GameRecord(
            rules=self.position.rules,
            handicap=self.start.handicap,
            setup_black=tuple(first.stones(Color.BLACK)),
            setup_white=tuple(first.stones(Color.WHITE)),
            first=first.to_move,
            moves=list(self.position.moves),
            result=self.result,
            black=names.get(Color.BLACK, ""),
            white=names.get(Color.WHITE, ""),
            date=date.today().isoformat(),
        )

    def write(self, path: Path) -> None:
        """The game so far as an SGF file. Raises OSError."""
        from tengen.go.sgf import sgf_of

        path.write_bytes(sgf_of(self.record()))


_COMMANDS: dict[str, Callable[[TerminalGame, list[str]], None]] = {
    "undo": TerminalGame.undo,
    "u": TerminalGame.undo,
    "hint": TerminalGame.hint,
    "h": TerminalGame.hint,
    "score": TerminalGame.score,
    "s": TerminalGame.score,
    "resign": TerminalGame.resign,
    "board": TerminalGame.show,
    "b": TerminalGame.show,
    "save": TerminalGame.save,
    "help": TerminalGame.help,
    "?": TerminalGame.help,
    "quit": TerminalGame.quit,
    "q": TerminalGame.quit,
    "exit": TerminalGame.quit,
}
