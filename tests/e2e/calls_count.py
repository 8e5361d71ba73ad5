#!/usr/bin/python3
"""Counts calls in an OTF2 archive, read with python3-otf2: a line per rank and region.

usage: calls_count.py ARCHIVE    prints "rank region returned cut"
"""
import sys
from collections import Counter

import otf2


def main():
    returned, cut = Counter(), Counter()
    with otf2.reader.open(sys.argv[1]) as trace:
        for location, event in trace.events:
            if not isinstance(event, otf2.events.Leave):
                continue
            key = (location.group.name, event.region.name)
            attributes = {a.name: v for a, v in (event.attributes or {}).items()}
            if attributes.get("tacho.cut"):
                cut[key] += 1
            else:
                returned[key] += 1
    for group, region in sorted(set(returned) | set(cut)):
        print(group.replace("rank ", "", 1).replace(" ", "_"), region, returned[group, region], cut[group, region])


main()
