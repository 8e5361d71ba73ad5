#!/bin/sh
# Twelve histories whose answer is known as they are made: six with a jump of known place, six without any.
. "$top_srcdir/tests/report_common.sh"
needs python3
plan 12
cd "$work" || exit 1
export COLUMNS=200
python3 "$top_srcdir/tests/report/histories_make.py" "$top_builddir/analyzer/db/schema.sql" >list || exit 1

# Each line: FILE RUN CHANGE, the first run after the jump and by how many times; 0: none
while read -r file run change what; do
	"$tacho" history --format json "$file.db" >said 2>complained && python3 - "$run" "$change" <<'P'
import json, sys
run, change = int(sys.argv[1]), float(sys.argv[2])
said = json.load(open("said"))
found = [c for c in said.get("changes", []) if c["figure"] == "time of a step"]
if not run:
    assert not found, found
else:
    assert len(found) == 1 and found[0]["run"] == run, (run, found)
    ratio = found[0]["after"] / found[0]["before"]
    assert abs(ratio / change - 1) < 0.04, (change, ratio)
    assert found[0]["way"] == ("worse" if change > 1 else "better"), found
P
	check $? "$what"
done <list
