"""Reads an archive with Score-P's python3-otf2 and checks what any archive of ours must hold.

merge_check.py ANCHOR [UNMATCHED]: sends and receives must agree on each channel but for
UNMATCHED messages (default 0); the program's communicators have the ranks of
MPI_COMM_WORLD. Prints one line of counts; exits 1 with a sentence when
something is wrong.
"""
import collections
import sys

import otf2


def rank_of(location):
    return int(location.group.name.split()[1])


def channel(event, source, dest):
    return event.communicator, source, dest, event.msg_tag


def main():
    allowed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    kinds = collections.Counter()
    sends, recvs = collections.Counter(), collections.Counter()
    collectives = collections.defaultdict(collections.Counter)
    count, last, stacks = collections.Counter(), {}, {}
    problems = []
    with otf2.reader.open(sys.argv[1]) as trace:
        locations = list(trace.definitions.locations)
        for location, event in trace.events:
            kind = type(event).__name__
            kinds[kind] += 1
            count[location] += 1
            if event.time < last.get(location, 0):
                problems.append(f"time runs backwards in {location.group.name}")
            last[location] = event.time
            stack = stacks.setdefault(location, [])
            if kind == "Enter":
                stack.append(event.region)
            elif kind == "Leave":
                if not stack or stack.pop() != event.region:
                    problems.append(f"a Leave without its Enter in {location.group.name}")
            elif kind in ("MpiSend", "MpiIsend"):
                sends[channel(event, rank_of(location), event.receiver)] += 1
            elif kind in ("MpiRecv", "MpiIrecv"):
                recvs[channel(event, event.sender, rank_of(location))] += 1
            elif kind in ("MpiCollectiveEnd", "NonBlockingCollectiveComplete"):
                collectives[event.communicator][location.group] += 1
        for location in locations:
            if count[location] != location.number_of_events:
                problems.append(f"{location.group.name} has {count[location]} events, its definition says "
                                f"{location.number_of_events}")
        for location, stack in stacks.items():
            if stack:
                problems.append(f"{location.group.name} ends inside {stack[-1].name}")
    lonely = sum(((sends - recvs) + (recvs - sends)).values())
    if lonely != allowed:
        problems.append(f"{lonely} messages without partner, expected {allowed}")
    for communicator, members in collectives.items():
        if not allowed and len(set(members.values())) > 1:
            problems.append(f"members of {communicator.name} differ in their number of collectives")
    print(f"{sum(kinds.values())} events, {sum(sends.values())} sends, {sum(recvs.values())} receives, "
          f"{sum(sum(m.values()) for m in collectives.values())} collectives")
    for problem in problems[:10]:
        print(problem)
    return 1 if problems else 0


sys.exit(main())
