"""What a report says of steps and collectives against the same figures counted here, without SQL.
steps_check.py DATABASE FOLDER"""
import collections, csv, os, sqlite3, statistics, sys

db = sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True)


def rows(name):
    """Lines of FOLDER/NAME.csv after its titles, numbers as such."""
    with open(os.path.join(sys.argv[2], name + ".csv"), newline="", encoding="utf-8") as file:
        return [[number(cell) for cell in line] for line in list(csv.reader(file))[1:]]


def number(text):
    try:
        return float(text)
    except ValueError:
        return text or None


def same(what, found, expected):
    def near(a, b):
        return a == b or (isinstance(a, float) and isinstance(b, (int, float)) and abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-3))
    assert len(found) == len(expected), (what, len(found), len(expected))
    for a, b in zip(found, expected):
        assert len(a) == len(b) and all(map(near, a, b)), (what, a, b)


steps = [(rank, n, phase, end - start, waited, cut) for rank, n, phase, start, end, waited, cut in db.execute(
    "select p.rank, s.n, f.name, s.start_ns, s.end_ns, s.waited_ns, s.cut from step s join process p on p.id = s.process_id"
    " left join phase f on f.id = s.phase_id")]
whole = [step for step in steps if not step[5]]
first, last = min(s[1] for s in whole), max(s[1] for s in whole)
width = max(1, (last - first + 1000) // 1000)

# A step in a phase: what its ranks needed.
each = collections.defaultdict(list)
for rank, n, phase, ns, *_ in whole:
    each[phase, n].append(ns)
bins = collections.defaultdict(list)
for (phase, n), needed in sorted(each.items(), key=lambda e: e[0][1]):
    bins[phase, n // width].append((n, min(needed), statistics.median(needed), max(needed)))
begun = {}
for phase, n in sorted(each, key=lambda e: e[1]):
    begun.setdefault(phase or "steps", n)
expected = [[phase or "steps", b[0][0], min(x[1] for x in b) / 1e6, statistics.mean(x[2] for x in b) / 1e6, max(x[3] for x in b) / 1e6]
            for (phase, _), b in bins.items()]
same("steps", rows("steps"), sorted(expected, key=lambda e: (begun[e[0]], e[0], e[1])))

# Own times: a point of each rank and every so many steps, at its rank's place but for what sets it apart from others as long.
ranks = sorted({s[0] for s in whole})
points = [p for p in rows("step_own") if p[0] in ("ranks", "stragglers") and p[1] is not None]
every = max(1, (last - first + 1) * len(ranks) // 1200)
slow = {rank for rank, in db.execute("select rank from straggler")}
if len(ranks) > 1 and len(ranks) <= 48 and last > first + 3:
    same("step_own", sorted([p[0], p[2], p[3], p[4]] for p in points), sorted(
        ["stragglers" if s[0] in slow else "ranks", s[1], (s[3] - (s[4] or 0)) / 1e6, "rank %d" % s[0]] for s in whole if (s[1] - first) % every == 0))
    assert all(abs(p[1] - ranks.index(int(p[4][5:]))) < 0.46 for p in points)

# Parts of training steps: means over the steps of all ranks that have them, in a bin.
parts = collections.defaultdict(list)
names = ("loading", "forward", "backward", "communication", "optimizer", "checkpoint", "other")
for n, *ns in db.execute("select n, %s from step where cut = 0 and other_ns is not null" % ", ".join(name + "_ns" for name in names)):
    parts[n // width].append((n, ns))
if parts:
    same("parts_by_step", rows("parts_by_step"), [
        [min(n for n, _ in b)] + [sum(ns[i] or 0 for _, ns in b) / len(b) / 1e6 for i in range(len(names))] for _, b in sorted(parts.items())])

# GPUs: shares of all their time in the steps of a bin.
spent = collections.defaultdict(collections.Counter)
for device, n, state, ns in db.execute("select device_id, substr(window, 6), state, ns from device_time where window like 'step:%'"):
    spent[device, int(n) // width][state] += ns
if spent:
    ends = [s[1] for s in steps]
    shown = [[g, x * width] + [sum(spent[g, x][s] for s in states) / sum(spent[g, x].values()) if spent[g, x] else None
                               for states in (["compute"], ["nccl_wait", "nccl_transfer"], ["memcpy"])]
             for g in sorted({device for device, _ in spent}) for x in range(min(ends) // width, max(ends) // width + 1)]
    same("step_device", [f[2:] for f in rows("step_device")], [s[1:] for s in shown])

# Distribution: from the 0.5th to the 99.5th percentile, what is outside in the outermost class.
needed = sorted(s[3] for s in whole)
beyond = (len(needed) - 1) // 200
low, size = needed[beyond] / 1e6, max((needed[-1 - beyond] - needed[beyond]) / 50e6, 1e-6)
counted = collections.Counter((s[2] or "steps", max(0, min(49, int((s[3] / 1e6 - low) / size)))) for s in whole)
same("step_histogram", rows("step_histogram"), [
    [phase, low + (0.5 + place) * size, count, size]
    for (phase, place), count in sorted(counted.items(), key=lambda c: (begun[c[0][0]], c[0]))])

# Ranks against the median of their step, where others took it, without waiting for each other.
own = collections.defaultdict(list)
for step in whole:
    own[step[2], step[1]].append(step[3] - (step[4] or 0))
longer = {}
for rank in ranks:
    mine = [(s[3] - (s[4] or 0), statistics.median(own[s[2], s[1]]), max(own[s[2], s[1]]), s[3])
            for s in whole if s[0] == rank and len(own[s[2], s[1]]) > 1]
    mean, typical = statistics.mean(m[0] for m in mine), statistics.mean(m[1] for m in mine)
    longer[rank] = [len(mine), statistics.mean(m[3] for m in mine), mean, mean - typical, (mean - typical) / typical,
                    statistics.mean(m[0] == m[2] for m in mine)]
found = rows("stragglers")
assert [f[5] for f in found] == [f[5] for f in sorted(found, key=lambda f: (int(f[0][5:]) not in slow, -f[5]))]
same("stragglers", sorted(f[:1] + f[2:] for f in found), sorted(["rank %d" % rank] + figures for rank, figures in longer.items()))

# Phases: samples and steps, also truncated ones.
samples = dict(db.execute("select f.name, sum(s.samples) from step s join phase f on f.id = s.phase_id group by 1"))
for phase in rows("phases"):
    taken = {s[1] for s in steps if s[2] == phase[0]}
    assert (phase[6], phase[7]) == (len(taken) or None, samples.get(phase[0])), (phase, len(taken), samples)

# Collectives by size class: median and best of those with a bandwidth.
classes = collections.defaultdict(list)
for kind, op, algorithm, nbytes, busbw in db.execute("select upper(kind), op, algorithm, bytes, busbw from collective where bytes > 0 and busbw > 0"):
    classes[" ".join(filter(None, [kind, op, algorithm])), 2 ** (nbytes.bit_length() - 1)].append(busbw / 1e9)
best = max(max(b) for b in classes.values())
same("bandwidth", rows("bandwidth"), [[name, nbytes, statistics.median(b), max(b), len(b), best] for (name, nbytes), b in sorted(classes.items())])
