"""Python twins of what features.pxd and ladders.pxd declare for C. A test holds them equal."""

DANN, DANN_NOLADDER, POCKET, TACTICS = 0, 1, 2, 3
RECENT = 5
KEY_KINDS = 8
TRAIL, NODES, MOST_RESCUES = 8192, 1000, 16
WORDS = 10


def tengen_popcount(x: int) -> int:
    return x.bit_count()
