"""Tables, pictures and pages made of known results."""

import html.parser
import io
import json
import math
import re
import shutil
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from known_games import result
from simple_players import SimpleBuilder

from tengen.arena.crosstable import CrossTable
from tengen.arena.machine import provenance
from tengen.arena.pictures import Bar, Share, bars, intervals, line_plot, stacked
from tengen.arena.progress import ProgressLine
from tengen.arena.results import GameKey, GameResult
from tengen.arena.runner import Progress
from tengen.arena.session import Session
from tengen.arena.summary import signed
from tengen.arena.tournament import parse_tournament


def games(black: str, white: str, wins: int, losses: int, start: int) -> list[GameResult]:
    winners = [black] * wins + [white] * losses
    return [
        result(GameKey(black, white, start + number), black, white, winner)
        for number, winner in enumerate(winners)
    ]


# cygo, Table 4 (19x19): Black's wins and losses against White.
CYGO_TABLE_4 = {
    ("Ray", "Fuego"): (465, 35, "93.0"),
    ("Ray", "Pachi"): (486, 14, "97.2"),
    ("Fuego", "Ray"): (40, 460, "8.0"),
    ("Fuego", "GNU Go"): (415, 85, "83.0"),
    ("Pachi", "Ray"): (11, 489, "2.2"),
    ("Pachi", "GNU Go"): (437, 63, "87.4"),
    ("GNU Go", "Fuego"): (81, 419, "16.2"),
    ("GNU Go", "Pachi"): (66, 434, "13.2"),
}


def test_the_cross_table_of_cygos_table_4() -> None:
    played = [
        game
        for number, ((black, white), (wins, losses, _)) in enumerate(CYGO_TABLE_4.items())
        for game in games(black, white, wins, losses, 500 * number)
    ]
    table = CrossTable.of(["Ray", "Fuego", "Pachi", "GNU Go"], played)
    rows = {row[0]: dict(zip(table.rows()[0], row, strict=True)) for row in table.rows()[1:]}
    for (black, white), (wins, losses, percent) in CYGO_TABLE_4.items():
        assert rows[f"{black} (B)"][f"{white} (W)"] == f"{wins} - {losses} ({percent} %)"
    assert rows["Ray (B)"]["GNU Go (W)"] == "-"
    assert rows["Ray (B)"]["Ray (W)"] == "-"
    assert (table.pair("Ray", "Fuego").wins, table.pair("Fuego", "Ray").wins) == (465 + 460, 75)
    ratings = table.ratings()
    assert ratings is not None
    # "the order is Ray > Fuego > Pachi > GNU Go" - Pachi and Fuego by their games with GNU Go and Ray.
    assert ratings.players[0].player == "Ray"
    assert ratings.players[-1].player == "GNU Go"
    assert table.text().count("\n") == 4


