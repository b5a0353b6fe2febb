"""A line of a game tree as a GameRecord: sizes, komi, rules and moves in the spellings real files have."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from tengen.errors import CoordinateError, IllegalMove, RulesError, SgfError
from tengen.go.board import Board
from tengen.go.coords import PASS, Color, Move, check_size, format_gtp, parse_gtp, parse_sgf
from tengen.go.record import GameRecord, parse_amount, parse_result
from tengen.go.rules import Ko, Rules, Scoring
from tengen.go.sgf_tree import Game, Node

__all__ = ["parse_komi", "parse_rules", "parse_size", "record_of"]


def record_of(game: Game, choices: Sequence[int] = ()) -> GameRecord:
    """The main line of a game, or the line that ``choices`` picks at its forks (see ``Tree.line``).

    What the file has wrong is put right or left out with a note in ``warnings``: the record skips a move that
    is no point of the board and ends before one the rules forbid, and before stones set up in mid-game.
    Raises SgfError for a board that cannot be, naming it, and IndexError for a choice that is not there.
    """
    return _RecordReader(game, choices).read()


MAX_WARNINGS = 200


class _RecordReader:
    """The state of one pass along a line."""

    def __init__(self, game: Game, choices: Sequence[int]) -> None:
        self.game = game
        self.line = list(game.line(choices))
        self.facts = _facts(self.line)
        self.warnings: list[str] = []
        root = game.root
        self.width, self.height = self.size()
        rules_text = self.text("RU")
        self.komi_text = self.text("KM")
        self.rules = parse_rules(rules_text, self.width, self.height)
        if rules_text and not known_rules(rules_text):
            self.warn(root, f"RU[{rules_text}]: no rules known by that name, {self.assumed()}")
        self.stones: dict[Move, Color] = {}
        self.first: Color | None = None
        self.moves: list[tuple[Color, Move]] = []
        self.comments: dict[int, str] = {}

    def warn(self, node: Node, reason: str) -> None:
        if len(self.warnings) < MAX_WARNINGS:
            self.warnings.append(f"byte {node.offset}: {reason}")

    def assumed(self) -> str:
        return "area scoring assumed" if self.rules.scoring is Scoring.AREA else "territory scoring assumed"

    def size(self) -> tuple[int, int]:
        game, root = self.game, self.game.root
        text = self.text("SZ")
        kind = self.text("GM")
        if kind not in ("1", "01", ""):
            self.warn(root, f"GM[{kind}] is another game; read as Go")
        if not text:
            return 19, 19
        try:
            width, height = parse_size(text)
            check_size(width, height)
        except CoordinateError as error:
            raise SgfError(f"SZ[{text[:30]}]: {error}", source=game.source, offset=root.offset) from None
        return width, height

    def read(self) -> GameRecord:
        for node in self.line:
            if not self.read_node(node):
                break
        root = self.game.root
        handicap = self.handicap()
        komi = parse_komi(self.komi_text)
        if komi is None:
            komi = self.usual_komi(handicap)
            said = f"KM[{self.komi_text}] is no number" if self.komi_text else "no KM"
            self.warn(root, f"{said}: komi {komi:g} assumed")
        elif not -1000 <= komi <= 1000:
            self.warn(root, f"KM[{self.komi_text}] is absurd: komi 0 assumed")
            komi = 0.0
        record = GameRecord(
            rules=replace(self.rules, komi=komi),
            handicap=handicap,
            setup_black=tuple(sorted(move for move, color in self.stones.items() if color is Color.BLACK)),
            setup_white=tuple(sorted(move for move, color in self.stones.items() if color is Color.WHITE)),
            first=self.first or (self.moves[0][0] if self.moves else self.rules.first_to_move(handicap)),
            moves=self.moves,
            result=self.text("RE") or None,
            black=self.text("PB"),
            white=self.text("PW"),
            black_rank=self.text("BR"),
            white_rank=self.text("WR"),
            date=self.text("DT"),
            event=self.text("EV"),
            round=self.text("RO"),
            place=self.text("PC"),
            name=self.text("GN"),
            main_time=seconds(self.text("TM")),
            overtime=self.text("OT"),
            comments=self.comments,
            warnings=self.warnings,
        )
        self.end_before_illegal(record)
        return record

    def usual_komi(self, handicap: int) -> float:
        """What a game without KM was played at: 0 with handicap, before 1950, or if won by whole points."""
        margin = parse_result(self.text("RE")).margin
        year = re.search(r"\b1[0-9]{3}\b", self.text("DT"))
        if handicap or (margin and margin == int(margin)) or (year and int(year[0]) < 1950):
            return 0.0
        return self.rules.komi

    def text(self, name: str) -> str:
        """A fact about the game, or nothing."""
        value = self.facts.get(name)
        return "" if value is None else self.game.charset.simple_text(value)

    def handicap(self) -> int:
        """HA, or the number of Black's setup stones where White begins a game without setup of his own."""
        root = self.game.root
        text = self.text("HA")
        black = sum(color is Color.BLACK for color in self.stones.values())
        begins = self.first or (self.moves[0][0] if self.moves else None)
        by_stones = black if begins is Color.WHITE and black == len(self.stones) >= 2 else 0
        number = parse_amount(text) if text else None
        if number is None:
            if text:
                self.warn(root, f"HA[{text}] is no number: {by_stones} handicap stones counted")
            # More stones than any handicap: a problem with White to play.
            return by_stones if text or by_stones <= 9 else 0
        handicap = int(number) if 2 <= number <= self.rules.area else 0
        if handicap and not self.stones and begins is Color.WHITE:
            self.warn(root, f"HA[{text}], but no stones are set")
        return handicap

    def read_node(self, node: Node) -> bool:
        """Take in one node; false where the record has to end before it."""
        names = {p.name for p in node.properties}
        if names & {"AB", "AW", "AE"}:
            if self.moves:
                self.warn(node, f"stones are set up after move {len(self.moves)}: the record ends there")
                return False
            self.set_up(node)
        if "PL" in names and not self.moves:
            self.first = parse_side(self.game.simple_text(node, "PL") or "") or self.first
        for p in node.properties:
            if p.name in ("B", "W"):
                move = self.move(node, p.name, p.values[0])
                if move is not None:
                    self.moves.append((Color.BLACK if p.name == "B" else Color.WHITE, move))
        comment = self.game.text(node, "C")
        if comment:
            before = self.comments.get(len(self.moves))
            self.comments[len(self.moves)] = f"{before}\n{comment}" if before else comment
        return True

    def set_up(self, node: Node) -> None:
        for name, color in (("AE", Color.EMPTY), ("AB", Color.BLACK), ("AW", Color.WHITE)):
            for value in node.values(name):
                for move in self.points(node, name, value):
                    if color:
                        self.stones[move] = color
                    else:
                        self.stones.pop(move, None)

    def points(self, node: Node, name: str, value: bytes) -> list[Move]:
        """The points of a setup value, a rectangle ``aa:cc`` among them."""
        corners = [self.point(text) for text in value.decode("latin-1").strip().split(":")]
        places = [corner for corner in corners if corner is not None and corner >= 0]
        if len(places) != len(corners) or len(places) > 2:
            self.warn(
                node, f"{name}[{_shown(value)}] is no point of the {self.width}x{self.height} board: left out"
            )
            return []
        rows, columns = zip(*(divmod(place, self.width) for place in places), strict=True)
        return [
            row * self.width + column
            for row in range(min(rows), max(rows) + 1)
            for column in range(min(columns), max(columns) + 1)
        ]

    def move(self, node: Node, name: str, value: bytes) -> Move | None:
        move = self.point(value.decode("latin-1").strip())
        if move is None:
            self.warn(
                node, f"{name}[{_shown(value)}] is no point of the {self.width}x{self.height} board: skipped"
            )
        return move

    def point(self, text: str) -> Move | None:
        """A point or a pass in SGF's letters, or as GTP and people write it (``R16``, ``pass``); None for
        neither.
        """
        try:
            return parse_sgf(text, self.width, self.height)
        except CoordinateError:
            pass
        if text in ("--", "zz"):
            return PASS
        try:
            if text.isascii() and text.isupper() and len(text) == 2 and text.isalpha():
                return parse_sgf(text.lower(), self.width, self.height)
            move = parse_gtp(text, self.width, self.height)
        except CoordinateError:
            return None
        return move if move >= PASS else None

    def end_before_illegal(self, record: GameRecord) -> None:
        """Cut the record before the first move that simple ko or the suicide rule forbid."""
        board = Board(self.width, self.height)
        taken = [m for m in record.setup_black if not board.put(m, Color.BLACK)]
        taken += [m for m in record.setup_white if not board.put(m, Color.WHITE)]
        if taken:
            names = ", ".join(format_gtp(move, self.width, self.height) for move in taken[:9])
            self.warn(self.game.root, f"setup leaves stones without a liberty: {names} left out")
            record.setup_black = tuple(m for m in record.setup_black if m not in taken)
            record.setup_white = tuple(m for m in record.setup_white if m not in taken)
        last = None
        for number, (color, move) in enumerate(record.moves):
            if color is last:
                board.pass_move()
            last = color
            try:
                board.place(move, color, suicide=self.rules.suicide)
            except IllegalMove as error:
                record.warnings.append(f"move {number + 1}: {error}: the record ends before it")
                del record.moves[number:]
                for late in [key for key in record.comments if key > number]:
                    del record.comments[late]
                return


