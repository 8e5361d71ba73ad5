#!/usr/bin/env python3
"""nccl_check.py DUMP DATABASE SAID [static]: compares a run of tests/e2e/nccl_calls with what it said.

DUMP is the text of `tacho dump`, SAID what all processes printed. Prints one
line per finding that is wrong; nothing when all is right.
"""
import collections
import re
import sqlite3
import sys

dump, database, said = sys.argv[1:4]
static = len(sys.argv) > 4
wrong = []


def check(good, text):
    if not good:
        wrong.append(text)


def attributes(line):
    return {name: text if text is not None else int(number) for name, text, number in
            ((m[0], m[1] if m[1] != '' or m[2] == '' else None, m[2])
             for m in re.findall(r'"tacho\.(\w+)"=(?:"([^"]*)"|(-?\d+))', line))}


# What the program said: communicator's name → calls (operation, bytes, place or peer).
printed = collections.defaultdict(list)
ranks = collections.defaultdict(set)
for line in open(said):
    name, rank, op, size, what, number = re.match(
        r'comm (\w+) rank (\d+) (\w+) bytes (\d+) (seq|peer) (\d+)', line).groups()
    printed[name].append((op, int(size), what, int(number)))
    ranks[name].add(int(rank))

# What is in the archive: the number of a communicator → the same, and its kernels.
found = collections.defaultdict(list)
messages = collections.defaultdict(list)
kernels = []
groups = collections.defaultdict(list)
inside = 0
for line in open(dump):
    region = re.match(r'\d+ (\d+) enter "([^"]*)"', line)
    if not region:
        continue
    location, name = region.groups()
    a = attributes(line)
    if re.match(r'ncclDevKernel', name):
        kernels.append(a)
    elif name.startswith('nccl') and 'op' in a:
        peer = a.get('peer', None)
        if peer is None:
            found[a['comm']].append((a['op'], a['bytes'], 'seq', a['seq']))
        else:
            found[a['comm']].append((a['op'], a['bytes'], 'peer', peer))
            messages[a['comm'], a['op'], peer, location].append(a['seq'])
        check(static or 'device' in a, f'a call without a device: {line.strip()}')
        if a['op'] in ('broadcast', 'reduce', 'gather', 'scatter'):
            check('root' in a, f'a call without its root: {line.strip()}')
        if a['op'] in ('allreduce', 'allgather', 'reducescatter', 'broadcast', 'reduce') and len(ranks['world']) > 1:
            if a['comm'] == 0:
                check('algorithm' in a and 'protocol' in a and a.get('channels') in (1, 2),
                      f'a collective without its algorithm: {line.strip()}')

# A static NCCL reports the parts of what it makes of messages, and those alone.
def comparable(calls):
    return collections.Counter(c for c in calls if not static or c[2] == 'seq')


unused = dict(found)
numbers = {}
for name in sorted(printed, key=lambda n: -len(printed[n])):
    same = [n for n in unused if comparable(unused[n]) == comparable(printed[name])]
    check(same, f'no communicator has the calls of {name}: {sorted(printed[name])[:3]}… of {dict(unused).keys()}')
    if same:
        numbers[name] = same[0]
        del unused[same[0]]
check(not unused, f'communicators that nobody made: {list(unused)}')

for key, places in messages.items():
    check(sorted(places) == list(range(len(places))), f'messages out of order: {key} {places}')

# Kernels: each has its operation, or the group whose operations it carries out.
check(kernels, 'there is no kernel of NCCL')
for k in kernels:
    check('comm' in k, f'a kernel without its communicator: {k}')
    check('op' in k, f'a kernel without its operation: {k}')
for name, number in numbers.items():
    size = len(ranks[name])
    alone = collections.Counter((k['op'], k['seq']) for k in kernels
                                if k.get('comm') == number and 'group' not in k and 'peer' not in k)
    for what, n in alone.items():
        check(n == size, f'{name}: {what} has {n} kernels, not {size}')

# The analysis joins what belongs together: one row per operation, with all members.
db = sqlite3.connect(database)
sizes = dict(db.execute("select id, size from communicator where kind = 'nccl'"))
for name, number in numbers.items():
    check(sizes.get(number) == len(ranks[name]), f'{name} has {sizes.get(number)} members, not {len(ranks[name])}')
    rows = collections.Counter(db.execute(
        "select op, bytes from collective where kind = 'nccl' and comm_id = ?", (number,)))
    wanted = collections.Counter((op, size) for op, size, _, _ in
                                 {c for c in printed[name] if c[2] == 'seq'})
    ring = sum(1 for c in printed[name] if c[0] == 'send')
    if ring:
        wanted['send', 400] = ring
    check(rows == wanted, f'{name}: rows {dict(rows - wanted)} too many, {dict(wanted - rows)} missing')
printed_algorithms = db.execute("select count(*) from collective where kind = 'nccl' and op = 'allreduce' and comm_id = ? "
                             "and algorithm in ('ring/ll', 'tree/ll')", (numbers.get('world'),)).fetchone()[0]
check(printed_algorithms == sum(1 for c in set(printed['world']) if c[0] == 'allreduce') or len(ranks['world']) == 1,
      f'only {printed_algorithms} sums have an algorithm')
for text in wrong[:20]:
    print(text)
sys.exit(bool(wrong))
