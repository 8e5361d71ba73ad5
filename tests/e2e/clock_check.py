#!/usr/bin/python3
"""Compares the times of "tick" regions in an archive with the true ones that clock_ticks wrote.

usage: clock_check.py ARCHIVE DATABASE PREFIX
Prints rank, largest error and stated residual in ns. Fails when an error is larger than the
residual, when a residual is missing, or when a message is received before it is sent.
"""
import sqlite3
import sys
from collections import defaultdict

import otf2


def read_archive(path):
    ticks, sends, receives = defaultdict(list), defaultdict(list), defaultdict(list)
    with otf2.reader.open(path) as trace:
        for location, event in trace.events:
            if not location.group.name.startswith("rank "):
                continue
            rank = int(location.group.name.split()[1])
            if isinstance(event, otf2.events.Enter) and event.region.name == "tick":
                ticks[rank].append(event.time)
            elif isinstance(event, otf2.events.MpiSend):
                sends[rank, event.receiver].append(event.time)
            elif isinstance(event, otf2.events.MpiRecv):
                receives[event.sender, rank].append(event.time)
    return ticks, sends, receives


def true_times(prefix, rank):
    """The readings of the true clock before and after each marker: it lies between them."""
    with open(f"{prefix}.{rank}") as file:
        return [(int(before), int(after)) for _, before, after in map(str.split, file)]


def distance(one, other):
    """What lies at least between two intervals: a rank that lost its core between its readings proves nothing."""
    return max(0, one[0] - other[1], other[0] - one[1])


def main():
    archive, database, prefix = sys.argv[1:]
    ticks, sends, receives = read_archive(archive)
    residual = dict(sqlite3.connect(database).execute(
        "select p.rank, n.clock_residual_ns from process p join node n on n.id = p.node_id where p.rank is not null"))
    reference = min(rank for rank in residual if residual[rank] == 0)
    difference = {rank: [(t - after, t - before) for t, (before, after) in zip(ticks[rank], true_times(prefix, rank))]
                  for rank in ticks}
    bad = len(ticks) < 2
    for rank in sorted(ticks):
        error = max(distance(a, b) for a, b in zip(difference[rank], difference[reference]))
        print(rank, error, residual[rank])
        bad |= residual[rank] is None or error > residual[rank]
    for channel in sends:
        early = sum(r < s for s, r in zip(sends[channel], receives[channel]))
        if early or len(sends[channel]) != len(receives[channel]):
            print(f"{channel}: {early} messages arrive before they are sent")
            bad = True
    sys.exit(bad)


main()
