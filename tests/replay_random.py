#!/usr/bin/env python3
"""Programs of four ranks whose ideal time is known, as cases for tests/unit/golden.

replay_random.py FOLDER FIRST LAST writes a case per kind and seed. A simulator runs each program twice:
on a network with latency and bandwidth, which gives the events, and on an ideal one, which gives the time
that the replay must find. It shares nothing with the analyzer.
"""
import random
import sys

RANKS = 4
EAGER = 4096
LATENCY, PER_BYTE, OVERHEAD = 2100, 0.25, 310
WAKE_UP = 700


class Future:
    def __init__(self):
        self.t = None


class Message:
    def __init__(self):
        self.sent, self.received, self.size, self.mode = Future(), Future(), 0, "standard"


class Task:
    """A thread of a rank: its clock and its events."""

    def __init__(self, sim, rank, name=None):
        self.sim, self.rank, self.name, self.t = sim, rank, name, 0
        self.lines, self.mpi, self.requests = [], 0, 0
        self.rng = random.Random(f"{sim.seed} {rank} {name}")

    def call(self, begin, text):
        self.lines.append(f"{begin} {self.t} mpi {text}")
        self.mpi += self.t - begin

    def compute(self, ns):
        self.t += int(ns * self.sim.cpu)

    def late(self, ns):
        """What the network adds; nothing on an ideal one, a half on one that is twice as fast."""
        return 0 if self.sim.ideal else int(ns * self.sim.share)

    def message(self, sender, receiver, tag, side):
        return self.sim.message(sender, receiver, tag, side)

    def moved(self, m):
        """When the receiver has it; both posts are known if need be."""
        if m.mode == "eager":
            return m.sent.t + self.late(LATENCY + m.size * PER_BYTE)
        return max(m.sent.t, m.received.t) + self.late(2 * LATENCY + m.size * PER_BYTE)

    def send(self, to, size=8, tag=0, call="MPI_Send"):
        begin, m = self.t, self.message(self.rank, to, tag, "send")
        m.size = size
        m.mode = {"MPI_Ssend": "rendezvous", "MPI_Bsend": "eager"}.get(call, "eager" if size <= EAGER else "rendezvous")
        m.sent.t = self.t
        if m.mode == "rendezvous":
            yield m.received
            self.t = self.moved(m)
        else:
            self.t += self.late(OVERHEAD)
        self.call(begin, f"send {to} tag {tag} bytes {size} call {call}")

    def recv(self, sender, size=8, tag=0):
        begin, m = self.t, self.message(sender, self.rank, tag, "recv")
        m.received.t = self.t
        yield m.sent
        self.t = max(self.t, self.moved(m))
        if begin == self.t:
            self.t += self.late(OVERHEAD)
        self.call(begin, f"recv {sender} tag {tag} bytes {m.size}")

    def post(self, to=None, sender=None, size=8, tag=0):
        """A non-blocking send or receive: what wait() and poll() take."""
        self.requests += 1
        begin, number = self.t, self.rank * 1000 + self.requests
        if to is not None:
            m = self.message(self.rank, to, tag, "send")
            m.size, m.mode, m.sent.t = size, "eager" if size <= EAGER else "rendezvous", self.t
        else:
            m = self.message(sender, self.rank, tag, "recv")
            m.received.t = self.t
        self.t += self.late(OVERHEAD)
        self.call(begin, f"isend {to} req {number} tag {tag} bytes {size}" if to is not None else f"irecv {number}")
        return {"m": m, "number": number, "sends": to is not None, "peer": to if to is not None else sender, "tag": tag}

    def done(self, request):
        """When it is complete."""
        m = request["m"]
        if request["sends"]:
            if m.mode == "rendezvous":
                yield m.received
                return self.moved(m)
            return m.sent.t
        yield m.sent
        return max(m.received.t, self.moved(m))

    def completed(self, request):
        return f"sent {request['number']}" if request["sends"] else \
            f"received {request['peer']} req {request['number']} tag {request['tag']} bytes {request['m'].size}"

    def wait(self, request):
        begin, t = self.t, (yield from self.done(request))
        self.t = max(self.t + self.late(OVERHEAD), t)
        self.call(begin, self.completed(request))

    def waitall(self, requests):
        begin = self.t
        times = []
        for request in requests:
            times.append((yield from self.done(request)))
        self.t = max([self.t + self.late(OVERHEAD)] + times)
        self.lines.append(f"enter {begin} MPI_Waitall")
        for request in requests:
            self.lines.append(f"{self.t} {self.t} op {self.completed(request)}")
        self.lines.append(f"leave {self.t} MPI_Waitall")
        self.mpi += self.t - begin

    def polls(self, until, name, sleep=0, gap=150):
        """Looks until then and finds nothing. The last of several short ones stand there as one."""
        if self.sim.ideal:
            self.t = max(self.t, until)
            return
        begin, n = self.t, 0
        while self.t < until:
            calls = 1 if n % 3 == 0 or sleep else self.rng.randint(2, 400)
            lasts = calls * self.rng.randint(150, 400)
            extra = f" calls {calls}" if calls > 1 else ""
            self.lines += [f"enter {self.t} {name}{extra}", f"leave {self.t + lasts} {name}"]
            self.t += lasts
            if sleep:
                self.t += gap
                self.lines += [f"enter {self.t} usleep", f"leave {self.t + sleep} usleep"]
                self.t += sleep
            self.t += gap * calls
            n += 1
        self.mpi += self.t - begin

    def poll(self, request, name="MPI_Test", sleep=0, gap=150):
        t = yield from self.done(request)
        self.polls(t, name, sleep, gap)
        begin = self.t
        self.t += self.late(OVERHEAD)
        self.call(begin, f"{self.completed(request)} call {name}")

    def probe(self, sender, tag=0, name="MPI_Iprobe", says=True, sleep=0):
        """Polls until a message is there, which it does not receive."""
        m = self.sim.peek(sender, self.rank, tag)
        yield m.sent
        t = m.sent.t + self.late(LATENCY)
        if name == "MPI_Iprobe":
            self.polls(t, name, sleep)
        begin = self.t
        self.t = max(self.t, t) + self.late(OVERHEAD)
        if says:
            self.call(begin, f"probe {sender} tag {tag} call {name}")
        else:
            self.lines += [f"enter {begin} {name}", f"leave {self.t} {name}"]
            self.mpi += self.t - begin

    def progress(self, request, rounds, ns):
        """Works, and looks now and then, as it must anyway."""
        t = yield from self.done(request)
        there = False
        for _ in range(rounds):
            self.compute(ns)
            if there:
                continue
            begin = self.t
            self.t += self.late(OVERHEAD)
            if begin >= t and not self.sim.ideal:
                there = True
                self.call(begin, f"{self.completed(request)} call MPI_Test")
            elif not self.sim.ideal:
                self.lines += [f"enter {begin} MPI_Test", f"leave {self.t} MPI_Test"]
                self.mpi += self.t - begin
        if not there:
            begin = self.t
            self.t = max(self.t + self.late(OVERHEAD), t)
            self.call(begin, self.completed(request))

    def coll(self, op, root=None, size=8, on=None):
        c = self.sim.collective(self, (op, root, size, on))
        begin = self.t
        c["posts"][self.rank].t = begin
        gates = self.sim.gates(op, root, self.rank, on)
        for g in gates:
            yield c["posts"][g]
        self.t = max([begin] + [c["posts"][g].t for g in gates]) + self.late(OVERHEAD + (LATENCY + size * PER_BYTE if gates else 0) +
                                                                              self.rng.randint(0, 500))
        if on == "inter" and root is not None:
            root = "self" if root == self.rank else "idle" if root % 2 == self.rank % 2 else root // 2
        self.call(begin, f"coll {op}" + (f" root {root}" if root is not None else "") + f" bytes {size}" + (f" on {on}" if on else ""))


    def neighbours(self, graph, size, op, blocking):
        """Sends to its neighbours in a graph, and waits for what it gets; for those, too, that it sends much to."""
        c = self.sim.collective(self, ("neighbours", None, size, None))
        begin, sources, sinks = self.t, graph[0][self.rank], graph[1][self.rank]
        c["posts"][self.rank].t = begin
        gates = sources + (sinks if size > EAGER else [])
        self.requests += 1
        number = self.rank * 1000 + self.requests
        sent = size * (1 if op == "allgather" else len(sinks))
        if not blocking:
            self.t += self.late(OVERHEAD)
            self.call(begin, f"icoll {number} call MPI_Ineighbor_{op}")
        return {"number": number, "begin": begin, "gates": [c["posts"][g] for g in gates], "text": f"neighbor_{op} bytes {sent}",
                "late": LATENCY + size * PER_BYTE if gates else 0}

    def neighbours_end(self, request, blocking):
        begin = self.t
        for post in request["gates"]:
            yield post
        self.t = max([begin] + [post.t for post in request["gates"]]) + self.late(OVERHEAD + request["late"] + self.rng.randint(0, 500))
        self.call(begin, f"coll {request['text']}" if blocking else f"collected {request['number']} {request['text']}")

    def window(self, what, peers, blocks=False):
        """post, start, complete or wait with those; a start may wait for the posts."""
        begin = self.t
        for peer in peers:
            origin, target = (self.rank, peer) if what in ("start", "complete") else (peer, self.rank)
            turn = self.sim.turn(what, origin, target)
            turn[what].t = begin
            if what == "complete" or (what == "start" and blocks):
                yield turn["post"]
                self.t = max(self.t, turn["post"].t + self.late(LATENCY))
            if what == "wait":
                yield turn["complete"]
                self.t = max(self.t, turn["complete"].t + self.late(LATENCY))
                yield turn["post"]
        if self.t == begin:
            self.t += self.late(OVERHEAD)
        self.call(begin, f"win {what} {' '.join(map(str, peers))}")


    def wake(self, thing):
        """A semaphore of the process; each is waited for once."""
        self.sim.thing(self, thing).t = self.t
        self.lines.append(f"{self.t} {self.t} hand wake {thing}")

    def await_(self, thing):
        begin, future = self.t, self.sim.thing(self, thing)
        yield future
        self.t = max(self.t, future.t) + WAKE_UP
        self.lines.append(f"{begin} {self.t} hand wait {thing}")

    def start(self, name, program):
        """A thread that begins now."""
        task = Task(self.sim, self.rank, name)
        task.t = self.t
        task.lines.append(f"enter {self.t} {name}")
        self.sim.threads.append(task)
        self.sim.running.append((task, program(task)))


