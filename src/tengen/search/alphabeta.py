"""Alpha-beta for games that the first capture ends (Capture Go), over any evaluator of quiet positions.

Because the first capture ends the game no stone ever leaves the board, and the rules give three exact
shortcuts that every node uses:

* who can capture wins, and is never searched further;
* a chain in atari must be saved at once and there is one point that can do it, so the reply is forced (it
costs
  no depth) and two such points are a loss;
* a move that leaves its own chain one liberty loses, so only moves with two or more are candidates.

``reading`` says how far the horizon sees. 0: blind, the last ply is judged by the evaluator whatever stands
in atari (plain alpha-beta). 1: a move into capture is never the last one. 2 and more: beyond the horizon,
that many plies of ataris and their forced replies are read, which is what reads ladders.

A player passes only when no move is legal; two such passes in a row are a draw.
"""

# ruff: noqa: F821 - types and C functions of the .pxd beside this file

import cython

if cython.compiled:
    from cython.cimports.libc.stdlib import calloc, free, malloc  # type: ignore[import-not-found]
    from cython.cimports.libc.string import memset  # type: ignore[import-not-found]
else:
    from tengen.go.board import Board
    from tengen.go.pure import BLACK, EMPTY, STRIDE, WALL, atari_point
    from tengen.search.first_capture import ataris, endangered, room, stuck, takes
    from tengen.search.leaves import LeafEvaluator

    MAX_PLY, MAX_POINTS = 640, 625
    EXACT, AT_LEAST, AT_MOST = 0, 1, 2
    SEARCH, WON, LOST, STUCK = 0, 1, 2, 3

    class _Entry:
        key = move = depth = bound = 0
        value = 0.0


from tengen.errors import ConfigError
from tengen.go.coords import PASS, move_of_vertex, vertex_of
from tengen.search.line_result import DECIDED, WIN, LineResult

__all__ = ["WIN", "AlphaBeta", "LineResult"]

_CAPTURE = WIN
_DECIDED = DECIDED
_INFINITE = 10000.0
_BLACK_KEY = 0x9E3779B97F4A7C15


