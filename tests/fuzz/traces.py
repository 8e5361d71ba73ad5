#!/usr/bin/env python3
"""Damages traces of torch.profiler and exports of Nsight Systems, and holds `tacho analyze` to its contract.

usage: traces.py TACHO INPUTS SEED FOUND FILE...

Each FILE is a whole .json, .json.gz or .sqlite; those in one folder are one job. INPUTS of them are damaged: bytes,
values (huge, negative, of other types, missing, twice) and tables. Whatever the damage, tacho ends by itself in bounded
time and memory with status 0 and a database, or with status 1 and one sentence. A trace that is read must be
exported as well. What breaks this is kept in the folder FOUND. Prints TAP.
"""
import copy
import gzip
import json
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from damage import cut, double, drop, fill, flip

LIMIT_S, MEMORY = 20, 4 << 30
NUMBERS = [0, 1, -1, 2, 255, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1, 2**63, -2**63, 10**30, 0.5,
           1e18, 1e300, -1e300, 1e-300, float("inf"), float("nan")]
TEXTS = ["", "0", "-1", "[0, 0, 0]", "[0, 1, ...", "[5]", "ProfilerStep#0", "ProfilerStep#4294967296", "ProfilerStep#1",
         "nccl", "send", "recv", "gather", "alltoall", "Memcpy", "\x00\x1b[31m\u202e", "\ud800", "a" * 5000, "99999999999999999999"]
OTHERS = [None, True, [], {}, [[[]]], {"a": {"b": []}}]


def values(tree):
    """Where a value of the trace is: all (container, key)."""
    found, left = [], [tree]
    while left:
        at = left.pop()
        for key in list(at) if isinstance(at, dict) else range(len(at)):
            found.append((at, key))
            if isinstance(at[key], (dict, list)) and at[key]:
                left.append(at[key])
    return found


def nest(depth):
    tree = []
    for _ in range(depth):
        tree = [tree]
    return tree


def json_damage(trace):
    told = []
    for _ in range(random.choice([1, 1, 2, 5, 40])):
        places = values(trace)
        if not places:
            break
        at, key = random.choice(places)
        how = random.randrange(8)
        if how < 3:
            at[key] = random.choice(NUMBERS)
        elif how == 3:
            at[key] = random.choice(TEXTS)
        elif how == 4:
            at[key] = copy.deepcopy(random.choice(OTHERS))
        elif how == 5:
            del at[key]
        elif how == 6 and isinstance(at, list):
            at[key:key] = [copy.deepcopy(at[key]) for _ in range(random.choice([1, 2, 50]))]
        else:
            at[key] = nest(random.choice([3, 100, 510, 600]))
        told.append(f"{how} {key}")
    return told


def json_text(trace):
    text = json.dumps(trace)
    if random.random() < 0.1:  # a member twice
        text = text.replace('"ts":', '"ts": 5, "ts":', random.choice([1, 100]))
    return text.encode("utf-8", "surrogatepass")


def cell():
    return random.choice([None, b"\xff\x00", random.choice(TEXTS).encode("utf-8", "replace").decode(),
                          random.choice([n for n in NUMBERS if isinstance(n, float) or -2**63 <= n < 2**63])])


def sqlite_damage(path):
    db = sqlite3.connect(path)
    told = []
    for _ in range(random.choice([1, 1, 2, 5, 20])):
        tables = [name for name, in db.execute("select name from sqlite_master where type = 'table'")]
        if not tables:
            break
        table = random.choice(tables)
        columns = [row[1] for row in db.execute(f'pragma table_info("{table}")')]
        column, how = random.choice(columns), random.randrange(10)
        try:
            if how < 4:
                db.execute(f'update "{table}" set "{column}" = ? where rowid % ? = 0', (cell(), random.choice([1, 2, 7, 100])))
            elif how == 4:
                db.execute(f'drop table "{table}"')
            elif how == 5:
                db.execute(f'delete from "{table}" where rowid % ? = 0', (random.choice([1, 2, 3]),))
            elif how == 6:
                db.execute(f'alter table "{table}" rename column "{column}" to "{column}_"')
            elif how == 7:
                db.execute(f'insert into "{table}" select * from "{table}"')
            elif how == 8:  # what would be read never ends
                db.execute(f'drop table "{table}"')
                names = ", ".join(f'x as "{name}"' for name in columns)
                db.execute(f'create view "{table}" as with recursive c(x) as (select 1 union all select x + 1 from c) select {names} from c')
            else:
                db.execute(f'drop table "{table}"')
                db.execute(f'create table "{table}" ("{column}" blob unique, "{random.choice(TEXTS[1:8])}" text)')
        except sqlite3.Error:
            continue
        told.append(f"{how} {table}.{column}")
    db.commit()
    db.close()
    return told


