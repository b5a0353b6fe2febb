"""Every real file of the shared samples: read, written back, read again, replayed."""

from pathlib import Path

import pytest

from tengen.errors import SgfError
from tengen.go.coords import Color
from tengen.go.record import GameRecord
from tengen.go.sgf import Collection, format_sgf, load_sgf, parse_sgf, record_of, sgf_of

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "sgf-samples"


def manifest() -> list[dict[str, str]]:
    """The rows of MANIFEST.tsv; none where the shared data is absent."""
    path = FOLDER / "MANIFEST.tsv"
    if not path.is_file():
        return []
    head, *rows = path.read_text(encoding="utf-8").splitlines()
    return [dict(zip(head.split("\t"), row.split("\t"), strict=False)) for row in rows]


ROWS = manifest()


def find(name: str) -> Path:
    return next(FOLDER.glob(f"*{name}*"))


def first_record(name: str) -> GameRecord:
    return record_of(load_sgf(find(name)).games[0])


def contents(collection: Collection) -> list[list[tuple[bytes, tuple[bytes, ...]]]]:
    """Every node of a file as its identifiers and values."""
    return [
        [(p.ident, p.values) for p in node.properties]
        for game in collection.games
        for node in game.all_nodes()
    ]


@pytest.mark.usefixtures("shared_data")
def test_the_manifest_lists_every_file() -> None:
    assert len(ROWS) == 141
    assert {row["file"] for row in ROWS} == {path.name for path in FOLDER.iterdir()} - {"MANIFEST.tsv"}


@pytest.mark.parametrize("row", ROWS, ids=[row["file"] for row in ROWS])
def test_a_real_file(row: dict[str, str], shared_data: Path) -> None:
    path = shared_data / "sgf-samples" / row["file"]
    if path.stat().st_size == 0:
        with pytest.raises(SgfError, match="the file is empty"):
            load_sgf(path)
        return
    collection = load_sgf(path)
    written = format_sgf(collection)
    again = parse_sgf(written)
    assert again == collection
    assert contents(again) == contents(collection)
    assert format_sgf(again) == written
    refused = []
    for game in collection.games:
        try:
            record = record_of(game)
        except SgfError as error:
            refused.append(error.reason)
            continue
        assert record_of(parse_sgf(sgf_of(record), strict=True).games[0]) == record
        assert record.final_position().move_number == len(record.moves)
    assert all(reason.startswith("SZ[") for reason in refused)
    hold_to_manifest(row, collection)


def hold_to_manifest(row: dict[str, str], collection: Collection) -> None:
    """What the manifest says, counted by another program: size and, in an even game, the moves replayed."""
    tags = row["tags"].split()
    try:
        record = record_of(collection.games[0])
    except SgfError:
        return
    replayed = row["replay (main line, even start)"].split()
    if replayed[0] == "ok":
        assert len(record.moves) == int(replayed[1])
        assert record.rules.size == int(row["size"])
    if "collection" in tags and "unclosed" not in tags:
        assert len(collection.games) > 1
    if "BOM" in tags:
        assert collection.games[0].preamble.startswith(b"\xef\xbb\xbf")
    if not {"unclosed", "leading-junk", "not-utf8", "no-start"} & set(tags) and "CA=foo" not in tags:
        assert not [w for w in collection.warnings if "ends" in w.reason or "no property" in w.reason]


@pytest.mark.usefixtures("shared_data")
class TestWhatEachIsFor:
    def test_charsets(self) -> None:
        assert (first_record("014-sgf-chinese").black, first_record("014-sgf-chinese").white) == (
            "古力",
            "柯洁",
        )
        assert first_record("017-sgf-japanese").black == "井山 裕太"
        assert first_record("019-sgf-korean").white == "박정환"
        assert first_record("016-sgf-nihon-kiin").white == "党毅飛"
        assert first_record("016-sgf-nihon-kiin").winner is Color.BLACK
        assert first_record("021-sgf-utf16le").black == "Kitani Minoru"
        assert load_sgf(find("020-sgf-no-ca")).charset.codec == "gb18030"
        assert "東アジア" in "".join(first_record("106-").comments.values())
        assert load_sgf(find("181-")).charset.codec == "gb18030"

    def test_chinese_komi(self) -> None:
        assert first_record("037-WeiqiHub").rules.komi == 7.5  # KM[375]
        assert first_record("025-ai").rules.komi == 7.5  # KM[750]
        assert first_record("188-katrain-ogs").rules.komi == 6.5

    def test_handicap(self) -> None:
        game = first_record("067-cwi-handicap")
        assert (game.handicap, game.first, len(game.setup_black)) == (5, Color.WHITE, 5)
        assert first_record("070-cwi-old_chinese").handicap == 0

    def test_bad_moves(self) -> None:
        assert len(first_record("006-gogui-invalidmove").moves) == 3
        assert len(first_record("005-gogui-human-readable").moves) == 6
        game = first_record("078-cwi-unusual-illegal_ko")
        assert (len(game.moves), game.result) == (186, "W+F")
        assert "retakes the ko" in game.warnings[-1]

    def test_broken_files_keep_what_they_have(self) -> None:
        owl = load_sgf(find("174-gnugo-owl42"))
        assert "parentheses open" in owl.warnings[0].reason
        assert len(record_of(owl.games[0]).setup_black) == 131
        sgfc = load_sgf(find("133-littlego-test"))
        assert len(sgfc.games) >= 4
        assert len(sgfc.warnings) > 5

    def test_sizes(self) -> None:
        assert first_record("124-littlego-25x25").rules.size == 25
        assert first_record("075-cwi-other_sizes-Hashimoto").rules.size == 21
        assert first_record("198-fuego").rules.size == 6

    def test_a_large_tree(self) -> None:
        game = load_sgf(find("041-glift-Kogo")).games[0]
        assert len(list(game.leaves())) > 7000
        deepest = max(game.leaves(), key=len)
        assert record_of(game, deepest).moves
