#!/usr/bin/env python3
"""A SQLite export of Nsight Systems, made of traces of torch.profiler.

usage: nsys_make.py EXPORT.sqlite FILE[:OFFSET]...      (OFFSET: ns added to that file's clock)
       nsys_make.py --calls EXPORT.sqlite RANKS [FIRST]

Nsight Systems itself writes none of these files: the tables are those of NVIDIA's description of the
export, with the columns that reports of 2024 and 2025 have, and no others than analysis tools read. Each
file becomes a process. With --calls: ranks whose calls of the system, MPI and CUDA have times known by
heart (tests/nsys.sh), the first is rank FIRST.
"""
import decimal
import gzip
import json
import os
import re
import sqlite3
import sys

TIMES = "start INTEGER NOT NULL, end INTEGER NOT NULL"
DEVICE = ("deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, "
          "streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER")
MPI = "start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, textId INTEGER"
SCHEMA = {
    "StringIds": "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL",
    "PROCESSES": "globalPid INTEGER, pid INTEGER, name TEXT",
    "TARGET_INFO_SESSION_START_TIME": "utcEpochNs INTEGER, utcTime TEXT, localTime TEXT",
    "TARGET_INFO_SYSTEM_ENV": "globalVid INTEGER, devStateName TEXT NOT NULL, name TEXT NOT NULL, "
                              "nameEnum INTEGER NOT NULL, value TEXT NOT NULL",
    "TARGET_INFO_GPU": "vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, busLocation TEXT, uuid TEXT",
    "TARGET_INFO_CUDA_DEVICE": "gpuId INTEGER, cudaId INTEGER NOT NULL, pid INTEGER NOT NULL, uuid TEXT, "
                               "numMultiprocessors INTEGER",
    "CUPTI_ACTIVITY_KIND_RUNTIME": TIMES + ", eventClass INTEGER NOT NULL, globalTid INTEGER, "
        "correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER",
    "CUPTI_ACTIVITY_KIND_KERNEL": TIMES + ", " + DEVICE + ", demangledName INTEGER NOT NULL, "
        "shortName INTEGER NOT NULL, mangledName INTEGER, gridX INTEGER NOT NULL, blockX INTEGER NOT NULL",
    "CUPTI_ACTIVITY_KIND_MEMCPY": TIMES + ", " + DEVICE + ", bytes INTEGER NOT NULL, "
        "copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER",
    "CUPTI_ACTIVITY_KIND_MEMSET": TIMES + ", " + DEVICE + ", value INTEGER NOT NULL, "
        "bytes INTEGER NOT NULL, memKind INTEGER",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": TIMES + ", " + DEVICE + ", syncType INTEGER NOT NULL, "
        "eventId INTEGER NOT NULL",
    "CUPTI_ACTIVITY_KIND_CUDA_EVENT": "timestamp INTEGER, " + DEVICE + ", eventId INTEGER NOT NULL, "
        "eventSyncId INTEGER",
    "NVTX_EVENTS": "start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, "
        "text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER",
    "OSRT_API": TIMES + ", eventClass INTEGER NOT NULL, globalTid INTEGER, nameId INTEGER NOT NULL, "
        "returnValue INTEGER NOT NULL, nestingLevel INTEGER, callchainId INTEGER NOT NULL",
    "MPI_RANKS": "globalTid INTEGER NOT NULL, rank INTEGER NOT NULL",
    "MPI_P2P_EVENTS": MPI + ", commHandle INTEGER, tag INTEGER, remoteRank INTEGER, size INTEGER, "
        "requestHandle INTEGER",
    "MPI_COLLECTIVES_EVENTS": MPI + ", commHandle INTEGER, rootRank INTEGER, size INTEGER, "
        "recvSize INTEGER, requestHandle INTEGER",
}
KINDS = ["unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"]
MEMORY = ["Pageable", "Pinned", "Device", "Array"]


