"""A GTP program that goes wrong in the way its first argument names, at the command its second one names."""

import sys
import time

COMMANDS = "name version list_commands quit boardsize clear_board komi play undo genmove"
COMMANDS += " final_status_list final_score"


def main() -> None:
    how, where = ([*sys.argv, "", ""])[1:3]
    sys.stderr.write("waking up\n")
    sys.stderr.flush()
    if how == "dead":
        sys.stderr.write("cannot find my weights\n")
        sys.exit(3)
    if how == "chatty":
        print("Loading...\nReady.", flush=True)
    for line in sys.stdin:
        number, name, *_words = line.split()
        if name == where:
            misbehave(how, number)
        answer = {"name": "Rogue", "version": "1", "list_commands": COMMANDS.replace(" ", "\n")}.get(name, "")
        if how == "no-undo" and name == "list_commands":
            answer = answer.replace("undo\n", "")
        if name == "genmove":
            answer = {"occupied": "E5", "nonsense": "Z99", "pass": "PASS", "resign": "resign"}.get(how, "C3")
        if name == "final_status_list":
            answer = "E5 E4\nA1"
        if how == "no-ids":
            number = ""
        print(f"={number} {answer}\n", flush=True)
        if name == "quit" and how != "stays":
            return


def misbehave(how: str, number: str) -> None:
    if how == "hangs":
        time.sleep(60)
    if how == "crashes":
        sys.stderr.write("segmentation fault, more or less\n")
        sys.stderr.flush()
        sys.exit(7)
    if how == "refuses":
        print(f"?{number} not in the mood\n", flush=True)
        sys.stdin.readline()
    if how == "no-end":
        print(f"={number} C3", flush=True)
        time.sleep(60)
    if how == "babbles":
        while True:
            print("x" * 200)
    if how == "floods":
        print(f"={number} ", end="")
        while True:
            print("y" * 10000)
    if how == "other-id":
        print("=99999 C3\n", flush=True)
        time.sleep(60)
    if how == "binary":
        sys.stdout.buffer.write(bytes(range(128, 256)) * 8 + b"\n\n")
        sys.stdout.flush()


main()
