#!/usr/bin/env python3
"""Random programs of ranks, streams, loaders, MPI and NCCL, as cases for tests/unit/golden.

device_random.py FOLDER FIRST LAST writes a case per seed. What must come out
is worked out here by brute force: a simulator of the program (run again with
what a scenario does without), and device time tick by tick. It shares nothing
with the analyzer. Each case is also changed in a way that must not matter:
ranks permuted, times shifted or scaled, intervals split, an empty stream.
"""
import random
import sys

LATENCY = 5


class Activity:
    def __init__(self, kind, stream, dur, slack, tau=0, deps=()):
        self.kind, self.stream, self.dur, self.slack, self.tau, self.deps = kind, stream, dur, slack, tau, deps
        self.coll = None
        self.number = None


def program(rng):
    """Per rank: ops of the main thread, ops of a loader (or None), number of streams."""
    nranks = rng.randint(1, 4)
    span = rng.choice([3, 20, 60])

    def d():
        return rng.choice([0, 1, rng.randint(0, span), rng.randint(0, span)])
    ranks = [{"main": [], "loader": [] if rng.random() < 0.5 else None, "streams": rng.randint(1, 3), "acts": [],
              "posts": 0, "start": rng.choice([0, 0, d()])} for _ in range(nranks)]
    colls = 0

    def launch(rank, kind, tau=0, coll=None):
        stream = rng.randrange(rank["streams"])
        deps = []
        others = [a for a in rank["acts"] if a.stream != stream]
        if others and rng.random() < 0.5:
            deps = [rng.choice(others[-4:])]
        act = Activity(kind, stream, d() if kind != "nccl" else 0, d() if rng.random() < 0.5 else 0, tau, deps)
        act.number = len(rank["acts"]) + 1
        act.coll = coll
        rank["acts"].append(act)
        rank["main"].append(("launch", rng.randint(1, 4), act))

    for _ in range(rng.randint(2, 12)):
        what = rng.random()
        if what < 0.15:
            for rank in ranks:
                rank["main"].append(("mpi", colls, d()))
            colls += 1
        elif what < 0.25 and nranks > 1:
            a, b = rng.sample(range(nranks), 2)
            ranks[a]["main"].append(("msg", colls, d(), b, True))
            if rng.random() < 0.5:
                ranks[b]["main"] += [("probe", colls, d(), a), ("useful", d())]
            ranks[b]["main"].append(("msg", colls, d(), a, False))
            colls += 1
        elif what < 0.4:
            for rank in ranks:
                launch(rank, "nccl", d(), colls)
            colls += 1
        else:
            for rank in ranks:
                for _ in range(rng.randint(0, 4)):
                    x = rng.random()
                    if x < 0.2:
                        rank["main"].append(("useful", d()))
                    elif x < 0.35:
                        rank["main"].append(("io", d()))
                    elif x < 0.65:
                        launch(rank, rng.choice(["compute", "compute", "memcpy"]))
                    elif x < 0.85:
                        rank["main"].append(("sync", d(), rng.choice([None, rng.randrange(rank["streams"])])))
                    elif rank["loader"] is not None:
                        for _ in range(rng.randint(1, 3)):
                            rank["loader"].append((rng.choice(["io", "useful"]), d()))
                        rank["loader"].append(("post", rank["posts"]))
                        rank["main"].append(("wait", rank["posts"], d()))
                        rank["posts"] += 1
    return ranks


FREE = {"id": "", "t1": "n", "t2": "nm", "t3": "nmi", "t4": "nmih"}


