"""cupti_raw.py READ TRUTH... - what tests/unit/cuda_raw read of a GPU's buffers against the truth of
the program that filled them, and by what must be so of every buffer. Prints TAP without a plan.
cupti_raw.py --alike REAL STANDIN - whether the same program has the same activities on both."""
import collections
import itertools
import re
import sys

COPIES = {"h2d": 1, "d2h": 2, "d2d": 3}  # enum spool_copy
MEMSET = 5
NONE = 2 ** 32 - 1


class Activity:
    def __init__(self, words):
        f = dict(zip(words[1::2], map(int, words[2::2])))
        self.a, self.start, self.end = f["a"], f["start"], f["start"] + f["ns"]
        self.correlation, self.stream = f["w3"] & NONE, f["w3"] >> 32
        self.device, self.context = f.get("w4", 0) & NONE, f.get("w4", 0) >> 32
        self.w5, self.node = f.get("w5", 0), f.get("w6", 0)
        self.op = self.a & 0xff  # of a copy


def read(path):
    found = collections.defaultdict(list)
    for line in open(path, encoding="utf8"):
        words = line.split()
        found[words[0]].append(Activity(words) if words[0] in ("kernel", "copy", "sync", "overhead")
                               else dict(zip(words[::2], map(int, words[1::2]))))
    return found


def truth(path):
    facts = {}
    for line in open(path, encoding="utf8"):
        match = re.match(r"cuda (\S+)(?: (\S+))?? ((?:launches|calls) .*)", line)
        if match:
            words = match[3].split()
            facts[match[1], match[2] or ""] = dict(zip(words[::2], map(int, words[1::2])))
    return facts


def check(name, seen, expected):
    print(f"{'ok' if seen == expected else 'not ok'} - {name}")
    if seen != expected:
        print(f"# seen {seen}\n# expected {expected}")


def copies_of(found, op, streams):
    """[calls, bytes] on those streams"""
    some = [c for c in found["copy"] if c.op == op and c.stream in streams]
    return [len(some), sum(c.w5 for c in some)]


def check_copies(what, found, facts, streams):
    for name, op in COPIES.items():
        if ("copy", name) in facts:
            check(f"{what}: {name}: calls and bytes", copies_of(found, op, streams),
                  list(facts["copy", name].values()))
    check(f"{what}: memsets: calls and bytes", copies_of(found, MEMSET, streams),
          list(facts["memset", ""].values()))


def check_always(what, found, of_many=None):
    """What is so of any program's activities; the kernel `of_many` is launched by many threads."""
    alone = [x.correlation for x in found["kernel"] + found["copy"] if not x.node]
    check(f"{what}: nothing is lost on the way", found["lost"], [])
    check(f"{what}: each activity outside of graphs has a number of its own", len(set(alone)),
          len(alone))
    nodes = [(x.correlation, x.node) for x in found["kernel"] + found["copy"] if x.node]
    check(f"{what}: each node of a graph runs once a launch", len(set(nodes)), len(nodes))
    streams = collections.defaultdict(list)
    for x in sorted(found["kernel"] + found["copy"], key=lambda x: x.start):
        streams[x.context, x.stream].append(x)
    pairs = [pair for queue in streams.values() for pair in zip(queue, queue[1:])]
    check(f"{what}: a stream runs one after the other",
          [(a.correlation, b.correlation) for a, b in pairs
           if a.end > b.start and not (a.node and b.node)], [])
    check(f"{what}: what one thread launches runs in the order of its numbers",
          [(a.correlation, b.correlation) for a, b in pairs
           if a.correlation > b.correlation and a.a != of_many and b.a != of_many], [])
    defined = {(s["context"], s["stream"]) for s in found["stream"]}
    check(f"{what}: each stream with activities is defined", set(streams) - defined, set())
    check(f"{what}: one device, one context", {(x.device, x.context) for x in
                                               found["kernel"] + found["copy"] + found["sync"]},
          {(0, 1)})


