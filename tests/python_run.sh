#!/bin/sh
# import tacho: what its class Run gives of a run is that of SQL and of tacho's commands; examples of loggers,
# Grafana's dashboard and Prometheus's alerts name what tacho writes.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3 python3
plan 11
cd "$work" || exit 1
make_run run1 4 20 2 train gpu
sqlite3 run1/tacho.db "delete from finding; insert into finding (run_id, rule, n, seconds, message, evidence) select id, 'planted', 1, 1.5, 'a', 'select 1 as a'
	from run union all select id, 'other', 2, 0.5, 'b', 'select 2 as b' from run"
make_run odd 4 20 2 train hostile
PYTHONPATH=$(cd "$top_srcdir/include" && pwd) TACHO=$(cd "$(dirname "$tacho")" && pwd)/tacho PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH TACHO PYTHONDONTWRITEBYTECODE
py() { python3 -c "import json, sqlite3, subprocess, os, tacho
run = tacho.Run('run1')
db = sqlite3.connect('run1/tacho.db')
db.text_factory = lambda text: text.decode('utf-8', 'replace')
def said(*args): return json.loads(subprocess.run([os.environ['TACHO'], *args], stdout=subprocess.PIPE).stdout)
$1"; }

py "names = {n for n, in db.execute(\"select name from sqlite_master where type in ('table', 'view')\")}
assert set(run.tables()) == {n for n in names if not n.startswith('sqlite')}
for name in run.tables():
    rows = db.execute(f'select * from \"{name}\"')
    names, rows = [c[0] for c in rows.description], rows.fetchall()
    mine = run.table(name)
    assert sorted(mine, key=str) == sorted((dict(zip(names, row)) for row in rows), key=str), name"
check $? "tables and views are those of the database, with all rows"

py "found = run.findings()
assert found and [f['seconds'] for f in found] == [s for s, in db.execute('select seconds from finding order by n')]
assert found[0]['message'] and found[0]['evidence']"
check $? "findings come in their order"

py "checked = 0
for model, name, value in db.execute(\"select model, name, value from metric where \\\"window\\\" = 'run' and subject = ''\"):
    assert run.metric(f'{model}.{name}') == value, (model, name)
    checked += 1
assert checked > 20, checked
try: run.metric('host.nothing')
except KeyError: pass
else: raise AssertionError"
check $? "figures by name; an unknown name is a KeyError"

py "assert run.verdict() == said('explain', '--json', 'run1') and run.verdict()['statements'][0]['key'] == 'verdict'
assert run.whatif() == said('whatif', '--format', 'json', 'run1')"
check $? "verdict and what-if are those of the commands"

py "try: tacho.Run('run1').query('delete from run')
except sqlite3.OperationalError as e: assert 'readonly' in str(e), e
else: raise AssertionError
with tacho.Run('run1/tacho.db') as other: assert other.run_id == run.run_id
try: run.whatif('--nonsense')
except RuntimeError as e: assert 'nonsense' in str(e), e
else: raise AssertionError
assert tacho.Run('odd').findings() # names that are no UTF-8
try: tacho.Run('nowhere')
except sqlite3.OperationalError: pass
else: raise AssertionError"
check $? "a run is only read; what fails is an exception that says why"

sqlite3 run1/tacho.db "insert into environment (run_id, key, value) select id, 'TACHO::COMMIT', 'abc' from run" && cp run1/tacho.db many.db &&
	sqlite3 many.db "insert into run (id, label, path, command, start_ns, duration_ns, nranks, nlocations, nevents, exit_status, cut, tacho_version, analyzed_ns)
		select 7 + id, 'later', path, command, start_ns + 1000, duration_ns, nranks, nlocations, nevents, exit_status,
		cut, tacho_version, analyzed_ns from run"
py "found = tacho.runs('many.db')
first, later = [r['id'] for r in found]
assert [(r['label'], r['commit'], r['branch']) for r in found][1] == ('later', None, None) and found[0]['commit'] == 'abc', found
assert found[0] == dict(tacho.Run('run1').table('run')[0], commit='abc', branch=None)
assert tacho.Run('many.db').run_id == later and not tacho.Run('many.db').findings()
assert tacho.Run('many.db', first).findings() == run.findings()
try: tacho.Run('many.db', first).verdict()
except ValueError as e: assert 'last run' in str(e), e
else: raise AssertionError"
check $? "the runs of a database; verdict and what-if are those of its last run, or refused"

py "import inspect
def public(of): return {n: v for n, v in vars(of).items() if (inspect.isfunction(v) or inspect.isclass(v)) and
    (not n.startswith('_') or n == '__init__') and v.__module__ == 'tacho'}
def check(name, function):
    assert function.__doc__, name + ' has no docstring'
    parameters = inspect.signature(function).parameters
    assert set(function.__annotations__) == set(parameters) - {'self'} | {'return'}, name + ' lacks types'
seen = 0
for name, of in public(tacho).items():
    members = public(of) if inspect.isclass(of) else {name: of}
    assert of.__doc__, name
    for member, function in members.items():
        check(f'{name}.{member}', function)
        seen += 1
assert seen >= 18, seen"
check $? "each function, class and method has a docstring and types"
mypy=$(command -v /usr/bin/mypy || command -v mypy)
if [ "$mypy" ]; then
	"$mypy" --strict --ignore-missing-imports --cache-dir="$work/mypy" "$top_srcdir/include/tacho.py" >said 2>&1
	status=$?
	sed 's/^/# /' said
	check $status "mypy finds nothing in strict mode"
else
	skip "mypy is not installed"
fi

# the loggers against stand-ins that keep what they are given
mkdir fake && cat >fake/wandb.py <<'END'
import json
class Log:
    summary = {}
    def __enter__(self): return self
    def __exit__(self, *e): json.dump(self.summary, open("wandb.json", "w"))
def init(**options): return Log()
END
cat >fake/mlflow.py <<'END'
import contextlib, json
kept = {}
@contextlib.contextmanager
def start_run(**options):
    yield
    json.dump(kept, open("mlflow.json", "w"))
def set_tag(key, value): kept[key] = value
def log_metric(key, value): kept[key] = value
END
PYTHONPATH=$PYTHONPATH:$work/fake
python3 "$top_srcdir/examples/loggers/to_wandb.py" run1 && python3 "$top_srcdir/examples/loggers/to_mlflow.py" run1 &&
	py "text = said('explain', '--json', 'run1')['statements'][0]['text']
for file, sign in ('wandb.json', '/'), ('mlflow.json', '.'):
    kept = json.load(open(file))
    assert kept.pop('verdict') == text
    assert kept == {'seconds' + sign + r: s for r, s in db.execute('select rule, seconds from finding')}, kept"
check $? "W&B and MLflow get the verdict and the seconds of each finding (stand-ins of both)"

# metrics that the dashboard and the alerts ask for are those that the source writes
python3 - "$top_srcdir" <<'END'
import json, re, sys
top = sys.argv[1]
source = open(top + "/analyzer/watch/watch_metrics.c").read()
written = set()
for name, kind in re.findall(r'family\(&?writer, "(\w+)", "(\w+)"', source):
    written.add("tacho_" + name + ("_total" if kind == "counter" else ""))
board = json.load(open(top + "/examples/grafana/dashboard.json"))
text = " ".join(t["expr"] for p in board["panels"] for t in p["targets"]) + open(top + "/examples/grafana/alerts.yml").read()
asked = {n for n in re.findall(r"tacho_\w+", text) if n != "tacho_"}
assert len(written) >= 10 and asked and asked <= written, asked - written
assert len({p["id"] for p in board["panels"]}) == len(board["panels"])
END
check $? "the dashboard and the alerts ask for metrics that tacho watch writes"

if python3 -c 'import yaml' 2>/dev/null; then
	python3 - "$top_srcdir/examples/grafana/alerts.yml" <<'END'
import sys, yaml
rules = yaml.safe_load(open(sys.argv[1]))["groups"][0]["rules"]
assert len(rules) == 4 and all({"alert", "expr", "labels", "annotations"} <= set(r) for r in rules), rules
END
	check $? "the alerts are rules of Prometheus"
else
	skip "the alerts are rules of Prometheus: Python has no yaml"
fi
