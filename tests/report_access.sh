#!/bin/sh
# Each kind of page can be read with a keyboard, a screen reader or weak eyes: in light and in dark, as loaded and after its links
# were followed and all of it was opened. By own checks, and by axe-core where AXE names an axe.min.js.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3 chromium python3
plan 9
access() { python3 "$samples/access.py" "$@" >"$work/said"; status=$?; sed 's/^/# /' "$work/said"; return $status; }

make_run run 4 100 2 train killed
make_run gpu 4 100 2 train gpu
make_run hostile 4 100 2 train gpu hostile
make_run two 2 100 1 train
make_run 64 64 40 8 train gpu
make_run 512 512 10 64 train
for run in run gpu hostile two 64 512; do
	"$tacho" report "$work/$run" >/dev/null 2>&1
done
page() { echo "$work/$1/report.html"; }
access "$(page two)" "$(page run)"
check $? "pages of runs of 2 and 4 ranks"
access "$(page 64)" "$(page 512)"
check $? "of 64 and 512 ranks"
access "$(page gpu)" "$(page hostile)"
check $? "of GPUs, and of names that are as bad as can be"
"$tacho" report -o "$work/runs.html" "$work/two" "$work/run" "$work/gpu" >/dev/null 2>&1 && access "$work/runs.html"
check $? "the page of several runs"
"$tacho" compare -o "$work/compare.html" "$work/run" "$work/gpu" >/dev/null 2>&1 && access "$work/compare.html"
check $? "that of a comparison"
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	sqlite3 "$work/two/tacho.db" "update run set start_ns = 1767225600000000000 + $i * 3600000000000, label = 'night $i';
		update step set end_ns = end_ns + ($i > 8) * 300000000 + $i % 3 * 100000" && cp "$work/two/tacho.db" "$work/$i.db"
done
(cd "$work" && "$tacho" history -o history.html 1.db 2.db 3.db 4.db 5.db 6.db 7.db 8.db 9.db 10.db 11.db 12.db) >/dev/null 2>&1 && access "$work/history.html"
check $? "that of a history"
export TACHO_LIB="$top_builddir/collector/.libs/libtacho.so"
if ${CC:-cc} -O1 -I"$top_srcdir/include" -o "$work/load" "$top_srcdir/tests/e2e/sweep_load.c"; then
	(cd "$work" && "$tacho" sweep -o study -n 1,2 -r 2 -k ms=2,8 -- ./load '{ranks}' '{ms}') >/dev/null 2>&1
	access "$work/study/study.html"
	check $? "that of a study"
else
	skip "no C compiler"
fi

# view OPTION...: a run is served while the pages at its address are looked at
"$tacho" view "$work/gpu" >"$work/url" 2>/dev/null &
view=$!
for i in $(seq 300); do
	[ ! -s "$work/url" ] || break
	sleep 0.1
done
python3 - "$(cat "$work/url")report.html" <<'P'
import sys, time, urllib.error, urllib.request
for _ in range(3000):
	try:
		urllib.request.urlopen(sys.argv[1])
		break
	except urllib.error.HTTPError:
		time.sleep(0.1)
P
access "$(cat "$work/url")" "$(cat "$work/url")report.html"
check $? "that of tacho view, and its frame"
kill $view
wait $view

# What the checks are to find is found.
sed 's/<h1/<h3>x<\/h3><button><\/button><p style="color:#999;background:#aaa">pale<\/p><section aria-label="a">a<\/section><section aria-label="a">b<\/section><h1/' "$work/two/report.html" >"$work/two/wrong.html"
AXE=none access "$work/two/wrong.html"
[ $? -eq 1 ] && [ "$(grep -c 'light: 1 has no name: <button\|light: 1 has a contrast of 1\|light: 2 is called as another' "$work/said")" -eq 3 ]
check $? "what has no name, no contrast, or the name of another is found"
