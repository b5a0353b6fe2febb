"""A program that speaks KataGo's analysis protocol and judges by arithmetic, so that answers can be foretold.

Arguments: --side black|white|mover (whose winrates), --die-after N answers, --refuse VERTEX (the first move),
--shuffle (turns answered backwards), --chatter (warnings and interim reports), --other-turn (numbers no query has).
"""

import argparse
import json
import sys


def judgment(
    turn: int, komi: float, size: int, black_to_move: bool
) -> tuple[float, float, list[float], list[float]]:
    """Winrate, score and ownership for Black, policy for the mover."""
    area = size * size
    policy = [0.0] * (area + 1)
    policy[turn % area] = 0.5
    policy[(turn + 7) % area] = 0.25
    policy[area] = 0.125
    policy[(turn + 3) % area] = -1.0
    score = (area / 10 + turn % 5) - komi
    winrate = 0.0 if score < -50 else min(1.0, max(0.0, 0.5 + score / 100))
    ownership = [((point + turn) % 9 - 4) / 4 for point in range(area)]
    return winrate, score, ownership, policy


def answers(query: dict, side: str) -> list[dict]:
    size = query["boardXSize"]
    made = []
    for turn in query["analyzeTurns"]:
        black = turn % 2 == 0
        winrate, score, ownership, policy = judgment(turn, query["komi"], size, black)
        if side == "white" or (side == "mover" and not black):
            winrate, score, ownership = 1 - winrate, -score, [-value for value in ownership]
        answer = {
            "id": query["id"],
            "turnNumber": turn,
            "isDuringSearch": False,
            "rootInfo": {"winrate": winrate, "scoreLead": score, "visits": query["maxVisits"]},
            "moveInfos": [],
        }
        if query.get("includePolicy"):
            answer["policy"] = policy
        if query.get("includeOwnership"):
            answer["ownership"] = ownership
        made.append(answer)
    return made


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", default="black")
    parser.add_argument("--die-after", type=int)
    parser.add_argument("--refuse")
    parser.add_argument("--shuffle", action="store_true")
    parser.add_argument("--chatter", action="store_true")
    parser.add_argument("--other-turn", action="store_true")
    options = parser.parse_args()
    print("loading a net that is not there", file=sys.stderr, flush=True)
    given = 0
    held: list[dict] = []
    for line in sys.stdin:
        query = json.loads(line)
        if (
            options.refuse
            and query["moves"]
            and query["moves"][0][1] == options.refuse
            and query["id"] != "probe"
        ):
            print(json.dumps({"error": "Illegal move", "id": query["id"]}), flush=True)
            continue
        made = answers(query, options.side)
        if options.chatter:
            print(json.dumps({"warning": "unused field", "id": query["id"]}), flush=True)
            print(json.dumps(made[0] | {"isDuringSearch": True, "rootInfo": {"winrate": 0.987}}), flush=True)
        if options.other_turn and query["id"] != "probe":
            made = [answer | {"turnNumber": 999} for answer in made]
        held += made[::-1] if options.shuffle else made
        for answer in held:
            if options.die_after is not None and given >= options.die_after:
                print("CUDA error: out of luck", file=sys.stderr, flush=True)
                sys.exit(3)
            print(json.dumps(answer), flush=True)
            given += 1
        held = []


main()
