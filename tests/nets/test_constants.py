"""The constants of the .pxd files and their Python twins are one."""

import re
from pathlib import Path

import tengen
from tengen.learn import gamefiles
from tengen.nets import pure
from tengen.nets.feature_sets import FEATURE_SETS

ROOT = Path(tengen.__file__).parent


def constants(path: str) -> dict[str, int]:
    text = re.sub(r"#.*", "", (ROOT / path).read_text())
    blocks = re.findall(r"cdef enum:\n((?:    .*\n|\s*\n)+)", text)
    return {name: int(value, 0) for name, value in re.findall(r"(\w+) = (\w+)", "".join(blocks))}


def test_planes_and_ladders() -> None:
    for path in ("nets/features.pxd", "nets/ladders.pxd"):
        found = constants(path)
        assert len(found) >= 3
        for name, value in found.items():
            assert getattr(pure, name) == value, f"{path}: {name}"


def test_kinds_are_those_of_the_feature_sets() -> None:
    names = {"dann": pure.DANN, "dann-noladder": pure.DANN_NOLADDER, "pocket": pure.POCKET}
    assert names | {"tactics": pure.TACTICS} == {name: spec.kind for name, spec in FEATURE_SETS.items()}


def test_the_bits_of_a_packed_move() -> None:
    found = constants("learn/sampling.pxd")
    assert found == {
        "POINT": gamefiles.POINT_MASK,
        "PASS_ENTRY": gamefiles.PASS_POINT,
        "WHITE_BIT": gamefiles.WHITE,
        "SUICIDE_RULE": gamefiles.SUICIDE,
    }
