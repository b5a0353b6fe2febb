"""Long seeded fuzzing of the record reader and of the board: what ``tengen fuzz`` runs.

Same seed, same inputs. A failure is described well enough to be tried again alone.
"""

import contextlib
import random
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from tengen.errors import IllegalMove, SgfError
from tengen.go.board import Board
from tengen.go.coords import PASS, format_gtp
from tengen.go.sgf import format_sgf, parse_sgf, record_of, sgf_of

__all__ = ["SGF_SEEDS", "check_sgf", "fuzz_board", "fuzz_sgf", "mutate"]

Progress = Callable[[int, int], None]
MAX_FAILURES = 20
MAX_SECONDS = 20.0

_MOVES = b";B[pd];W[dp];B[pp];W[dd];B[fq];W[cn];B[jp];W[nc];B[lc];W[qc];B[qd];W[pc];B[od];W[nb]"
SGF_SEEDS: tuple[bytes, ...] = (
    b"(;GM[1]FF[4]CA[UTF-8]SZ[19]KM[6.5]RU[Japanese]PB[a]PW[b]RE[B+3.5]"
    + _MOVES
    + b"C[a \\] b\\\\]LB[aa:x])",
    b"(;FF[3]SZ[9]AB[cc][gg]AW[ee]PL[W];W[cg](;B[gc]N[one];W[ef])(;B[ge](;W[])(;W[tt]C[pass])))",
    b"(;GaMe[1]SiZe[13]PlayerBlack[x]KoMi[5 1/2]\n;\nBlack[dd]\nComment[hm]\n"
    b"(;White[jj])(;White[jd]);Black[dj])",
    b"(;FF[4]SZ[7:5]AB[aa:bc]AE[bb]HA[two];B[ga];W[fa];B[R3];W[pass])\r\n(;SZ[5];B[cc])trailing",
    "(;CA[GB2312]PB[古力]PW[柯洁]RE[黑中盘胜]KM[375]HA[0];B[pd];W[dp]C[一间跳，好手。])".encode("gbk"),
    "(;PB[表示能力]PW[山下敬吾]RE[白番半目勝]C[第三期　棋聖戦ソ表];B[qd];W[dc])".encode("cp932"),
    "(;CA[Big5]PB[功許蓋]C[黑棋先走，許功蓋。];B[qd];W[dc])".encode("big5"),
    "(;CA[EUC-KR]PB[이세돌]PW[박정환]RE[흑 불계승];B[qd];W[dc])".encode("euc_kr"),
    "\ufeff(;FF[4]SZ[9]PB[Müller]C[höre];B[ee])".encode("utf-16"),
    b"mail header (no game)\n\n(;FF[1]VW[]SZ[19]\nAB[dd]\nB[pd];W[dc];B[dq]AN[x]XX[unknown][twice])\n",
)
"""Small records with what real files have: old forms, setup, variations, charsets, junk around them."""

_TOKENS: tuple[bytes, ...] = (
    b"(",
    b")",
    b";",
    b"[",
    b"]",
    b"\\",
    b"B[aa]",
    b"W[]",
    b"AB[aa:ss]",
    b"SZ[0]",
    b"SZ[26]",
    b"SZ[2:25]",
)
_TOKENS += (
    b"CA[UTF-8]",
    b"CA[Big5]",
    b"KM[1e9]",
    b"KM[-]",
    b"HA[99]",
    b"C[",
    b"\x00",
    b"\xff\xfe",
    b"\x1b$B",
)
_TOKENS += (
    b"AE[aa]",
    b"PL[W]",
    b"RE[W+]",
    b"(;",
    b";;",
    b"B[ab][ac]",
    b"\xef\xbb\xbf",
    b"RU[{]",
    b"FF[5]",
    b"GM[2]",
)


