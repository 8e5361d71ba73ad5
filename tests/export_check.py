#!/usr/bin/env python3
"""Checks a file of tacho export.

export_check.py json FILE      JSON trace events: fields of each kind, slices nest on every track, arrows
                               have both ends; prints what is in it
export_check.py collectives FILE DATABASE    arrows over the members of collectives begin with the first and end
                               with the last member, as in the database
export_check.py csv DATABASE DIR    every table and view as CSV gives the database's rows back
"""
import csv
import json
import sqlite3
import sys
from collections import Counter, defaultdict

# What each kind of event must have, and of which type.
NUMBER = (int, float)
COMMON = {"ph": str, "pid": int, "tid": int}
FIELDS = {
    "M": {"name": str, "args": dict},
    "B": {"name": str, "cat": str, "ts": NUMBER},
    "E": {"name": str, "cat": str, "ts": NUMBER},
    "X": {"name": str, "cat": str, "ts": NUMBER, "dur": NUMBER},
    "b": {"name": str, "cat": str, "ts": NUMBER, "id": str},
    "e": {"name": str, "cat": str, "ts": NUMBER, "id": str},
    "s": {"name": str, "cat": str, "ts": NUMBER, "id": str},
    "f": {"name": str, "cat": str, "ts": NUMBER, "id": str, "bp": str},
    "t": {"name": str, "cat": str, "ts": NUMBER, "id": str, "bp": str},
    "C": {"name": str, "ts": NUMBER, "args": dict},
    "i": {"name": str, "cat": str, "ts": NUMBER, "s": str},
}


def ns(us):
    return round(us * 1000)


def check_schema(trace):
    assert set(trace) == {"displayTimeUnit", "traceEvents"} and trace["displayTimeUnit"] == "ns", trace.keys()
    for event in trace["traceEvents"]:
        fields = dict(COMMON, **FIELDS[event["ph"]])
        for name, kind in fields.items():
            assert isinstance(event.get(name), kind), (name, event)
        assert set(event) <= set(fields) | {"args"}, event
        if event["ph"] == "C":
            assert isinstance(event["args"]["value"], NUMBER), event


def check_nesting(events):
    """Begins and ends balance in order of time; complete slices of a track lie side by side or inside each other."""
    stacks, last = defaultdict(list), {}
    complete = defaultdict(list)
    for event in events:
        track = event["pid"], event["tid"]
        if event["ph"] in "BE":
            assert event["ts"] >= last.get(track, float("-inf")), ("times go back", event)
            last[track] = event["ts"]
            if event["ph"] == "B":
                stacks[track].append(event)
            else:
                assert stacks[track], ("an end without a beginning", event)
                assert stacks[track].pop()["name"] == event["name"], ("an end of another slice", event)
        elif event["ph"] == "X":
            assert event["dur"] >= 0, event
            complete[track].append((ns(event["ts"]), ns(event["ts"]) + ns(event["dur"])))
    assert not any(stacks.values()), {t: len(s) for t, s in stacks.items() if s}
    assert not set(stacks) & set(complete), "begin/end and complete slices on one track"
    for track, slices in complete.items():
        open_ends = []
        for start, end in sorted(slices, key=lambda s: (s[0], -s[1])):
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1], ("slices cross", track, start, end)
            open_ends.append(end)


