"""What is shipped: compiled modules and their faces, constants held equal, data that says where it comes from."""

import ast
import json
import re
import subprocess
import tomllib
from pathlib import Path

import numpy as np
import pytest
from project_source import PACKAGE, ROOT, tracked

LARGEST_FILE = 8 * 1024 * 1024
LONGEST_MODULE = 500


def compiled() -> list[str]:
    """setup.py's list, read without running it."""
    tree = ast.parse((ROOT / "setup.py").read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "COMPILED":
            names = ast.literal_eval(node.value)
            assert isinstance(names, list)
            return names
    raise AssertionError("setup.py has no COMPILED list")


def _path(module: str, ending: str) -> Path:
    return (ROOT / "src" / module.replace(".", "/")).with_suffix(ending)


@pytest.mark.parametrize("module", compiled())
def test_a_compiled_module_has_a_layout_and_a_typed_face(module: str) -> None:
    assert _path(module, ".py").is_file()
    assert _path(module, ".pyi").is_file(), f"{module}: callers are checked against a .pyi"
    source = _path(module, ".py").read_text("utf-8")
    assert "import cython" in source
    if re.search(r"^class \w+", source, re.M) and module != "tengen.go.perft":
        assert _path(module, ".pxd").is_file(), f"{module}: its classes' layout stands in a .pxd"


def test_every_layout_belongs_to_a_compiled_module() -> None:
    listed = {_path(module, ".pxd") for module in compiled()}
    stray = [path for path in PACKAGE.rglob("*.pxd") if path not in listed and path.name != "__init__.pxd"]
    assert not stray, f"not in setup.py's COMPILED: {stray}"


@pytest.mark.parametrize("module", compiled())
def test_a_stub_promises_only_what_is_there(module: str) -> None:
    """Every public name of the .pyi exists in the module, methods of its classes included."""
    loaded = __import__(module, fromlist=["_"])
    missing = []
    for node in ast.parse(_path(module, ".pyi").read_text("utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not hasattr(loaded, node.name):
            missing.append(node.name)
        if isinstance(node, ast.ClassDef) and hasattr(loaded, node.name):
            cls = getattr(loaded, node.name)
            methods = [part.name for part in node.body if isinstance(part, ast.FunctionDef)]
            missing += [f"{node.name}.{name}" for name in methods if not hasattr(cls, name)]
    assert not missing


def _enum_constants(pxd: Path) -> dict[str, int]:
    """NAME = number of every ``cdef enum`` of a .pxd; arithmetic on earlier names is followed."""
    found: dict[str, int] = {}
    inside = False
    for line in pxd.read_text("utf-8").splitlines():
        if re.match(r"cdef enum\b", line):
            inside = True
        elif inside and (match := re.match(r"\s+(\w+)\s*=\s*([^#]+?)\s*(#.*)?$", line)):
            found[match[1]] = int(eval(match[2], {"__builtins__": {}}, dict(found)))
        elif inside and line.strip() and not line.startswith(" "):
            inside = False
    return found


def test_constants_of_the_board_are_the_same_for_c_and_python() -> None:
    import tengen.go.pure as pure

    constants = _enum_constants(PACKAGE / "go" / "board.pxd")
    assert {"STRIDE", "CELLS", "EMPTY", "BLACK", "WHITE", "WALL"} <= set(constants)
    for name, value in constants.items():
        assert getattr(pure, name) == value, name


def test_the_largest_board_fits() -> None:
    from tengen.go.coords import MAX_SIZE, STRIDE

    constants = _enum_constants(PACKAGE / "go" / "board.pxd")
    assert constants["STRIDE"] == STRIDE == MAX_SIZE + 1
    assert constants["CELLS"] >= (MAX_SIZE + 2) * STRIDE


def _data_files(*endings: str) -> list[Path]:
    return [path for path in sorted((PACKAGE / "data").rglob("*")) if path.name.endswith(endings)]


def test_no_shipped_file_is_too_large() -> None:
    large = {str(path.relative_to(ROOT)): path.stat().st_size for path in tracked()}
    large = {name: size for name, size in large.items() if size > LARGEST_FILE}
    assert not large


def test_every_kind_of_data_is_checked_here() -> None:
    known = (".onnx", ".safetensors", ".npz", ".json", ".toml", ".md", ".txt", ".html", ".js", ".css", ".svg")
    strange = [
        path.name for path in (PACKAGE / "data").rglob("*") if path.is_file() and path.suffix not in known
    ]
    assert not strange


@pytest.mark.parametrize("path", _data_files(".safetensors"), ids=lambda path: path.name)
def test_weights_tell_how_they_were_trained(path: Path) -> None:
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        about = json.loads(file.read(length))["__metadata__"]
    assert about["format"].startswith("tengen-net")
    assert json.loads(about["training"])


@pytest.mark.parametrize("path", _data_files(".onnx"), ids=lambda path: path.name)
def test_networks_tell_how_they_were_trained(path: Path) -> None:
    from tengen.nets.runtime import Net

    net = Net(path, threads=1)
    assert net.heads
    assert b"training" in path.read_bytes()


@pytest.mark.parametrize("path", _data_files(".npz"), ids=lambda path: path.name)
def test_patterns_tell_where_they_come_from(path: Path) -> None:
    with np.load(path, allow_pickle=False) as arrays:
        assert "meta" in arrays.files
        assert json.loads(arrays["meta"].tobytes())["command"].startswith("tengen patterns fit")


@pytest.mark.parametrize("path", _data_files(".json"), ids=lambda path: path.name)
def test_data_files_say_what_they_are(path: Path) -> None:
    content = json.loads(path.read_text("utf-8"))
    assert set(content) & {"about", "source", "made_by", "format", "meta"}, "neither format nor source"


@pytest.mark.parametrize("path", _data_files(".toml"), ids=lambda path: path.name)
def test_configurations_are_read(path: Path) -> None:
    assert tomllib.loads(path.read_text("utf-8"))


def test_the_version_stands_in_one_place() -> None:
    import tengen

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "version" not in project["project"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "tengen.__version__"}
    assert f"## {tengen.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


FORBIDDEN = [
    re.compile(r"(?<![\w.])/(?:work|home/\w+|root|Users/\w+)/[\w.]"),
    re.compile("file" + "s[.]pythonhosted|pypi[.]org/simple|download[.]py" + "torch"),
    re.compile(r"index[-_]url\s*[=: ]\s*http", re.I),
]


def test_no_machine_and_no_registry_is_named() -> None:
    found = []
    for path in tracked():
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            text = path.read_bytes().decode("latin-1")
        for pattern in FORBIDDEN:
            found += [f"{path.relative_to(ROOT)}: {match[0]!r}" for match in pattern.finditer(text)]
    assert not found, "\n".join(found)


ALLOWED_LONG = {
    "src/tengen/go/board.py": "the rules in one place, compiled and plain",
    "src/tengen/knowledge/playout.py": "one policy; its rules share their scratch memory",
    "src/tengen/search/alphabeta.py": "one search; its parts share their tables",
}
"""Modules beyond 500 lines, each with its reason."""


def test_long_modules_have_a_reason() -> None:
    long = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        lines = len(path.read_text("utf-8").splitlines())
        if lines > LONGEST_MODULE and path.relative_to(ROOT).as_posix() not in ALLOWED_LONG:
            long[path.relative_to(ROOT).as_posix()] = lines
    assert not long, f"past {LONGEST_MODULE} lines look for the seam, or say why not: {long}"


def test_generated_files_are_not_tracked() -> None:
    suffixes = {".so", ".c", ".pyc", ".pyd", ".o"}
    assert not [path for path in tracked() if path.suffix in suffixes]


def test_ci_calls_make_test() -> None:
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111, "not executable"
    assert "make test" in script.read_text("utf-8")
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0
