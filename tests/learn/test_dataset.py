"""Building data directories and drawing batches from them."""

import gzip
import json
import lzma
import zipfile
from pathlib import Path

import numpy as np
import pytest

from tengen.errors import DataError
from tengen.go.coords import PASS
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.go.symmetry import transform_move
from tengen.learn.builder import BuildReport, build, label_dtype, split_of
from tengen.learn.dataset import Sampler, Source, epoch
from tengen.learn.gamefiles import GameFilter, decode_letters, encode_letters, parse_rank, parse_result
from tengen.learn.labelfiles import record_dtype
from tengen.learn.pack import pack, unpack
from tengen.nets.views import planes_of

LINES = [
    "g1\t2015-01-02\tA/6d\tB/7d\tB+R\t6.5\tpddpppddqfnctt",
    "g2\t1949-03-04\tC/9d\tD/9d\tW+3.5\t7.5\tqdddpqdqoccfco",
    "g3\t2016-03-04\tE/1p\tF/2d\t0\t\tpqdppddccodqdn",
    "g4\t2017-03-04\tE/5k\tF/2d\tW+T\t5.5\tcdpqpdcqqoqedqoc",
]


def write_tsv(path: Path, lines: list[str] = LINES) -> Path:
    text = "".join(line + "\n" for line in lines).encode()
    path.write_bytes(lzma.compress(text) if path.suffix == ".xz" else text)
    return path


