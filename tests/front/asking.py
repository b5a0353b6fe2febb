"""Words the tests of the GTP commands share."""

from tengen.go.coords import parse_gtp


def at(*words: str, size: int = 9) -> list[int]:
    return [parse_gtp(word, size, size) for word in words]


def tell(ask, lines: str) -> str:
    """Several commands that must succeed; the answer to the last."""
    answer = ""
    for line in lines.strip().splitlines():
        answer = ask(line.strip())
        assert not answer.startswith("?"), (line, answer)
    return answer
