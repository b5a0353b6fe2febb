"""Python twins of what board.pxd declares for C: used when board.py runs uncompiled. A test holds them equal."""

STRIDE = 26
CELLS = 704
EMPTY, BLACK, WHITE, WALL = 0, 1, 2, 3
MAX_PLAYOUT = 2048
LIB_COUNT_SHIFT = 50
LIB_SUM_SHIFT = 30

_MASK = 0xFFFFFFFFFFFFFFFF


def lib_weight(v: int) -> int:
    return (1 << LIB_COUNT_SHIFT) | (v << LIB_SUM_SHIFT) | (v * v)


def lib_pseudo(packed: int) -> int:
    return packed >> LIB_COUNT_SHIFT


def atari_at(packed: int, v: int) -> bool:
    return packed == (packed >> LIB_COUNT_SHIFT) * lib_weight(v)


def atari_point(packed: int) -> int:
    n = packed >> LIB_COUNT_SHIFT
    if n == 0 or n > 4:
        return 0
    v = ((packed >> LIB_SUM_SHIFT) & 0xFFFFF) // n
    return v if packed == n * lib_weight(v) else 0


def stepped(x: int) -> int:
    x ^= x >> 12
    x ^= (x << 25) & _MASK
    return x ^ (x >> 27)


def random_bits(x: int) -> int:
    return ((x * 0x2545F4914F6CDD1D) & _MASK) >> 32


def below(bits: int, n: int) -> int:
    return (bits * n) >> 32


def next_random(state: list[int]) -> int:
    state[0] = stepped(state[0])
    return (state[0] * 0x2545F4914F6CDD1D) & _MASK


def random_below(state: list[int], n: int) -> int:
    return below(next_random(state) >> 32, n)
