"""The language and the wire, without a word of Go."""

import itertools
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.front.gtp.protocol import (
    LONGEST_LINE,
    Arguments,
    CommandTable,
    GtpFailure,
    Interpreter,
    Interrupt,
    Quit,
    Request,
    Stream,
    parse_line,
)
from tengen.front.gtp.wire import Inbox, LineCutter


class Parrot:
    """An engine for a language without Go."""

    can_sing = False


TABLE: CommandTable[Parrot] = CommandTable()


@TABLE.add("say WORDS..", "says them")
def say(parrot: Parrot, arguments: Arguments) -> str:
    return arguments.rest_text()


@TABLE.add("sum A B", "adds")
def add(parrot: Parrot, arguments: Arguments) -> str:
    total = arguments.number() + arguments.integer()
    arguments.end()
    return f"{total:g}"


@TABLE.add("lines", "several, some of them empty")
def lines(parrot: Parrot, arguments: Arguments) -> str:
    return "one\n\n\r\n \ntwo\n\n"


@TABLE.add("fall", "fails in a way nobody foresaw")
def fall(parrot: Parrot, arguments: Arguments) -> str:
    raise ZeroDivisionError("off\n\nthe perch")


@TABLE.add("fly", "fails in a way somebody foresaw")
def fly(parrot: Parrot, arguments: Arguments) -> str:
    raise LookupError("no window is open")


@TABLE.add("sing", "only some can", lambda parrot: parrot.can_sing)
def sing(parrot: Parrot, arguments: Arguments) -> str:
    return "la"


@TABLE.add_stream("count N", "one line for each")
def count(parrot: Parrot, arguments: Arguments, stream: Stream) -> None:
    for number in range(arguments.integer()):
        stream.line(str(number))
        if number == 5:
            raise ZeroDivisionError("too far")


@TABLE.add("quit", "ends")
def leave(parrot: Parrot, arguments: Arguments) -> str:
    raise Quit


@pytest.fixture
def answer():
    reported: list[BaseException] = []
    interpreter = Interpreter(Parrot(), TABLE, expected=(LookupError,), report=reported.append)

    def ask(line: str | bytes) -> str:
        return interpreter.answer(line if isinstance(line, bytes) else line.encode()).decode()

    ask.reported = reported  # type: ignore[attr-defined]
    return ask


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"play b d4", Request("", "play", "b d4")),
        (b"  12   play\tb\td4  \r", Request("12", "play", "b d4")),
        (b"007 name", Request("007", "name", "")),
        (b"7", Request("7", "", "")),
        (b"7name", Request("", "7name", "")),
        (b"\0na\x01me\x7f", Request("", "name", "")),
        (b"name # what are you called", Request("", "name", "")),
        (b"loadsgf  /tmp/two  blanks.sgf", Request("", "loadsgf", "/tmp/two  blanks.sgf")),
        (b"99999999999999999999999 name", Request("99999999999999999999999", "name", "")),
        (b"", None),
        (b" \t\r", None),
        (b"# comment", None),
        (b"#", None),
    ],
)
def test_parse_line(line: bytes, expected: Request | None) -> None:
    assert parse_line(line) == expected


def test_interrupt_is_a_comment_that_matters() -> None:
    for line in (b"# interrupt", b"#interrupt\r", b"  #  Interrupt "):
        assert isinstance(parse_line(line), Interrupt)
    assert parse_line(b"# interrupted") is None
    assert parse_line(b"name # interrupt") == Request("", "name", "")


def test_bytes_that_are_no_utf8_come_back_as_they_were(answer) -> None:
    interpreter = Interpreter(Parrot(), TABLE)
    assert interpreter.answer(b"say caf\xe9 \xe5\x9b\xb2") == b"= caf\xe9 \xe5\x9b\xb2\n\n"


def test_answers(answer) -> None:
    assert answer("say hello") == "= hello\n\n"
    assert answer("3 say hello") == "=3 hello\n\n"
    assert answer("say") == "=\n\n"
    assert answer("0 say") == "=0\n\n"
    assert answer("sum 1.5 2") == "= 3.5\n\n"
    assert answer("4 sum 1.5 2.0") == "=4 3.5\n\n"
    assert answer("nonsense") == "? unknown command\n\n"
    assert answer("5 SAY") == "?5 unknown command\n\n"
    assert answer("6") == "?6 syntax error\n\n"
    assert answer("") == ""
    assert answer("quit") == "=\n\n"


@pytest.mark.parametrize(
    "words",
    ["", "1", "1 2 3", "1 2.5", "x 1", "nan 1", "inf 1", "1e99 1", "1_0 1", "١ 1", "1 " + "9" * 50, "0x1 1"],
)
def test_arguments_that_make_no_sense_are_syntax_errors(answer, words: str) -> None:
    assert answer(f"sum {words}") == "? syntax error\n\n"


def test_an_answer_never_ends_early(answer) -> None:
    assert answer("lines") == "= one\ntwo\n\n"


def test_the_unforeseen_is_an_answer_and_a_report_and_life_goes_on(answer) -> None:
    assert answer("1 fall") == "?1 internal error: ZeroDivisionError: off the perch\n\n"
    assert [type(error) for error in answer.reported] == [ZeroDivisionError]
    assert answer("fly") == "? no window is open\n\n"
    assert len(answer.reported) == 1
    assert answer("say again") == "= again\n\n"


def test_what_an_engine_cannot_do_is_not_there(answer) -> None:
    parrot = Parrot()
    assert "sing" not in TABLE.names(parrot)
    assert answer("sing") == "? unknown command\n\n"
    parrot.can_sing = True
    assert "sing" in TABLE.names(parrot)


