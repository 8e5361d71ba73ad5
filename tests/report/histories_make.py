"""Makes databases of runs whose step times are known, and prints FILE RUN CHANGE DESCRIPTION of each.

RUN: the first run after the jump, from 1; CHANGE: by how many times; 0 0: there is none. Noise is a fixed series, so that
each answer is the same on every machine.
"""
import math
import sqlite3
import sys

schema = open(sys.argv[1], encoding="utf-8").read()


def noise(i, size):
    """Spread evenly over -size to size, in an order that looks random (multiples of the golden ratio)."""
    return size * (2 * ((i * 0.6180339887498949) % 1) - 1)


def make(name, steps_ms):
    db = sqlite3.connect(name + ".db")
    db.executescript(schema)
    for k, ms in enumerate(steps_ms):
        run, step = k + 1, int(ms * 1e6)
        db.execute("insert into run (id, label, path, command, start_ns, duration_ns, nranks, "
            "nlocations, nevents, exit_status, cut, tacho_version, analyzed_ns) "
            "values (?, 'train', '/ci/run', './train', ?, ?, 1, 1, 100, 0, 0, '0', 0)",
                   (run, (1767225600 + 3600 * run) * 10**9, 10 * step))
        db.execute("insert into node (id, run_id, hostname, clock_residual_ns) values (?, ?, 'n1', 0)", (run, run))
        db.execute("insert into process (id, run_id, node_id, rank, name, start_ns, end_ns) values (?, ?, ?, 0, 'rank 0', 0, ?)",
                   (run, run, run, 10 * step))
        db.executemany("insert into step (run_id, process_id, n, start_ns, end_ns) values (?, ?, ?, ?, ?)",
                       [(run, run, i, i * step, (i + 1) * step) for i in range(10)])
    db.commit()
    db.close()


def level(n, size=0.02, of=lambda i: 100):
    return [of(i) * (1 + noise(i + 1, size)) for i in range(n)]


cases = [
    ("jump_large", level(20, of=lambda i: 100 if i < 12 else 150), 13, 1.5, "slower by a half from run 13 of 20 on"),
    ("jump_small", level(40, 0.015, lambda i: 100 if i < 20 else 105), 21, 1.05, "slower by 5 % from run 21 of 40 on"),
    ("jump_faster", level(24, of=lambda i: 100 if i < 10 else 70), 11, 0.7, "faster by 30 % from run 11 of 24 on"),
    ("jump_last", level(12, of=lambda i: 100 if i < 11 else 300), 12, 3, "three times as slow in the last of 12 runs"),
    ("jump_last_three", level(30, of=lambda i: 100 if i < 27 else 160), 28, 1.6, "slower by 60 % in the last 3 of 30 runs"),
    ("jump_early", level(30, of=lambda i: 100 if i < 6 else 125), 7, 1.25, "slower by a quarter from run 7 of 30 on"),
    ("same", level(20), 0, 0, "none in 20 runs within 2 %"),
    ("same_noisy", level(40, 0.15), 0, 0, "none in 40 runs within 15 %"),
    ("same_long", level(120, 0.05), 0, 0, "none in 120 runs within 5 %"),
    ("outlier", level(25, of=lambda i: 400 if i == 14 else 100), 0, 0, "none for one slow run of 25"),
    ("outliers", level(40, of=lambda i: 250 if i in (5, 17, 30) else 100), 0, 0, "none for three slow runs of 40, each alone"),
    ("waves", level(48, 0.01, lambda i: 100 + 3 * math.sin(i * 2.4)), 0, 0, "none for waves of 3 % over 48 runs"),
]
for name, values, run, change, what in cases:
    make(name, values)
    print(name, run, change, what)
