#!/usr/bin/env python3
"""nccl_graph_check.py DUMP DATABASE SAID [whole|window|part]: compares a run of tests/e2e/nccl_graph
with what it said.

DUMP is the text of `tacho dump`, SAID what all processes printed. window: only a part was recorded,
whose first place is not known; part: some kernels are missing. Prints one line per finding that is
wrong; nothing when all is right.
"""
import collections
import re
import sqlite3
import sys

dump, database, said = sys.argv[1:4]
mode = sys.argv[4] if len(sys.argv) > 4 else "whole"
wrong = []


def check(good, text):
    if not good:
        wrong.append(text)


def attributes(line):
    return {name: text if number == "" else int(number)
            for name, text, number in re.findall(r'"tacho\.(\w+)"=(?:"([^"]*)"|(-?\d+))', line)}


printed = collections.defaultdict(collections.Counter)
sizes = collections.defaultdict(set)
for line in open(said):
    name, rank, op, size, what, number = re.match(
        r"comm (\w+) rank (\d+) (\w+) bytes (\d+) (seq|peer) (\d+)", line).groups()
    printed[name][op, int(size), what, int(number)] += 1
    sizes[name].add(int(rank))

# What the kernels carried out: their own attributes, and those of the parameters after their begin.
found = collections.defaultdict(collections.Counter)
messages = collections.defaultdict(list)
kernel = None
ncalls = ncaptured = nkernels = 0
for line in open(dump):
    entered = re.match(r'\d+ (\d+) enter "([^"]*)"', line)
    more = re.match(r"\d+ (\d+) parameter parameter=1 ", line)
    if entered and entered[2].startswith("ncclDevKernel"):
        kernel = entered[1]
        nkernels += 1
    elif entered:
        kernel = None
        a = attributes(line)
        if re.match("nccl(AllReduce|Reduce|Broadcast|Send|Recv)$", entered[2]):
            ncalls += "seq" in a
            ncaptured += "seq" not in a
        continue
    elif not (more and kernel == more[1]):
        continue
    a = attributes(line)
    if not {"comm", "op", "bytes", "seq"} <= a.keys():
        check(False, f"a kernel without its operation: {line.strip()}")
        continue
    if "peer" in a:
        found[a["comm"]][a["op"], a["bytes"], "peer", a["peer"]] += 1
        messages[a["comm"], a["op"], a["peer"], kernel].append(a["seq"])
    else:
        found[a["comm"]][a["op"], a["bytes"], "seq", a["seq"]] += 1
check(nkernels, "there is no kernel of NCCL")
check(ncaptured, "no call was captured")


def placeless(calls):
    """The same calls, by communicator, without places: a window's first is not known."""
    plain = collections.Counter()
    for (op, size, what, number), n in calls.items():
        plain[op, size, what, number if what == "peer" else 0] += n
    return plain


numbers = {}
for name, calls in printed.items():
    if mode == "part":
        same = [n for n in found if found[n] <= calls]
    elif mode == "window":
        same = [n for n in found if placeless(found[n]) == placeless(calls)]
    else:
        same = [n for n in found if found[n] == calls]
    check(same, f"no communicator has the operations of {name}: too many "
          f"{[list((f - calls).items())[:4] for f in found.values()]}, missing "
          f"{[list((calls - f).items())[:4] for f in found.values()]}")
    if same:
        numbers[name] = same[0]
if mode != "part":
    for key, places in messages.items():
        check(sorted(places) == list(range(len(places))), f"messages out of order: {key} {places}")

# One row per operation, with all members; places of a window have no holes.
db = sqlite3.connect(database)
for name, number in numbers.items():
    rows = db.execute("select op, bytes, seq from collective where kind = 'nccl' and comm_id = ?", (number,)).fetchall()
    sums = {(op, size, seq) for op, size, seq in rows if op not in ("send", "recv")}
    wanted = {(op, size, seq) for op, size, what, seq in printed[name] if what == "seq"}
    if mode == "whole":
        check(sums == wanted, f"{name}: rows {sorted(sums - wanted)[:4]} too many, {sorted(wanted - sums)[:4]} missing")
    elif mode == "window":
        check(len(sums) == len(wanted), f"{name}: {len(sums)} rows, not {len(wanted)}")
    if mode != "part":
        ring = sum(n for (op, *_), n in printed[name].items() if op == "send")
        check(sum(op == "send" for op, *_ in rows) == ring, f"{name}: not {ring} messages")
        check(not db.execute("select count(*) from loss").fetchone()[0], "something was lost")
for text in wrong[:20]:
    print(text)
sys.exit(bool(wrong))
