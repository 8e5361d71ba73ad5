#!/usr/bin/env python3
"""Figures of a database against the traces of torch.profiler that it was made from.

usage: kineto_check.py DATABASE FILE[:OFFSET]...   (OFFSET: ns added to that file's clock)

Computes by the published definitions of HolisticTraceAnalysis, from the JSON alone: temporal breakdown
(computing, other work, idle), overlap of communication and computing, counts and times of kernels, copies
and calls of the runtime, steps, collectives. Prints what differs; its status is 1 if anything does.
"""
import collections
import decimal
import gzip
import json
import sqlite3
import sys

GPU = {"kernel": "kernel", "gpu_memcpy": "copy", "gpu_memset": "copy"}
faults = []


def expect(what, found, wanted, slack=0):
    if found is None or abs(found - wanted) > slack:
        faults.append(f"{what}: the database has {found}, the traces {wanted}")


def nanoseconds(value):
    return int(decimal.Decimal(value) * 1000)


def is_nccl(name):
    return name.startswith(("nccl", "rccl", "void nccl"))


def load(argument):
    path, _, offset = argument.partition(":")
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        trace = json.load(file, parse_float=decimal.Decimal)
    if isinstance(trace, list):  # PyTorch without Kineto
        trace = {"traceEvents": trace}
    base = int(trace.get("baseTimeNanoseconds", 0)) + int(offset or 0)
    trace["events"] = []
    for event in trace["traceEvents"]:
        if event.get("ph") == "X" and "dur" in event:
            start = nanoseconds(event["ts"]) + base
            trace["events"].append((event, start, start + nanoseconds(event["dur"])))
    return trace


def union(spans):
    """Sorted, disjoint intervals that cover the same."""
    result = []
    for begin, end in sorted(spans):
        if result and begin <= result[-1][1]:
            result[-1][1] = max(result[-1][1], end)
        elif end > begin:
            result.append([begin, end])
    return result


def length(spans):
    return sum(end - begin for begin, end in spans)


def common(a, b):
    """What is in both of two unions."""
    result, i, k = [], 0, 0
    while i < len(a) and k < len(b):
        begin, end = max(a[i][0], b[k][0]), min(a[i][1], b[k][1])
        if begin < end:
            result.append([begin, end])
        if a[i][1] < b[k][1]:
            i += 1
        else:
            k += 1
    return result


def minus(a, b):
    return length(a) - length(common(a, b))


def collectives(traces):
    """By process group and place: the last start of all members."""
    last, found = {}, []
    for number, trace in enumerate(traces):
        places = collections.Counter()
        for event, start, end in sorted((e for e in trace["events"] if e[0].get("cat") == "kernel"),
                                        key=lambda e: e[1]):
            args = event["args"]
            if "Process Group Name" not in args:
                continue
            group = args["Process Group Name"]
            key = group, args.get("Seq", args.get("made as", places[group]))
            places[group] += 1
            found.append((number, key, start, end, args))
            last[key] = max(last.get(key, start), start)
    return last, found


def is_whole(key, args, found):
    """Whether what a member waits for is known: all are there, or it does not wait for all."""
    return args["Collective name"] == "broadcast" or \
        sum(other == key for _, other, *_ in found) == args["Group size"]


