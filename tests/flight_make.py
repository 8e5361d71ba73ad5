#!/usr/bin/env python3
"""Dumps as PyTorch's Flight Recorder writes them, of jobs whose trouble is known.

usage: flight_make.py DIR CASE [json|pickle|torch]

No dump of PyTorch itself: members and states are those that its reader (torch.distributed.flight_recorder)
takes. torch: the instructions that PyTorch's own writer makes, with tags of types; pickle: Python's.
"""
import json
import os
import pickle
import struct
import sys


def entry(group, number, name, state, line=10, sizes=((4, 4),), message=False):
    return {"record_id": number, "pg_id": int(group[0]), "process_group": list(group),
            "collective_seq_id": 0 if message else number, "p2p_seq_id": number if message else 0,
            "op_id": number, "profiling_name": "nccl:" + name, "time_created_ns": 1_700_000_000_000_000_000 + number,
            "duration_ms": 0.25, "input_sizes": [list(s) for s in sizes], "input_dtypes": ["Float"],
            "output_sizes": [list(s) for s in sizes], "output_dtypes": ["Float"], "state": state,
            "time_discovered_started_ns": None, "time_discovered_completed_ns": None,
            "retired": state == "completed", "timeout_ms": 600000, "is_p2p": message,
            "frames": [{"name": "train", "filename": "/home/me/train.py", "line": line},
                       {"name": "<module>", "filename": "/home/me/train.py", "line": 99}]}


WORLD, LEFT, RIGHT = ("0", "default_pg"), ("1", "left"), ("2", "right")


def done(group, n, first=1):
    return [entry(group, i, "all_reduce", "completed") for i in range(first, n + 1)]


def cases(name):
    """By rank: its entries; None: it left no dump."""
    stuck = lambda group, n, op="all_reduce", state="started", **more: [entry(group, n, op, state, **more)]
    return {
        # rank 2 has not begun #42
        "late": [done(WORLD, 41) + stuck(WORLD, 42) if r != 2 else done(WORLD, 40) + [
            entry(WORLD, 41, "all_reduce", "completed", line=88)] for r in range(4)],
        "dead": [done(WORLD, 5) + stuck(WORLD, 6), None, done(WORLD, 5) + stuck(WORLD, 6)],
        # another operation, another size
        "mismatch": [done(WORLD, 2) + stuck(WORLD, 3), done(WORLD, 2) + stuck(WORLD, 3, "broadcast", line=77)],
        "size": [done(WORLD, 2) + stuck(WORLD, 3), done(WORLD, 2) + stuck(WORLD, 3, sizes=((4, 5),))],
        # 0 waits in left for 1, which waits in right for 2, which has begun nothing more
        "chain": [stuck(LEFT, 1), stuck(RIGHT, 1), done(WORLD, 1)],
        # 0 in left, 1 in right: each waits for the other
        "deadlock": [stuck(LEFT, 1), stuck(RIGHT, 1)],
        "queued": [done(WORLD, 1) + stuck(WORLD, 2), done(WORLD, 1) + stuck(WORLD, 2, state="scheduled")],
        "done": [done(WORLD, 7), done(WORLD, 7)],
        "message": [stuck(WORLD, 1, "send 0->1", message=True), done(WORLD, 1), done(WORLD, 1)],
    }[name]


def dump_of(case, rank, entries):
    n = len(cases(case))
    groups = {"0": list(range(n)), "1": [0, 1], "2": [1, 2] if case == "chain" else [0, 1]}
    names = {"0": "default_pg", "1": "left", "2": "right"}
    return {"version": "2.4", "comm_lib_version": "2.21.5", "entries": entries,
            "pg_config": {g: {"name": g, "desc": names[g], "ranks": str(ranks)} for g, ranks in groups.items()},
            "pg_status": {g: {"last_enqueued_collective": 0, "last_started_collective": 0,
                              "last_completed_collective": 0} for g in groups}}


def torch_pickle(value):
    """As torch::jit::Pickler writes generic lists and dicts."""
    memo = [0]

    def put():
        memo[0] += 1
        n = memo[0] - 1
        return b"q" + bytes([n]) if n < 256 else b"r" + struct.pack("<I", n)

    def text(s):
        return b"X" + struct.pack("<I", len(s.encode())) + s.encode() + put()

    def tagged(begin, items, end, tag):
        head = b"ctorch.jit._pickle\nrestore_type_tag\n" + put() + begin + put() + b"("
        return head + b"".join(write(item) for item in items) + end + text(tag) + b"\x86" + put() + b"R" + put()

    def write(v):
        if v is None:
            return b"N"
        if isinstance(v, bool):
            return b"\x88" if v else b"\x89"
        if isinstance(v, int):
            if 0 <= v < 256:
                return b"K" + bytes([v])
            if -2**31 <= v < 2**31:
                return b"J" + struct.pack("<i", v)
            return b"\x8a\x08" + struct.pack("<q", v)
        if isinstance(v, float):
            return b"G" + struct.pack(">d", v)
        if isinstance(v, str):
            return text(v)
        if isinstance(v, dict):
            return tagged(b"}", [part for item in v.items() for part in item], b"u", "Dict[Any, Any]")
        return tagged(b"]", v, b"e", "List[Any]")
    return b"\x80\x02" + write(value) + b"."


def main(directory, case, how="torch"):
    os.makedirs(directory, exist_ok=True)
    for rank, entries in enumerate(cases(case)):
        if entries is None:
            continue
        dump = dump_of(case, rank, entries)
        data = {"json": lambda: json.dumps(dump).encode(), "torch": lambda: torch_pickle(dump),
                "pickle": lambda: pickle.dumps(dump)}[how]()
        with open(os.path.join(directory, f"nccl_trace_rank_{rank}" + (".json" if how == "json" else "")), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    main(*sys.argv[1:])
