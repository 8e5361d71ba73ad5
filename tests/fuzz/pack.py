#!/usr/bin/python3
"""Inputs of tests/fuzz/target: the files of an archive or of a run's folder in one.

usage: pack.py archive|run FOLDER FILE     packs the folder
       pack.py -u archive|run FILE FOLDER  unpacks into a new folder

Each file is its number in the lists below (1 byte), its length (3 bytes,
little end first) and its bytes. Files that are in no list are left out.
"""
import os
import sys

FILES = {
    "archive": ["traces.otf2", "traces.def"] + ["traces/" + f for f in
                                                ("0.def", "0.evt", "1.def", "1.evt", "2.evt", "3.evt",
                                                 "1000.def", "1000.evt", "1001.def", "1001.evt")],
    "run": ["run.properties"] + ["spool/" + f for f in
                                 ("n.10.0/process", "n.10.0/state", "n.10.0/thread.0", "n.10.0/thread.1",
                                  "n.11.0/process", "n.11.0/state", "n.11.0/thread.0", "n.10.0/totals.0", "n.10.0/kept.0",
                                  "n.11.0/totals.0", "n.11.0/kept.0")],
}


def pack(names, folder, path):
    with open(path, "wb") as out:
        for number, name in enumerate(names):
            if os.path.exists(os.path.join(folder, name)):
                with open(os.path.join(folder, name), "rb") as file:
                    data = file.read()[:(1 << 24) - 1]
                out.write(bytes([number]) + len(data).to_bytes(3, "little") + data)


def unpack(names, path, folder):
    with open(path, "rb") as file:
        data = file.read()
    for name in names:
        os.makedirs(os.path.dirname(os.path.join(folder, name)) or ".", exist_ok=True)
    while len(data) >= 4:
        length = int.from_bytes(data[1:4], "little")
        with open(os.path.join(folder, names[data[0] % len(names)]), "wb") as out:
            out.write(data[4:4 + length])
        data = data[4 + length:]


if sys.argv[1] == "-u":
    unpack(FILES[sys.argv[2]], sys.argv[3], sys.argv[4])
else:
    pack(FILES[sys.argv[1]], sys.argv[2], sys.argv[3])
