"""Reports checks in TAP and asks the harness to restart the server.

A trial prints `ok NAME` or `not ok NAME: reason` for each check. The line `@restart` asks for
`kill -9` and a new start on the same data; the harness answers with one line on standard input.
"""

import sys
import time
import traceback

failed = []


def check(name, passed, detail=""):
    if passed:
        print(f"ok {name}", flush=True)
    else:
        failed.append(name)
        print(f"not ok {name}: {detail}".replace("\n", " "), flush=True)


def attempt(name, step):
    """Runs a step, which passes by returning something true."""
    try:
        check(name, bool(step()), "the outcome is not the expected one")
    except Exception as error:
        traceback.print_exc()
        check(name, False, f"{type(error).__name__}: {error}")


def eventually(condition, seconds=30):
    """Polls until the condition holds. Gives its last value."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() > deadline:
            return value
        time.sleep(0.1)


def restart_server():
    print("@restart", flush=True)
    sys.stdin.readline()


def finish():
    sys.exit(1 if failed else 0)
