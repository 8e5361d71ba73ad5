#!/bin/sh
# Names cannot leave their place: no HTML, SQL, gnuplot or shell command comes out of them.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3 python3
plan 8
html() { python3 "$samples/html_check.py" "$@"; }

make_run hostile 4 100 2 train hostile
cd "$work/hostile" || exit 1
cp tacho.db before.db
LC_ALL=C "$tacho" report . >"$work/out" 2>"$work/said"
check $? "a run full of hostile names is reported on"
html report.html
check $? "the page has no element, attribute or link that a name made"
html --text report.html >"$work/text"
grep -qF '</svg><script>alert(1)</script>' "$work/text" &&
	grep -qF "'; drop table run; --" "$work/text" &&
	grep -qF '"><img src=x onerror=alert(2)>' "$work/text" &&
	grep -qF 'ünïcödé 数据 🚂' "$work/text" &&
	grep -qF '%s%n%1000000d%' "$work/text" && grep -qF 'nul␀byte␀' "$work/text" &&
	grep -qF 'back\slash\n\␊newline' "$work/text"
check $? "names are shown as they are, control characters as pictures"
grep -q '^# </title><script>alert(3)</script>`touch pwned`' "$work/text"
check $? "so is the run's label, as title and heading"
[ -z "$(find "$work" / -maxdepth 1 -name pwned; find "$work" -name pwned)" ]
check $? "no command of a name was run"
cmp -s tacho.db before.db
check $? "the database is as it was"
if command -v gnuplot >/dev/null 2>&1; then
	[ ! -s "$work/said" ] && python3 - report/*.svg <<'P'
import sys, xml.etree.ElementTree as tree
for path in sys.argv[1:]:
    for element in tree.parse(path).iter():
        name = element.tag.split("}")[1]
        assert name not in ("script", "a", "foreignObject"), (path, name)
for plot, name in ("rate_loss", "</svg><script>alert(1)</script>"), ("timeline_step", "</svg><scri…"):
    text = "".join(tree.parse("report/%s.svg" % plot).getroot().itertext())
    assert name in text, text
    assert "ünïcödé 数据 🚂" in text, text
P
	check $? "gnuplot draws hostile names as text, without complaint"
else
	skip "gnuplot is not installed"
fi
python3 - <<'P'
import csv, sqlite3
names = {row[0] for row in csv.reader(open("report/files.csv", newline="", encoding="utf-8"))}
for wanted in ('=cmd|\'/c calc\'!A1,"q"', "`touch pwned`", '"><img src=x onerror=alert(2)>', "--><!--"):
    assert wanted in names, wanted
P
check $? "CSV keeps names as they are"