class AlphaBeta:
    """One searcher: an evaluator, its memory, a table of positions seen. Not for two threads at once."""

    def __init__(self, evaluator: LeafEvaluator, reading: int = 1, table_bits: int = 14) -> None:
        if not 0 <= reading <= 200:
            raise ConfigError(f"reading {reading}: 0 to 200 plies expected")
        if not 4 <= table_bits <= 26:
            raise ConfigError(f"table_bits {table_bits}: 4 to 26 expected")
        self.evaluator = evaluator
        self.reading = reading
        self.nodes = 0
        self.reached = 0
        self.stopped = False
        self.node_limit = 0
        self.board = Board(1, 1)
        self.mask = (1 << table_bits) - 1
        self.frame_count = 0
        self.root_count = 0
        self.forced = False
        if cython.compiled:
            self.frames = cython.NULL
            self.table = cython.cast(cython.pointer(Entry), calloc(self.mask + 1, cython.sizeof(Entry)))
            if self.table == cython.NULL:
                raise MemoryError
        else:
            self.frames = {}
            self.table = {}
            self.killers = [0] * MAX_PLY
            self.roots = [0] * MAX_POINTS

    def __dealloc__(self):
        if cython.compiled:
            free(self.frames)
            free(self.table)

    # ---- the board's memory -----------------------------------------------------------------------

    def _save(self, ply):
        if cython.compiled:
            save_board(self.board, cython.address(self.frames[ply]))
        else:
            self.frames[ply] = self.board.copy()

    def _restore(self, ply):
        if cython.compiled:
            restore_board(self.board, cython.address(self.frames[ply]))
        else:
            self.board.copy_from(self.frames[ply])

    # ---- moves worth trying -----------------------------------------------------------

    def _candidates(self, c, out):
        """Write every move that leaves its own chain two liberties; how many there are."""
        i: cython.int
        v: cython.int
        count: cython.int = 0
        for i in range(self.board.empty_count):
            v = self.board.empty[i]
            if room(self.board, v, c) == 2:
                out[count] = v
                count += 1
        return count

    def _static(self, c):
        value: cython.float = self.evaluator.black_value()
        self.nodes += 1
        return value if c == BLACK else -value

    # ---- the search -------------------------------------------------------------------------------

    def _after(self, v, c, depth, reading, alpha, beta, ply):
        """The value for c of playing v: the board is played, searched from the other side, and put back."""
        value: cython.float
        self.board.play(v, c)
        self.evaluator.push(v, c)
        value = -self._value(3 - c, v, depth, reading, -beta, -alpha, ply + 1, False)
        self.evaluator.pop()
        self._restore(ply)
        return value

    def _value(self, c, last, depth, reading, alpha, beta, ply, passed):
        """Negamax value of the board for c to move. The enemy has no chain in atari: else c had won already.

        Chains of c in atari touch ``last``: older ones were saved, or the game was over.
        """
        point: cython.int[1]
        count: cython.int
        if not cython.compiled:
            point = [0]
        if depth <= 0 and reading <= 1:
            return self._static(c)
        self.nodes += 1
        if self.node_limit and self.nodes > self.node_limit:
            self.stopped = True
        if self.stopped:
            return 0.0
        if depth == 1 and reading == 0:
            return self._horizon(c, alpha, beta)
        count = endangered(self.board, last, c, point) if last else 0
        if count == 2:
            return -(_CAPTURE - (ply + 1))
        if count == 1:
            if room(self.board, point[0], c) < 2:
                return -(_CAPTURE - (ply + 1))
            self._save(ply)
            return self._after(point[0], c, depth, reading - 1 if depth <= 0 else reading, alpha, beta, ply)
        if depth <= 0:
            return self._attack(c, reading, alpha, beta, ply)
        return self._branch(c, depth, reading, alpha, beta, ply, passed)

    def _horizon(self, c, alpha, beta):
        """The last ply of a blind search: the best static value over every legal move, safe or not."""
        best: cython.float = -_INFINITE
        value: cython.float
        i: cython.int
        v: cython.int
        for i in range(self.board.empty_count):
            v = self.board.empty[i]
            if self.board.legal(v, c):
                self.evaluator.push(v, c)
                value = self._static(c)
                self.evaluator.pop()
                if value > best:
                    best = value
                    if best >= beta:
                        break
        return best if best > -_INFINITE else self._static(c)

    def _attack(self, c, reading, alpha, beta, ply):
        """Beyond the horizon: stand still at the static value, or drive the enemy on by ataris."""
        best: cython.float = self._static(c)
        value: cython.float
        i: cython.int
        v: cython.int
        count: cython.int = 0
        moves: cython.ushort[MAX_POINTS]
        if not cython.compiled:
            moves = [0] * MAX_POINTS
        if best >= beta:
            return best
        for i in range(self.board.empty_count):
            v = self.board.empty[i]
            if (
                (self.board.nbr[v] >> (4 if c == BLACK else 0)) & 15
                and ataris(self.board, v, c) > 0
                and room(self.board, v, c) == 2
            ):
                moves[count] = v
                count += 1
        if count == 0:
            return best
        self._save(ply)
        for i in range(count):
            value = self._after(moves[i], c, 0, reading - 1, best if best > alpha else alpha, beta, ply)
            if value > best:
                best = value
                if best >= beta:
                    break
        return best

    def _branch(self, c, depth, reading, alpha, beta, ply, passed):
        """A full node: table, ordered candidates, cuts."""
        i: cython.int
        j: cython.int
        v: cython.int
        count: cython.int
        tried: cython.int = 0
        best: cython.float = -_INFINITE
        low: cython.float = alpha
        value: cython.float
        order: cython.float
        moves: cython.ushort[MAX_POINTS]
        keys: cython.float[MAX_POINTS]
        key: cython.ulonglong = self.board.zobrist
        best_move: cython.int = 0
        known: cython.int = 0
        if not cython.compiled:
            moves = [0] * MAX_POINTS
            keys = [0.0] * MAX_POINTS
        if c == BLACK:
            key ^= _BLACK_KEY
        if depth >= 2:
            if cython.compiled:
                entry: cython.pointer(Entry) = cython.address(self.table[key & self.mask])
            else:
                entry = self.table.setdefault(key & self.mask, _Entry())
            if entry.key == key and entry.move != 0:
                known = entry.move
                if entry.depth == depth:
                    value = entry.value
                    if value > _DECIDED:
                        value -= ply
                    elif value < -_DECIDED:
                        value += ply
                    if entry.bound == EXACT:
                        return value
                    if entry.bound == AT_LEAST and value >= beta:
                        return value
                    if entry.bound == AT_MOST and value <= alpha:
                        return value
        count = self._candidates(c, moves)
        if count == 0:
            if not stuck(self.board, c):
                return -(_CAPTURE - (ply + 1))
            if passed:
                return 0.0
            return -self._value(3 - c, 0, depth - 1, reading, -beta, -alpha, ply + 1, True)
        self._save(ply)
        if depth == 1 and reading <= 1:
            for i in range(count):
                self.evaluator.push(moves[i], c)
                value = self._static(c)
                self.evaluator.pop()
                if value > best:
                    best = value
                    if best >= beta:
                        break
            return best
        for i in range(count):
            v = moves[i]
            if v == known:
                order = _INFINITE
            else:
                self.evaluator.push(v, c)
                order = self._static(c) + 10 * ataris(self.board, v, c) + (5 if v == self.killers[ply] else 0)
                self.evaluator.pop()
            keys[i] = order
        for i in range(count):
            tried = i
            for j in range(i + 1, count):
                if keys[j] > keys[tried]:
                    tried = j
            v = moves[tried]
            moves[tried] = moves[i]
            keys[tried] = keys[i]
            value = self._after(v, c, depth - 1, reading, low, beta, ply)
            if self.stopped:
                return 0.0
            if value > best:
                best = value
                best_move = v
                if best > low:
                    low = best
                    if best >= beta:
                        self.killers[ply] = v
                        break
        if depth >= 2:
            entry.key = key
            entry.move = best_move
            entry.depth = depth
            entry.bound = AT_LEAST if best >= beta else (AT_MOST if best <= alpha else EXACT)
            entry.value = best + ply if best > _DECIDED else (best - ply if best < -_DECIDED else best)
        return best

    # ---- the Python face --------------------------------------------------------------------------

    def search(
        self, board: Board, color: int, depth: int, *, every: bool = False, node_limit: int = 0
    ) -> LineResult:
        """The best move for color, searched to ``depth`` plies by deepening; PASS only when nothing is legal.

        ``every`` gives every root move its exact value (slower). ``node_limit`` (0: none), or ``stopped``
        set by another thread, even before the call, ends the search with the deepest result so far; stopped
        before the first, it is the evaluator's choice of the moves that rules do not forbid, at depth 0.
        ``stopped`` is False again afterwards. The board is not changed. Equal values fall to the point
        nearest the top left.
        """
        v: cython.int
        d: cython.int
        below: cython.int
        c: cython.int = color
        kind: cython.int
        exact: cython.bint = every
        value: cython.float
        best: cython.float
        if depth < 1:
            raise ConfigError(f"depth {depth}: at least 1 expected")
        self._begin(board, depth)
        kind = self._root(c, depth == 1 and self.reading == 0)
        vertices = [self.roots[i] for i in range(self.root_count)]
        if kind != SEARCH:
            self.stopped = False
        if kind == STUCK:
            return LineResult(PASS, 0.0, 0, self.nodes, ((PASS, 0.0),))
        if kind in (WON, LOST):
            value = _CAPTURE if kind == WON else 1 - _CAPTURE
            return self._result([(v, value) for v in vertices], 1)
        width = self.board.width
        result = self._result([(v, 0.0) for v in vertices], 0)
        self._forget(depth if not self.forced else depth + 1)
        self._save(0)
        for d in range(1, depth + 1):
            best = -_INFINITE
            below = d if self.forced else d - 1
            done: list[tuple[int, float]] = []
            self.node_limit = node_limit if d > 1 else 0
            for move, _ in result.values:
                v = vertex_of(move, width)
                with cython.nogil:
                    value = self._after(
                        v, c, below, self.reading, -_INFINITE if exact else best, _INFINITE, 0
                    )
                if self.stopped:
                    break
                done.append((v, value))
                best = value if value > best else best
            if not self.stopped:
                self.reached = d
                result = self._result(done, d)
            elif d == 1:
                result = self._glance(vertices, c)
            elif done:
                result = self._result(done, d, result.values)
            if self.stopped or result.decided:
                break
        self.stopped = False
        return result

    def _glance(self, vertices, color):
        """Every move by its static value alone: what is left where there was no time for a search."""
        c: cython.int = color
        v: cython.int
        value: cython.float
        found: list[tuple[int, float]] = []
        for v in vertices:
            self.evaluator.push(v, c)
            value = self._static(c)
            self.evaluator.pop()
            found.append((v, value))
        return self._result(found, 0)

    def best_move(self, board: Board, color: int, depth: int) -> int:
        """The move ``search`` would choose, without the account of it: what games by the thousand ask for."""
        c: cython.int = color
        v: cython.int
        if depth > 1 or self.reading > 1:
            return self.search(board, color, depth).move
        self._begin(board, depth)
        with cython.nogil:
            v = self._shallow(c)
        return move_of_vertex(v, board.width)

    def _shallow(self, c):
        """The vertex of the best move one ply deep with reading 0 or 1; 0 for a pass."""
        i: cython.int
        kind: cython.int = self._root(c, self.reading == 0)
        value: cython.float
        best: cython.float = -_INFINITE
        choice: cython.int = 0
        if kind != SEARCH:
            return self.roots[0] if self.root_count else 0
        for i in range(self.root_count):
            self.evaluator.push(self.roots[i], c)
            value = self._static(c)
            self.evaluator.pop()
            if value > best:
                best = value
                choice = self.roots[i]
        return choice

    def _begin(self, board: Board, depth: int) -> None:
        i: cython.int
        plies: cython.int
        self.board = board.copy()
        self.nodes = 0
        self.reached = 0
        self.node_limit = 0
        with cython.nogil:
            self.evaluator.start(self.board)
        plies = self.board.width * self.board.height + 2
        for i in range(MAX_PLY):
            self.killers[i] = 0
        if cython.compiled and plies > self.frame_count:
            free(self.frames)
            self.frame_count = 0
            self.frames = cython.cast(cython.pointer(Frame), malloc(plies * cython.sizeof(Frame)))
            if self.frames == cython.NULL:
                raise MemoryError
            self.frame_count = plies

    def _forget(self, plies: int) -> None:
        """Empty the table before a search of so many plies: what was found with other reading is not true
        now.
        """
        if not cython.compiled:
            self.table = {}
        elif plies > 2:  # nearer the leaves the table is not asked
            memset(self.table, 0, (self.mask + 1) * cython.sizeof(Entry))

    def _root(self, c, blind):
        """Fill ``roots`` with the vertices worth searching, ascending, or all there are where the rules
        decide.
        """
        v: cython.int
        point: cython.int
        kind: cython.int = SEARCH
        threatened: cython.int = 0
        others: cython.bint = False
        n: cython.int = self.board.cells - STRIDE
        self.root_count = 0
        self.forced = False
        for v in range(STRIDE, n):
            if self.board.head[v] != v or self.board.color[v] == WALL or self.board.color[v] == EMPTY:
                continue
            point = atari_point(self.board.libs[v])
            if point == 0:
                continue
            if self.board.color[v] != c:
                if self.board.legal(point, c):  # the ko point alone is not
                    kind = WON
            elif threatened == 0:
                threatened = point
            elif threatened != point:
                others = True
        if kind == WON:
            for v in range(STRIDE, n):
                if self.board.legal(v, c) and takes(self.board, v, c):
                    self.roots[self.root_count] = v
                    self.root_count += 1
            return WON
        for v in range(STRIDE, n):
            if self.board.legal(v, c) and (
                blind or (room(self.board, v, c) == 2 and not others and (threatened == 0 or threatened == v))
            ):
                self.roots[self.root_count] = v
                self.root_count += 1
        self.forced = threatened != 0 and not blind
        if self.root_count:
            return SEARCH
        if threatened and self.board.legal(threatened, c):
            self.roots[0] = threatened
            self.root_count = 1
            return LOST
        for v in range(STRIDE, n):
            if self.board.legal(v, c):
                self.roots[self.root_count] = v
                self.root_count += 1
        return LOST if self.root_count else STUCK

    def _result(
        self, found: list[tuple[int, float]], depth: int, rest: tuple[tuple[int, float], ...] = ()
    ) -> LineResult:
        width = self.board.width
        named = [(move_of_vertex(v, width), value) for v, value in found]
        return LineResult.ordered(named, depth, self.nodes, rest)
