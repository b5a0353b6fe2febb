"""The compiled modules. Everything else about the package stands in pyproject.toml."""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

COMPILED = [
    "tengen.go.board",
    "tengen.go.scoring",
    "tengen.go.perft",
    "tengen.go.replay",
    "tengen.knowledge.chains",
    "tengen.knowledge.tactics",
    "tengen.knowledge.patterns",
    "tengen.knowledge.playout",
    "tengen.knowledge.guided",
    "tengen.knowledge.moves",
    "tengen.nets.ladders",
    "tengen.nets.features",
    "tengen.nets.guides",
    "tengen.learn.sampling",
    "tengen.search.first_capture",
    "tengen.search.leaves",
    "tengen.search.store",
    "tengen.search.parts",
    "tengen.search.selectors",
    "tengen.search.evaluators",
    "tengen.search.pruners",
    "tengen.search.amaf",
    "tengen.search.mcts",
    "tengen.search.python_parts",
    "tengen.systems.mucgo_parts",
    "tengen.systems.graph_parts",
    "tengen.search.alphabeta",
    "tengen.systems.capture_net",
    "tengen.systems.capture_defender",
]
"""Modules that run as plain Python too, and fast when compiled. An entry whose file is absent is an error."""

CHECKED = os.environ.get("TENGEN_CHECKED") == "1"
ONLY = {name for name in os.environ.get("TENGEN_ONLY", "").split(",") if name}

if CHECKED:
    # Indices of C arrays, shifts and overflows are checked by the sanitizer: the first wrong one ends the program.
    # TENGEN_SANITIZE=1 adds memory (python must then be started with LD_PRELOAD of libasan).
    sanitize = "address,undefined" if os.environ.get("TENGEN_SANITIZE") == "1" else "undefined"
    compile_args = ["-O1", "-g", "-fno-omit-frame-pointer", "-fno-sanitize-recover=undefined"]
    compile_args += [f"-fsanitize={sanitize}", "-Wno-unused-function"]
    link_args = [f"-fsanitize={sanitize}"]
elif sys.platform == "win32":
    compile_args, link_args = ["/O2"], []
else:
    # No -march=native in what is shipped; a user may ask for it: TENGEN_CFLAGS="-march=native".
    compile_args = ["-O3", "-fno-math-errno", "-fno-trapping-math", "-fwrapv", "-Wno-unused-function"]
    # What newer compilers refuse, every compiler refuses.
    compile_args += ["-Werror=incompatible-pointer-types", "-Werror=int-conversion"]
    compile_args += os.environ.get("TENGEN_CFLAGS", "").split()
    link_args = []

DIRECTIVES = {
    "language_level": "3",
    "boundscheck": CHECKED,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": CHECKED,
    "nonecheck": False,  # it would need the GIL, which the checked code does not hold
    "overflowcheck": False,
    "freethreading_compatible": False,
}


def extensions() -> list[Extension]:
    names = [name for name in COMPILED if not ONLY or name in ONLY]
    paths = {name: f"src/{name.replace('.', '/')}.py" for name in names}
    missing = [path for path in paths.values() if not Path(path).exists()]
    if missing:
        raise SystemExit(f"setup.py: no such module: {', '.join(missing)}")
    macros = [("TENGEN_CHECKED", "1")] if CHECKED else []
    return [
        Extension(
            name, [path], extra_compile_args=compile_args, extra_link_args=link_args, define_macros=macros
        )
        for name, path in paths.items()
    ]


# Worker processes need fork: a spawned one would run this file again.
JOBS = (os.cpu_count() or 1) if sys.platform.startswith("linux") and sys.version_info < (3, 14) else 0

setup(
    ext_modules=cythonize(
        extensions(),
        include_path=["src"],
        compiler_directives=DIRECTIVES,
        build_dir="build/cython",
        annotate=os.environ.get("TENGEN_ANNOTATE") == "1",
        nthreads=JOBS,
    ),
    options={"build_ext": {"parallel": JOBS or None}},
)