def write_labels(folder: Path, name: str = "pos9-1", size: int = 9, games: int = 3, seed: int = 1) -> Path:
    """A set of self-made games with a record for every position, as the label command writes them."""
    rng = np.random.default_rng(seed)
    records, lines = [], []
    for game in range(games):
        position = Position.start(Rules.named("tromp-taylor", size, 6.5))
        letters = ""
        for _ in range(12):
            move = int(rng.choice(position.legal_moves()))
            position = position.play(move)
            letters += chr(97 + move % size) + chr(97 + move // size)
        count = 13
        lines.append(f"{game}\t{size}\t6.5\t{letters}\t{count}\n")
        made = np.zeros(count, dtype=record_dtype(size))
        for record in made:
            record["moves"] = rng.permutation(size * size + 1)[:16]
            record["probs"] = np.sort(rng.integers(0, 4000, 16))[::-1]
        made["winrate"] = rng.random(count)
        made["score"] = rng.normal(0, 9, count)
        made["ownership"] = rng.integers(-8, 9, (count, size * size))
        records.append(made)
    path = folder / f"{name}.bin.xz"
    path.write_bytes(lzma.compress(np.concatenate(records).tobytes()))
    (folder / f"{name}.tsv.xz").write_bytes(lzma.compress("".join(lines).encode()))
    return path


def built(tmp_path: Path, *sources: Path, **options: object) -> tuple[Path, BuildReport]:
    out = tmp_path / "data"
    return out, build(list(sources), out, overwrite=True, **options)  # type: ignore[arg-type]


def replayed(source: Source, game: int, ply: int, symmetry: int = 0) -> Position:
    header = source.games[game]
    entries = source.moves[header["start"] : header["start"] + header["entries"]]
    size = int(header["width"])
    komi = 7.5 if np.isnan(header["komi"]) else float(header["komi"])
    position = Position.start(Rules(size, size, komi=komi))
    for entry in entries[:ply]:
        point = int(entry) & 0x3FF
        position = position.play(PASS if point == 0x3FF else transform_move(point, symmetry, size, size))
    return position


# ---- reading -----------------------------------------------------------------------------------------------


def test_letters_come_back() -> None:
    text = "pdaassttjj"
    entries = decode_letters(text, 19)
    assert encode_letters(entries, 19) == text
    assert [int(e) & 0x4000 for e in entries] == [0, 0x4000, 0, 0x4000, 0]
    with pytest.raises(DataError, match="move 2, 'jz'"):
        decode_letters("aajz", 19, "here")
    with pytest.raises(DataError, match="move 1, 'jj'"):
        decode_letters("jj", 9)


def test_ranks_are_ordered() -> None:
    order = ["20k", "1级", "1d", "6段", "9d", "1p", "9p"]
    ranks = [parse_rank(text) for text in order]
    assert ranks == sorted(ranks, key=lambda rank: rank or 0)  # type: ignore[arg-type]
    assert parse_rank("?") is None


def test_results_are_read() -> None:
    assert parse_result("B+R")[0] == 1
    assert parse_result("W+3.5") == (-1, -3.5)
    assert parse_result("0") == (0, 0.0)
    assert parse_result("Void")[0] == 2
    assert np.isnan(parse_result("W+T")[1])


@pytest.mark.parametrize(
    ("keep", "kept"),
    [
        (GameFilter(), ["g1", "g2", "g3", "g4"]),
        (GameFilter.paper(), ["g1", "g4"]),
        (GameFilter(since="2016"), ["g3", "g4"]),
        (GameFilter(until="2015-01-02"), ["g1", "g2"]),
        (GameFilter(min_rank="6d"), ["g1", "g2"]),
        (GameFilter(min_moves=8), ["g4"]),
        (GameFilter(sizes=frozenset({9})), []),
        (GameFilter(komi=frozenset({7.5})), ["g2"]),
    ],
)
def test_filters(tmp_path: Path, keep: GameFilter, kept: list[str]) -> None:
    out, report = built(tmp_path, write_tsv(tmp_path / "games.tsv.xz"), keep=keep)
    assert (out / "ids.txt").read_text().split() == kept
    assert sum(report.refused.values()) == 4 - len(kept)


def test_games_from_sgf_folders_and_archives(tmp_path: Path) -> None:
    folder = tmp_path / "sgf"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.sgf").write_text("(;FF[4]SZ[9]KM[5.5]RE[W+2.5];B[ee];W[cc];B[gg];W[])")
    (folder / "deep" / "b.sgf").write_text("(;FF[4]SZ[13]HA[2]AB[dd][jj]KM[0.5]RE[B+R];W[jd];B[dj])")
    (folder / "broken.sgf").write_text("no game at all")
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        archive.writestr("x/c.sgf", "(;SZ[9];B[aa];W[bb])")
    out, report = built(tmp_path, folder, tmp_path / "c.zip", validation=0.0)
    assert (report.games, report.unreadable) == (3, 1)
    source = Source(out)
    assert source.sizes == {9, 13}
    assert (source.count(9), source.count(13)) == (6, 2)
    handicap = source.games[source.games["width"] == 13][0]
    assert (handicap["setup"], handicap["handicap"], handicap["result"]) == (2, 2, 1)
    batch = next(epoch(source, "pocket", 8, 13))
    first = int(np.argmin(batch["planes"][:, :2].sum(axis=(1, 2, 3))))
    # Before White's first move: two black stones stand, White is to move.
    assert batch["planes"][first, 1].sum() == 2
    assert batch["globals"][first, 7] == 0


def test_a_broken_file_in_a_folder_costs_only_itself(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    (folder / "a.sgf").write_text("(;FF[4]SZ[9]KM[5.5]RE[W+2.5];B[ee];W[cc];B[gg];W[])")
    (folder / "b.zip").write_bytes(b"PK\x03\x04 cut off")
    (folder / "c.tar.gz").write_bytes(gzip.compress(b"x" * 5000)[:-20])
    (folder / "d.tsv").write_text("name\tabout\nx\ty\nz\tw\n")
    write_tsv(folder / "e.tsv.xz", LINES[:1])
    _, report = built(tmp_path, folder, validation=0.0)
    assert (report.games, report.unreadable) == (2, 3)
    assert any("d.tsv, line 1: 2 columns" in reason for reason in report.examples)
    for name in ("b.zip", "c.tar.gz", "d.tsv"):
        with pytest.raises(DataError, match=name):
            build([folder / name], tmp_path / "other")


def test_duplicates_are_found_under_symmetry(tmp_path: Path) -> None:
    moves = LINES[0].split("\t")[-1]
    entries = decode_letters(moves, 19)
    turned = entries.copy()
    for i, entry in enumerate(entries):
        if entry & 0x3FF != 0x3FF:
            turned[i] = (entry & 0x4000) | transform_move(int(entry & 0x3FF), 5, 19, 19)
    other = LINES[0].replace("g1", "g9").replace(moves, encode_letters(turned, 19))
    _, report = built(tmp_path, write_tsv(tmp_path / "games.tsv", [LINES[0], other, LINES[1]]))
    assert (report.games, report.duplicates) == (2, 1)


def test_illegal_games_are_left_out(tmp_path: Path) -> None:
    twice = "x\t2015\ta/1d\tb/1d\tB+R\t6.5\tpdpd"
    suicide = "y\t2015\ta/1d\tb/1d\tB+R\t6.5\tabssbattaa"
    last = "z\t2015\ta/1d\tb/1d\tB+R\t6.5\tabssbattqqaa"
    _, report = built(tmp_path, write_tsv(tmp_path / "games.tsv", [twice, suicide, last, "short\tline"]))
    assert (report.games, report.illegal, report.unreadable) == (1, 2, 1)


def test_a_split_is_by_game_and_the_same_in_every_build(tmp_path: Path) -> None:
    lines = [LINES[0].replace("g1", f"game{i}").replace("qf", f"q{chr(101 + i % 10)}") for i in range(10)]
    path = write_tsv(tmp_path / "train-x.tsv", lines)
    held = write_tsv(tmp_path / "validation-x.tsv", [LINES[1]])
    out, report = built(tmp_path, path, validation_sources=[held], validation=0.4)
    source = Source(out, "all")
    ids = (out / "ids.txt").read_text().split()
    expected = [1 if name == "g2" else split_of(name, 0.4) for name in ids]
    assert source.games["split"].tolist() == expected
    assert report.validation_games == sum(expected)
    assert Source(out, "validation", names=["validation-*"]).count(19) == 7
    assert Source(out, "train").count(19) + Source(out, "validation").count(19) == source.count(19)


def test_an_existing_directory_is_not_overwritten_unasked(tmp_path: Path) -> None:
    path = write_tsv(tmp_path / "games.tsv")
    build([path], tmp_path / "data")
    with pytest.raises(DataError, match="overwrite"):
        build([path], tmp_path / "data")
    with pytest.raises(DataError, match=r"nothere\.tsv"):
        build([tmp_path / "nothere.tsv"], tmp_path / "other")
    with pytest.raises(DataError, match="no data directory"):
        Source(tmp_path)
    meta = json.loads((tmp_path / "data" / "meta.json").read_text())
    (tmp_path / "data" / "meta.json").write_text(json.dumps(meta | {"version": 99}))
    with pytest.raises(DataError, match="99"):
        Source(tmp_path / "data")


# ---- drawing -----------------------------------------------------------------------------------------------


def test_a_played_move_is_the_target(tmp_path: Path) -> None:
    out, _ = built(tmp_path, write_tsv(tmp_path / "games.tsv"), validation=0.0)
    source = Source(out)
    assert source.targets == "moves"
    seen = 0
    for batch in epoch(source, "tactics", 8, 19):
        for i in range(len(batch["source"])):
            stones = int(batch["planes"][i, :2].sum())
            matches = []
            for game in range(4):
                for ply in range(int(source.games["entries"][game])):
                    position = replayed(source, game, ply)
                    planes, numbers = planes_of(position, "tactics")
                    if np.array_equal(planes, batch["planes"][i]):
                        matches.append((game, ply, numbers))
            assert matches
            for match in matches:
                game, ply, numbers = match
                entry = int(source.moves[int(source.games["start"][game]) + ply]) & 0x3FF
                played = 361 if entry == 0x3FF else entry
                if played == batch["played"][i]:
                    break
            else:
                pytest.fail(f"no game plays {batch['played'][i]} after {stones} stones")
            seen += 1
            assert batch["policy_index"][i, 0] == played
            assert batch["policy_prob"][i].tolist() == [1.0] + [0.0] * 15
            black = ply % 2 == 0
            result = int(source.games["result"][game])
            assert batch["value"][i] == (result if black else -result)
            assert batch["value_weight"][i] == 1
            assert batch["ownership_weight"][i] == 0
            if not np.isnan(source.games["komi"][game]):
                np.testing.assert_allclose(batch["globals"][i], numbers)
            else:
                assert batch["globals"][i, :2].tolist() == [0, 1]
    assert seen == source.count(19) == 7 + 7 + 7 + 8


def test_labels_are_turned_with_the_board(tmp_path: Path) -> None:
    path = write_labels(tmp_path)
    out, report = built(tmp_path, path, validation=0.0)
    assert report.labels == {9: 39}
    source = Source(out)
    assert source.targets == "labels"
    records = np.load(out / "labels-9.npy")
    assert records.dtype == label_dtype(9)
    by_value = {(float(r["winrate"]), float(r["score"])): i for i, r in enumerate(records)}
    turned = 0
    with Sampler([(source, 1.0)], "dann", 64, 9, seed=3, prefetch=0) as sampler:
        batch = sampler.next_batch()
    for i in range(64):
        winrate = next(
            w for w, s in by_value if abs(2 * w - 1 - batch["value"][i]) < 1e-6 and s == batch["score"][i]
        )
        record = records[by_value[winrate, float(batch["score"][i])]]
        images = []
        for symmetry in range(8):
            position = replayed(source, int(record["game"]), int(record["ply"]), symmetry)
            images.append(np.array_equal(planes_of(position, "dann")[0], batch["planes"][i]))
        assert any(images)
        for symmetry in np.flatnonzero(images):
            order = [transform_move(p, int(symmetry), 9, 9) for p in range(81)]
            moves = [81 if m == 81 else order[m] for m in record["moves"]]
            owner = np.zeros(81, dtype=np.int8)
            owner[order] = record["ownership"]
            if np.array_equal(owner, batch["ownership"][i].reshape(-1)):
                assert batch["policy_index"][i].tolist() == moves
                turned += symmetry != 0
                break
        else:
            pytest.fail("ownership fits no image of the position")
        expected = record["probs"] / record["probs"].sum()
        np.testing.assert_allclose(batch["policy_prob"][i], expected, rtol=1e-5)
    assert turned > 30


def test_label_sets_may_judge_games_of_other_files(tmp_path: Path) -> None:
    made = np.zeros(3, dtype=record_dtype(19))
    made["winrate"] = [0.25, 0.5, 0.75]
    made["probs"][:, 0] = 65535
    (tmp_path / "judged.bin").write_bytes(made.tobytes())
    (tmp_path / "judged.tsv").write_text("g1\t3\t6.5\tdd\ng4\t0\t5.5\tcd\nunknown\t1\t5.5\tcd\n")
    out, report = built(
        tmp_path, tmp_path / "judged.bin", write_tsv(tmp_path / "games.tsv.xz"), validation=0.0
    )
    assert (report.labels, report.labels_without_game) == ({19: 2}, 1)
    batch = next(epoch(Source(out), "pocket", 4, 19, seed=1))
    assert sorted(batch["value"].tolist()) == [-0.5, 0.0]
    assert Source(out, targets="moves").count(19) == 29


def test_files_that_do_not_fit_are_named(tmp_path: Path) -> None:
    path = write_labels(tmp_path)
    (tmp_path / "pos9-1.tsv.xz").unlink()
    with pytest.raises(DataError, match=r"no pos9-1\.tsv"):
        build([path], tmp_path / "out")
    write_labels(tmp_path)
    path.write_bytes(lzma.compress(lzma.decompress(path.read_bytes())[:-1]))
    with pytest.raises(DataError, match="are not 39 records"):
        build([path], tmp_path / "out")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match=r"pos9-1\.bin\.xz"):
        build([path], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_same_batches_whatever_the_threads_and_after_a_restart(tmp_path: Path) -> None:
    labels, games = write_labels(tmp_path), write_tsv(tmp_path / "games.tsv")
    out, _ = built(tmp_path, labels, games, validation=0.0)
    mixed = [(Source(out), 0.7), (Source(out, targets="labels", names=["pos9-1"]), 0.3)]
    with Sampler(mixed, "pocket", 17, 9, seed=5, threads=1, prefetch=0) as one:
        expected = [one.next_batch() for _ in range(6)]
    with Sampler(mixed, "pocket", 17, 9, seed=5, threads=3, prefetch=3) as other:
        for want in expected[:3]:
            got = other.next_batch()
            assert all(np.array_equal(want[name], got[name]) for name in want)
        state = json.loads(json.dumps(other.state()))
    with Sampler(mixed, "pocket", 17, 9, seed=5, threads=2) as resumed:
        resumed.next_batch()
        resumed.restore(state)
        for want in expected[3:]:
            got = resumed.next_batch()
            assert all(np.array_equal(want[name], got[name]) for name in want)
        assert set(np.unique(got["source"])) == {0, 1}
    with (
        Sampler(mixed, "dann", 17, 9, seed=5) as wrong,
        pytest.raises(DataError, match="features was 'pocket'"),
    ):
        wrong.restore(state)


def test_impossible_samplers_are_refused(tmp_path: Path) -> None:
    out, _ = built(tmp_path, write_labels(tmp_path))
    source = Source(out)
    with pytest.raises(DataError, match="13x13"):
        Sampler([(source, 1.0)], "pocket", 4, 13)
    with pytest.raises(DataError, match="weights"):
        Sampler([(source, 0.0)], "pocket", 4, 9)


def test_an_epoch_is_every_position_once(tmp_path: Path) -> None:
    out, _ = built(tmp_path, write_labels(tmp_path), validation=0.0)
    batches = list(epoch(Source(out), "pocket", 10, 9, seed=2))
    assert [len(batch["value"]) for batch in batches] == [10, 10, 10, 9]
    scores = sorted(float(s) for batch in batches for s in batch["score"])
    assert scores == sorted(float(s) for s in np.load(out / "labels-9.npy")["score"])
    again = next(epoch(Source(out), "pocket", 10, 9, seed=2, threads=2, limit=10))
    assert np.array_equal(again["planes"], batches[0]["planes"])


def test_a_pack_keeps_games_exactly_and_labels_nearly(tmp_path: Path) -> None:
    games = write_tsv(tmp_path / "games.tsv")
    sgf = tmp_path / "h.sgf"
    sgf.write_text("(;FF[4]SZ[13]HA[2]AB[dd][jj]KM[0.5]RE[B+R];W[jd];B[dj];B[cc];W[])")
    out, _ = built(tmp_path, games, sgf, write_labels(tmp_path), validation=0.0)
    pack(out, tmp_path / "packed", part=20)
    assert sorted(p.name for p in (tmp_path / "packed").iterdir()) == [
        *("games.tgp", "labels-9-1.tgp", "labels-9-2.tgp")
    ]
    unpack(tmp_path / "packed", tmp_path / "back")
    for name in ("games.npy", "moves.npy"):
        assert (out / name).read_bytes() == (tmp_path / "back" / name).read_bytes()
    before, after = np.load(out / "labels-9.npy"), np.load(tmp_path / "back" / "labels-9.npy")
    for name in ("game", "ply", "moves", "winrate", "score"):
        assert np.array_equal(before[name], after[name])
    assert np.abs(before["ownership"].astype(int) - after["ownership"]).max() <= 2
    assert np.abs(np.sqrt(before["probs"] / 65535) - np.sqrt(after["probs"] / 65535)).max() < 0.003
    assert Source(tmp_path / "back").count(9) == 39
