"""check.py - compares a recorded run with the truth that its program printed; see check.py --help."""
import argparse
import collections
import json
import os
import re
import sqlite3
import subprocess
import sys

COPIES = {"h2d": "memcpy_h2d", "d2h": "memcpy_d2h", "d2d": "memcpy_d2d"}
FACT = re.compile(r"cuda (?P<kind>\S+)(?: (?P<name>\S+))?? (?P<figures>(?:launches|calls) .*)")
failures = 0


def check(name, ok, seen="", expected=""):
    """One line: verdict, what was looked at, what was expected and what was seen."""
    global failures
    failures += not ok
    parts = [f"expected {expected}"] * bool(str(expected)) + [f"seen {seen}"] * bool(str(seen))
    print(f"{'ok' if ok else 'not ok'} - {name}" + ": " * bool(parts) + ", ".join(parts))


def truth_read(paths):
    """{(kind, name): {figure: sum over the files}}"""
    facts = collections.defaultdict(collections.Counter)
    for path in paths:
        with open(path, encoding="utf8") as file:
            for line in file:
                match = FACT.match(line)
                if match:
                    words = match["figures"].split()
                    for figure, value in zip(words[::2], words[1::2]):
                        facts[match["kind"], match["name"] or ""][figure] += int(value)
    return facts


class Run:
    def __init__(self, path):
        self.path = path
        self.db = sqlite3.connect(f"file:{path}/tacho.db?mode=ro", uri=True)

    def rows(self, query, *values):
        return self.db.execute(query, values).fetchall()

    def kernel(self, name):
        """calls, nanoseconds and bytes of a kernel whose demangled name may show its arguments"""
        return self.rows("select coalesce(sum(calls), 0), coalesce(sum(total_ns), 0), "
                         "coalesce(sum(bytes), 0) from kernel "
                         "where name = ? or name like ? || '(%'", name, name)[0]


    def events(self):
        """(process, kind of location, rest of the line) of every region that is entered"""
        where = {ref: (process, kind) for ref, process, kind in
                 self.rows("select ref, process_id, kind from location")}
        dump = subprocess.run([os.environ.get("tacho", "tacho"), "dump", self.path], text=True,
                              stdout=subprocess.PIPE, check=True)
        for line in dump.stdout.splitlines():
            words = line.split(" ", 3)
            if len(words) == 4 and words[2] == "enter" and int(words[1]) in where:
                yield (*where[int(words[1])], words[3])


def check_correlation(run, options):
    """Each activity has a call with its number; each NCCL kernel names its operation or group."""
    number = re.compile(r'"tacho.correlation"=(\d+)')
    calls, activities, untold = set(), [], 0
    for process, kind, text in run.events():
        match = number.search(text)
        if kind == "accelerator_stream":
            activities.append((process, match and match[1]))
            # copies belong to none where NCCL sets a communicator up
            untold += text.startswith('"nccl') and not text.startswith('"ncclCopy"') and \
                "tacho.comm" not in text and "tacho.group" not in text
        elif match:
            calls.add((process, match[1]))
    missing = sum(activity not in calls for activity in activities)
    check("every activity has its launch", activities and not missing,
          f"{len(activities) - missing}", f"{len(activities)}")
    check("every NCCL kernel has its operation", not untold, f"{untold} without", "none without")


def check_kernels(run, facts, options):
    expected = {name: f for (kind, name), f in facts.items() if kind == "kernel"}
    wrong = [f"{name} {run.kernel(name)[0]} of {f['launches']}" for name, f in expected.items()
             if run.kernel(name)[0] != f["launches"]]
    total = sum(f["launches"] for f in expected.values())
    check("every launch of a known kernel is there once", not wrong and total > 0,
          ", ".join(wrong) or f"{total}", f"{total} launches of {len(expected)} kernels")
    for name, figures in expected.items():
        if "event_ns" not in figures:
            continue
        share = run.kernel(name)[1] / figures["event_ns"]
        # Events lie around the kernel: it is shorter, by some microseconds of two milliseconds.
        check(f"{name} lasts as long as CUDA's events say", options.shortest <= share <= 1.001,
              f"{share:.4f} of it", f"{options.shortest} to 1.001 of it")


