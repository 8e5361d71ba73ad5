#!/usr/bin/env python3
"""database_equal.py A B [A B]...: are two databases of one run equal? Integers and texts exactly, reals to 1e-9 of themselves;
rows in any order; where the archive lay and when it was analysed does not count."""
import math
import sqlite3
import sys

ASIDE = {"analyzed_ns", "path", "label"}


def columns(db, table):
    return [row[1] for row in db.execute(f"pragma table_info({table})") if table != "run" or row[1] not in ASIDE]


def key(row):
    return [(value is None, str(type(value)) if isinstance(value, str) else "", value if isinstance(value, str) else
             round(value, 6) if value is not None else 0) for value in row]


def same(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return a == b and type(a) is type(b)


def differences(a, b, table):
    names = columns(a, table)
    select = f"select {', '.join(names)} from {table}"
    rows_a, rows_b = (db.execute(select).fetchall() for db in (a, b))
    if repr(rows_a) == repr(rows_b):
        return
    rows_a.sort(key=key)
    rows_b.sort(key=key)
    if len(rows_a) != len(rows_b):
        yield f"{table} has {len(rows_a)} and {len(rows_b)} rows"
        return
    for row_a, row_b in zip(rows_a, rows_b):
        for name, x, y in zip(names, row_a, row_b):
            if not same(x, y):
                yield f"{table}.{name}: {x} and {y} in {row_a}"


def pair(path_a, path_b):
    a, b = (sqlite3.connect(f"file:{path}?mode=ro", uri=True) for path in (path_a, path_b))
    tables = [row[0] for row in a.execute("select name from sqlite_master where type = 'table' order by 1")]
    found = [line for table in tables for line in differences(a, b, table)]
    for line in found[:10]:
        print(f"{path_b}: {line}"[:400])
    return bool(tables) and not found


def main():
    paths = sys.argv[1:]
    return 0 if all([pair(*paths[i:i + 2]) for i in range(0, len(paths), 2)]) else 1


sys.exit(main())
