#!/usr/bin/env python3
"""Checks the files of `tacho export --kineto` as their readers take them, and against the database of the run.

usage: export_kineto.py FILE... [DATABASE.db]

What HolisticTraceAnalysis and TensorBoard's profiler plugin rely on, by their sources: names of files and of
categories, the rank in a line of its own, numbers by which operators, launches and activities belong together.
Then kernels, copies, calls of the runtime, steps and operations of NCCL of all files against the database. Prints
what is there; its status is 1 with the first thing that is wrong.
"""
import collections
import gzip
import json
import re
import sqlite3
import sys

WORKER = re.compile(r"^(.*?)(\.\d+)?\.pt\.trace\.json(\.gz)?$")  # TensorBoard's
RANK = re.compile(r'"rank":\s+(\d+)')  # HTA's, line by line
HOST = {"cpu_op", "user_annotation", "cuda_runtime", "cuda_driver"}
DEVICE = {"kernel", "gpu_memcpy", "gpu_memset"}
STEP = re.compile(r"^ProfilerStep#(\d+)$")
OPS = {"Memcpy HtoD": "memcpy_h2d", "Memcpy DtoH": "memcpy_d2h", "Memcpy DtoD": "memcpy_d2d", "Memcpy PtoP": "memcpy_p2p",
       "Memset": "memset"}
NCCL = {"reduce_scatter": "reducescatter", "all_to_all": "alltoall"}


def ns(us):
    return round(us * 1000)


def load(path):
    assert WORKER.match(path.rsplit("/", 1)[-1]), path
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        text = file.read()
    rank = next(RANK.search(line) for line in text.splitlines() if RANK.search(line))
    trace = json.loads(text)
    assert trace["schemaVersion"] == 1 and isinstance(trace["baseTimeNanoseconds"], int)
    assert trace["distributedInfo"]["rank"] == int(rank.group(1)), path
    assert trace["traceName"] == path.rsplit("/", 1)[-1]
    return trace


def check_events(events):
    named = {kind: {(e["pid"], e["tid"] if kind == "thread_name" else 0) for e in events if e["ph"] == "M" and e["name"] == kind}
             for kind in ("thread_name", "process_name", "process_labels")}
    for e in events:
        assert e["ph"] in ("X", "M", "s", "f") and isinstance(e["name"], str), e
        if e["ph"] != "X":
            continue
        assert e["cat"] in HOST | DEVICE and e["ts"] is not None and e["dur"] >= 0, e
        assert (e["pid"], e["tid"]) in named["thread_name"], e
        assert (e["pid"], 0) in named["process_name"] & named["process_labels"], e
        if e["cat"] in DEVICE:
            assert e["pid"] == e["args"]["device"] and e["tid"] == e["args"]["stream"], e


def check_links(events):
    """Operators have ids of their own, a launch that of the operator around it, an activity that of its launch."""
    of = lambda *kinds: [e for e in events if e["ph"] == "X" and e["cat"] in kinds]
    ops = of("cpu_op", "user_annotation")
    ids = [e["args"]["External id"] for e in ops]
    assert len(ids) == len(set(ids)) and 0 not in ids, "operators share an id"
    by_id = dict(zip(ids, ops))
    launches = {}
    for e in of("cuda_runtime", "cuda_driver"):
        external = e["args"]["External id"]
        if external:
            op = by_id[external]
            assert op["tid"] == e["tid"] and ns(op["ts"]) <= ns(e["ts"]), (op, e)
            assert ns(e["ts"]) + ns(e["dur"]) <= ns(op["ts"]) + ns(op["dur"]), (op, e)
        if "correlation" in e["args"]:
            assert e["args"]["correlation"] not in launches, e
            launches[e["args"]["correlation"]] = e
    arrows = {phase: collections.Counter(e["id"] for e in events if e["ph"] == phase) for phase in "sf"}
    for e in of(*DEVICE):
        launch = launches.get(e["args"].get("correlation"))
        if launch:
            assert e["args"]["External id"] == launch["args"]["External id"], (e, launch)
            assert arrows["s"][e["args"]["correlation"]] == 1 and arrows["f"][e["args"]["correlation"]], e


