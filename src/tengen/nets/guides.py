"""A network in the search: priors for a new node's moves, and a value for the leaf.

The search makes a node of a leaf after ``expand_after`` visits; that is when the network is asked, once, by
the NetPruner. What it said of the leaf lies in the Simulation, where the NetEvaluator finds it. With a slow
network and fast playouts a larger ``expand_after`` asks it of busy leaves only; the others are worth what a
playout says.
"""

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.libc.math import expf, fabsf  # type: ignore[import-not-found]
    from cython.cimports.tengen.go.board import (  # type: ignore[import-not-found]
        BLACK,
        next_random,
    )
    from cython.cimports.tengen.nets.features import PlaneWriter  # type: ignore[import-not-found]
    from cython.cimports.tengen.nets.guides import LOOKS_BACK, NO_MOVE  # type: ignore[import-not-found]
    from cython.cimports.tengen.search.parts import Evaluator, Pruner  # type: ignore[import-not-found]
    from cython.cimports.tengen.search.pruners import sort_by_prior  # type: ignore[import-not-found]

from tengen.errors import ConfigError
from tengen.go.coords import vertex_of
from tengen.nets.feature_sets import KOMI_UNIT
from tengen.nets.views import recent_moves

__all__ = ["NetEvaluator", "NetPruner"]


