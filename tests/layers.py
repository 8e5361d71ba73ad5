#!/usr/bin/env python3
"""layers.py SRCDIR OBJECTS NAME [FROM TO]: cycles among the files and folders of a part, by nm.

NAME is analyzer or collector, OBJECTS the folder with its object files. One line for each cycle of
files and each of folders. FROM TO is an arrow that is added, to see that it
is found.
"""
import collections
import os
import re
import subprocess
import sys

# The array of sources is how core/ reaches them; entry.c defines libc's names, which all may call.
DOORS = {"tacho_sources"}
LIBC_NAMES = "entry"
DEFINES = "TDBRVWCiu"


def objects(srcdir, top):
    """Path of each object file, by its source: analyzer/merge/gpu/gpu is merge/gpu/gpu."""
    found = {}
    for folder, _, files in os.walk(top):
        for file in files:
            name = re.sub(r"^lib[a-z0-9_]*_l?a-", "", file)
            place = os.path.relpath(folder.replace("/.libs", ""), top)
            source = os.path.normpath(os.path.join(place, name[:-2]))
            is_shared = folder.endswith(".libs")
            if file.endswith(".o") and os.path.exists(f"{srcdir}/{source}.c") and (is_shared or source not in found):
                found[source] = os.path.join(folder, file)
    return found


def arrows(files):
    """(from, to) -> symbols"""
    out = subprocess.run(["nm", "-A", "-P", *files.values()], capture_output=True, text=True, check=True).stdout
    of_path = {path: source for source, path in files.items()}
    rows = [(of_path[line.split(": ")[0]], *line.split(": ", 1)[1].split()[:2]) for line in out.splitlines()]
    home = {}
    for source, symbol, kind in rows:
        if kind in DEFINES:
            home.setdefault(symbol, source)
    found = collections.defaultdict(set)
    for source, symbol, kind in rows:
        to = home.get(symbol, source)
        if kind in "Uw" and to != source and to != LIBC_NAMES and symbol not in DOORS and \
                not symbol.startswith("tacho_wrap_"):
            found[source, to].add(symbol)
    return found


def cycles(edges):
    """Strongly connected sets of more than one (Tarjan, without recursion)."""
    adjacent = collections.defaultdict(list)
    for a, b in sorted(edges):
        adjacent[a].append(b)
    index, low, stack, on_stack, result = {}, {}, [], set(), []
    for root in list(adjacent):
        work = [(root, iter(adjacent[root]))] if root not in index else []
        while work:
            node, rest = work[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                stack.append(node)
                on_stack.add(node)
            for to in rest:
                if to not in index:
                    work.append((to, iter(adjacent[to])))
                    break
                if to in on_stack:
                    low[node] = min(low[node], index[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    cut = stack.index(node)
                    result.append(frozenset(stack[cut:]))
                    on_stack -= result[-1]
                    del stack[cut:]
    return [group for group in result if len(group) > 1]


def folders_of(edges):
    pairs = {(os.path.dirname(a), os.path.dirname(b)) for a, b in edges}
    return {(a, b) for a, b in pairs if a != b}


def main():
    srcdir, top, part = sys.argv[1:4]
    files = objects(f"{srcdir}/{part}", top)
    edges = arrows(files)
    if len(sys.argv) > 4:
        edges[sys.argv[4], sys.argv[5]].add("(planted)")
    for kind, found in (("files", cycles(edges)), ("folders", cycles(folders_of(edges)))):
        for group in found:
            print(f"{part} {kind} {' '.join(sorted(group))}")
            for (a, b), symbols in sorted(edges.items()):
                place = (a, b) if kind == "files" else (os.path.dirname(a), os.path.dirname(b))
                if place[0] != place[1] and set(place) <= group:
                    print(f"    {a} uses {' '.join(sorted(symbols)[:4])} of {b}")
    if len(edges) < len(files):
        print(f"nm finds only {len(edges)} arrows between {len(files)} files")


main()
