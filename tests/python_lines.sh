#!/bin/sh
# Which line of Python: times that are planted in known lines are found there, of every CPython that
# there is. A look that a busy machine delays counts for the line it finds, so a run is tried again.
. "$top_srcdir/tests/python_common.sh"
echo 1..$((1 + 3 * $(pythons | wc -l)))

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
