#!/bin/sh
# The workflow files of examples/ci: their commands, run as the services would; and the notebook on the database that
# they have made.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3 python3
plan 8
mkdir "$work/bin" && ln -s "$tacho" "$work/bin/tacho" && PATH=$work/bin:$PATH && cd "$work" || exit 1
TACHO_LIB=$(ls "$top_builddir"/collector/.libs/libtacho.so 2>/dev/null) && [ -n "$TACHO_LIB" ] && export TACHO_LIB
export PYTHONPATH="$top_srcdir/include" PYTHONDONTWRITEBYTECODE=1
unset GITHUB_SHA GITHUB_REF_NAME GITHUB_HEAD_REF CI_COMMIT_SHA CI_COMMIT_REF_NAME CI_MERGE_REQUEST_SOURCE_BRANCH_NAME
cat >train.py <<'P'
import sys, time, tacho
with tacho.phase("train"):
    for n in range(12):
        with tacho.step(n, samples=8):
            time.sleep(float(sys.argv[1]))
P

# commands FILE: what the service would run, an item of `script` or a block of `run` after the other
commands() {
	awk '/^ *(script|run): *\|?$/ { within = 1; indent = match($0, /[^ ]/); next }
		within && match($0, /[^ ]/) <= indent { within = 0 }
		within { sub(/^ *(- )?/, ""); print }' "$1"
}
commands "$top_srcdir/examples/ci/gitlab-ci.yml" >gitlab.sh && commands "$top_srcdir/examples/ci/github.yml" >github.sh
grep -v '^#' gitlab.sh | grep -c '^tacho' >counts && grep -v '^#' github.sh | grep -c 'tacho [a-z]* ' >>counts && [ "$(tr '\n' ' ' <counts)" = "4 4 " ] || sed 's/^/# /' gitlab.sh github.sh
[ "$(tr '\n' ' ' <counts)" = "4 4 " ]
check $? "both files have four commands of tacho"

# pipeline SERVICE N SECONDS BRANCH: the status of pipeline N, with steps so long
pipeline() {
	hash=$(printf '%040d' "$2")
	GITHUB_STEP_SUMMARY=$work/summary BASE=main TRAIN="python3 train.py $3"
	export GITHUB_STEP_SUMMARY BASE TRAIN
	case $1 in
	gitlab) CI_COMMIT_SHA=$hash CI_COMMIT_REF_NAME=$4 sh -e ./gitlab.sh >log 2>&1 ;;
	github) GITHUB_SHA=$hash GITHUB_REF_NAME=$4 sh -e ./github.sh >log 2>&1 ;;
	esac
}
# On a busy machine a gate may stay open, which is status 1 of GitLab's and none of GitHub's.
pipeline gitlab 1 0.03 main
[ $? -eq 1 ] && grep -q 'history.db has no baseline' log && [ -s history.html ] || { sed 's/^/# /' log; false; }
check $? "GitLab: the first pipeline has no baseline, and a history"
pipeline gitlab 2 0.2 topic
status=$?
{ [ $status -eq 3 ] || { [ $status -eq 1 ] && grep -q 'cannot be decided' log; }; } && [ -s compare.html ] && [ -s run/report.html ] || { echo "# $status"; sed 's/^/# /' log; false; }
check $? "GitLab: a slower one fails"
python3 - $status <<'P'
import json, sys, xml.etree.ElementTree as tree
cases = list(tree.parse("junit.xml").iter("testcase"))
assert len(cases) == 1 and cases[0].find("failure" if sys.argv[1] == "3" else "error") is not None, cases
assert json.load(open("compare.json"))["base"]["label"] == "train"
P
check $? "GitLab: and says so in JUnit's XML, JSON and pages"
pipeline github 3 0.01 main
[ $? -eq 0 ] && [ -s summary ] || { sed 's/^/# /' log; false; }
check $? "GitHub: a faster one passes, with its summary in Markdown"
pipeline github 4 0.2 topic
status=$?
[ $status -eq 3 ] || { [ $status -eq 0 ] && grep -q '::warning::' log; } || { echo "# $status"; sed 's/^/# /' log; false; }
check $? "GitHub: a slower one fails"
[ "$(sqlite3 history.db "select group_concat(value, ' ') from (select value from environment where key = 'TACHO::BRANCH' order by run_id)")" = "main topic main topic" ]
check $? "the runs are in one database, with their branches"

if ! PYTHONPATH='' /usr/bin/python3 -c 'import pandas' 2>/dev/null; then
	skip "python3-pandas is not installed: the notebook is not run"
	exit 0
fi
TACHO_DB=history.db TACHO=$tacho PYTHONPATH=$(cd "$top_srcdir/include" && pwd) PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - \
	"$top_srcdir/examples/notebook/runs.ipynb" >log 2>&1 <<'P'
import json, sqlite3, sys
values = {}
for cell in json.load(open(sys.argv[1]))["cells"]:
    if cell["cell_type"] == "code":
        exec("".join(cell["source"]), values)
runs, db = values["runs"], sqlite3.connect("history.db")
ask = lambda sql: db.execute(sql).fetchall()
assert list(runs["branch"]) == ["main", "topic", "main", "topic"] and len(values["step_ms"]) == 4, runs
assert list(values["step_ms"])[1] >= 200 and abs(values["spent"].sum(axis=1) - runs["seconds"]).max() < 0.1 * runs["seconds"].max()
assert len(values["findings"]) == ask("select count(*) from finding")[0][0]
assert values["run"].run_id == max(runs.index) and len(values["verdict"]) > 20, values["verdict"]
assert list(values["causes"].columns[:1]) and "takes_ns" in values["causes"], values["causes"]
P
[ $? -eq 0 ] || { sed 's/^/# /' log; false; }
check $? "the notebook's cells run on it"