def bytes_damage(path):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    how = random.choice([flip, flip, cut, drop, double, fill])
    how(data)
    with open(path, "wb") as file:
        file.write(data)
    return [how.__name__]


def damage(path):
    if random.random() < 0.3:
        return bytes_damage(path)
    if path.endswith(".sqlite"):
        return sqlite_damage(path)
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        trace = json.load(file)
    told = json_damage(trace)
    with (gzip.open if path.endswith(".gz") else open)(path, "wb") as file:
        file.write(json_text(trace))
    return told


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
    if not os.environ.get("FUZZ_CHECKS"):  # sanitizers reserve more
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(*command):
    """What is wrong with how it ends; else None, and whether it succeeded."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              preexec_fn=limits, timeout=300)
    except subprocess.TimeoutExpired:
        return "does not end", False, b""
    said = done.stderr
    if b"runtime error" in said or b"Sanitizer" in said:
        return "a check fails: " + said.decode("utf-8", "replace")[:1500], False, said
    if done.returncode not in (0, 1):
        return f"ends with {done.returncode}", False, said
    if any(c < 32 and c != 10 or c == 127 for c in said):
        return "raw bytes on the terminal", False, said
    return None, done.returncode == 0, said


def trial(tacho, folder):
    database = os.path.join(folder, "out.db")
    traces = os.path.join(folder, "traces")
    wrong, good, said = run(tacho, "analyze", "--db", database, traces)
    if wrong:
        return wrong, good
    if good != os.path.exists(database):
        return f"status {not good}, database {os.path.exists(database)}", good
    errors = [line for line in said.splitlines() if not line.startswith(b"tacho: warning")]
    if not good and len(errors) != 1:
        return "not one sentence: " + said.decode("utf-8", "replace")[:600], good
    if good:
        for form in ("--perfetto", "--kineto"):
            wrong, exported, said = run(tacho, "export", traces, form, os.path.join(folder, form[2:]))
            if wrong or not exported:
                return f"export {form}: {wrong or said.decode('utf-8', 'replace')[:300]}", good
    return None, good


def main(tacho, inputs, seed, found, *files):
    random.seed(seed)
    sys.setrecursionlimit(100000)
    jobs = {}
    for path in files:
        jobs.setdefault(os.path.dirname(path), []).append(path)
    broken = read = 0
    for number in range(int(inputs)):
        folder = tempfile.mkdtemp()
        os.mkdir(os.path.join(folder, "traces"))
        paths = [shutil.copy(path, os.path.join(folder, "traces")) for path in random.choice(list(jobs.values()))]
        for path in paths:
            os.chmod(path, 0o644)
        told = damage(random.choice(paths))
        wrong, good = trial(tacho, folder)
        read += good
        if wrong:
            broken += 1
            os.makedirs(found, exist_ok=True)
            kept = os.path.join(found, f"trace-{seed}-{number}")
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(os.path.join(folder, "traces"), kept)
            print(f"# {kept}: {', '.join(told)[:200]}: {wrong}")
        shutil.rmtree(folder)
    print(f"# {inputs} damaged traces, seed {seed}: {read} were read, {int(inputs) - read - broken} refused")
    print(("ok" if not broken else "not ok") + " 1 - damaged traces end with a result or one sentence")


if __name__ == "__main__":
    main(*sys.argv[1:])
