"""Networks at play: load an ONNX file, judge positions in batches, remember what was judged.

A position is turned to its canonical orientation before the network sees it, so that all its images are
judged alike and share one place in the cache.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.errors import ConfigError, DataError
from tengen.go.position import Position
from tengen.nets.feature_sets import FeatureSpec, feature_spec
from tengen.nets.features import PlaneWriter, canonical_key, draw, legal_mask
from tengen.nets.symmetries import source_tables, symmetry_tables
from tengen.nets.views import follow, globals_of

__all__ = ["Evaluation", "Net", "RawOutputs"]

FORMAT = "tengen-net-1"
HEADS = ("policy", "played", "value", "score", "ownership")

RawOutputs = dict[str, NDArray[np.float32]]
"""By head: policy (and played) logits [B, N*N+1], value [B], score [B] in points, ownership [B, H, W]."""


@dataclass(frozen=True)
class Evaluation:
    """What a network thinks of a position, for the side to move; None where it has no such head."""

    policy: NDArray[np.float32]
    """Probabilities of the flat points and, last, of a pass; nought where simple ko or suicide forbids."""
    value: float | None = None
    score: float | None = None
    ownership: NDArray[np.float32] | None = None
    """-1 the opponent's .. 1 the mover's, height x width."""

    @property
    def winrate(self) -> float | None:
        return None if self.value is None else (self.value + 1) / 2


class Net:
    """A loaded network. May be used from several threads at once.

    ``threads`` is how many cores one batch may use, ``cache`` how many judgments are remembered (about 3 KB
    each on 19x19). ``symmetries`` is over how many of the eight orientations a judgment is averaged: 1 is
    fastest.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        threads: int = 1,
        cache: int = 4096,
        symmetries: int = 1,
        providers: Sequence[str] = ("CPUExecutionProvider",),
    ) -> None:
        self.path = Path(path)
        if symmetries not in (1, 2, 4, 8):
            raise ConfigError(f"symmetries {symmetries}: 1, 2, 4 or 8 expected")
        if threads < 1 or cache < 0:
            raise ConfigError(f"threads {threads}, cache {cache}: at least 1 and 0 expected")
        self.symmetries = symmetries
        self._session = _open_session(self.path, threads, providers)
        self.metadata: dict[str, str] = dict(self._session.get_modelmeta().custom_metadata_map)
        self._check()
        self.name = self.metadata.get("name", self.path.stem)
        self.spec: FeatureSpec = feature_spec(self.metadata["feature_set"])
        self._inputs = {item.name for item in self._session.get_inputs()}
        self.heads = tuple(item.name for item in self._session.get_outputs())
        self._cache: OrderedDict[tuple[Any, ...], tuple[NDArray[np.float32], ...]] = OrderedDict()
        self._cache_size = cache
        self._lock = threading.Lock()
        self._local = threading.local()
        self.hits = 0
        self.misses = 0

    def _check(self) -> None:
        """That the file is one of ours and means what this version means."""
        told = self.metadata
        if told.get("format") != FORMAT:
            raise DataError(f"{self.path}: an ONNX file, but not a net of tengen (no format {FORMAT})")
        try:
            spec = feature_spec(told.get("feature_set", ""))
        except ConfigError as error:
            raise DataError(f"{self.path}: {error}") from None
        counts = told.get("planes"), told.get("globals")
        if counts != (str(spec.planes), str(spec.globals)):
            raise DataError(
                f"{self.path}: made for {counts[0]} planes and {counts[1]} numbers of {spec.name!r}, "
                f"which has {spec.planes} and {spec.globals} here"
            )
        found = {item.name for item in self._session.get_outputs()}
        if not found <= set(HEADS) or not found & {"policy", "played"}:
            raise DataError(f"{self.path}: outputs {sorted(found)}; some of {', '.join(HEADS)} expected")

    @property
    def boards(self) -> tuple[int, ...] | None:
        """The board sides it works on, or None if it works on any."""
        if self.metadata.get("any_board") == "1":
            return None
        return tuple(int(side) for side in self.metadata.get("boards", "").split(",") if side)

    def plays_on(self, width: int, height: int) -> bool:
        return self.boards is None or (width == height and width in self.boards)

    def run(self, planes: NDArray[Any], numbers: NDArray[np.float32]) -> RawOutputs:
        """One batch as it is: planes [B, C, H, W] of any type, numbers [B, G]; the heads' raw outputs."""
        fed: dict[str, Any] = {"planes": np.ascontiguousarray(planes, dtype=np.float32), "globals": numbers}
        outputs = self._session.run(None, {name: fed[name] for name in self._inputs})
        return dict(zip(self.heads, outputs, strict=True))

    def evaluate(self, positions: Sequence[Position], *, head: str | None = None) -> list[Evaluation]:
        """Judge positions of one board size, in one batch for those not remembered.

        ``head`` chooses the policy where a net has two: "policy" (its teacher's) or "played" (people's).
        """
        if not positions:
            return []
        head = head or next(name for name in ("policy", "played") if name in self.heads)
        if head not in self.heads:
            raise ConfigError(f"{self.path.name}: has no {head!r} head ({', '.join(self.heads)})")
        width, height = positions[0].rules.width, positions[0].rules.height
        if not self.plays_on(width, height):
            raise ConfigError(f"{self.path.name}: plays on {self.boards}, not on {width}x{height}")
        views = [self._look(position, width, height) for position in positions]
        known: dict[tuple[Any, ...], tuple[NDArray[np.float32], ...]] = {}
        missing: dict[tuple[Any, ...], _View] = {}
        with self._lock:
            for view in views:
                found = self._cache.get(view.key)
                if found is not None:
                    self._cache.move_to_end(view.key)
                    known[view.key] = found
                    self.hits += 1
                elif view.key not in missing:
                    missing[view.key] = view
                    self.misses += 1
        if missing:
            made = self._judge(list(missing.values()), width, height)
            known |= made
            if self._cache_size:
                with self._lock:
                    self._cache |= made
                    while len(self._cache) > self._cache_size:
                        self._cache.popitem(last=False)
        return [self._evaluation(known[view.key], view, head, width, height) for view in views]

    def _look(self, position: Position, width: int, height: int) -> _View:
        """Draw a position and find its canonical orientation."""
        writer = self._writer(width, height)
        follow(writer, position)
        mover = int(position.to_move)
        planes = np.empty((self.spec.planes, height * width), dtype=np.uint8)
        draw(writer, position.board, mover, self.spec.kind, planes.reshape(-1))
        key, symmetry = canonical_key(writer, position.board, mover, symmetry_tables(width, height))
        numbers = globals_of(position, self.spec.name)
        return _View((width, height, key, numbers.tobytes()), symmetry, planes, numbers, legal_mask(writer))

    def _writer(self, width: int, height: int) -> PlaneWriter:
        writers: dict[tuple[int, int], PlaneWriter] | None = getattr(self._local, "writers", None)
        if writers is None:
            writers = self._local.writers = {}
        if (width, height) not in writers:
            writers[width, height] = PlaneWriter(width, height)
        return writers[width, height]

    def _judge(
        self, views: list[_View], width: int, height: int
    ) -> dict[tuple[Any, ...], tuple[NDArray[np.float32], ...]]:
        """The heads of each view in its canonical orientation, averaged over the orientations asked for."""
        sources, targets = source_tables(width, height), symmetry_tables(width, height)
        turns = min(self.symmetries, len(sources))
        upright = np.stack([view.planes[:, sources[view.symmetry]] for view in views])
        numbers = np.stack([view.numbers for view in views])
        total: dict[str, NDArray[np.float32]] = {}
        for turn in range(turns):
            shown = upright[:, :, sources[turn]].reshape(len(views), -1, height, width)
            for name, raw in self.run(shown, numbers).items():
                flat = raw.reshape(len(views), -1)
                if name in ("policy", "played"):
                    flat = _softmax(flat) if turns > 1 else flat
                    flat = np.concatenate([flat[:, targets[turn]], flat[:, -1:]], axis=1)
                elif name == "ownership":
                    flat = flat[:, targets[turn]]
                total[name] = total[name] + flat if turn else flat
        for name in total:
            total[name] = (total[name] / turns).astype(np.float32)
            if turns > 1 and name in ("policy", "played"):
                total[name] = np.log(total[name] + 1e-12).astype(np.float32)
        return {view.key: tuple(total[name][i].copy() for name in self.heads) for i, view in enumerate(views)}

    def _evaluation(
        self, heads: tuple[NDArray[np.float32], ...], view: _View, name: str, width: int, height: int
    ) -> Evaluation:
        """Heads in canonical orientation turned back to the position's own, the policy made legal."""
        found = dict(zip(self.heads, heads, strict=True))
        back = symmetry_tables(width, height)[view.symmetry]
        logits = found[name]
        allowed = np.append(view.legal, True)
        policy = _softmax(np.where(allowed, np.append(logits[back], logits[-1]), -np.inf)[None])[0]
        ownership = found.get("ownership")
        return Evaluation(
            policy=policy.astype(np.float32),
            value=float(found["value"][0]) if "value" in found else None,
            score=float(found["score"][0]) if "score" in found else None,
            ownership=None if ownership is None else ownership[back].reshape(height, width),
        )


@dataclass(frozen=True)
class _View:
    """A position as drawn: its key, the symmetry that makes it canonical, and the input before turning."""

    key: tuple[Any, ...]
    symmetry: int
    planes: NDArray[np.uint8]
    numbers: NDArray[np.float32]
    legal: NDArray[np.bool_]


def _softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    result: NDArray[np.float32] = shifted / shifted.sum(axis=1, keepdims=True)
    return result


def _open_session(path: Path, threads: int, providers: Sequence[str]) -> Any:
    import onnxruntime

    if not path.is_file():
        raise DataError(f"{path}: no such net")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what goes wrong is raised, not printed
    # Threads that spin between batches would take the cores a search needs.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=list(providers))
    except Exception as error:  # onnxruntime raises a dozen kinds of its own for a bad file
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise DataError(f"{path}: not a readable ONNX net ({reason})") from None