def mutate(data: bytes, rng: random.Random) -> bytes:
    """A record with one to eight wounds: bytes flipped, put in, taken out, doubled, cut off, spliced."""
    text = bytearray(data)
    for _ in range(1 + int(rng.random() ** 3 * 8)):
        place = rng.randrange(len(text) + 1)
        length = int(rng.random() ** 2 * 40)
        kind = rng.randrange(8)
        if kind == 0 and place < len(text):
            text[place] ^= 1 << rng.randrange(8)
        elif kind == 1:
            text[place:place] = rng.choice(_TOKENS)
        elif kind == 2:
            del text[place : place + length]
        elif kind == 3:
            text[place:place] = text[place : place + length]
        elif kind == 4:
            text[place:place] = rng.randbytes(1 + length // 10)
        elif kind == 5 and place < len(text):
            text[place] = rng.randrange(256)
        elif kind == 6 and rng.random() < 0.3:
            del text[place:]
        else:
            other = rng.choice(SGF_SEEDS)
            start = rng.randrange(len(other))
            text[place:place] = other[start : start + length]
    return bytes(text)


def check_sgf(data: bytes) -> str:
    """Read, write and read again: ``refused`` (an SgfError), ``clean`` or ``salvaged``.

    Raises AssertionError where the second reading differs or a game written from its record is not that game;
    every other exception is a fault of the reader.
    """
    try:
        collection = parse_sgf(data)
    except SgfError:
        return "refused"
    again = parse_sgf(format_sgf(collection), encoding=collection.charset)
    assert again == collection, "what was written reads differently"
    for game in collection.games[:3]:
        try:
            record = record_of(game)
        except SgfError:
            continue
        assert record_of(parse_sgf(sgf_of(record)).games[0]) == record, "a record written reads differently"
    return "salvaged" if collection.warnings else "clean"


def fuzz_sgf(
    count: int, seed: int = 1, seeds: Sequence[bytes] = SGF_SEEDS, progress: Progress | None = None
) -> dict[str, Any]:
    """Feed ``count`` mutated records to the reader. Stops early, keeping the count, on KeyboardInterrupt.

    Returns what came of them, the first failures with their bytes in hex, the speed, the slowest file and how
    much the process grew after the first tenth.
    """
    rng = random.Random(seed)
    outcomes = {"clean": 0, "salvaged": 0, "refused": 0}
    failures: list[dict[str, Any]] = []
    slowest = 0.0
    began = time.perf_counter()
    early_peak = 0
    done = 0
    with contextlib.suppress(KeyboardInterrupt):
        for done in range(1, count + 1):
            data = mutate(rng.choice(seeds), rng)
            start = time.perf_counter()
            try:
                outcomes[check_sgf(data)] += 1
                assert time.perf_counter() - start < MAX_SECONDS, "took too long"
            except Exception as error:
                outcomes["failed"] = outcomes.get("failed", 0) + 1
                if len(failures) < MAX_FAILURES:
                    failures.append({"number": done, "error": repr(error)[:200], "data": data.hex()})
            slowest = max(slowest, time.perf_counter() - start)
            if done == max(1, count // 10):
                early_peak = _peak_memory()
            if progress is not None and done % 1000 == 0:
                progress(done, count)
    seconds = time.perf_counter() - began
    return {
        "kind": "sgf",
        "seed": seed,
        "count": done,
        **outcomes,
        "failures": failures,
        "seconds": round(seconds, 2),
        "per_second": round(done / seconds, 1) if seconds else 0.0,
        "slowest_ms": round(slowest * 1000, 1),
        "memory_growth_mb": round((_peak_memory() - early_peak) / 2**20, 1) if early_peak else 0.0,
    }


def _peak_memory() -> int:
    """The most memory this process has held so far, in bytes; 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def fuzz_board(count: int, seed: int = 1, progress: Progress | None = None) -> dict[str, Any]:
    """Play ``count`` random moves, bad ones among them, on boards of all sizes, and check them.

    A board fails where chains, liberties, empty points, hash or ko are not what its stones say, where an
    illegal move is taken or changes something, or where a copy is not equal or not independent.
    """
    rng = random.Random(seed)
    totals = {"moves": 0, "refused": 0, "captures": 0, "boards": 0, "checks": 0}
    failures: list[dict[str, Any]] = []
    began = time.perf_counter()
    with contextlib.suppress(KeyboardInterrupt):
        while totals["moves"] + totals["refused"] < count and len(failures) < MAX_FAILURES:
            game_seed = rng.getrandbits(48)
            totals["boards"] += 1
            try:
                _fuzz_one_board(random.Random(game_seed), totals, count)
            except Exception as error:
                failures.append({"board_seed": game_seed, "error": f"{type(error).__name__}: {error}"[:300]})
            if progress is not None:
                progress(min(count, totals["moves"] + totals["refused"]), count)
    seconds = time.perf_counter() - began
    done = totals["moves"] + totals["refused"]
    return {
        "kind": "board",
        "seed": seed,
        "count": done,
        **totals,
        "failures": failures,
        "seconds": round(seconds, 2),
        "per_second": round(done / seconds, 1) if seconds else 0.0,
    }


def _fuzz_one_board(rng: random.Random, totals: dict[str, int], count: int) -> None:
    """One game of random moves to about four times the board's points."""
    width, height = (rng.choice((2, 3, 5, 7, 9, 13, 19, 25)) for _ in range(2))
    board = Board(width, height)
    suicide = rng.random() < 0.5
    color = 1
    for step in range(4 * width * height):
        if totals["moves"] + totals["refused"] >= count:
            break
        move = PASS if rng.random() < 0.02 else rng.randrange(-3, width * height + 2)
        while 0 <= move < width * height and board.color_at(move) and rng.random() < 0.9:
            move = rng.randrange(width * height)
        legal = move == PASS or (0 <= move < width * height and board.is_legal(move, color, suicide))
        before = board.stones_list(), board.hash, board.ko_point
        try:
            captured = board.place(move, color, suicide)
        except IllegalMove:
            assert not legal, f"step {step}: {move} is legal, but was refused"
            assert before == (board.stones_list(), board.hash, board.ko_point), (
                f"step {step}: a refused move stayed"
            )
            totals["refused"] += 1
            continue
        assert legal, f"step {step}: {move} is illegal, but was taken"
        totals["moves"] += 1
        totals["captures"] += captured
        color = 3 - color if rng.random() < 0.95 else color
        if rng.random() < 0.05:
            totals["checks"] += 1
            check_board(board)
            twin = board.copy()
            board.place(PASS, color)
            assert twin.stones_list() == board.stones_list(), f"step {step}: a copy differs"
            check_board(twin)
            board = twin


def check_board(board: Board) -> None:
    """Hold a board's chains, liberties, empty points and hash against its stones alone. AssertionError if not
    so.
    """
    stones = board.stones_list()
    width, height = board.width, board.height
    assert board.empty_points() == [move for move, color in enumerate(stones) if not color], "empty points"
    seen: set[int] = set()
    for start, color in enumerate(stones):
        if not color or start in seen:
            continue
        chain, liberties = _flood(stones, width, height, start)
        seen |= chain
        name = format_gtp(start, width, height)
        assert liberties, f"{name}: a chain without liberties stayed"
        assert board.chain(start) == sorted(chain), f"{name}: chain"
        assert board.chain_liberties(start) == sorted(liberties), f"{name}: liberties"
        assert board.in_atari(start) == (len(liberties) == 1), f"{name}: atari"
    fresh = Board(width, height)
    for move, color in enumerate(stones):
        assert not color or fresh.put(move, color), f"{format_gtp(move, width, height)}: cannot be set up"
    assert fresh.hash == board.hash, "hash"


def _flood(stones: Sequence[int], width: int, height: int, start: int) -> tuple[set[int], set[int]]:
    """The chain at a stone and its liberties."""
    chain, liberties, todo = {start}, set(), [start]
    while todo:
        row, column = divmod(todo.pop(), width)
        for to_row, to_column in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if not (0 <= to_row < height and 0 <= to_column < width):
                continue
            near = to_row * width + to_column
            if not stones[near]:
                liberties.add(near)
            elif stones[near] == stones[start] and near not in chain:
                chain.add(near)
                todo.append(near)
    return chain, liberties
