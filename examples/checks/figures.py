"""Figures of nodes in the output of `tacho doctor --format json`: for reframe_doctor.py and clush-doctor.

As a program it prints a table of all nodes in the files that it is given, then what is wrong with them. Nodes are compared
with each other: a figure below 0.8 times the median is named. The exit status is 1 if anything is wrong.
"""
import json
import os
import statistics
import sys

FIGURES = ("memory_triad", "gemm", "cpu_clock", "link", "gemm_gpu", "copy_to_gpu", "copy_from_gpu")
LEAST = 0.8  # of the median of all nodes


def read(text):
    """The result of one doctor: {node: {figure: value}}, its units, and what it found wrong."""
    result = json.loads(text)
    nodes = {node["host"]: {name: node[name] for name in FIGURES if node.get(name) is not None}
             for node in result["nodes"]}
    return nodes, result["units"], result["troubles"], result["undecided"]


def least(text, figure):
    """The lowest value of a figure over the nodes; None if no node has it."""
    return min((figures[figure] for figures in read(text)[0].values() if figure in figures), default=None)


def slow(nodes):
    """Sentences about nodes that are slower than the others."""
    for name in FIGURES:
        values = {node: figures[name] for node, figures in nodes.items() if name in figures}
        if len(values) < 3:
            continue
        usual = statistics.median(values.values())
        for node, value in values.items():
            if value < LEAST * usual:
                yield f"{node}: {name} {value:.3g}, the median is {usual:.3g}"


def main(paths):
    nodes, units, wrong = {}, {}, []
    for path in paths:
        try:
            found, units, troubles, undecided = read(open(path).read())
        except (OSError, ValueError, KeyError) as error:
            wrong.append(f"{path}: no output of tacho doctor --format json ({error})")
            continue
        for node, values in found.items():
            nodes[os.path.basename(path) if node in nodes else node] = values
        wrong += troubles
        for sentence in undecided:
            print(f"not sure: {sentence}")
    shown = [name for name in FIGURES if any(name in figures for figures in nodes.values())]
    print("\t".join(["node"] + [f"{name} {units[name]}" for name in shown]))
    for node, figures in sorted(nodes.items()):
        print("\t".join([node] + [f"{figures[name]:.4g}" if name in figures else "-" for name in shown]))
    wrong += slow(nodes)
    for sentence in wrong:
        print(f"wrong: {sentence}")
    return 1 if wrong or not nodes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