class Export:
    def __init__(self, path, start, host="node7"):
        if os.path.exists(path):
            os.remove(path)
        self.db, self.start, self.texts, self.tables = sqlite3.connect(path), start, {}, set()
        self.put("TARGET_INFO_SESSION_START_TIME", utcEpochNs=start)
        self.put("TARGET_INFO_SYSTEM_ENV", devStateName="", name="Hostname", nameEnum=1, value=host)

    def put(self, table, **columns):
        """A table exists once it has a row, as in real exports."""
        if table not in self.tables:
            self.db.execute(f"CREATE TABLE {table} ({SCHEMA[table]})")
            self.tables.add(table)
        names = ", ".join(f'"{name}"' for name in columns)
        self.db.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(columns))})",
                        tuple(columns.values()))

    def text(self, value):
        if value not in self.texts:
            self.texts[value] = len(self.texts) + 1
            self.put("StringIds", id=self.texts[value], value=value)
        return self.texts[value]

    @staticmethod
    def process(pid):
        return 1 << 56 | 1 << 48 | pid << 24

    def gpu(self, pid, device, name):
        uuid = f"GPU-00000000-0000-0000-0000-{device:012}"
        self.put("TARGET_INFO_GPU", vmId=0, id=device, name=name, uuid=uuid)
        self.put("TARGET_INFO_CUDA_DEVICE", gpuId=device, cudaId=device, pid=pid, uuid=uuid)

    def call(self, pid, tid, name, start, end, correlation):
        self.put("CUPTI_ACTIVITY_KIND_RUNTIME", start=start, end=end, eventClass=0,
                 globalTid=self.process(pid) | tid, correlationId=correlation,
                 nameId=self.text(name + "_v3020"), returnValue=0)

    def on_device(self, table, pid, start, end, device, stream, correlation, **more):
        self.put(table, start=start, end=end, deviceId=device, contextId=1, streamId=stream,
                 correlationId=correlation, globalPid=self.process(pid), **more)

    def range(self, pid, tid, text, start, end):
        """Registered texts have a number, others are in the row."""
        known = {"textId": self.text(text)} if len(text) % 2 else {"text": text}
        self.put("NVTX_EVENTS", start=start, end=end, eventType=59,
                 globalTid=self.process(pid) | tid, **known)

    def close(self):
        self.db.commit()
        self.db.close()


def memory_of(name):
    found = re.search(r"\((\w+)(?: -> (\w+))?\)", name)
    return [MEMORY.index(kind) if kind in MEMORY else 7 for kind in found.groups() if kind] if found else [7, 7]


def event_put(export, pid, event, start, end):
    category, name, args = event.get("cat", ""), event["name"], event.get("args", {})
    where = (pid, start, end, args.get("device", 0), args.get("stream", 7), args.get("correlation", 0))
    if category == "kernel":
        short = export.text(name.split("(")[0])
        export.on_device("CUPTI_ACTIVITY_KIND_KERNEL", *where, demangledName=export.text(name),
                         shortName=short, gridX=1, blockX=1)
    elif category == "gpu_memcpy":
        kind = next((i for i, word in enumerate(KINDS) if word in name), 0)
        source, target = (memory_of(name) * 2)[:2]
        export.on_device("CUPTI_ACTIVITY_KIND_MEMCPY", *where, bytes=args.get("bytes", 0), copyKind=kind,
                         srcKind=source, dstKind=target)
    elif category == "gpu_memset":
        export.on_device("CUPTI_ACTIVITY_KIND_MEMSET", *where, bytes=args.get("bytes", 0), value=0,
                         memKind=memory_of(name)[0])
    elif category.endswith(("_runtime", "_driver")):
        export.call(pid, event["tid"], name, start, end, args.get("correlation", 0))
    elif category == "user_annotation":
        export.range(pid, event["tid"], name, start, end)
    elif category == "cpu_op":  # as torch.autograd.profiler.emit_nvtx() calls it
        export.range(pid, event["tid"], f"{name}, seq = {start}, sizes = [[1]]", start, end)