def check_gemms(run, facts, options):
    calls = facts["gemm", ""]["calls"]
    if not calls:
        return
    ours = "name not like 'trainer%' and name not like 'nccl%' and name not like 'mem%'"
    found = run.rows(f"select coalesce(sum(calls), 0) from kernel where {ours}")[0][0]
    # A real library takes two kernels for some products.
    check("every product has its kernel", found == calls if options.standin else found >= calls,
          f"{found} kernels", f"{calls} products")


def check_copies(run, facts, options):
    expected = {COPIES[name]: f for (kind, name), f in facts.items() if kind == "copy"}
    expected["memset"] = facts["memset", ""]
    for name, figures in expected.items():
        want = figures["calls"], figures["bytes"]
        calls, _, nbytes = run.kernel(name)
        # NCCL and cuBLAS copy for themselves on real devices.
        same = (calls, nbytes) == want
        check(f"{name}: calls and bytes", same or (options.more and calls >= want[0] and
                                                   nbytes >= want[1]),
              f"{calls} and {nbytes}", f"{want[0]} and {want[1]}")


def check_nccl(run, facts, options):
    figures = facts["nccl", "ncclAllReduce"]
    if not figures["calls"]:
        return
    members = options.members
    want = figures["calls"] // members, figures["bytes"] // members
    found = run.rows("select count(*), coalesce(sum(bytes), 0) from collective "
                     "where kind = 'nccl' and op = 'allreduce'")[0]
    # A real NCCL has nothing to do for one member in place, and launches no kernel.
    alone = options.more and members == 1 and found == (0, 0)
    check("each all-reduce once over all members, with its bytes", found == want or alone,
          f"{found[0]} and {found[1]}", f"{want[0]} and {want[1]}")


def check_whole(run, options):
    wrong = run.rows("select window, name, message from checks where not ok")
    check("tacho's own checks hold", not wrong, "; ".join(map(str, wrong[:3])) or "none", "none fails")
    check_correlation(run, options)
    lost = run.rows("select subject, reason, count from loss")
    check("nothing was lost", not lost, "; ".join(map(str, lost[:3])) or "nothing", "nothing lost")
    kinds = run.rows("select distinct kind from device")
    check("devices are what they are", kinds == [("stand-in" if options.standin else "gpu",)],
          ", ".join(kind for kind, in kinds), "stand-in" if options.standin else "gpu")


def check_truth(run, options):
    facts = truth_read(options.truth)
    check_kernels(run, facts, options)
    check_gemms(run, facts, options)
    check_copies(run, facts, options)
    check_nccl(run, facts, options)
    check_whole(run, options)


def short(name):
    """Two demanglers differ in spaces and in how they write the same types."""
    return re.sub(r"\s+", "", name)


def placeless(value):
    """Without the folders of that machine in which a library lies."""
    return re.sub(r"/\S*?/(?=nvidia/|lib[^/]*$)", "", value, count=1)


def check_torch(run, options):
    with open(options.truth[0], encoding="utf8") as file:
        truth = json.load(file)
    want = collections.Counter()
    for name, calls in truth["kernels"].items():
        want[short(name)] += calls
    found = collections.Counter()
    for name, calls in run.rows("select name, sum(calls) from kernel "
                                "where name not like 'mem%' group by name"):
        found[short(name)] += calls
    differ = (want - found) + (found - want)
    check("as many kernels as torch.profiler lists", want.total() == found.total(),
          f"{found.total()}", f"{want.total()}")
    check("under the same names", not differ,
          "; ".join(f"{name[:60]} {found[name]} for {want[name]}" for name in list(differ)[:3]))
    copies = run.kernel("memcpy_h2d")[0] + run.kernel("memcpy_d2h")[0] + run.kernel("memcpy_d2d")[0]
    check("as many copies", copies == truth["copies"].get("gpu_memcpy", 0),
          f"{copies}", f"{truth['copies'].get('gpu_memcpy', 0)}")
    check_whole(run, options)
    for key, value in run.rows("select distinct key, value from environment "
                               "where key in ('cupti', 'gpu_tracing', 'gpu_clock')"):
        print(f"asked - {key}: {placeless(value)}")


def check_hang(run, options):
    """Killed while a kernel hung: what ran before and next to it was fetched by force."""
    want = truth_read(options.truth)["kernel", "known_tiny"]["launches"]
    calls = run.kernel("known_tiny")[0]
    check("kernels before and next to one that hangs are there", calls == want > 0, calls, want)
    lost = dict(run.rows("select reason, sum(count) from loss group by reason"))
    check("the kernel that hangs is counted as lost", lost.get("gpu_late", 0) >= 1, lost,
          "gpu_late 1 or more")


