#!/bin/sh
# Which line of Python: times that are planted in known lines are found there, of every CPython that
# there is. A look that a busy machine delays counts for the line it finds, so a run is tried again.
. "$top_srcdir/tests/python_common.sh"
echo 1..$((5 + 3 * $(pythons | wc -l)))

planted=$top_srcdir/tests/python/planted.py
for python in $(pythons); do
	version=$("$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])')
	for try in 1 2 3; do
		rm -rf "$tmp/run" "$tmp/truth"
		"$tacho" -q record --python-hz 200 -o "$tmp/run" -- env RANK=0 WORLD_SIZE=1 "$python" "$planted" "$tmp/truth" >"$tmp/out" 2>&1
		# line, planted seconds, found share of them
		db "create temp table truth (line, s); $(sed 's/\(.*\) \(.*\)/insert into truth values (\1, \2);/' "$tmp/truth")
			select line, sum(s), coalesce((select sum(ns) / 1e9 from python_line p
				where p.file like '%/planted.py' and p.line = t.line), 0) / sum(s) as share
			from truth t group by line" >"$tmp/found"
		awk -F '|' '$3 < 0.9 || $3 > 1.1' "$tmp/found" | grep -q . || break
	done
	if found_all >/dev/null || ! disturbed; then
		ok "$version: 90 % of each planted time is found in its line" found_all
	else
		skip "$version: 90 % of each planted time is found in its line" "the machine was too busy, three times"
	fi
	ok "$version: nearly all of the main thread's life is known" sql "select sum(case when file is not null then ns end) > 0.95 * sum(ns)
		from python_line where thread = 'main'"
	ok "$version: what looking costs is told" sql "select count(*) > 0 from environment where key = 'python_cost_ns' and value > 0"
done
"$tacho" -q record --no-python -o "$tmp/off" -- env RANK=0 WORLD_SIZE=1 "$(pythons | head -1)" -c 'import time; time.sleep(0.2)' >"$tmp/out" 2>&1
ok "with --no-python nothing is looked at" same "$(sqlite3 "$tmp/off/tacho.db" "select count(*) from python_sample;
	select count(*) from environment where key like 'python%'" | tr '\n' ' ')" "0 0 "

# A program that is installed as a package: no line is the user's own.
mkdir -p "$tmp/site-packages/job"
printf 'import time\n\n\ndef attempt():\n    time.sleep(0.05)\n' >"$tmp/site-packages/job/remote.py"
printf 'from job.remote import attempt\n\nfor _ in range(20):\n    attempt()\n' >"$tmp/site-packages/job/train.py"
PYTHONPATH=$tmp/site-packages "$tacho" -q record --python-hz 200 -o "$tmp/job" -- env RANK=0 WORLD_SIZE=1 "$(pythons | head -1)" -m job.train >"$tmp/out" 2>&1
ok "a line in a package is named with the file that calls it" same "$(sqlite3 "$tmp/job/tacho.db" "select place from python_sample s
	join python_place using (frame_id) where s.run_id = 1 group by place order by sum(ns) desc limit 1")" \
	"attempt() at remote.py:5, called from train.py:4"

# A free-threaded build has other objects and frames: it is left alone, with one line about it.
${CC:-cc} -rdynamic -o "$tmp/free" "$top_srcdir/tests/python/free_threaded.c" || exit 99
"$tacho" -q record --python-hz 200 -o "$tmp/run" -f -- env RANK=0 WORLD_SIZE=1 "$tmp/free" >"$tmp/out" 2>"$tmp/said"
ok "a free-threaded build runs to its end" same "$(cat "$tmp/out")" done
ok "one line says that it is not sampled" same "$(grep -c 'not sampled, as this build of Python 3.13.5 is free-threaded' "$tmp/said") $(wc -l <"$tmp/said")" "1 1"
ok "and it is not" same "$(db "select count(*) from python_sample")" 0
