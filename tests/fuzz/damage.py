#!/usr/bin/python3
"""Damages archives at random and holds `tacho analyze` to its contract.

usage: damage.py TACHO SECONDS SEED FOUND ARCHIVE...

FUZZ_INPUTS in the environment: no more than so many, which are the same for a seed.
Each archive is the anchor file of a whole one. Whatever the damage, tacho
ends by itself with status 0 or 1, in bounded time, memory and output, with a
sentence when it fails, a database only when it does not, and nothing raw on
the terminal. What breaks this is kept in the folder FOUND. Prints TAP.
"""
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time

LIMIT_S, STALL_S, MEMORY, OUTPUT = 60, 2, 8 << 30, 100000
MOST = int(os.environ.get("FUZZ_INPUTS") or 1 << 62)
INTERESTING = [0, 1, 2, 3, 4, 5, 7, 8, 10, 11, 12, 13, 16, 32, 63, 64, 127, 128, 254, 255]


def flip(data):
    for _ in range(random.choice([1, 1, 2, 4, 16])):
        at = random.randrange(len(data))
        data[at] = random.choice([data[at] ^ (1 << random.randrange(8)), random.choice(INTERESTING),
                                  random.randrange(256)])


def cut(data):
    del data[random.randrange(len(data)):]


def drop(data):
    at = random.randrange(len(data))
    del data[at:at + random.choice([1, 2, 8, 100])]


def double(data):
    at = random.randrange(len(data))
    piece = data[at:at + random.choice([1, 2, 8, 100])]
    data[at:at] = piece * random.choice([1, 3, 50])


def fill(data):
    at = random.randrange(len(data))
    length = random.choice([1, 4, 8, 9])
    data[at:at + length] = bytes([random.choice([0, 255])]) * length


def damage(folder):
    """Damages one to three of the files in the folder; says which."""
    files = sorted(os.path.join(d, f) for d, _, fs in os.walk(folder) for f in fs)
    told = []
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        path = random.choice(files)
        with open(path, "rb") as file:
            data = bytearray(file.read())
        how = random.choice([flip, flip, flip, cut, drop, double, fill])
        if data:
            how(data)
        with open(path, "wb") as file:
            file.write(data)
        told.append(how.__name__ + " " + os.path.relpath(path, folder))
    return ", ".join(told)


def limits():
    resource.setrlimit(resource.RLIMIT_FSIZE, (256 << 20, 256 << 20))


def own_fault(said):
    """A sanitizer speaks, and the first function in its report that is no sanitizer's is not libotf2's."""
    if b"runtime error" in said:
        return True
    if b"AddressSanitizer" not in said:
        return False
    frames = [line for line in said.split(b"AddressSanitizer", 1)[1].splitlines() if line.lstrip().startswith(b"#")]
    named = [f for f in frames if not any(w in f for w in (b"interceptor", b"asan_", b"sanitizer", b"libc.so"))]
    return not named or b"libopen-trace-format2" not in named[0]


def judge(tacho, folder, anchor, argument):
    """What is wrong with tacho's answer (None when nothing is), and what it said."""
    database = os.path.join(folder, "db")
    environment = dict(os.environ, TACHO_STALL_S=str(STALL_S))
    try:
        run = subprocess.run([tacho] + argument(anchor, database), stdin=subprocess.DEVNULL, capture_output=True,
                             timeout=LIMIT_S, env=environment, preexec_fn=limits)
    except subprocess.TimeoutExpired:
        return "did not end", b""
    said = run.stdout + run.stderr
    left = [f for f in os.listdir(folder) if f.startswith("db")]
    wrong = None
    if run.returncode not in (0, 1):
        wrong = "status %d: %r" % (run.returncode, said[-300:])
    elif len(said) > OUTPUT:
        wrong = "%d bytes of output" % len(said)
    elif run.returncode == 1 and not run.stderr.startswith(b"tacho: "):
        wrong = "failed without a sentence"
    elif left != ["db"][:1 - run.returncode]:
        wrong = "left %s with status %d" % (left, run.returncode)
    elif any(c < 32 and c != 10 for c in said) or b"\x7f" in said:
        wrong = "raw bytes on the terminal: %r" % said[-300:]
    elif own_fault(said):
        wrong = "a sanitizer speaks: %r" % said[:2000]
    return wrong, said


def main():
    tacho, seconds, seed, found = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    archives = sys.argv[5:]
    outcomes, bad, number, end = {}, 0, 0, time.time() + seconds
    random.seed(seed)
    ways = [[], [], ["--jobs", "2"], ["--jobs", "2"], ["--summary"], ["--summary", "--jobs", "2"]]
    for way in ways:    # or nothing is tried
        with tempfile.TemporaryDirectory() as folder:
            whole = subprocess.run([tacho, "analyze", "--db", os.path.join(folder, "db")] + way + archives[:1],
                                   capture_output=True)
        if whole.returncode:
            print("# %s: status %d of a whole archive: %r" % (way, whole.returncode, whole.stderr[-300:]))
            bad += 1
    while time.time() < end and number < MOST:
        anchor = random.choice(archives)
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "archive")
            shutil.copytree(os.path.dirname(anchor), copy)
            subprocess.run(["chmod", "-R", "u+w", copy], check=True)
            way = random.choice(ways)
            how = " ".join([damage(copy)] + way)
            verdict, said = judge(tacho, folder, os.path.join(copy, os.path.basename(anchor)),
                                  lambda anchor, database: ["analyze", "--db", database] + way + [anchor])
            number += 1
            for word in (b"crashed", b"did not get on", b"killed"):
                outcomes[word] = outcomes.get(word, 0) + (word in said)
            if verdict:
                bad += 1
                print("# %s: %s (seed %d, number %d)" % (how, verdict, seed, number))
                shutil.copytree(copy, os.path.join(found, "archive-%d-%d" % (seed, number)), dirs_exist_ok=True)
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print("# %d damaged archives, seed %d, largest memory %d MiB; of libotf2: %s" %
          (number, seed, memory >> 10, ", ".join("%d %s" % (n, w.decode()) for w, n in outcomes.items())))
    print("%s 1 - however archives are damaged, tacho analyze ends with a result or a sentence" %
          ("not ok" if bad else "ok"))
    print("%s 2 - and in bounded memory" % ("ok" if memory << 10 < MEMORY else "not ok"))


if __name__ == "__main__":
    main()
