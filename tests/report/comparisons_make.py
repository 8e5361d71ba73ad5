"""Makes pairs of runs of which it is known by how much the second is slower, and prints
FOLDER STATUSES VERDICT SHARE DESCRIPTION of each (tests/compare_known.sh says what these are).

Noise is a fixed series, so that each answer is the same on every machine.
"""
import os
import sqlite3
import sys

schema = open(sys.argv[1], encoding="utf-8").read()
STEPS, BASE = 200, 10_000_000


def noise(i, size):
    """Spread evenly over -size to size, in an order that looks random (multiples of the golden ratio)."""
    return size * (2 * ((i * 0.6180339887498949) % 1) - 1)


def make(folder, steps, ranks=2, waited=0.0, state="mpi", extra=0):
    """waited: share of its time in which rank 0 had no core; `extra` ns of each step are in `state`."""
    os.makedirs(folder)
    db = sqlite3.connect(folder + "/tacho.db")
    db.executescript(schema)
    whole, name = sum(steps), os.path.basename(folder)
    db.execute("insert into run (id, label, path, command, start_ns, duration_ns, nranks, "
        "nlocations, nevents, exit_status, cut, tacho_version, analyzed_ns) "
        "values (1, ?, ?, './train', 0, ?, ?, ?, 1000, 0, 0, '0', 0)", (name, name, 2 * whole, ranks, ranks))
    db.execute("insert into node (id, run_id, hostname, clock_residual_ns) values (1, 1, 'n1', 0)")
    for rank in range(ranks):
        me = rank + 1
        db.execute("insert into process (id, run_id, node_id, rank, pid, name, end, start_ns, end_ns) values (?, 1, 1, ?, 1, ?, 'finished', 0, ?)",
                   (me, rank, f"rank {rank}", whole))
        db.execute("insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut) "
            "values (?, 1, ?, 'train', 0, 0, ?, 0)", (me, me, whole))
        at = 0
        for n, ns in enumerate(steps):
            db.execute("insert into step (run_id, process_id, n, phase_id, start_ns, end_ns, samples) values (1, ?, ?, ?, ?, ?, 16)",
                       (me, n, me, at, at + ns))
            at += ns
        for window in "run", "phase:train":
            spent = {"mpi": 0, "io": 0}
            spent[state] += extra * len(steps)
            for key, ns in [("useful", whole - sum(spent.values()))] + list(spent.items()):
                db.execute("insert into host_time (run_id, process_id, window, state, ns) "
                    "values (1, ?, ?, ?, ?)", (me, window, key, ns))
        db.execute("insert into metric (run_id, window, model, name, subject, value, unit, flag) "
            "values (1, 'phase:train', 'counters', 'core_waited', ?, ?, 'ns', null)",
                   (f"rank:{rank}", whole * waited if rank == 0 else 0))
    db.commit()
    db.close()


def steps(size, factor=1.0, shift=0, stall=0, n=STEPS):
    """n steps with noise; each `stall`th takes three times as long."""
    return [int(BASE * factor * (1 + noise(i + 1 + shift, size)) * (3 if stall and i % stall == stall - 1 else 1)) for i in range(n)]


cases = []


def case(statuses, verdict, share, what, base, new, base_with=None, new_with=None):
    folder = f"{len(cases):02d}"
    make(folder + "/base", base, **(base_with or {}))
    make(folder + "/new", new, **(new_with or {}))
    cases.append((folder, statuses, verdict, share, what))


for size in 0.0, 0.02, 0.1:
    for factor in 1.0, 0.8, 1.2, 1.5, 3.0:
        share = 100 * factor - 100
        case("0" if factor <= 1 else "3", "same" if factor == 1 else "slower" if factor > 1 else "faster", share,
             f"{share:+.0f} % with noise of {100 * size:.0f} %", steps(size), steps(size, factor, 77))
for factor in 1.01, 1.02, 1.03, 0.97:
    case("0", "slower" if factor > 1 else "faster", 100 * factor - 100,
         f"{100 * factor - 100:+.0f} % is within the threshold of 5 %, and known", steps(0.005), steps(0.005, factor, 31))
for size in 0.3, 0.6:
    case("0,1", "same|undecided", "-", f"equal runs with noise of {100 * size:.0f} % fail no gate", steps(size), steps(size, shift=500))
case("3", "slower", 100, "twice as long with noise of 30 %", steps(0.3), steps(0.3, 2, 500))
for waited in 0.08, 0.15:
    case("0", "same", 0, f"equal runs that both lacked cores for {100 * waited:.0f} %", steps(0.02), steps(0.02, shift=77),
         {"waited": waited}, {"waited": waited})
case("1", "any", "-", "17 % longer, and 11 points more of it without a core, is not decided", steps(0.0), steps(0.0, 1.17),
     {"waited": 0.08}, {"waited": 0.19})
case("3", "slower", 50, "50 % longer though it lacked cores less", steps(0.0), steps(0.0, 1.5), {"waited": 0.19}, {"waited": 0.08})
case("3", "slower", 200, "three times as long, the base having lacked cores for 30 %", steps(0.0), steps(0.0, 3), {"waited": 0.3}, {"waited": 0.2})
case("1", "any", "-", "a faster run next to a base that lacked cores is not decided", steps(0.0), steps(0.0, 0.9), {"waited": 0.19}, {"waited": 0.02})
for state in "mpi", "io":
    case("3", "slower", 30, f"30 % longer, all of it in {state}", steps(0.01), steps(0.01, 1.3, 9), None,
         {"state": state, "extra": 3_000_000})
case("3", "any", "-", "a fifth of the steps three times as long fails by the mean", steps(0.0), steps(0.0, stall=5))
case("0", "same", 0, "one long step of 200 fails no gate", steps(0.0), steps(0.0, stall=150))
case("0", "same", 0, "as many long steps in both", steps(0.0, stall=5), steps(0.0, stall=5))
case("1", "any", "-", "another number of ranks decides nothing", steps(0.0), steps(0.0), None, {"ranks": 4})
case("3", "slower", 10, "10 % longer in 1,000 steps with noise of 5 %", steps(0.05, n=1000), steps(0.05, 1.1, 7, n=1000))
case("0", "same", 0, "equal runs of 1,000 steps with noise of 5 %", steps(0.05, n=1000), steps(0.05, 1, 7, n=1000))
case("0", "faster", -50, "half as long with noise of 10 %", steps(0.1), steps(0.1, 0.5, 3))
case("1", "any", 7, "7 % longer is not decided where runs as short differ by 3.6 % themselves", steps(0.005), steps(0.005, 1.07, 3))
case("3", "slower", 10, "10 % longer with noise of 2 %", steps(0.02), steps(0.02, 1.1, 5))
case("0", "faster", -10, "10 % shorter with noise of 2 %", steps(0.02), steps(0.02, 0.9, 5))
assert len(cases) == 40, len(cases)
for line in cases:
    print(*line)
