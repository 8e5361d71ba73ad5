"""Markers for Python programs that want to name their phases and steps; see tacho.h.

    import tacho
    with tacho.phase("train"):
        for n, batch in enumerate(loader):
            with tacho.step(n, samples=len(batch)):
                ...
            tacho.metric("loss", loss)

Copy this file next to the program, or put its folder into PYTHONPATH. Without tacho nothing is done.
Run and runs() read what tacho found in runs.
"""
import ctypes
import struct
import sys

TYPE_CHECKING = False  # as typing's, without the time to import that
if TYPE_CHECKING:
    import os
    import pandas
    from typing import Any, SupportsFloat

_REGION, _PHASE, _STEP, _METRIC = 1, 2, 3, 4

try:
    _begin = ctypes.CDLL(None).tacho_mark_begin
    _end = ctypes.CDLL(None).tacho_mark_end
    _begin.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_uint64]
    _end.argtypes = [ctypes.c_int, ctypes.c_uint64]
    _begin.restype = _end.restype = None
    _records = True
except (AttributeError, OSError):  # libtacho is not preloaded
    _records = False


class Mark:
    """A part of the program, from `with` to its end."""

    def __init__(self, kind: int, name: str, value: int = 0, samples: int = 0) -> None:
        """Of phase(), step() and region()."""
        self._kind, self._name, self._value = kind, name.encode(), value
        self.samples = samples

    def __enter__(self) -> "Mark":
        if _records:
            _begin(self._kind, self._name, self._value)
        return self

    def __exit__(self, *exception: object) -> None:
        if _records:
            _end(self._kind, self.samples)


def phase(name: str) -> Mark:
    """A stretch of the run that is looked at on its own: train, validate, test, checkpoint..."""
    return Mark(_PHASE, name)


def step(number: int, samples: int = 0) -> Mark:
    """One training step; `number` counts from 0 over the run and is the same on all ranks.

    `samples` were processed in it by this rank; what is known only in the end is set as
    `.samples` of what `with ... as` gives.
    """
    return Mark(_STEP, "step", number, samples)


def region(name: str) -> Mark:
    """Any other part of the program worth a name in the timeline."""
    return Mark(_REGION, name)


def metric(name: str, value: "SupportsFloat") -> None:
    """How far the training has come ("loss", "accuracy"), for the step that was begun last.

    `value` is what float() takes, also a tensor: of one on a GPU that waits for the GPU, as
    `.item()` does. Where several ranks give a value, the run has their mean.
    """
    if _records:
        _begin(_METRIC, name.encode(), int.from_bytes(struct.pack("=d", float(value)), sys.byteorder))


def flops_per_sample(flops: float) -> None:
    """Operations to train with one sample, forward and backward; said once, the same on all ranks."""
    with region(f"tacho:flops_per_sample={flops:.15g}"):
        pass


def flops_per_step(flops: float) -> None:
    """The same of a step of all ranks together, where samples are not known."""
    with region(f"tacho:flops_per_step={flops:.15g}"):
        pass


def _open(path: "str | os.PathLike[str]") -> "Any":
    """The database of a folder or file, for reading."""
    import os
    import sqlite3
    import urllib.parse

    path = os.fspath(path)
    database = os.path.join(path, "tacho.db") if os.path.isdir(path) else path
    db = sqlite3.connect("file:" + urllib.parse.quote(database) + "?mode=ro", uri=True)
    db.row_factory = sqlite3.Row
    db.text_factory = lambda text: text.decode("utf-8", "replace")  # names of any origin
    return db


def runs(path: "str | os.PathLike[str]") -> "list[dict[str, Any]]":
    """The runs of a database, in order of their start: table run, with the commit and branch of the program."""
    db = _open(path)
    try:
        return [dict(row) for row in db.execute("""
            select r.*, c.value as "commit", b.value as branch from run r
                left join environment c on c.run_id = r.id and c.scope = '' and c.key = 'TACHO::COMMIT'
                left join environment b on b.run_id = r.id and b.scope = '' and b.key = 'TACHO::BRANCH'
            order by r.start_ns, r.id""")]
    finally:
        db.close()


