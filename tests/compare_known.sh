#!/bin/sh
# Forty comparisons whose answer is known as they are made: equal runs, slower and faster ones by a known share, with and
# without noise, contention and long steps. A gate fails on no equal run and passes no run that is slower beyond all doubt.
. "$top_srcdir/tests/report_common.sh"
needs python3
plan 40
cd "$work" || exit 1
python3 "$top_srcdir/tests/report/comparisons_make.py" "$top_builddir/analyzer/db/schema.sql" >list || exit 1

# Each line: FOLDER STATUSES VERDICT SHARE: statuses of the gate that are right, what is said, and the change in % (- none)
while read -r name statuses verdict share what; do
	"$tacho" compare --gate --format json "$name/base" "$name/new" >said 2>complained
	status=$?
	case ,$statuses, in *,$status,*) right=0 ;; *) right=1; echo "# status $status, not $statuses" ;; esac
	[ $right -eq 0 ] && python3 - "$verdict" "$share" <<'P' || { right=1; sed 's/^/# /' complained; }
import json, sys
verdict, share = sys.argv[1:]
change = json.load(open("said"))["change"]
low, high = change["low"], change["high"]
seen = "undecided" if not change["decided"] else "slower" if low > 0 else "faster" if high < 0 else "same"
assert verdict == "any" or seen in verdict.split("|"), (seen, change)
assert share == "-" or abs(100 * change["share"] - float(share)) < 1.5, change
P
	check $right "$what"
done <list