class Sim:
    def __init__(self, kind, seed, ideal, share=1, cpu=1):
        self.seed, self.ideal, self.share, self.cpu = f"{kind} {seed}", ideal, share, cpu
        self.channels, self.counts, self.instances, self.turns = {}, {}, {}, {}
        self.threads = []
        self.tasks = [Task(self, r) for r in range(RANKS)]
        self.running = [(t, KINDS[kind](t, random.Random(f"{kind} {seed}"))) for t in self.tasks]

    def at(self, key, i):
        queue = self.channels.setdefault(key, [])
        while len(queue) <= i:
            queue.append(Message())
        return queue[i]

    def message(self, sender, receiver, tag, side):
        key = (sender, receiver, tag)
        i = self.counts.get((key, side), 0)
        self.counts[key, side] = i + 1
        return self.at(key, i)

    def peek(self, sender, receiver, tag):
        key = (sender, receiver, tag)
        return self.at(key, self.counts.get((key, "recv"), 0))

    def thing(self, task, number):
        return self.instances.setdefault(("thing", task.rank, number), Future())

    def turn(self, what, origin, target):
        """The epoch of an origin at a target: its four calls."""
        i = self.turns[what, origin, target] = self.turns.get((what, origin, target), -1) + 1
        return self.instances.setdefault((origin, target, i), {name: Future() for name in ("post", "start", "complete", "wait")})

    def collective(self, task, what):
        on = what[3]
        i = self.turns[task, on] = self.turns.get((task, on), -1) + 1
        return self.instances.setdefault((on, i), {"posts": [Future() for _ in range(RANKS)]})

    def gates(self, op, root, rank, on):
        others = [r for r in range(RANKS) if r != rank and (on != "inter" or (r - rank) % 2)]
        if on == "inter" and root is not None and (rank - root) % 2 == 0 and rank != root:
            return []
        if op in ("bcast", "scatter"):
            return [root] if rank != root else []
        if op in ("reduce", "gather"):
            return others if rank == root else []
        return [r for r in others if r < rank] if op == "scan" else others

    def run(self):
        waiting = {}
        while self.running:
            moved = False
            for item in list(self.running):
                task, program = item
                while item in self.running:
                    future = waiting.get(id(task))
                    if future is not None and future.t is None:
                        break
                    moved = True
                    try:
                        waiting[id(task)] = next(program)
                    except StopIteration:
                        self.running.remove(item)
            if not moved:
                raise RuntimeError(f"{self.seed}: nobody can go on")
        return max(t.t for t in self.tasks + self.threads)


