# Shared by the tests of Python's lines: sourced, not run.
. "$top_srcdir/tests/collector_common.sh"
tacho=$top_builddir/analyzer/tacho
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
unset PYTHONPATH
for tool in python3 sqlite3; do
	command -v $tool >/dev/null || { echo "1..0 # SKIP $tool is not installed"; exit 0; }
done

# Each CPython from 3.8 on that there is, one of a minor version: the system's, in PATH, of pyenv.
pythons()
{
	for python in /usr/bin/python3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 \
		"${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3; do
		"$python" -c 'import sys
assert sys.implementation.name == "cpython" and (3, 8) <= sys.version_info < (3, 15)
print(sys.version_info[1], sys.executable)' 2>/dev/null
	done | sort -n -k 1,1 -s -u | cut -d ' ' -f 2
}

db()
{
	sqlite3 "$tmp/run/tacho.db" "$@"
}

# sql QUERY: whether it answers 1
sql()
{
	same "$(db "$1")" 1 || { cat "$tmp/out"; false; }
}

# The program did not get its core when it wanted it, so that the sampler did not, either: looks that come
# late count for the line they find. Share of the time that the main thread was in the run queue.
disturbed()
{
	sql "select coalesce(max(value), 0) > 0.02 * max(r.duration_ns) from run r left join metric m on m.run_id = r.id
		and m.\"window\" = 'run' and m.name = 'core_waited'" >/dev/null
}

found_all()
{
	cat "$tmp/found"
	test "$(wc -l <"$tmp/found")" -ge 10 && ! awk -F '|' '$3 < 0.9 || $3 > 1.1' "$tmp/found" | grep .
}
