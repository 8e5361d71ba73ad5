#!/bin/sh
# Firefox opens the page and works with it as a reader does: zoom, hover, search, sort; its policy lets the script run.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3 python3 firefox-esr
plan 2

make_run run1 4 100 2 train hostile
"$tacho" report "$work/run1" >/dev/null 2>&1
timeout 400 python3 "$samples/firefox.py" "$work/run1/report.html" "$samples/drive.js" "$work/shot.png" >"$work/said" 2>&1
status=$?
if [ $status -eq 77 ]; then
	skip "Firefox does not start here"
	skip "Firefox does not start here"
	exit 0
fi
sed 's/^/# /' "$work/said"
[ $status -eq 0 ] && [ "$(cat "$work/said")" = driven ]
check $? "Firefox zooms, hovers, searches, sorts and filters"
python3 - "$work/shot.png" <<'P'
import struct, sys
png = open(sys.argv[1], "rb").read()
wide, high = struct.unpack(">II", png[16:24])
assert wide > 1000 and high > 600 and len(png) > 20000, (wide, high, len(png))
P
check $? "and shows it"