def ns(rng, scale=1):
    return rng.randint(20000, 300000) * scale


def own(task):
    return random.Random(f"own {task.sim.seed} {task.rank}")


def shows(t):
    """Sends that meet a late receiver: which sizes are eager."""
    for size in (EAGER, EAGER + 1):
        if t.rank == 0:
            yield from t.send(1, size, tag=99)
        elif t.rank == 1:
            t.compute(50000)
            yield from t.recv(0, tag=99)


def sizes(blocking):
    """Messages of any size between any two, whose receivers are late or early."""
    def program(t, rng):
        mine = own(t)
        yield from shows(t)
        for k in range(20):
            (a, b), size = rng.sample(range(RANKS), 2), rng.choice([8, 1000, EAGER, EAGER + 1, 100000])
            t.compute(ns(mine) // rng.choice([1, 10]))
            if t.rank == a and blocking:
                yield from t.send(b, size, tag=k)
            elif t.rank == a:
                request = t.post(to=b, size=size, tag=k)
                t.compute(ns(mine) // 3)
                yield from t.wait(request)
            elif t.rank == b:
                yield from t.recv(a, tag=k)
    return program


def pipeline(size):
    def program(t, rng):
        mine = own(t)
        for _ in range(6):
            if t.rank > 0:
                yield from t.recv(t.rank - 1)
            t.compute(ns(mine))
            if t.rank < RANKS - 1:
                yield from t.send(t.rank + 1, size)
    return program


def ring(way, size):
    def program(t, rng):
        mine, after, before = own(t), (t.rank + 1) % RANKS, (t.rank - 1) % RANKS
        yield from shows(t)
        for _ in range(6):
            t.compute(ns(mine))
            requests = [t.post(sender=before), t.post(to=after, size=size)]
            t.compute(ns(mine) // 4)
            if way == "all":
                yield from t.waitall(requests)
            else:
                for request in requests:
                    if way == "wait":
                        yield from t.wait(request)
                    else:
                        yield from t.poll(request, way, sleep=mine.choice([0, 20000]) if way != "MPI_Test" else 0)
    return program


def wavefront(size, poll=False):
    def program(t, rng):
        mine, x, y = own(t), t.rank % 2, t.rank // 2
        for k in range(5):
            for there, sender in ((x, t.rank - 1), (y, t.rank - 2)):
                if there and poll:
                    yield from t.poll(t.post(sender=sender), "MPI_Testany")
                elif there:
                    yield from t.recv(sender)
            t.compute(ns(mine))
            for there, to in ((not x, t.rank + 1), (not y, t.rank + 2)):
                if there:
                    yield from t.send(to, size)
    return program


def pingpong(size, call="MPI_Send"):
    def program(t, rng):
        mine, other = own(t), t.rank ^ 1
        for k in range(6):
            if (t.rank + k) % 2:
                yield from t.recv(other)
                t.compute(ns(mine))
            else:
                t.compute(ns(mine))
                yield from t.send(other, size, call=call)
    return program


def unequal(op, root=None, rounds=6, on=None):
    def program(t, rng):
        mine = own(t)
        for k in range(rounds):
            t.compute(ns(mine))
            yield from t.coll(op, root=(k % RANKS if root == "turns" else root), on=on)
    return program


def graph_of(kind, rng):
    """Sources and destinations by rank: of a ring or an open chain (Cartesian), or whatever (a distributed graph)."""
    if kind == "ring":
        out = [[(r - 1) % RANKS, (r + 1) % RANKS] for r in range(RANKS)]
    elif kind == "chain":
        out = [[p for p in (r - 1, r + 1) if 0 <= p < RANKS] for r in range(RANKS)]
    else:
        out = [[p for p in range(RANKS) if p != r and rng.random() < 0.5] for r in range(RANKS)]
    return [[p for p in range(RANKS) if r in out[p]] for r in range(RANKS)], out


def neighbours(kind, size, op="alltoall", blocking=True):
    """Rounds in which each waits for its neighbours only, and between which some are late."""
    def program(t, rng):
        mine, graph = own(t), graph_of(kind, rng)
        t.lines.append("neighbours " + "/".join(",".join(map(str, side[t.rank])) for side in graph))
        yield from shows(t)
        for _ in range(8):
            t.compute(ns(mine))
            request = t.neighbours(graph, size, op, blocking)
            if not blocking:
                t.compute(ns(mine) // 2)
            yield from t.neighbours_end(request, blocking)
    return program


def mixed(t, rng):
    mine = own(t)
    for k in range(12):
        what, (a, b), size = rng.randrange(6), rng.sample(range(RANKS), 2), rng.choice([8, 100000])
        call = rng.choice(["MPI_Ssend", "MPI_Bsend"])
        t.compute(ns(mine))
        if what < 3 and t.rank == a:
            yield from t.send(b, size, tag=k, call=call)
        elif what < 3 and t.rank == b:
            yield from t.recv(a, tag=k)
        elif what < 3:
            continue
        elif what == 3:
            yield from t.coll("allreduce")
        elif what == 4:
            yield from t.coll("bcast", root=a)
        else:
            yield from t.coll("reduce", root=a)


def probes(name, says, sleep=0, work=False):
    def program(t, rng):
        mine = own(t)
        for k in range(5):
            if t.rank == 0:
                for r in range(1, RANKS):
                    yield from t.probe(r, name=name, says=says, sleep=sleep)
                    if work and says:
                        t.compute(ns(mine))
                    yield from t.recv(r)
                t.compute(ns(mine) // 2)
                for r in range(1, RANKS):
                    yield from t.send(r, tag=1)
            else:
                t.compute(ns(mine, 2))
                yield from t.send(0)
                yield from t.poll(t.post(sender=0, tag=1))
    return program


def progress(t, rng):
    mine, after, before = own(t), (t.rank + 1) % RANKS, (t.rank - 1) % RANKS
    yield from shows(t)
    for _ in range(5):
        t.compute(ns(mine))
        request = t.post(sender=before)
        yield from t.send(after)
        yield from t.progress(request, 5, ns(mine) // 5)


def epochs(blocks, work, pairs=False):
    def program(t, rng):
        mine = own(t)
        for k in range(5):
            to = [t.rank ^ 1] if pairs else [(t.rank + 1) % RANKS, (t.rank + 2) % RANKS]
            of = [t.rank ^ 1] if pairs else [(t.rank - 1) % RANKS, (t.rank - 2) % RANKS]
            t.compute(ns(mine))
            yield from t.window("post", of)
            t.compute(ns(mine) // 3)
            yield from t.window("start", to, blocks)
            if work:
                t.compute(ns(mine))
            yield from t.window("complete", to)
            t.compute(ns(mine) // 5)
            yield from t.window("wait", of)
    return program


def target(t, rng):
    """Rank 0 exposes its memory late, and others put into it."""
    mine = own(t)
    for k in range(5):
        t.compute(ns(mine, 3 if t.rank == 0 else 1))
        if t.rank == 0:
            yield from t.window("post", [1, 2, 3])
            yield from t.window("wait", [1, 2, 3])
        else:
            yield from t.window("start", [0])
            yield from t.window("complete", [0])


def joins(talks, long=False):
    """Each rank starts a thread in each round, which works, and may exchange with that of another rank, and joins it."""
    def program(t, rng):
        mine = own(t)
        for k in range(4):
            spans = [ns(mine), ns(mine)]

            def helper(h, k=k, spans=spans):
                h.compute(spans[0])
                if talks and t.rank % 2:
                    yield from h.recv(t.rank ^ 1, tag=50 + k)
                    h.compute(spans[1])
                elif talks:
                    yield from h.send(t.rank ^ 1, 100000 if long else 8, tag=50 + k, call="MPI_Ssend" if long else "MPI_Send")
                h.wake(10 + k)
            t.compute(ns(mine))
            yield from t.coll("allreduce", size=100000)
            t.start(f"helper{k}", helper)
            t.compute(ns(mine) // 2)
            yield from t.coll("barrier", size=200000)
            t.compute(ns(mine) // 3)
            yield from t.await_(10 + k)
    return program


def hands_over(t, rng):
    """A thread of each rank does all of its MPI, while the main one works on."""
    mine = own(t)
    rounds = 6

    def helper(h):
        for k in range(rounds):
            yield from h.await_(100 + k)
            request = h.post(sender=(t.rank - 1) % RANKS, tag=k)
            yield from h.send((t.rank + 1) % RANKS, 1000, tag=k, call="MPI_Bsend")
            yield from h.wait(request)
            h.wake(200 + k)
    yield from t.coll("barrier", size=300000)
    t.start("talker", helper)
    for k in range(rounds):
        t.compute(ns(mine))
        t.wake(100 + k)
        t.compute(ns(mine) // 3)
        yield from t.await_(200 + k)


def two_talkers(t, rng):
    """Both threads of each rank communicate, and meet now and then."""
    mine = own(t)

    def helper(h):
        own_time = random.Random(f"{t.sim.seed} {t.rank} helper")
        for k in range(5):
            h.compute(ns(own_time))
            if t.rank % 2:
                yield from h.recv(t.rank ^ 1, tag=70 + k)
            else:
                yield from h.send(t.rank ^ 1, 64, tag=70 + k)
            h.wake(300 + k)
    t.start("talker", helper)
    for k in range(5):
        t.compute(ns(mine))
        yield from t.coll("allreduce", size=50000)
        yield from t.await_(300 + k)


def workers(t, rng):
    """Rank 0 hands tasks out, in turns; all others poll for theirs and send back what they found."""
    mine = own(t)
    for k in range(5):
        for r in range(1, RANKS):
            if t.rank == 0:
                t.compute(ns(mine) // 10)
                yield from t.send(r, 64)
        if t.rank == 0:
            for r in range(1, RANKS):
                yield from t.poll(t.post(sender=r, tag=1), "MPI_Testsome", gap=900)
        else:
            yield from t.probe(0, sleep=mine.choice([0, 5000]))
            yield from t.recv(0)
            t.compute(ns(mine))
            yield from t.send(0, 64, tag=1)


KINDS = {
    "pipeline": pipeline(8),
    "sizes": sizes(True), "sizes_posted": sizes(False), "pipeline_long": pipeline(100000), "wavefront_long": wavefront(100000),
    "pingpong_long": pingpong(100000), "ring_wait_long": ring("wait", 100000), "ring_test_long": ring("MPI_Test", 100000),
    "ring_waitall_long": ring("all", 100000),
    "ring_waitall": ring("all", 8), "ring_wait": ring("wait", 8),
    "ring_test": ring("MPI_Test", 8), "ring_testany": ring("MPI_Testany", 8), "ring_testall": ring("MPI_Testall", 8),
    "wavefront": wavefront(8), "wavefront_polls": wavefront(8, True),
    "pingpong": pingpong(8), "pingpong_ssend": pingpong(8, "MPI_Ssend"), "pingpong_bsend": pingpong(100000, "MPI_Bsend"),
    "barrier": unequal("barrier"), "allreduce": unequal("allreduce"), "alltoall": unequal("alltoall"), "allgather": unequal("allgather"),
    "bcast": unequal("bcast", 0), "bcast_turns": unequal("bcast", "turns"), "scatter": unequal("scatter", "turns"),
    "reduce": unequal("reduce", 0), "reduce_turns": unequal("reduce", "turns"), "gather": unequal("gather", "turns"),
    "scan": unequal("scan"), "mixed": mixed,
    "neighbours_ring": neighbours("ring", 8), "neighbours_chain": neighbours("chain", 8), "neighbours_graph": neighbours("graph", 8),
    "neighbours_long": neighbours("ring", 100000), "neighbours_gather_long": neighbours("graph", 100000, "allgather"),
    "ineighbours_chain": neighbours("chain", 8, blocking=False), "ineighbours_graph": neighbours("graph", 100000, "allgather", False),
    "inter_barrier": unequal("barrier", on="inter"), "inter_allgather": unequal("allgather", on="inter"),
    "inter_bcast": unequal("bcast", "turns", on="inter"), "inter_reduce": unequal("reduce", "turns", on="inter"),
    "probe": probes("MPI_Probe", True), "probe_work": probes("MPI_Probe", True, work=True),
    "iprobe": probes("MPI_Iprobe", True), "iprobe_sleeps": probes("MPI_Iprobe", True, 30000),
    "iprobe_work": probes("MPI_Iprobe", True, work=True), "iprobe_foreign": probes("MPI_Iprobe", False),
    "epochs": epochs(False, False), "epochs_work": epochs(False, True), "epochs_block": epochs(True, True),
    "epochs_pairs": epochs(False, True, True), "target": target,
    "joins": joins(False), "joins_talk": joins(True), "joins_ssend": joins(True, True), "hands_over": hands_over,
    "two_talkers": two_talkers,
    "progress": progress, "workers": workers,
}


def write(folder, kind, seed):
    recorded, ideal = Sim(kind, seed, False), Sim(kind, seed, True)
    elapsed, expected = recorded.run(), ideal.run()
    lines = [f"# {kind}, seed {seed}"]
    for task in recorded.tasks:
        lines += ["rank", "enter 0 main"] + task.lines + [f"leave {task.t} main"]
        for thread in recorded.threads:
            if thread.rank == task.rank:
                lines += [f"thread {thread.name}"] + thread.lines + [f"leave {thread.t} {thread.name}"]
    lines += [f"elapsed {elapsed}", f"expect run mpi ideal_network_runtime {expected}"]
    lines += [f"expect run time {t.rank}:mpi {t.mpi}" for t in recorded.tasks]
    with open(f"{folder}/{kind}_{seed}.case", "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    with open(f"{folder}/{kind}_{seed}.fast", "w", encoding="utf-8") as out:
        print(Sim(kind, seed, False, 0.5).run(), Sim(kind, seed, False, 0.5, 0.5).run(), file=out)


def main():
    folder, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    names = sys.argv[4:] or KINDS
    for kind in names:
        for seed in range(first, last + 1):
            write(folder, kind, seed)


main()
