"""Commands about the engine itself: names, lists, rules of the session's end, resources."""

import time

from tengen.front.gtp.engine import Engine
from tengen.front.gtp.protocol import Arguments, CommandTable, Quit

__all__ = ["ADMIN"]

ADMIN: CommandTable[Engine] = CommandTable()


@ADMIN.add("protocol_version", "2")
def protocol_version(engine: Engine, arguments: Arguments) -> str:
    return "2"


@ADMIN.add("name", "what the program is called")
def name(engine: Engine, arguments: Arguments) -> str:
    return engine.name


@ADMIN.add("version", "its version")
def version(engine: Engine, arguments: Arguments) -> str:
    return engine.version


@ADMIN.add("list_commands", "every command that works here, one a line")
def list_commands(engine: Engine, arguments: Arguments) -> str:
    return "\n".join(engine.table.names(engine))


@ADMIN.add("known_command COMMAND", "whether a command works here: true or false")
def known_command(engine: Engine, arguments: Arguments) -> str:
    return "true" if engine.table.find(arguments.peek(), engine) is not None else "false"


@ADMIN.add("help [COMMAND]", "what commands there are and how they are written")
def help_text(engine: Engine, arguments: Arguments) -> str:
    wanted = arguments.rest() or engine.table.names(engine)
    lines = []
    for word in wanted:
        command = engine.table.find(word, engine)
        lines.append(f"{word}: unknown" if command is None else f"{command.usage} - {command.purpose}")
    return "\n".join(lines)


@ADMIN.add("quit", "ends the program")
def leave(engine: Engine, arguments: Arguments) -> str:
    raise Quit


@ADMIN.add("stop", "ends an analysis, or the thinking about a move")
def stop(engine: Engine, arguments: Arguments) -> str:
    # The line itself has stopped what was under way when it was read; nothing is left to do.
    return ""


@ADMIN.add("clear_cache", "forgets what earlier searches found; the game stays")
def clear_cache(engine: Engine, arguments: Arguments) -> str:
    arguments.end()
    engine.forget_searches()
    return ""


@ADMIN.add("cputime", "processor seconds used so far")
def cputime(engine: Engine, arguments: Arguments) -> str:
    return f"{time.process_time():.3f}"


@ADMIN.add("gomill-cpu_time", "processor seconds used so far")
def gomill_cpu_time(engine: Engine, arguments: Arguments) -> str:
    return cputime(engine, arguments)


@ADMIN.add("gomill-describe_engine", "name, version and settings, over several lines")
def gomill_describe_engine(engine: Engine, arguments: Arguments) -> str:
    from tengen.front.gtp.describe import settings_lines

    return "\n".join([f"{engine.name} {engine.version}", *settings_lines(engine)])


@ADMIN.add("gomill-explain_last_move", "what the last genmove found, in words")
def gomill_explain_last_move(engine: Engine, arguments: Arguments) -> str:
    from tengen.front.gtp.describe import last_decision

    return last_decision(engine)


@ADMIN.add("kgs-chat TYPE USER MESSAGE..", "an answer to a line of chat")
def kgs_chat(engine: Engine, arguments: Arguments) -> str:
    arguments.word()
    arguments.word()
    arguments.rest()
    from tengen.front.gtp.describe import last_decision

    return last_decision(engine)


@ADMIN.add("kgs-game_over", "the game is over; nothing is to be done")
def kgs_game_over(engine: Engine, arguments: Arguments) -> str:
    engine.stop_pondering()
    return ""
