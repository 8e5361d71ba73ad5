#!/bin/sh
# Functions that run in a subinterpreter are sampled, and those of the main interpreter beside them: in each CPython here.
. "$top_srcdir/tests/python_common.sh"
cat >"$tmp/sub.py" <<'END'
import time
try:
    import _interpreters as interpreters
    run = interpreters.exec
except ImportError:
    import _xxsubinterpreters as interpreters
    run = interpreters.run_string
def nap_here():
    time.sleep(1)
nap_here()
run(interpreters.create(), "import time\ndef nap_inside():\n    time.sleep(2)\nnap_inside()\n")
nap_here()
END
pythons >"$tmp/pythons"
echo "1..$(wc -l <"$tmp/pythons")"
while read -r python; do
	rm -rf "$tmp/run"
	version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
	RANK=0 WORLD_SIZE=1 "$tacho" -q record -o "$tmp/run" -- "$python" "$tmp/sub.py" >"$tmp/out" 2>&1 </dev/null
	ok "Python $version: lines of both interpreters are sampled" same "$(db "select group_concat(function, ' ') from
		(select function from python_line where function like 'nap_%' and state = 'wait' group by 1 having sum(ns) > 5e8 order by 1)")" "nap_here nap_inside"
done <"$tmp/pythons"