def simulate(ranks, free):
    """Times of everything. free: n network, m copies, i I/O, h host. Works off threads until nothing moves."""
    net, mem, io, host = (c in free for c in "nmih")
    threads = []
    for r, rank in enumerate(ranks):
        threads.append({"rank": r, "ops": rank["main"], "at": 0, "t": rank["start"], "log": []})
        if rank["loader"] is not None:
            threads.append({"rank": r, "ops": rank["loader"], "at": 0, "t": rank["start"], "log": []})
    arrived, posts, begun, ended, launched = {}, {}, {}, {}, {}
    need = {}
    for rank in ranks:
        for op in rank["main"]:
            if op[0] in ("mpi", "msg"):
                need[op[1]] = need.get(op[1], 0) + 1
    nranks = len(ranks)

    def activities():
        """Begins and ends all activities that can be; true when something moved."""
        moved = False
        for r, rank in enumerate(ranks):
            last = {}
            for act in rank["acts"]:
                key = (r, act.number)
                before = last.get(act.stream)
                last[act.stream] = key
                if key not in launched:
                    break
                if key not in begun:
                    waits = [(r, dep.number) for dep in act.deps] + ([before] if before else [])
                    if any(w not in ended for w in waits):
                        continue
                    begun[key] = max([launched[key]] + [ended[w] for w in waits]) + (0 if host else act.slack)
                    moved = True
                if key in begun and key not in ended:
                    if act.kind == "nccl":
                        members = [(q, a.number) for q in range(nranks) for a in ranks[q]["acts"] if a.coll == act.coll]
                        if any(m not in begun for m in members):
                            continue
                        ended[key] = max(begun[m] for m in members) + (0 if net else act.tau)
                    else:
                        ended[key] = begun[key] + (0 if mem and act.kind == "memcpy" else act.dur)
                    moved = True
        return moved

    def step(th):
        op, r = th["ops"][th["at"]], th["rank"]
        rank, t = ranks[r], th["t"]
        if op[0] == "useful":
            th["t"] += 0 if host else op[1]
        elif op[0] == "io":
            th["t"] += 0 if io else op[1]
        elif op[0] == "launch":
            launched[(r, op[2].number)] = t
            th["t"] += 0 if host else op[1]
        elif op[0] == "sync":
            works = [(r, a.number) for o in th["ops"][:th["at"]] if o[0] == "launch" for a in [o[2]]
                     if op[2] is None or a.stream == op[2]]
            if any(w not in ended for w in works):
                return False
            th["t"] = max([t] + [ended[w] for w in works]) + (0 if host else op[1])
        elif op[0] in ("mpi", "msg"):
            arrived.setdefault(op[1], {})[r] = t
            if len(arrived[op[1]]) < need[op[1]]:
                return False
            th["t"] = max(arrived[op[1]].values()) + (0 if net else op[2])
        elif op[0] == "probe":
            if op[3] not in arrived.get(op[1], {}):
                return False
            th["t"] = max(t, arrived[op[1]][op[3]]) + (0 if net else op[2])
        elif op[0] == "post":
            posts[(r, op[1])] = t
        elif op[0] == "wait":
            if (r, op[1]) not in posts:
                return False
            th["t"] = max(t, posts[(r, op[1])]) + (0 if host else op[2])
        th["log"].append((t, th["t"], op))
        th["at"] += 1
        return True

    moved = True
    while moved:
        moved = activities()
        came = sum(map(len, arrived.values()))
        for th in threads:
            while th["at"] < len(th["ops"]) and step(th):
                moved = True
        moved |= came < sum(map(len, arrived.values()))     # a probe may see it
    assert all(th["at"] == len(th["ops"]) for th in threads)
    return {"threads": threads, "begun": begun, "ended": ended, "launched": launched, "posts": posts}


def end_of(sim):
    return max([th["t"] for th in sim["threads"]] + list(sim["ended"].values()))


def ideal_mpi(ranks, measured):
    """MPI at no cost, waits until the loader has posted, which makes no MPI calls, everything else as long as it was, and
    what loaders and streams last beyond that."""
    mains = [th for th in measured["threads"] if th["ops"] is ranks[th["rank"]]["main"]]
    at, t, arrived = [0] * len(mains), [ranks[th["rank"]]["start"] for th in mains], {}
    members = {}
    for i, th in enumerate(mains):
        for _, _, op in th["log"]:
            if op[0] in ("mpi", "msg"):
                members.setdefault(op[1], []).append(i)
    moved = True
    while moved:
        moved = False
        for i, th in enumerate(mains):
            while at[i] < len(th["log"]):
                begin, end, op = th["log"][at[i]]
                if op[0] in ("mpi", "msg"):
                    moved |= i not in arrived.setdefault(op[1], {})
                    arrived[op[1]][i] = t[i]
                    if len(arrived[op[1]]) < len(members[op[1]]):
                        break
                    t[i] = max(arrived[op[1]].values())
                elif op[0] == "probe":
                    if op[3] not in arrived.get(op[1], {}):
                        break
                    t[i] = max(t[i], arrived[op[1]][op[3]])
                elif op[0] == "wait":
                    t[i] = max(t[i], measured["posts"][(th["rank"], op[1])]) + op[2]
                else:
                    t[i] += end - begin
                at[i] += 1
                moved = True
    beyond = end_of(measured) - max(th["t"] for th in mains)
    return max(t) - min(rank["start"] for rank in ranks) + beyond


