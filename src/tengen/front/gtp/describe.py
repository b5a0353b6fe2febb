"""What an engine says of itself for people to read: the board, its settings, its last decision."""

from __future__ import annotations

from tengen.front.gtp.engine import Engine

__all__ = ["last_decision", "picture", "settings_lines"]


def picture(engine: Engine) -> str:
    """The board with its coordinates, captures, komi and who is to move; it begins with an empty line."""
    from tengen.go.coords import Color
    from tengen.go.diagram import format_diagram

    session = engine.session
    turn = "Black" if session.to_move is Color.BLACK else "White"
    black, white = session.position.captures
    below = f"{turn} to play; captured by Black {black}, by White {white}; komi {session.rules.komi:g}"
    return f"\n{format_diagram(session.position).rstrip()}\n{below}"


def settings_lines(engine: Engine) -> list[str]:
    """The settings, one a line."""
    rules, settings = engine.session.rules, engine.settings
    lines = [f"engine: {settings.title}", f"board: {rules.width}x{rules.height}, komi {rules.komi:g}"]
    lines.append(f"rules: {rules.scoring.value.lower()} scoring, {rules.ko.value.lower()} ko")
    for label in ("seconds", "playouts", "visits"):
        value = getattr(settings, label)
        if value is not None:
            lines.append(f"{label} a move: {value:g}")
    return lines


def last_decision(engine: Engine) -> str:
    """The last decision in a line of words; says so when there is none."""
    decision, color = engine.last_decision, engine.decided_for
    if decision is None or color is None:
        return "no move generated yet"
    words = [f"{'Black' if color == 1 else 'White'} {engine.format(decision.move)}"]
    if decision.winrate is not None:
        words.append(f"winrate {decision.winrate:.1%}")
    if decision.score is not None:
        words.append(f"score {decision.score:+.1f}")
    if decision.visits:
        words.append(f"{decision.visits} visits in {decision.seconds:.2f} s")
    if decision.pv:
        words.append("line " + " ".join(engine.format(move) for move in decision.pv))
    return ", ".join(words)