def test_streams_are_ended_whatever_happens(answer) -> None:
    assert answer("2 count 3") == "=2\n0\n1\n2\n\n"
    assert answer("count 0") == "=\n\n"
    assert answer("count x") == "? syntax error\n\n"
    assert answer("count 9") == "=\n0\n1\n2\n3\n4\n5\n\n"


def test_a_command_is_registered_once() -> None:
    with pytest.raises(ValueError, match="'say' is there twice"):
        TABLE + TABLE


def test_lines_are_cut_wherever_the_pieces_end() -> None:
    cutter = LineCutter()
    text = b"name\nversion\r\n\nplay b d4\nqu"
    for step in (1, 2, 3, 7, 100):
        found = []
        for start in range(0, len(text), step):
            found += [line for line, _ in cutter.feed(text[start : start + step])]
        assert found == [b"name", b"version\r", b"", b"play b d4"]
        assert list(cutter.rest()) == [(b"qu", False)]


def test_ten_megabytes_without_a_newline_are_kept_only_in_part() -> None:
    cutter = LineCutter()
    for _ in range(160):
        assert list(cutter.feed(b"x" * (1 << 16))) == []
    [(line, cut), (other, other_cut)] = cutter.feed(b"yz\nname\n")
    assert cut
    assert len(line) == LONGEST_LINE
    assert (other, other_cut) == (b"name", False)


def test_a_line_too_long_is_answered_with_its_id(answer) -> None:
    parts: list[bytes] = []
    Interpreter(Parrot(), TABLE).run(Request("8", "say", "", True), parts.append)
    assert parts == [b"?8 line too long\n\n"]


def test_anything_stops_an_analysis_but_only_stop_and_interrupt_a_move() -> None:
    inbox = Inbox()

    def put(name: str) -> None:
        inbox.put(Request("", name, ""))

    def take() -> str:
        come, request = inbox.take(1)
        assert come
        assert request is not None
        return request.name

    put("lz-analyze")
    assert take() == "lz-analyze"
    with inbox.work(by_anything=True) as stop:
        assert not stop.is_set()
        put("name")
        assert stop.is_set()
    with inbox.work(by_anything=True) as stop:
        assert stop.is_set(), "what waits already is input, too"
    assert take() == "name"
    with inbox.work(by_anything=True) as stop:
        inbox.nudge()
        assert stop.is_set(), "an empty line"
    with inbox.work(by_anything=False) as stop:
        put("version")
        inbox.nudge()
        assert not stop.is_set()
        put("stop")
        assert stop.is_set()
    assert [take(), take()] == ["version", "stop"]


def test_an_interrupt_counts_for_what_was_asked_before_it() -> None:
    inbox = Inbox()
    assert not inbox.interrupt(), "nothing is under way"
    inbox.put(Request("", "genmove", "b"))
    assert inbox.interrupt()
    inbox.put(Request("", "genmove", "w"))
    inbox.take()
    with inbox.work(by_anything=False) as stop:
        assert stop.is_set()
    inbox.take()
    with inbox.work(by_anything=False) as stop:
        assert not stop.is_set(), "this one was asked after it"
        assert inbox.interrupt()
        assert stop.is_set()
    assert inbox.take(0.01) == (False, None)
    assert not inbox.interrupt()
    inbox.put(Request("", "genmove", "b"))
    inbox.put(Request("", "stop", ""))
    inbox.put(Request("", "genmove", "w"))
    expected = [True, False, False]
    for set_already in expected:
        inbox.take()
        with inbox.work(by_anything=False) as stop:
            assert stop.is_set() is set_already


def test_a_player_is_hurried_until_it_has_stopped() -> None:
    inbox = Inbox()
    inbox.put(Request("", "genmove", "b"))
    inbox.take()
    calls: list[float] = []
    with inbox.work(by_anything=False, hurry=lambda: calls.append(time.monotonic())):
        time.sleep(0.1)
        assert calls == []
        inbox.interrupt()
        time.sleep(0.3)
        assert len(calls) >= 2
    time.sleep(0.1)
    count = len(calls)
    time.sleep(0.1)
    assert len(calls) == count


def test_a_thread_that_waits_is_woken() -> None:
    inbox = Inbox()
    threading.Timer(0.05, lambda: inbox.put(None)).start()
    began = time.monotonic()
    assert inbox.take(5) == (True, None)
    assert time.monotonic() - began < 3


def test_arguments_by_hand() -> None:
    arguments = Arguments("b  d4 0.5 true rest  of it")
    assert len(arguments) == 7
    assert (arguments.word(), arguments.peek(), arguments.word()) == ("b", "d4", "d4")
    assert arguments.number() == 0.5
    assert arguments.flag() is True
    assert arguments.rest_text() == "rest of it"
    arguments.end()
    for take in (arguments.word, arguments.number, arguments.flag):
        with pytest.raises(GtpFailure, match="syntax error"):
            take()


@given(st.binary(max_size=200).filter(lambda line: b"\n" not in line))
@settings(deadline=None, max_examples=300)
def test_any_line_is_one_answer_or_none(line: bytes) -> None:
    answer = Interpreter(Parrot(), TABLE).answer(line)
    request = parse_line(line)
    if isinstance(request, Request):
        assert answer.startswith((f"={request.id}".encode(), f"?{request.id}".encode()))
        assert answer.endswith(b"\n\n")
        assert answer.count(b"\n\n") == 1
    else:
        assert answer == b""


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=8))
@settings(deadline=None, max_examples=300)
def test_cutting_into_pieces_changes_no_line(data: bytes, cuts: list[int]) -> None:
    cutter = LineCutter()
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    lines = [line for start, end in itertools.pairwise(places) for line, _ in cutter.feed(data[start:end])]
    lines += [line for line, _ in cutter.rest()]
    *whole, rest = data.split(b"\n")
    assert lines == whole + [rest] * bool(rest)
