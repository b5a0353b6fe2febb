"""Where the project's own files are, for the tests that read them."""

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "tengen"


def modules() -> Iterator[Path]:
    """Every Python file of the package."""
    return iter(sorted(PACKAGE.rglob("*.py")))


def tracked() -> list[Path]:
    """The files of the project: what git tracks or would track; without git, all but build outputs."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
            "\n"
        )
    except (OSError, subprocess.CalledProcessError):
        listed = []
        for folder in ("src", "tests", "docs", "benchmarks", "."):
            pattern = "*" if folder == "." else "**/*"
            listed += [str(path.relative_to(ROOT)) for path in (ROOT / folder).glob(pattern)]
        listed = [name for name in listed if not name.endswith((".so", ".pyc"))]
    return sorted(path for name in set(listed) - {""} if (path := ROOT / name).is_file())


def imported(path: Path) -> Iterator[tuple[str, int, bool]]:
    """(module, line, at module level and not for type checking) of every import of a file."""
    tree = ast.parse(path.read_text("utf-8"), str(path))
    yield from _imports(tree, True)


def _imports(node: ast.AST, top: bool) -> Iterator[tuple[str, int, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            for name in child.names:
                yield name.name, child.lineno, top
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, f"relative import in line {child.lineno}"
            yield child.module or "", child.lineno, top
        else:
            inside = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            checking = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
            yield from _imports(child, top and not inside and not checking)