def check_known(found, facts):
    """known.cu: kernels are known by how often each was launched."""
    names = collections.defaultdict(list)
    for kernel in found["kernel"]:
        names[kernel.a].append(kernel)
    expected = {name: f["launches"] for (kind, name), f in facts.items() if kind == "kernel"}
    expected["known_warm"] = 10  # which the program does not tell
    check("known: launches of each kernel", sorted(map(len, names.values())),
          sorted(expected.values()))
    of = {name: next(k for k in names.values() if len(k) == n) for name, n in expected.items()}
    share = sum(k.end - k.start for k in of["known_spin"]) / facts["kernel", "known_spin"]["event_ns"]
    check(f"known: known_spin lasts as long as CUDA's events say: {share:.4f}",
          0.98 <= share <= 1.001, True)
    check("known: nodes of the graph, launches of each", sorted(collections.Counter(
        k.node for k in of["known_node"]).values()), [facts["graph", ""]["launches"]] * 5)
    check("known: its launches", len({k.correlation for k in of["known_node"]}),
          facts["graph", ""]["launches"])
    check("known: only they have nodes", {n for n, ks in of.items() if any(k.node for k in ks)},
          {"known_node"})
    check("known: streams of each kernel",
          {n: sorted(collections.Counter(k.stream for k in ks).values()) for n, ks in of.items()},
          {n: [500, 500] if n == "known_tiny" else [c] for n, c in expected.items()})
    # flags: 1 the default stream, 2 non-blocking; 6 to 12 and 16 are CUDA's own
    check("known: streams with their flags and priorities",
          sorted({(s["stream"], s["flags"], s["priority"]) for s in found["stream"]}),
          [(6, 0, 0), (7, 1, 0), (8, 2, 0), (9, 2, 0), (10, 2, 0), (11, 2, 0), (12, 0, -5),
           (13, 2, 0), (14, 0, 0), (15, 0, 0), (16, 2, 0)])
    # enum spool_gpu_sync: event, wait of a stream, stream, context
    check("known: synchronisations", dict(collections.Counter(s.a for s in found["sync"])),
          {1: 20, 2: 1000, 3: 2, 4: 3})
    check_copies("known", found, facts, {x.stream for x in found["copy"]})
    check_always("known", found, of["known_thread"][0].a)


def check_trainer(found, facts):
    names = collections.Counter(k.a for k in found["kernel"])
    ours = collections.Counter(f["launches"] for (kind, _), f in facts.items()
                               if kind == "kernel" and f["launches"])
    counts = collections.Counter(names.values())
    check("trainer: launches of each kernel", ours - counts, collections.Counter())
    rest = sum(names.values()) - sum(n * times for n, times in ours.items())
    check("trainer: every product has its kernel", rest >= facts["gemm", ""]["calls"], True)
    check("trainer: graphs are launched as often as it says",
          len({k.correlation for k in found["kernel"] if k.node}), facts["graph", ""]["launches"])
    # NCCL sets itself up on a stream on which the trainer copies nothing.
    busiest = collections.Counter(c.stream for c in found["copy"]).most_common(1)[0][0]
    check_copies("trainer", found, facts, {c.stream for c in found["copy"]} - {busiest})
    check_always("trainer", found)


# Kinds of which stand-ins have other numbers: nobody asks their driver for kernels' names; devices
# (2); overhead, for there is no code to load.
APART = 4, 8, 17


def shape(found):
    """What does not depend on times."""
    return {
        "records": {(k["kind"], k["bytes"]): k["records"] for k in found["kind"]
                    if k["kind"] not in APART},
        "streams": sorted((s["stream"], s["flags"], s["priority"]) for s in found["stream"]),
        "kernels": collections.Counter((k.device, k.context, k.stream, k.node)
                                       for k in found["kernel"]),
        "copies": collections.Counter((c.a, c.w5, c.stream, c.node) for c in found["copy"]),
        "synchronisations": collections.Counter((s.a, s.stream, s.w5) for s in found["sync"]),
        "overhead": {o.a for o in found["overhead"]} & {7 << 16},
        "lost": found["lost"],
    }


def alike(real, standin):
    """Exit status 1 where one differs, which is said."""
    bad = [what for what in real if real[what] != standin[what]]
    for what in bad:
        print(f"{what} on a GPU: {real[what]}\n{what} on the stand-ins: {standin[what]}")
    return bool(bad)


def main():
    if sys.argv[1] == "--alike":
        sys.exit(alike(*(shape(read(path)) for path in sys.argv[2:4])))
    for path, truth_path in zip(sys.argv[1::2], sys.argv[2::2]):
        found, facts = read(path), truth(truth_path)
        check_trainer(found, facts) if ("gemm", "") in facts else check_known(found, facts)
        for kind in found["kind"]:
            print("#", path.split("/")[-1], *itertools.chain(*kind.items()))


main()
