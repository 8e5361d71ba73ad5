#!/usr/bin/python3
"""Damages the spools of runs at random: their figures are possible, or are none.

usage: spools.py TACHO SECONDS SEED FOUND RUN...

Each run is a folder with spools. Whatever the damage, tacho merge and tacho analyze end by themselves with
status 0 or 1, and a database that comes of it holds to tests/identities.sql and promises.sql: parts that add up, factors that
multiply, nothing negative, nothing outside of the run, no more of anything than there were events, no
efficiency above 1 without a flag. What breaks this is kept in the folder FOUND. Prints TAP.
"""
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

from damage import MOST, damage, limits

LIMIT_S = 60


def broken(database, identities):
    """Identities that the database breaks, in words."""
    connection = sqlite3.connect("file:%s?mode=ro" % database, uri=True)
    try:
        return [row[0] for query in identities for row in connection.execute(query)]
    finally:
        connection.close()


def said_by(command):
    """Its status and what it said; None: it did not end, or by a signal."""
    try:
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S, preexec_fn=limits,
                             env=dict(os.environ, TACHO_STALL_S="5"))
    except subprocess.TimeoutExpired:
        return None, b"did not end"
    return (run.returncode if run.returncode in (0, 1) else None), run.stdout + run.stderr


def judge(tacho, run, identities):
    """What is wrong with what comes of a run (None when nothing is), and whether there was a database."""
    status, said = said_by([tacho, "merge", run])
    if status == 0:
        status, said = said_by([tacho, "analyze", run])
    if status is None:
        return "ended otherwise than with 0 or 1: %r" % said[-300:], False
    database = os.path.join(run, "tacho.db")
    if not os.path.exists(database):
        return None, False
    wrong = broken(database, identities)
    return "; ".join(wrong) or None, True


def main():
    tacho, seconds, seed, found = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    runs, number, figures, bad, end = sys.argv[5:], 0, 0, 0, time.time() + seconds
    identities = []
    for name in "identities.sql", "promises.sql":
        with open(os.path.join(os.path.dirname(__file__), "..", name), encoding="utf8") as file:
            identities += [query for query in file.read().split(";\n") if "select" in query]
    random.seed(seed)
    while time.time() < end and number < MOST:
        run = random.choice(runs)
        with tempfile.TemporaryDirectory(dir=os.environ.get("TACHO_FUZZ_DIR")) as folder:
            copy = os.path.join(folder, "run")
            shutil.copytree(run, copy)
            how = damage(os.path.join(copy, "spool"))
            verdict, any_figures = judge(tacho, copy, identities)
            number, figures = number + 1, figures + any_figures
            if verdict:
                bad += 1
                print("# %s, %s: %s (seed %d, number %d)" % (os.path.basename(run), how, verdict, seed, number))
                for name in ("trace", "tacho.db", "report", "report.html"):
                    path = os.path.join(copy, name)
                    shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)
                shutil.copytree(copy, os.path.join(found, "spools-%d-%d" % (seed, number)), dirs_exist_ok=True)
    print("# %d damaged runs, seed %d, of which %d had figures" % (number, seed, figures))
    print("%s 1 - however spools are damaged, their figures are possible" % ("not ok" if bad or not figures else "ok"))


main()
