"""What the documents show is run; what they link to is there."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from project_source import PACKAGE, ROOT, modules

DOCUMENTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
DOCUMENTS += sorted((ROOT / "docs").rglob("*.md"))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_python_examples_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = path.read_text("utf-8")
    if ">>> " not in text:
        pytest.skip("no example here")
    monkeypatch.chdir(tmp_path)
    found = doctest.DocTestParser().get_doctest(text.replace("```", "\n"), {}, path.name, str(path), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    out: list[str] = []
    runner.run(found, out=out.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(out)


def test_the_readme_has_examples() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert text.count(">>> ") >= 10
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert blocks
    assert all(">>> " in block for block in blocks), "a Python block that is not run"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    text = path.read_text("utf-8")
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    dead = [name for name in targets if "://" not in name and not (path.parent / name).exists()]
    assert not dead


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_commands_shown_exist(path: Path) -> None:
    from tengen.cli import COMMANDS

    text = path.read_text("utf-8")
    lines = [line for block in re.findall(r"```\w*\n(.*?)```", text, re.S) for line in block.splitlines()]
    lines += re.findall(r"`([^`\n]+)`", text)
    shown = {match[1] for line in lines if (match := re.match(r"\s*(?:\$ )?tengen ([a-z]+)\b", line))}
    assert shown - set(COMMANDS) - {"help", "version"} == set()


def test_docstring_examples_run() -> None:
    """Doctests of the plain modules of the package."""
    failed = []
    for path in modules():
        source = path.read_text("utf-8")
        if ">>> " not in source:
            continue
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        module = __import__(name, fromlist=["_"])
        if doctest.testmod(module).failed:
            failed.append(name)
    assert not failed


def _gtp(commands: str, *options: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "tengen", "gtp", *options],
        input=commands,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout


def test_the_engine_answers_its_name_at_once() -> None:
    """A front end waits for ``name``: the best of three starts, beyond what Python itself takes to start.

    In processor time, which a busy machine does not stretch.
    """
    bare, taken = [], []
    for _ in range(3):
        before = _children_seconds()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        between = _children_seconds()
        answer = _gtp("1 name\n2 quit\n")
        assert answer.startswith("=1 tengen\n\n")
        bare.append(between - before)
        taken.append(_children_seconds() - between)
    assert min(taken) - min(bare) < 0.5


def _children_seconds() -> float:
    """Processor time of all child processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def test_name_needs_no_heavy_import() -> None:
    code = (
        "import io, sys; sys.stdin = io.TextIOWrapper(io.BytesIO(b'name\\nquit\\n')); "
        "from tengen.cli import main; main(['gtp']); "
        "heavy = {'numpy', 'onnxruntime', 'typer', 'pydantic', 'torch', 'sqlalchemy'} & set(sys.modules); "
        "sys.exit(', '.join(sorted(heavy)) or None)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr


def test_the_game_of_the_readme_is_played_as_shown() -> None:
    """The GTP dialogue the README opens with: commands in, the answers it shows out."""
    text = (ROOT / "README.md").read_text("utf-8")
    block = re.search(r"```gtp\n\$ tengen gtp(.*?)\n(.*?)```", text, re.S)
    assert block, "README opens with a GTP dialogue"
    options, body = block[1].split(), block[2]
    commands = [line for line in body.splitlines() if re.match(r"[a-z]", line)]
    answer = _gtp("\n".join([*commands, "quit"]) + "\n", *options)
    expected = [line.rstrip() for line in body.splitlines() if line.strip() and not re.match(r"[a-z]", line)]
    said = [line.rstrip() for line in answer.splitlines() if line.strip()]
    assert said[: len(expected)] == expected


def test_help_lists_every_command() -> None:
    from tengen.cli import COMMANDS

    done = subprocess.run(
        [sys.executable, "-m", "tengen", "--help"], capture_output=True, text=True, check=True, timeout=60
    )
    assert all(f"  {name}" in done.stdout for name in COMMANDS)