class _Checker(html.parser.HTMLParser):
    """Every tag closed in order, nothing loaded from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta",):
            self.open.append(tag)
        for name, value in attrs:
            if name in ("href", "src"):
                self.links.append(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def play(folder: Path) -> Path:
    config = parse_tournament(
        {
            "name": "greedy <and> random",
            "games": 4,
            "conditions": {"size": 5, "opening_moves": 2, "second_opinion": "never"},
            "players": [{"spec": "random"}, {"spec": "greedy"}, {"name": "r&d", "spec": "random"}],
        },
        "test",
    )
    session = Session(config, SimpleBuilder(), folder=folder)
    schedule = session.schedule()
    path = session.write_report(session.outcome(schedule, session.play(schedule)))
    assert path is not None
    return path


def test_the_report_is_one_page_and_links_every_game(tmp_path: Path) -> None:
    text = play(tmp_path).read_text()
    checker = _Checker()
    checker.feed(text)
    assert checker.open == []
    assert len(checker.links) == 12
    for link in checker.links:
        assert (tmp_path / link).read_text().startswith("(;GM[1]")
    assert "greedy &lt;and&gt; random" in text
    assert "r&amp;d" in text
    for picture in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        ElementTree.fromstring(picture)
    assert text.count("<svg") >= 3


def test_the_report_holds_what_is_needed_to_repeat_it(tmp_path: Path) -> None:
    play(tmp_path)
    fields = json.loads((tmp_path / "report.json").read_text())
    assert {player["name"] for player in fields["players"]} == {"random", "greedy", "r&d"}
    assert sum(player["games"] for player in fields["players"]) == 24
    assert all(len(player["elo_interval"]) == 2 for player in fields["players"])
    origin = fields["origin"]
    assert origin["seed"] == 1
    assert origin["versions"]["python"]
    assert origin["machine"]["cores"] >= 1
    assert origin["tournament"]["conditions"]["size"] == 5
    assert origin["command"]
    if (Path(__file__).parents[2] / ".git").exists() and shutil.which("git"):
        assert re.fullmatch("[0-9a-f]{12}(-dirty)?", origin["versions"]["commit"])


def test_the_report_names_the_programs_with_their_versions(tmp_path: Path) -> None:
    engine = f"{sys.executable} -m tengen gtp --engine random --size 5"
    config = parse_tournament(
        {
            "games": 2,
            "conditions": {"size": 5, "second_opinion": "never"},
            "players": [{"spec": "random"}, {"name": "it", "spec": f"cmd:{engine}"}],
        },
        "test",
    )
    session = Session(config, SimpleBuilder(move_timeout=30.0), folder=tmp_path)
    schedule = session.schedule()
    session.write_report(session.outcome(schedule, session.play(schedule)))
    players = {p["name"]: p for p in json.loads((tmp_path / "report.json").read_text())["players"]}
    assert players["random"]["programs"] == []
    assert re.fullmatch(r"tengen \d+\.\d+.*", players["it"]["programs"][0])
    assert players["it"]["programs"][0] + ")" in (tmp_path / "report.html").read_text()


def test_nought_has_no_sign_and_the_command_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [signed(value) for value in (-0.2, 0.0, 0.4, -0.6, 12.3, math.inf)] == [
        "0",
        "0",
        "0",
        "-1",
        "+12",
        "+inf",
    ]
    monkeypatch.setattr("sys.argv", ["/x/tengen/__main__.py", "match", "a b"])
    assert provenance()["command"] == "tengen match 'a b'"


@pytest.mark.parametrize(
    "picture",
    [
        bars("time & memory", [Bar("a<b", 3.2, 2.9, 3.5, 90.0), Bar("c", 0.0)], "ms"),
        intervals("elo", [Bar("a", -30, -80, 20, 5), Bar("b", 30, -20, 80)]),
        intervals("one", [Bar("a", 1.0)], middle=None),
        stacked("wins", [Share("a", 52.4, 21.3, 26.3), Share("nobody", 0, 0, 0)]),
        line_plot(
            "states", [("tree", [(1, 508), (5, 1092)]), ("graph", [(1, 506), (5, 1087)])], "s", "states"
        ),
        line_plot("nothing", [], "x", "y"),
    ],
)
def test_pictures_are_sound_svg(picture: str) -> None:
    root = ElementTree.fromstring(picture)
    assert root.tag.endswith("svg")
    numbers = [float(n) for n in re.findall(r'(?:x|y|x1|y1|x2|y2|width|height|cx|cy)="([-0-9.]+)"', picture)]
    numbers += [float(n) for n in re.findall(r'd="M([-0-9.]+) ', picture)]
    assert all(-1 <= number <= 640 for number in numbers)


def test_the_progress_line_has_the_interval_and_the_time_left() -> None:
    played = {game.key: game for game in games("a", "b", 30, 10, 0)}
    progress = Progress(played, 100, 40, 20.0)
    text = ProgressLine("a", io.StringIO()).text(progress)
    assert text == "40/100 games  a 75.0 % [59.8, 85.8]  2.00 games/s  0:00:30 left"
    assert ProgressLine(None, io.StringIO()).text(Progress({}, 100, 0, 0.0)) == "0/100 games"