class Run:
    """What tacho found in a run: tables of its database, verdict, findings, what-if.

        run = tacho.Run("run1")              # a folder of tacho record, or a database
        for finding in run.findings():
            print(finding["seconds"], finding["message"])
        run.frame("step")                    # a table or view as a pandas.DataFrame

    Needs the standard library; frame() needs pandas, verdict() and whatif() the program tacho, which is
    looked for in the variable TACHO, then in PATH. `man tacho-db` describes the tables.
    """

    def __init__(self, path: "str | os.PathLike[str]", run_id: "int | None" = None) -> None:
        """Opens the database for reading. run_id: of several runs in it; None: the last one."""
        import os

        self.path: str = os.fspath(path)
        self._db = _open(path)
        self._last: int = self._db.execute("select max(id) from run").fetchone()[0]
        self.run_id: int = self._last if run_id is None else run_id

    def query(self, sql: str, **values: object) -> "list[dict[str, Any]]":
        """Rows of a statement; :run is the number of the run, other parameters are named."""
        return [dict(row) for row in self._db.execute(sql, self._values(values))]

    def tables(self) -> "list[str]":
        """Names of all tables and views."""
        return [row["name"] for row in self.query(
            "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite%' order by 1")]

    def table(self, name: str) -> "list[dict[str, Any]]":
        """The rows of a table or view that belong to the run."""
        return self.query(self._select(name))

    def frame(self, name_or_sql: str, **values: object) -> "pandas.DataFrame":
        """A table, view or statement as a pandas.DataFrame."""
        import pandas

        sql = name_or_sql if " " in name_or_sql else self._select(name_or_sql)
        return pandas.read_sql_query(sql, self._db, params=self._values(values))

    def findings(self) -> "list[dict[str, Any]]":
        """Proposed changes, those that save most first: rule, seconds, message, advice, evidence."""
        return self.query("select * from finding where run_id = :run order by n")

    def metric(self, name: str, window: str = "run", subject: str = "") -> "float | None":
        """A figure by its name, model.name as in `tacho stats --metrics`; None: undefined."""
        model, _, short = name.partition(".")
        rows = self.query('select value from metric where run_id = :run and model = :model and name = :short '
                          'and "window" = :window and subject = :subject',
                          model=model, short=short, window=window, subject=subject)
        if not rows:
            raise KeyError(name)
        value: "float | None" = rows[0]["value"]
        return value

    def verdict(self) -> "dict[str, Any]":
        """What `tacho explain --json` says: statements with keys, evidence and queries. Of the last run only."""
        said: "dict[str, Any]" = self._ask("explain", "--json", self.path)
        return said

    def whatif(self, *options: str) -> "list[dict[str, Any]]":
        """What `tacho whatif` predicts, a row for each cause; options as of the command. Of the last run only."""
        rows: "list[dict[str, Any]]" = self._ask("whatif", "--format", "json", *options, self.path)
        return rows

    def _values(self, values: "dict[str, object]") -> "dict[str, object]":
        return dict({"run": self.run_id}, **values)

    def _select(self, name: str) -> str:
        if name not in self.tables():
            raise KeyError(name)
        columns = [row["name"] for row in self.query("select name from pragma_table_info(:name)", name=name)]
        own = " where run_id = :run" if "run_id" in columns else " where id = :run" if name == "run" else ""
        return f'select * from "{name}"{own}'

    def _ask(self, *arguments: str) -> "Any":
        import json
        import os
        import subprocess

        if self.run_id != self._last:
            raise ValueError(f"tacho {arguments[0]} takes the last run of a database, {self._last}, not {self.run_id}")
        done = subprocess.run([os.environ.get("TACHO", "tacho"), *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        return json.loads(done.stdout)

    def close(self) -> None:
        """Closes the database."""
        self._db.close()

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
