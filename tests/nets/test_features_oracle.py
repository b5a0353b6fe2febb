"""The compiled planes against a slow reading of their definitions, on random positions."""

import random

import numpy as np
import pytest

from tengen.go.coords import PASS, Color
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.knowledge.tactics import Tactics
from tengen.nets.feature_sets import feature_spec
from tengen.nets.ladders import is_caught, ladder_catches, ladder_escapes
from tengen.nets.views import planes_of


def random_position(seed: int, width: int, height: int, moves: int) -> Position:
    rng = random.Random(seed)
    position = Position.start(Rules(width, height))
    for _ in range(moves):
        legal = [m for m in position.legal_moves() if not position.board.is_eye(m, position.to_move)]
        if not legal or rng.random() < 0.02:
            if position.passes:
                break
            position = position.play(PASS)
        else:
            # Near the last move more often, so that fights and captures come up.
            near = [
                m
                for m in legal
                if position.last_move is not None and abs(m - position.last_move) <= width + 1
            ]
            position = position.play(rng.choice(near if near and rng.random() < 0.6 else legal))
    return position


def slow_planes(position: Position) -> dict[str, np.ndarray]:
    width, height = position.rules.width, position.rules.height
    area = width * height
    mover = position.to_move
    board = position.board
    found = {name: np.zeros(area, dtype=np.uint8) for name in feature_spec("dann").plane_names}
    recent = [here.last_move for here in position.line()][:5]
    found["Black to move"][:] = mover is Color.BLACK
    for point in range(area):
        color = board.color_at(point)
        if color:
            found["own" if color == mover else "opponent"][point] = 1
            count = board.liberties(point)
            found[f"liberties {count}" if count < 4 else "liberties 4+"][point] = 1
            age = recent.index(point) + 1 if point in recent else 6
            found[f"turns since {age}" if age < 6 else "turns since 6+"][point] = 1
            continue
        found["empty"][point] = 1
        if not board.is_legal(point, mover):
            continue
        found["legal"][point] = 1
        found["sensible"][point] = not board.is_eye(point, mover)
        after = board.copy()
        taken = after.place(point, mover)
        found[f"captures {taken}" if taken < 7 else "captures 7+"][point] = 1
        count = after.liberties(point)
        name = f"liberties after the move {count}" if count < 6 else "liberties after the move 6+"
        found[name][point] = 1
        if count == 1:
            size = len(after.chain(point))
            found[f"self-atari of {size}" if size < 8 else "self-atari of 8+"][point] = 1
    return found


@pytest.mark.parametrize("seed", range(24))
def test_every_plane_of_table_1_but_ladders(seed: int) -> None:
    width, height, moves = [(9, 9, 70), (5, 7, 40), (19, 19, 180), (3, 3, 12)][seed % 4]
    position = random_position(seed, width, height, moves)
    planes, _ = planes_of(position, "dann")
    expected = slow_planes(position)
    for name, drawn in zip(feature_spec("dann").plane_names, planes, strict=True):
        if not name.startswith("ladder"):
            np.testing.assert_array_equal(drawn.reshape(-1), expected[name], err_msg=name)
    without, _ = planes_of(position, "dann-noladder")
    np.testing.assert_array_equal(without, planes[2:])


@pytest.mark.parametrize("seed", range(12))
def test_ladder_planes_say_what_the_reader_says(seed: int) -> None:
    position = random_position(100 + seed, 9, 9, 50)
    board, mover = position.board, int(position.to_move)
    planes, _ = planes_of(position, "tactics")
    names = feature_spec("tactics").plane_names
    drawn = {name: planes[i].reshape(-1) for i, name in enumerate(names)}
    capture, escape = np.zeros(81), np.zeros(81)
    lost = np.zeros(81)
    for stone in range(81):
        if board.color_at(stone) == 3 - mover:
            for move in board.chain_liberties(stone):
                if board.is_legal(move, mover) and ladder_catches(board, move, stone):
                    capture[move] = 1
        elif board.color_at(stone) == mover:
            for move in ladder_escapes(board, stone):
                escape[move] = 1
            lost[stone] = is_caught(board, stone)
    np.testing.assert_array_equal(drawn["ladder capture"], capture)
    np.testing.assert_array_equal(drawn["ladder escape"], escape)
    in_atari = np.array([board.in_atari(stone) for stone in range(81)])
    np.testing.assert_array_equal(drawn["own caught in a ladder"] * in_atari, lost)


@pytest.mark.parametrize("seed", range(6))
def test_a_ladder_verdict_holds_against_every_reply(seed: int) -> None:
    """Unrolled once on the real board: every reply of a caught chain leaves it catchable or in atari."""
    position = random_position(300 + seed, 9, 9, 60)
    board = position.board
    for stone in range(81):
        color = board.color_at(stone)
        if not color or not board.in_atari(stone) or not is_caught(board, stone):
            continue
        for reply in range(81):
            if board.is_legal(reply, color):
                after = board.copy()
                after.place(reply, color)
                count = after.liberties(stone)
                assert count <= 2
                if count == 2:
                    chase = [
                        move for move in after.chain_liberties(stone) if ladder_catches(after, move, stone)
                    ]
                    assert chase


@pytest.mark.parametrize("seed", range(10))
def test_two_ladder_readers_agree(seed: int) -> None:
    """The planes' reader and the tactics' were written apart; only captures at once are no ladders here."""
    position = random_position(500 + seed, 9, 9, 25 + 5 * seed)
    planes, _ = planes_of(position, "dann")
    tactics = Tactics(position.board, 2000)
    mover = int(position.to_move)
    for move in range(81):
        if position.board.is_legal(move, mover):
            assert planes[1].flat[move] == tactics.ladder_escape(move, mover)
            if not tactics.stones_taken(move, mover):
                assert planes[0].flat[move] == tactics.ladder_capture(move, mover)