def check_names(events):
    """Every track that has slices has a name, and every process too."""
    named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    processes = {e["pid"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    for event in events:
        if event["ph"] in "BX":
            assert (event["pid"], event["tid"]) in named and event["pid"] in processes, event


def check_collectives(events):
    """Members of each: one arrow over all tracks, in order of time, at slices that begin there and have one name."""
    begins = defaultdict(list)
    for e in events:
        if e["ph"] in "BX":
            begins[e["pid"], e["tid"], ns(e["ts"])].append(e["name"])
    members = defaultdict(list)
    for e in events:
        if e["ph"] in "stf" and e["cat"] == "collective":
            members[e["id"]].append(e)
    for chain in members.values():
        assert "".join(e["ph"] for e in chain) == "s" + "t" * (len(chain) - 2) + "f", chain
        assert [e["ts"] for e in chain] == sorted(e["ts"] for e in chain), chain
        assert len({e["pid"] for e in chain}) == len(chain), ("a process twice", chain)
        names = [set(begins[e["pid"], e["tid"], ns(e["ts"])]) for e in chain]
        assert set.intersection(*names), ("members of several names", chain, names)
    return members


def check_json(path):
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    events = trace["traceEvents"]
    check_schema(trace)
    check_nesting(events)
    check_names(events)
    collectives = check_collectives(events)
    ends = {phase: {e["id"] for e in events if e["ph"] == phase and e.get("cat") != "collective"} for phase in "sfbe"}
    assert ends["b"] == ends["e"], "asynchronous slices without an end"
    kinds = Counter(e["ph"] for e in events)
    print("slices", kinds["B"] + kinds["X"], "async", kinds["b"], "arrows", len(ends["s"] & ends["f"]),
          "loose", len(ends["s"] ^ ends["f"]), "counters", kinds["C"])
    notes = [e["args"] for e in events if e["ph"] == "E" and "args" in e]
    print("sent", sum(n.get("bytes sent", 0) for n in notes), "received", sum(n.get("bytes received", 0) for n in notes),
          "steps", sum("step" in n for n in notes), "findings", sum(e["ph"] == "i" and e["cat"] == "finding" for e in events))
    print("collectives", len(collectives), "members", sum(len(c) for c in collectives.values()),
          "marks", sum(e["ph"] == "i" and e["cat"] == "step" for e in events))


def compare_collectives(path, database):
    with open(path, encoding="utf-8") as file:
        chains = check_collectives(json.load(file)["traceEvents"]).values()
    found = sorted((ns(chain[0]["ts"]), ns(chain[-1]["ts"])) for chain in chains)
    wanted = sorted(sqlite3.connect(database).execute("select first_ns, last_ns from collective").fetchall())
    assert found == wanted, (found, wanted)
    print("collectives", len(found))


def field(text, quoted):
    return None if text == "" and not quoted else text


def read_csv(path):
    """Rows as lists; an empty field is None, a quoted empty one "": the csv module does not tell them apart."""
    data = open(path, encoding="utf-8", newline="", errors="surrogateescape").read()
    assert data.endswith("\r\n"), path
    rows, row, text, quoted, inside, i = [], [], "", False, False, 0
    while i < len(data):
        c = data[i]
        if inside:
            if c == '"' and data[i + 1:i + 2] == '"':
                text += '"'
                i += 1
            elif c == '"':
                inside = False
            else:
                text += c
        elif c == '"':
            assert text == "" and not quoted, (path, i)
            inside = quoted = True
        elif c == ",":
            row.append(field(text, quoted))
            text, quoted = "", False
        elif data[i:i + 2] == "\r\n":
            row.append(field(text, quoted))
            rows.append(row)
            row, text, quoted = [], "", False
            i += 1
        else:
            assert c not in "\r\n", (path, i)
            text += c
        i += 1
    return rows


def same(cell, value):
    if value is None or cell is None:
        return cell is None and value is None
    if isinstance(value, float):
        return float(cell) == value
    if isinstance(value, int):
        return cell == str(value)
    # bytes that are no UTF-8 become replacement characters
    return cell == value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def check_csv(database, folder):
    db = sqlite3.connect(database)
    db.text_factory = lambda b: b.decode("utf-8", "surrogateescape")
    tables = [r[0] for r in db.execute("select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite%'")]
    total = 0
    for table in tables:
        cursor = db.execute('select * from "%s"' % table)
        rows = read_csv("%s/%s.csv" % (folder, table))
        plain = list(csv.reader(open("%s/%s.csv" % (folder, table), encoding="utf-8", newline="", errors="surrogateescape")))
        assert [len(r) for r in plain] == [len(r) for r in rows], table
        assert rows[0] == [c[0] for c in cursor.description], (table, rows[0])
        values = cursor.fetchall()
        assert len(rows) - 1 == len(values), (table, len(rows), len(values))
        for row, wanted in zip(rows[1:], values):
            assert all(same(a, b) for a, b in zip(row, wanted)), (table, row, wanted)
        total += len(values)
    print("tables", len(tables), "rows", total)


if __name__ == "__main__":
    {"json": check_json, "csv": check_csv, "collectives": compare_collectives}[sys.argv[1]](*sys.argv[2:])