def _facts(line: Sequence[Node]) -> dict[str, bytes]:
    """First values by name, of the nodes up to the first move: not every program keeps to the root."""
    facts: dict[str, bytes] = {}
    for node in line:
        for p in node.properties:
            facts.setdefault(p.name, p.values[0])
        if "B" in facts or "W" in facts:
            break
    return facts


def _shown(value: bytes) -> str:
    return "".join(c if " " <= c <= "~" else "?" for c in value[:20].decode("latin-1"))


def parse_size(text: str) -> tuple[int, int]:
    """Width and height from ``19``, ``19:13`` or ``19x13``; unchecked. Raises CoordinateError, quoting the
    text.
    """
    match = re.fullmatch(r"\s*(-?\d{1,9})\s*(?:[:xX*]\s*(-?\d{1,9})\s*)?", text)
    if match is None:
        raise CoordinateError("a number, or two with a colon between, expected")
    width = int(match[1])
    return width, int(match[2]) if match[2] else width


def parse_komi(text: str) -> float | None:
    """Komi in points; None for what is no number.

    Chinese servers write it in hundredths (``650``, ``750``), or count stones, of which a point is half:
    3.75, 2.75 and 3.25 stones, ``375`` in hundredths, are 7.5, 5.5 and 6.5 points. A value that ends in a
    quarter is such a count; a value of 100 or more is in hundredths.
    """
    if not text.strip():
        return None
    if re.fullmatch(r"\s*(?:none|no|nil|无|無|なし|없음)\s*", text, re.IGNORECASE):
        return 0.0
    komi = parse_amount(text)
    if komi is None:
        return None
    if "子" in text:
        return round(komi * 2, 6)
    if abs(komi) >= 100 and komi == int(komi):
        komi /= 100
    if abs(komi) < 10 and komi * 4 == int(komi * 4) and komi * 2 != int(komi * 2):
        komi *= 2
    return round(komi, 6)


