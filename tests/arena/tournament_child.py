"""Run by the kill tests in a process of its own: play a small tournament in a folder, to its end."""

import sys
from pathlib import Path

from simple_players import SimpleBuilder

from tengen.arena.session import Session
from tengen.arena.tournament import TournamentConfig, parse_tournament


def config(games: int) -> TournamentConfig:
    return parse_tournament(
        {
            "name": "to be killed",
            "games": games,
            "seed": 4,
            "conditions": {"size": 5, "opening_moves": 2, "second_opinion": "never"},
            "players": [{"spec": "random"}, {"spec": "greedy"}, {"spec": "random", "name": "other"}],
        },
        "test",
    )


def main() -> None:
    folder, games, workers = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    session = Session(config(games), SimpleBuilder(), workers, folder=folder, resume=True)
    schedule = session.schedule()
    results = session.play(schedule)
    session.write_report(session.outcome(schedule, results))


if __name__ == "__main__":
    main()