def device_check(db, traces, number, trace, last, found):
    rank = trace.get("distributedInfo", {}).get("rank", number)
    kinds = collections.defaultdict(list)
    for event, start, end in trace["events"]:
        if event.get("cat") in GPU:
            kind = "nccl" if is_nccl(event["name"]) else GPU[event["cat"]]
            kinds[kind].append((start, end))
    if not kinds:
        return
    compute, nccl, copies = (union(kinds[kind]) for kind in ("kernel", "nccl", "copy"))
    busy = union(compute + nccl + copies)
    waits = union((start, min(end, last[key])) for n, key, start, end, args in found
                  if n == number and last[key] > start and is_whole(key, args, found))
    known = {(start, end) for n, key, start, end, args in found
             if n == number and is_whole(key, args, found)}
    unknown = union(span for span in kinds["nccl"] if span not in known)
    states = dict(db.execute("""select state, sum(ns) from device_time
        join process_device using (device_id) join process on process.id = process_id
        where window = 'run' and rank = ? group by state""", (rank,)))
    slack = 2000 + length(busy) // 1000
    expect(f"rank {rank}, computing", states.get("compute", 0), length(compute), slack)
    expect(f"rank {rank}, NCCL wait", states.get("nccl_wait", 0), minus(waits, compute), slack)
    expect(f"rank {rank}, NCCL alone",
           sum(states.get(s, 0) for s in ("nccl_wait", "nccl_transfer", "nccl")),
           minus(nccl, compute), slack)
    expect(f"rank {rank}, NCCL with unknown members", states.get("nccl", 0), minus(unknown, compute),
           slack)
    expect(f"rank {rank}, copies alone", states.get("memcpy", 0),
           minus(copies, union(compute + nccl)), slack)
    # HTA's idle time is from the first to the last activity; the database's that of the whole rank
    ends = [(start, end) for event, start, end in trace["events"] if event.get("cat") in GPU or
            event.get("cat") in ("cpu_op", "user_annotation", "python_function", "cuda_runtime",
                                 "cuda_driver")]
    around = max(end for _, end in ends) - min(start for start, _ in ends) - (busy[-1][1] - busy[0][0])
    idle = sum(ns for state, ns in states.items() if state.startswith("idle:"))
    expect(f"rank {rank}, idle by HTA", idle - around, busy[-1][1] - busy[0][0] - length(busy), slack)
    if nccl and len(traces) == 1:
        overlap, = db.execute("""select value from metric where window = 'run' and model = 'device'
            and name = 'nccl_overlap' and subject = ''""").fetchone() or (None,)
        expect("overlap", overlap, length(common(nccl, compute)) / length(nccl), 0.001)


def sums_check(db, what, query, wanted, slack):
    found = {name: rest for name, *rest in db.execute(query)}
    total, counted = sum(v[1] for v in wanted.values()), sum(v[0] for v in wanted.values())
    expect(f"{what}, number", sum(n for n, _ in found.values()), counted)
    expect(f"{what}, time", sum(ns for _, ns in found.values()), total, slack + total // 1000)
    for name, (n, _) in wanted.items():
        if name in found:
            expect(f"{what} {name[:60]}", found[name][0], n)


def main(database, *arguments):
    db = sqlite3.connect(database)
    traces = [load(argument) for argument in arguments]
    last, found = collectives(traces)
    for number, trace in enumerate(traces):
        device_check(db, traces, number, trace, last, found)
    kernels, copies, calls = (collections.defaultdict(lambda: [0, 0]) for _ in range(3))
    steps = copied = 0
    for trace in traces:
        for event, start, end in trace["events"]:
            category = event.get("cat", "")
            if category in GPU:
                at = kernels[event["name"]]
                copied += int(event["args"].get("bytes", 0)) if category != "kernel" else 0
            elif category.endswith(("_runtime", "_driver")):
                at = calls[event["name"]]
            else:
                steps += category in ("", "user_annotation") and event["name"].startswith("ProfilerStep#")
                continue
            at[0] += 1
            at[1] += end - start
    # within 1 %, since events that overlap by a rounding are put behind each other
    sums_check(db, "kernels and copies",
               "select name, sum(calls), sum(total_ns) from kernel group by name", kernels, 100000)
    sums_check(db, "calls", """select name, sum(calls), sum(total_ns) from call
        where class = 'cuda' group by name""", calls, 100000)
    expect("steps", db.execute("select count(*) from step").fetchone()[0], steps)
    bytes_, = db.execute("select sum(bytes) from copy").fetchone()
    if copied:
        expect("bytes of copies", bytes_, copied)
    expect("collectives", db.execute("select count(*) from collective").fetchone()[0], len(last))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
