#!/usr/bin/env python3
"""Traces as torch.profiler writes them, of a job whose times are known.

usage: kineto_make.py DIR [RANKS [STEPS [KERNELS]]]

Writes DIR/rank<N>.json (the odd ones compressed) and prints, by rank, by how many ns its clock is behind
that of rank 0. PLAIN: kernels of NCCL have no arguments. Each step launches KERNELS kernels, two copies and two all-reduces, of which the second one
runs under a kernel. Rank r comes r * 40 us later to the first. Rank 1's profiler starts an operation later.
"""
import gzip
import json
import os
import random
import sys

BASE = 1_735_632_360_000_000_000
STREAM, COMM_STREAM = 7, 20


class Rank:
    def __init__(self, rank, ranks, clock):
        self.rank, self.ranks, self.clock = rank, ranks, clock
        self.pid = 4000 + rank
        self.events, self.correlation = [], 100
        self.free = 0

    def at(self, ns):
        """By its own clock, in us."""
        return (ns - self.clock) / 1000

    def event(self, category, name, start, length, pid=None, tid=None, **args):
        self.events.append({"ph": "X", "cat": category, "name": name,
                            "pid": self.pid if pid is None else pid,
                            "tid": self.pid if tid is None else tid,
                            "ts": self.at(start), "dur": length / 1000, "args": args})

    def activity(self, category, name, call, launched, start, length, stream=STREAM, **args):
        self.correlation += 1
        self.event("cpu_op", "aten::" + category, launched - 1000, 6000)
        self.event("cuda_runtime", call, launched, 4000, correlation=self.correlation, cbid=211)
        self.event(category, name, start, length, pid=self.rank, tid=stream, device=self.rank,
                   context=1, stream=stream, correlation=self.correlation, **args)

    def all_reduce(self, launched, start, end, elements, place):
        self.activity("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)",
                      "cudaLaunchKernelExC", launched, start, end - start, COMM_STREAM,
                      **{} if os.environ.get("PLAIN") else {
                         "Collective name": "allreduce", "In msg nelems": elements,
                         "Out msg nelems": elements, "Group size": self.ranks, "dtype": "Float",
                         "Process Group Name": "0", "Process Group Description": "default_pg",
                         "Process Group Ranks": json.dumps(list(range(self.ranks))),
                         "made as": place, **({"Seq": place} if os.environ.get("SEQ") else {})})

    def step(self, number, begin, length, kernels):
        self.event("user_annotation", f"ProfilerStep#{number}", begin, length)
        launched = begin + 20_000
        free = launched
        for name, kind, nbytes in (("Memcpy HtoD (Pinned -> Device)", "gpu_memcpy", 4096),
                                   ("Memset (Device)", "gpu_memset", 512)):
            self.activity(kind, name, "cudaMemcpyAsync", launched, free + 5000, 3000, bytes=nbytes)
            launched, free = launched + 8000, free + 9000
        for i in range(kernels):
            free = max(free, launched + 6000)
            self.activity("kernel", f"gemm_{i % 5}<float, {i % 5}>(void*)", "cudaLaunchKernel",
                          launched, free, 20_000 + 1000 * (i % 3))
            launched, free = launched + 8000, free + 24_000
        return max(free, launched + 10_000)

    def write(self, path):
        random.Random(self.rank).shuffle(self.events)
        trace = {"schemaVersion": 1, "deviceProperties": [
            {"id": i, "name": "NVIDIA H100 80GB HBM3"} for i in range(self.ranks)],
            "distributedInfo": {"backend": "nccl", "rank": self.rank, "world_size": self.ranks},
            "traceEvents": self.events + [
                {"ph": "f", "cat": "ac2g", "id": 1, "name": "ac2g", "ts": 0, "pid": 0, "tid": 0},
                {"ph": "M", "name": "process_name", "pid": self.pid, "tid": 0, "ts": 0,
                 "args": {"name": "python3 \u2603 \"quoted\""}}],
            "traceName": path, "baseTimeNanoseconds": BASE}
        with (gzip.open if path.endswith(".gz") else open)(path, "wt") as file:
            json.dump(trace, file)


def main(directory, ranks="2", steps="3", kernels="6"):
    os.makedirs(directory, exist_ok=True)
    jobs = [Rank(r, int(ranks), r * 3_217_500) for r in range(int(ranks))]
    length = 2_000_000 + 30_000 * int(kernels)
    for number in range(int(steps)):
        begin = 1_000_000 + number * length
        ready = [job.step(number + 10, begin, length - 1000, int(kernels)) for job in jobs]
        starts = [ready[job.rank] + 40_000 * job.rank for job in jobs]
        for second in (False, True):
            end = max(starts) + 300_000 + 50_000 * number + 11_000 * second
            for job, start in zip(jobs, starts):
                if number == 0 and not second and job.rank == 1:
                    continue
                job.all_reduce(start - 12_000, start, end, 1_000_000 + second,
                               2 * number + second)
                if second:  # under which a kernel runs
                    job.activity("kernel", "gemm_under<float>(void*)", "cudaLaunchKernel",
                                 start + 12_000, start + 30_000, 100_000)
            starts = [end + 25_000 * (len(jobs) - job.rank) for job in jobs]
    for job in jobs:
        job.write(os.path.join(directory, f"rank{job.rank}.json" + (".gz" if job.rank % 2 else "")))
    print(*(job.clock for job in jobs))


if __name__ == "__main__":
    main(*sys.argv[1:])