def check_slow(run, options):
    """What hardware alone tells: whether a fetch by force loses the times of what runs."""
    calls = run.kernel("known_spin")[0]
    untimed = run.rows("select coalesce(sum(count), 0) from loss where reason = 'gpu_untimed'")[0][0]
    check("a kernel that runs during a fetch by force is there or counted", calls + untimed == 1,
          f"{calls} there and {untimed} counted as untimed", "1 in all")
    want = truth_read(options.truth)["kernel", "known_tiny"]["launches"]
    check("others are there", run.kernel("known_tiny")[0] == want, run.kernel("known_tiny")[0], want)


def check_odd(run, options):
    """Each launch is there, or counted as lost: which of them hardware alone tells."""
    for (kind, name), figures in truth_read(options.truth).items():
        if kind != "kernel":
            continue
        calls = run.kernel(name)[0]
        lost = run.rows("select coalesce(sum(count), 0) from loss "
                        "where reason in ('gpu_late', 'gpu_untimed')")[0][0]
        check(f"launches of {name} are there or counted", calls <= figures["launches"] <= calls + lost,
              f"{calls} there and {lost} of all counted as lost", f"{figures['launches']} in all")
    others = run.rows("select group_concat(name || ' ' || calls, ', ') from kernel")[0][0]
    wrong = run.rows("select window, name, message from checks where not ok")
    check("tacho's own checks hold", not wrong, "; ".join(map(str, wrong[:3])) or "none", "none fails")
    print(f"asked - what was on the device: {others}")


def idle_ns(run):
    """In steps, of the devices that compute: what begins and ends a run differs from run to run."""
    return run.rows("select coalesce(sum(ns), 0) from device_time where window like 'step:%' and state like 'idle:%' "
                    "and device_id in (select device_id from device_time where state = 'compute' and ns > 0)")[0][0]


def check_planted(run, options):
    """The GPU idles longer than in the same training without the trouble, by about what was planted."""
    more, want = idle_ns(run) - idle_ns(Run(options.truth[0])), 1e6 * options.planted_ms
    # stand-ins share the cores with all else: there the figures alone are looked at
    check("the GPU idles longer by what was planted", 0.7 * want <= more <= 1.5 * want or options.standin,
          f"{more / 1e6:.1f} ms", f"{options.planted_ms:.1f} ms, to within -30 and +50 %")
    causes = run.rows("select state, sum(ns) / 1e6 from device_time where window = 'run' "
                      "and state like 'idle:%' and ns > 0 group by state order by 2 desc")
    found = run.rows("select rule, seconds from finding where seconds > 0 order by n limit 3")
    print(f"asked - idle: {', '.join(f'{state[5:]} {ms:.1f} ms' for state, ms in causes)}")
    print(f"asked - findings: {', '.join(f'{rule} {seconds:.3f} s' for rule, seconds in found)}")


def check_pageable(run, options):
    """Copies from memory that is not pinned, against what the program says."""
    want = truth_read(options.truth)["copy", "h2d"]
    calls, nbytes, ns = run.rows("select coalesce(sum(copies), 0), coalesce(sum(bytes), 0), coalesce(sum(total_ns), 0) "
                                 "from copy where memory = 'pageable' and op = 'memcpy_h2d'")[0]
    check("copies of pageable memory are there", (calls, nbytes) == (want["calls"], want["bytes"]),
          f"{calls} and {nbytes}", f"{want['calls']} and {want['bytes']}")
    with open(options.truth[0], encoding="utf8") as file:
        said = next(float(line.split()[2]) for line in file if line.startswith("pageable gbs "))
    rate = nbytes / max(ns, 1)
    check("their rate is the program's", 0.7 * said <= rate <= 1.5 * said or options.standin,
          f"{rate:.2f} GB/s", f"{said:.2f} GB/s, to within -30 and +50 %")


def check_found(run, options):
    """A profiler in Python that finds CUPTI by ctypes: the program goes on, and its kernels are there."""
    with open(options.truth[0], encoding="utf8") as file:
        said = [line.split() for line in file if re.match(r"(found|seen) ", line)]
    calls = run.rows("select coalesce(sum(calls), 0) from kernel where name not like 'mem%'")[0][0]
    want = int(said[-1][-1]) if said else 0
    check("its products have their kernels", calls >= want > 0, calls, f"{want} or more")
    check("nothing is lost", not run.rows("select * from loss"), run.rows("select reason, count from loss"))
    print(f"asked - what CUPTI told it: {' '.join(' '.join(words) for words in said)}")


