"""overhead.py - what recording costs: runs a command in pairs, bare and recorded, one after the
other, and compares the rates that the command itself prints (so merge and analysis do not count).
Prints a row of a table: label, pairs, median rate bare and recorded, median of the pairs' ratios.
"""
import argparse
import re
import statistics
import subprocess
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("label")
parser.add_argument("--pairs", type=int, default=5)
parser.add_argument("--seconds", type=float, default=60, help="start no pair after so long")
parser.add_argument("--rate", required=True, help="regular expression whose group is a rate")
parser.add_argument("--recorder", required=True, help="what stands before a recorded command")
parser.add_argument("command", nargs="+")
options = parser.parse_args()


def rate(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    found = [float(value) for value in re.findall(options.rate, done.stdout, re.M)]
    if done.returncode or not found:
        sys.exit(f"overhead: {' '.join(command)} failed ({done.returncode}):\n{done.stdout[-2000:]}")
    return statistics.median(found)


recorder = options.recorder.split()
start, pairs = time.monotonic(), []
rate(options.command)                   # files and clocks warm up
while len(pairs) < options.pairs and (len(pairs) < 1 or
                                      time.monotonic() - start < options.seconds):
    bare, recorded = rate(options.command), rate(recorder + options.command)
    pairs.append((bare, recorded))
cost = statistics.median(bare / recorded - 1 for bare, recorded in pairs)
spread = sorted(bare / recorded - 1 for bare, recorded in pairs)
print(f"| {options.label} | {len(pairs)} | {statistics.median(p[0] for p in pairs):.0f} "
      f"| {statistics.median(p[1] for p in pairs):.0f} | {100 * cost:+.2f} % "
      f"({100 * spread[0]:+.2f} to {100 * spread[-1]:+.2f}) |")