class NetPruner(Pruner):
    """A node's moves: legal, filling no own eye, with the network's policy as prior, the most probable first.

    Moves are kept until they hold ``mass`` of the policy, at least ``at_least`` of them; the pass comes last.
    A network that fails leaves all moves alike, and its error in ``error``.
    """

    def __init__(self, net, width, height, mass=1.0, at_least=4):
        if not net.plays_on(width, height):
            raise ConfigError(f"{net.name}: does not play on {width}x{height}")
        if "policy" not in net.heads and "played" not in net.heads:
            raise ConfigError(f"{net.name}: has no policy")
        i: cython.int
        self.net = net
        self.mass = mass
        self.at_least = at_least
        self.komi_unit = KOMI_UNIT
        self.error = None
        self.judged = 0
        self.writer = PlaneWriter(width, height)
        self.kind = net.spec.kind
        self.planes = np.zeros((1, net.spec.planes, height, width), dtype=np.uint8)
        self.plane_bytes = self.planes.reshape(-1)
        self.numbers = np.zeros((1, max(1, net.spec.globals)), dtype=np.float32)
        self.number_floats = self.numbers.reshape(-1)
        for i in range(LOOKS_BACK):
            self.before[i] = NO_MOVE
        self.territory = self.suicide = self.superko = 0.0

    def begin(self, position) -> None:
        """Told of the root before a search: the moves that led there, and the rules."""
        from tengen.go.rules import Ko, Scoring

        i: cython.int
        moves = recent_moves(position)
        for i in range(LOOKS_BACK):
            self.before[i] = vertex_of(moves[i], position.rules.width) if i < len(moves) else NO_MOVE
        self.territory = position.rules.scoring is Scoring.TERRITORY
        self.suicide = position.rules.suicide
        self.superko = position.rules.ko in (Ko.POSITIONAL, Ko.SITUATIONAL)

    def clone(self):
        return NetPruner(self.net, self.writer.width, self.writer.height, self.mass, self.at_least)

    def revisit(self, store, node, sim):
        # The search shows only the store of the path it takes; what was played is noted here, a move behind.
        if sim.depth > 0:
            self.path[sim.depth - 1] = store.move[sim.edge[sim.depth - 1]]

    def _move_ago(self, sim, ago):
        """The vertex played so many moves before the leaf (0: the last), 0 for a pass, NO_MOVE for none."""
        i: cython.int = sim.depth - 1 - ago
        if i < 0:
            i = -1 - i
            return self.before[i] if i < LOOKS_BACK else NO_MOVE
        return sim.board.last if ago == 0 else self.path[i]

    def _draw(self, sim):
        """The leaf's planes and numbers."""
        i: cython.int
        v: cython.int
        black: cython.bint = sim.to_move == BLACK
        self.writer.forget()
        for i in range(LOOKS_BACK - 1, -1, -1):
            v = self._move_ago(sim, i)
            self.writer.remember(v if v > 0 else 0)
        self.writer.write(sim.board, sim.to_move, self.kind, cython.address(self.plane_bytes[0]), 0)
        if self.number_floats.shape[0] > 1:
            self.number_floats[0] = (-sim.komi if black else sim.komi) / self.komi_unit
            self.number_floats[1] = 0
            self.number_floats[2] = self._move_ago(sim, 0) == 0
            self.number_floats[3] = self._move_ago(sim, 1) == 0
            self.number_floats[4] = self.territory
            self.number_floats[5] = self.suicide
            self.number_floats[6] = self.superko
            self.number_floats[7] = black

    def _judge(self, sim):
        """Ask the network, and write policy, value and what it says of points into the simulation."""
        p: cython.int
        v: cython.int
        area: cython.int = self.writer.area
        highest: cython.float = -1e30
        total: cython.float = 0
        said = self.net.run(self.planes, self.numbers[:, : self.net.spec.globals])
        logits: cython.float[::1] = np.ascontiguousarray(
            said["policy" if "policy" in said else "played"].reshape(-1), dtype=np.float32
        )
        for p in range(area + 1):
            v = self.writer.vertex[p] if p < area else 0
            if (p == area or self.writer.legal[p]) and logits[p] > highest:
                highest = logits[p]
        for p in range(area + 1):
            v = self.writer.vertex[p] if p < area else 0
            sim.policy[v] = expf(logits[p] - highest) if p == area or self.writer.legal[p] else 0.0
            total += sim.policy[v]
        for p in range(area):
            sim.policy[self.writer.vertex[p]] /= total
        sim.policy[0] /= total
        sim.has_net = "value" in said
        if sim.has_net:
            sim.net_value = float(said["value"].reshape(-1)[0])
        if "score" in said:
            sim.margin = float(said["score"].reshape(-1)[0]) * (1 if sim.to_move == BLACK else -1)
            sim.margin_sum += sim.margin
            sim.margin_squares += sim.margin * sim.margin
        if "ownership" in said:
            self._add_ownership(sim, np.ascontiguousarray(said["ownership"].reshape(-1), dtype=np.float32))
        self.judged += 1
        return 0

    def _add_ownership(self, sim, owner):
        """Count every point for a side with the probability the network gives, as a playout would."""
        p: cython.int
        v: cython.int
        sign: cython.int = 1 if sim.to_move == BLACK else -1
        share: cython.float
        for p in range(self.writer.area):
            v = self.writer.vertex[p]
            share = (next_random(cython.address(sim.rng)) >> 40) * (1.0 / 16777216)
            if share < fabsf(owner[p]):
                sim.owner[v] += sign if owner[p] > 0 else -sign
        sim.owner_count += 1

    def fill(self, sim):
        i: cython.int
        v: cython.int
        count: cython.int = 0
        held: cython.float = 0
        self._draw(sim)
        with cython.gil:
            try:
                self._judge(sim)
            except Exception as error:
                self.error = error
                sim.has_net = False
                for i in range(self.writer.area):
                    sim.policy[self.writer.vertex[i]] = 1.0 / (self.writer.area + 1)
                sim.policy[0] = 1.0 / (self.writer.area + 1)
        for i in range(sim.board.empty_count):
            v = sim.board.empty[i]
            if self.writer.legal[self.writer.flat[v]] and not sim.board.eye(v, sim.to_move):
                sim.moves[count] = v
                sim.priors[count] = sim.policy[v]
                count += 1
        sort_by_prior(sim.moves, sim.priors, count)
        if self.mass < 1:
            for i in range(count):
                held += sim.priors[i]
                if held >= self.mass and i + 1 >= self.at_least:
                    count = i + 1
                    break
        sim.moves[count] = 0
        sim.priors[count] = sim.policy[0]
        return count + 1


class NetEvaluator(Evaluator):
    """A leaf's value by the network, mixed with a playout's: V = (1 - L) v + L z, L being ``playout_weight``.

    A leaf the network was not asked about, or a finished game, is worth what ``playouts`` says.
    """

    def __init__(self, playouts, playout_weight=0.5):
        if not 0 <= playout_weight <= 1:
            raise ConfigError(f"playout weight {playout_weight}: between 0 and 1 expected")
        self.playouts = playouts
        self.playout_weight = playout_weight

    def begin(self, position) -> None:
        self.playouts.begin(position)

    def clone(self):
        return NetEvaluator(self.playouts.clone(), self.playout_weight)

    def evaluate(self, sim):
        value: cython.double
        if not sim.has_net or sim.passes >= 2 or sim.first_capture:
            return self.playouts.evaluate(sim)
        value = sim.net_value
        if self.playout_weight > 0:
            return (1 - self.playout_weight) * value + self.playout_weight * self.playouts.evaluate(sim)
        sim.record_length = 0
        return value