def check_activity(run, options):
    """What GPM says of products of matrices, next to what the program measured."""
    rows = run.rows("select substr(name, 7), avg(value) / 100 from sample where name glob 'gpu.0.*_active' "
                    "or name glob 'gpu.0.*_occupancy' group by name")
    with open(options.truth[0], encoding="utf8") as file:
        said = [line.strip() for line in file if line.startswith("TFLOP/s")]
    check("GPM has figures", bool(rows), ", ".join(f"{name} {value:.1f} %" for name, value in rows))
    tensor = dict(rows).get("tensor_active", 0)
    check("tensor cores are busy", tensor > 40, f"{tensor:.1f} %", "more than 40 %")
    print(f"asked - the program says: {'; '.join(said)}")


def check_framework(run, options):
    """Trainings that say their steps: what of them is in the trace."""
    check_whole(run, options)
    with open(options.truth[0], encoding="utf8") as file:
        said = [line.strip() for line in file if re.match(r"(steps|replays|buckets|torch.profiler|planted) ", line)]
    calls = run.rows("select coalesce(sum(calls), 0) from kernel where name not like 'mem%'")[0][0]
    check("kernels are there", calls > 0, calls)
    steps = run.rows("select process_id, count(*), sum(samples) from step group by process_id")
    want = sum(int(line.split()[1]) for line in said if line.startswith("steps ") and "samples" in line)
    if want:
        ranks = run.rows("select count(*) from process where rank is not null")[0][0]
        found = sum(row[1] for row in steps)
        check("steps are there, of each rank all but the first one", want - ranks <= found <= want,
              found, f"{want - ranks} to {want}")
    launched = [int(line.split()[1]) for line in said
                if line.startswith("replays ") or re.match(r"steps \d+ on gpu", line)]
    if launched:    # by the period of launches: a first one has no border, and warming up may look like steps
        found = max((row[1] for row in steps), default=0)
        check("steps are found by what is launched", launched[0] - 2 <= found <= launched[0] + 4, found,
              f"about {launched[0]}")
    for line in said:
        if line.startswith("planted ") and "rank 1" in line:    # both ranks say it
            want = float(line.split()[1])
            waited = run.rows("select coalesce(sum(ns), 0) / 1e6 from device_time where window = 'run' "
                              "and state = 'nccl_wait'")[0][0]
            check("NCCL waits for the rank that sleeps", 0.8 * want <= waited <= 1.4 * want, f"{waited:.0f} ms",
                  f"{want:.0f} ms, to within -20 and +40 %")
        if line.startswith("torch.profiler saw"):
            check("the program's own profiler sees the GPU", line.endswith("True"), line)
    collectives = run.rows("select kind, op, count(*), sum(bytes) from collective group by kind, op")
    print(f"asked - the program says: {'; '.join(said)}")
    print(f"asked - steps and samples by process: {steps}; collectives: {collectives}")


parser = argparse.ArgumentParser(description="Compares RUN/tacho.db with what its program printed.")
parser.add_argument("what", choices=["truth", "torch", "framework", "hang", "slow", "odd", "planted",
                                     "pageable", "found", "activity"])
parser.add_argument("run")
parser.add_argument("truth", nargs="+", help="files of --truth or known, or of torch_train.py")
parser.add_argument("--standin", action="store_true", help="devices must say that they are none")
parser.add_argument("--more", action="store_true", help="libraries may add copies of their own")
parser.add_argument("--members", type=int, default=1, help="GPUs of all ranks")
parser.add_argument("--shortest", type=float, default=0.98,
                    help="share of CUDA's events that the kernels between them must last")
parser.add_argument("--planted-ms", type=float, default=0, help="idle time that was planted in all")
chosen = parser.parse_args()
{"truth": check_truth, "torch": check_torch, "framework": check_framework,
 "hang": check_hang, "slow": check_slow, "odd": check_odd, "planted": check_planted,
 "pageable": check_pageable, "found": check_found, "activity": check_activity}[chosen.what](Run(chosen.run), chosen)
sys.exit(failures > 0)