CAUSES = {"useful": "idle:host_compute", "io": "idle:io_wait", "mpi": "idle:mpi_wait", "msg": "idle:mpi_wait",
          "probe": "idle:mpi_wait",
          "launch": "idle:host_in_cuda_api", "sync": "idle:host_in_cuda_api", "wait": "idle:wait"}


def cause(log, posts, rank, loader, tick):
    for begin, end, op in log:
        if begin <= tick < end:
            if op[0] == "wait" and loader and tick < min(posts[(rank, op[1])], end):
                if posts[(rank, op[1])] <= begin or tick < loader[0][0]:
                    return "idle:wait"
                for b, e, o in loader:
                    if b <= tick < e:
                        return CAUSES[o[0]]
                return "idle:host_compute"
            return CAUSES[op[0]]
    return "idle:unknown"


def device_states(ranks, sim, r, first, last):
    """Tick by tick, from the rank's first event to its last."""
    acts = [(sim["begun"][(r, a.number)], sim["ended"][(r, a.number)], a) for a in ranks[r]["acts"]]
    logs = [th for th in sim["threads"] if th["rank"] == r]
    main = logs[0]["log"]
    loader = logs[1]["log"] if len(logs) > 1 else None

    def split(act):
        return max(sim["begun"][(q, a.number)] for q in range(len(ranks)) for a in ranks[q]["acts"] if a.coll == act.coll)
    states, gap = {}, []

    def add(state):
        states[state] = states.get(state, 0) + 1

    def close(until):
        starts = [a for a in acts if a[0] == until]
        launch = min((sim["launched"][(r, a[2].number)] for a in starts), default=until)
        queued = until - max(launch, gap[0]) if gap else 0
        for tick in gap:
            if tick >= launch:
                add("idle:launch_latency" if queued < LATENCY else "idle:queued_other")
            else:
                add(cause(main, sim["posts"], r, loader, tick))
        gap.clear()

    for tick in range(first, last):
        if gap and any(a[0] == tick for a in acts):
            close(tick)
        active = [a for a in acts if a[0] <= tick < a[1]]
        kinds = {a[2].kind for a in active}
        if "compute" in kinds:
            add("compute")
        elif "nccl" in kinds:
            add("nccl_transfer" if any(split(a[2]) <= tick for a in active if a[2].kind == "nccl") else "nccl_wait")
        elif "memcpy" in kinds:
            add("memcpy")
        else:
            gap.append(tick)
    if gap:
        close(last)
    return states


STATES = ("compute nccl_wait nccl_transfer memcpy idle:io_wait idle:mpi_wait idle:host_compute idle:host_in_cuda_api "
          "idle:wait idle:launch_latency idle:queued_other idle:unknown").split()