def parse_side(text: str) -> Color | None:
    letter = text[:1].lower()
    return {"b": Color.BLACK, "1": Color.BLACK, "w": Color.WHITE, "2": Color.WHITE}.get(letter)


def seconds(text: str) -> float | None:
    """The main time in seconds: a number, or ``90 minutes``, ``5 hours``, ``5小时``, ``1h30m`` in words."""
    folded = unicodedata.normalize("NFKC", text).casefold().strip()
    if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", folded):
        return float(folded)
    units = {"h": 3600.0, "小": 3600.0, "時": 3600.0, "时": 3600.0, "시": 3600.0}
    units |= {"m": 60.0, "分": 60.0, "분": 60.0, "s": 1.0, "秒": 1.0, "초": 1.0}
    found = re.findall(r"(\d{1,5}(?:\.\d{1,3})?)\s*(h|小|時|时|시|m|分|분|s|秒|초)", folded)
    return sum(float(number) * units[unit] for number, unit in found) if found else None


_RULES_WORDS = (
    (r"tromp|^tt$|logical", "tromp-taylor"),
    (r"new.?zealand|^nz", "new-zealand"),
    (r"capture|atari.?go", "capture"),
    (r"^(?:jap|jp|nihon|japon)|日本", "japanese"),
    (r"^(?:kor|kr)|韩国|韓国|韓國|한국", "korean"),
    (r"^goe|^ing\b|^ing$|sst|应氏|應氏", "ing"),
    (r"chinese.?ogs", "chinese-ogs"),
    (r"chinese.?kgs", "chinese-kgs"),
    (r"^(?:chi|cn|zh)|中国|中國|数子|數子", "chinese"),
    (r"aga.?button", "aga-button"),
    (r"^aga|^american", "aga"),
    (r"^bga|^british", "bga"),
    (r"^fr|^ffg", "french"),
    (r"ancient.?terr", "ancient-territory"),
    (r"ancient|stone|group tax", "stone-scoring"),
)


@lru_cache(maxsize=256)
def known_rules(text: str) -> str | None:
    """The rule set a text of RU names, ``ing`` and ``{`` (fields in JSON) beside those of RULE_SETS; else
    None.
    """
    folded = unicodedata.normalize("NFKC", text).casefold().strip()
    if folded.startswith("{"):
        return "{"
    return next((name for pattern, name in _RULES_WORDS if re.search(pattern, folded)), None)


def parse_rules(text: str, width: int = 19, height: int = 19) -> Rules:
    """The rules that RU names, with their usual komi; Chinese rules for what nobody knows."""
    name = known_rules(text)
    size = (width, height)
    if name == "ing":
        return replace(Rules.named("chinese", size), suicide=True, ko=Ko.POSITIONAL)
    if name == "{":
        try:
            return Rules.named("chinese", size).with_kata(text)
        except RulesError:
            name = None
    return Rules.named(name or "chinese", size)