def communications(events):
    """TensorBoard's communication: operators by these names, and the kernels that have their ids."""
    ops = [e for e in events if e["ph"] == "X" and e["name"].startswith("nccl:") and e["cat"] == "cpu_op"]
    ids = {e["args"]["External id"] for e in ops}
    for e in ops:
        assert len(e["args"].get("Input Dims", [])) == len(e["args"].get("Input type", [])), e
    return len(ops), sum(e["ph"] == "X" and e["cat"] == "kernel" and e["args"]["External id"] in ids for e in events)


def check_nesting(events):
    tracks = collections.defaultdict(list)
    for e in events:
        if e["ph"] == "X" and e["cat"] in HOST:
            tracks[e["pid"], e["tid"]].append((ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])))
    for track, slices in tracks.items():
        ends = []
        for start, end in sorted(slices, key=lambda s: (s[0], -s[1])):
            while ends and ends[-1] <= start:
                ends.pop()
            assert not ends or end <= ends[-1], ("slices cross", track, start, end)
            ends.append(end)


def figures(traces):
    """Counts and ns of what all files have, by the names of the database."""
    found = collections.defaultdict(collections.Counter)
    operations = collections.defaultdict(list)
    for trace in traces:
        rank = trace["distributedInfo"]["rank"]
        for e in trace["traceEvents"]:
            if e["ph"] != "X":
                continue
            step, args = STEP.match(e["name"]), e["args"]
            if step:
                found["steps"][rank, ns(e["dur"])] += 1
            if e["cat"] == "kernel":
                found["kernels"]["n"] += 1
                found["kernels"]["ns"] += ns(e["dur"])
            if e["cat"] in ("gpu_memcpy", "gpu_memset"):
                op = next((OPS[begin] for begin in OPS if e["name"].startswith(begin)), "memory")
                found["copies"][op, "n"] += 1
                found["copies"][op, "bytes"] += args.get("bytes", 0)
            if e["cat"] in ("cuda_runtime", "cuda_driver"):
                found["calls"][rank, e["name"], "n"] += 1
                found["calls"][rank, e["name"], "ns"] += ns(e["dur"])
            if "Group size" in args and "Seq" in args and args["Collective name"] not in ("send", "recv"):
                operations[args["Process Group Name"], args["Seq"]].append(
                    (NCCL.get(args["Collective name"], args["Collective name"]),
                     max(args["In msg nelems"], args["Out msg nelems"])))
    for members in operations.values():
        assert len(set(members)) == 1, members
        found["nccl"][members[0]] += 1
    return found


def database(path):
    db = sqlite3.connect(path)
    rows = collections.defaultdict(collections.Counter)
    for rank, length in db.execute("select rank, s.end_ns - s.start_ns from step s join process p on p.id = process_id"):
        rows["steps"][rank, length] += 1
    for n, length in db.execute("select sum(calls), sum(total_ns) from kernel where name not glob 'mem[cs]*'"):
        rows["kernels"].update(n=n or 0, ns=length or 0)
    for op, n, nbytes in db.execute("select op, sum(copies), sum(bytes) from copy group by op"):
        rows["copies"].update({(op, "n"): n, (op, "bytes"): nbytes})
    for rank, name, n, length in db.execute("""select rank, c.name, calls, total_ns from call c join process p on
            p.id = process_id where class = 'cuda' and rank is not null"""):
        rows["calls"].update({(rank, name, "n"): n, (rank, name, "ns"): length})
    for op, nbytes in db.execute("select op, bytes from collective where kind = 'nccl' and op not in ('send', 'recv')"):
        rows["nccl"][op, nbytes] += 1
    return rows


def main(*arguments):
    traces = [load(path) for path in arguments if not path.endswith(".db")]
    ranks = [trace["distributedInfo"]["rank"] for trace in traces]
    assert len(set(ranks)) == len(ranks), ranks
    for trace in traces:
        check_events(trace["traceEvents"])
        check_links(trace["traceEvents"])
        check_nesting(trace["traceEvents"])
    found = figures(traces)
    for path in arguments:
        if path.endswith(".db"):
            wanted = database(path)
            for what in ("steps", "kernels", "copies", "calls", "nccl"):
                assert +found[what] == +wanted[what], (what, found[what], wanted[what])
    print("ranks", len(traces), "kernels", found["kernels"]["n"], "steps", sum(found["steps"].values()),
          "nccl", sum(found["nccl"].values()),
          "communications {} with kernels {}".format(*map(sum, zip(*(communications(t["traceEvents"]) for t in traces)))))


if __name__ == "__main__":
    main(*sys.argv[1:])