def write(path, seed):
    rng = random.Random(seed)
    ranks = program(rng)
    sims = {name: simulate(ranks, free) for name, free in FREE.items()}
    sim = sims["id"]
    start = min(rank["start"] for rank in ranks)
    t = end_of(sim)
    # what must not matter
    shift = rng.choice([0, 0, 1000])
    scale = rng.choice([1, 1, 3, 1000])
    split = rng.random() < 0.3
    empty = rng.random() < 0.3
    order = list(range(len(ranks)))
    if rng.random() < 0.5:
        rng.shuffle(order)
    place = {r: i for i, r in enumerate(order)}
    out = ["# seed %d" % seed, "launch-latency %d" % (LATENCY * scale)]

    def at(x):
        return x * scale + shift

    def interval(begin, end, kind):
        middle = (begin + end) // 2
        if split and begin < middle < end:
            return ["%d %d %s" % (at(begin), at(middle), kind), "%d %d %s" % (at(middle), at(end), kind)]
        return ["%d %d %s" % (at(begin), at(end), kind)]

    recorded = {}
    for r in order:
        for act in ranks[r]["acts"]:
            for dep in act.deps:
                recorded[(r, dep.number)] = dep.number
    for r in order:
        rank, lines = ranks[r], []
        logs = [th for th in sim["threads"] if th["rank"] == r]
        for begin, end, op in logs[0]["log"]:
            span = "%d %d " % (at(begin), at(end))
            if op[0] in ("useful", "io"):
                lines += interval(begin, end, op[0]) if op[1] else []
            elif op[0] == "launch":
                act, text = op[2], "cuda"
                for dep in act.deps:
                    text += " wait:%d:0:%d" % (dep.number, act.stream)
                text += " launch:%d:0:%d" % (act.number, act.stream)
                if (r, act.number) in recorded:
                    text += " record:%d:0:%d" % (act.number, act.stream)
                lines.append(span + text)
            elif op[0] == "sync":
                lines.append(span + ("cuda dsync:0" if op[2] is None else "cuda sync:0:%d" % op[2]))
            elif op[0] == "mpi":
                lines.append(span + "mpi coll allreduce")
            elif op[0] == "msg":
                other = place[op[3]]
                lines.append(span + "mpi " + ("send %d call MPI_Ssend" % other if op[4] else "recv %d" % other) +
                             " tag %d" % op[1])
            elif op[0] == "probe":
                lines.append(span + "mpi probe %d tag %d" % (place[op[3]], op[1]))
            elif op[0] == "wait":
                lines.append(span + "hand wait %d" % (100 + op[1]))
        out += ["rank", "enter %d main" % at(rank["start"])] + lines + ["leave %d main" % at(logs[0]["t"])]
        for s in range(rank["streams"]):
            out.append("stream 0 %d" % s)
            for act in rank["acts"]:
                if act.stream == s:
                    line = "%d %d %s correlation %d" % (at(sim["begun"][(r, act.number)]),
                                                        at(sim["ended"][(r, act.number)]), act.kind, act.number)
                    if act.coll is not None:
                        line += " comm 77 seq %d op allreduce" % act.coll
                    out.append(line)
        if empty:
            out.append("stream 0 99")
        if len(logs) > 1:
            out += ["thread loader", "enter %d loader" % at(rank["start"])]
            for begin, end, op in logs[1]["log"]:
                if op[0] == "post":
                    out.append("%d %d hand wake %d" % (at(begin), at(begin), 100 + op[1]))
                elif op[1] and op[0] == "io":
                    out += interval(begin, end, "io")
            out.append("leave %d loader" % at(logs[1]["t"]))
    total = t - start
    out.append("elapsed %d" % (total * scale))
    used = [0] * len(ranks)
    for r in range(len(ranks)):
        logs = [th for th in sim["threads"] if th["rank"] == r]
        mine = [sim["ended"][(r, a.number)] for a in ranks[r]["acts"]] + [th["t"] for th in logs]
        states = device_states(ranks, sim, r, ranks[r]["start"], max(mine))
        used[r] = states.get("compute", 0)
        for state in STATES:
            out.append("expect run states %d:0:%s %d" % (place[r], state, states.get(state, 0) * scale))
        absent = total - (max(mine) - ranks[r]["start"])
        out.append("expect run states %d:0:absent %d" % (place[r], absent * scale))
    if total:
        before, product = total, 1
        for name, factor in zip(("t1", "t2", "t3", "t4"), ("transfer", "memory", "io", "host")):
            now = max(end_of(sims[name]) - start, max(used))
            out.append("expect run replay %s %d" % (name, now * scale))
            if before:
                out.append("expect run replay %s_efficiency %.17g" % (factor, now / before))
            assert now <= before
            before = now
        out.append("expect run replay device_parallel_efficiency %.17g" % (sum(used) / len(used) / total))
        out.append("expect run mpi ideal_network_runtime %d" % (ideal_mpi(ranks, sim) * scale))
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n")


def main():
    folder, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for seed in range(first, last + 1):
        write("%s/%06d.case" % (folder, seed), seed)


if __name__ == "__main__":
    main()