def convert(path, *arguments):
    export, begin = None, None
    for argument in arguments:
        file, _, offset = argument.partition(":")
        with (gzip.open if file.endswith(".gz") else open)(file, "rt") as stream:
            trace = json.load(stream, parse_float=decimal.Decimal)
        base = int(trace.get("baseTimeNanoseconds", 0)) + int(offset or 0)
        events = [(event, int(event["ts"] * 1000) + base, int(event["ts"] * 1000) + base + int(event["dur"] * 1000))
                  for event in trace["traceEvents"] if event.get("ph") == "X" and "dur" in event]
        if export is None:
            begin = min(start for _, start, _ in events) - 1000
            export = Export(path, begin)
        rank = trace.get("distributedInfo", {}).get("rank", 0)
        pid = next(event["pid"] for event, *_ in events if event.get("cat") == "cpu_op")
        export.put("MPI_RANKS", globalTid=export.process(pid) | pid, rank=rank)
        export.gpu(pid, rank, "NVIDIA H100 80GB HBM3")
        for event, start, end in events:
            event_put(export, pid, event, start - begin, end - begin)
    export.close()


def calls(path, ranks, first="0"):
    """Times from the start of the session, in us, are in tests/nsys.sh as well."""
    first = int(first)
    export = Export(path, 1_750_000_000_000_000_000 + 5_000_000 * first, f"node{first}")
    us = 1000
    for rank in range(first, first + int(ranks)):
        pid, shift = 3000 + rank, -5000 * us * first
        here = export.process(pid) | pid
        export.put("PROCESSES", globalPid=export.process(pid), pid=pid, name="python3")
        export.put("MPI_RANKS", globalTid=here, rank=rank)
        export.gpu(pid, rank - first, "NVIDIA A100")
        for number in range(3):
            at = shift + (10_000 + 2_000 * number) * us
            export.range(pid, pid, f"iteration {number}", at, at + 1900 * us)
            export.put("OSRT_API", start=at + 100 * us, end=at + 400 * us, eventClass=27, globalTid=here,
                       nameId=export.text("read"), returnValue=4096, callchainId=0)
            export.put("OSRT_API", start=at + 500 * us, end=at + 600 * us, eventClass=27, globalTid=here,
                       nameId=export.text("pthread_mutex_lock"), returnValue=0, callchainId=0)
            export.put("MPI_COLLECTIVES_EVENTS", start=at + 700 * us, end=at + (900 - 50 * (rank % 2)) * us,
                       globalTid=here, textId=export.text("MPI_Allreduce"), commHandle=77, size=4096,
                       recvSize=4096)
            export.call(pid, pid, "cudaLaunchKernel", at + 1000 * us, at + 1010 * us, 10 * number + 1)
            export.on_device("CUPTI_ACTIVITY_KIND_KERNEL", pid, at + 1020 * us, at + 1220 * us, rank - first, 7,
                             10 * number + 1, demangledName=export.text("gemm(float*)"),
                             shortName=export.text("gemm"), gridX=1, blockX=1)
            export.call(pid, pid, "cudaEventRecord", at + 1011 * us, at + 1012 * us, 10 * number + 2)
            export.put("CUPTI_ACTIVITY_KIND_CUDA_EVENT", deviceId=rank - first, contextId=1, streamId=7,
                       correlationId=10 * number + 2, globalPid=export.process(pid), eventId=5)
            export.call(pid, pid, "cudaEventSynchronize", at + 1100 * us, at + 1230 * us, 10 * number + 3)
            export.on_device("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", pid, at + 1100 * us, at + 1230 * us,
                             rank - first, 4294967295, 10 * number + 3, syncType=1, eventId=5)
    # a launcher and a monitor in the same report are no ranks
    export.put("OSRT_API", start=0, end=50_000 * us, eventClass=27, globalTid=export.process(2999) | 2999,
               nameId=export.text("waitpid"), returnValue=0, callchainId=0)
    export.put("NVTX_EVENTS", start=5, eventType=75, text="NCCL", domainId=1, globalTid=export.process(3000) | 3000)
    export.close()


if __name__ == "__main__":
    if sys.argv[1] == "--calls":
        calls(*sys.argv[2:])
    else:
        convert(*sys.argv[1:])
