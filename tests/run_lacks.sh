#!/bin/sh
# What a run's folder has not is said alike by all commands, with the command that goes on; no chase
# from one to the next when nothing was recorded. -q record writes the report all the same.
. "$top_srcdir/tests/collector_common.sh"
tacho=$top_builddir/analyzer/tacho
cd "$tmp" || exit 1
echo 1..13

commands="stats info dump report explain whatif compare analyze merge export scaling history"
live="watch view where snapshot control finish"

# all_say RUN PATTERN [COMMANDS]: each command ends with status 1 and one line that matches
all_say()
{
	for command in ${3:-$commands}; do
		case $command in
		compare | scaling) arguments="$1 $1" ;;
		export) arguments="$1 --csv $tmp/csv" ;;
		control) arguments="$1 stop" ;;
		*) arguments=$1 ;;
		esac
		$as timeout 20 "$tacho" $command $arguments >/dev/null 2>"$tmp/said"
		if [ $? -ne 1 ] || [ "$(wc -l <"$tmp/said")" -ne 1 ] || ! grep -q "$2" "$tmp/said"; then
			echo "$command: $(cat "$tmp/said")"
			return 1
		fi
	done
}

as=
mkdir some
"$tacho" --help | sed -n 's/^  \([a-z]*\)  *[A-Z].*/\1/p' | grep -vxE 'record|doctor|sweep|completion' | sort >all
printf '%s\n' $commands $live | sort | diff - all >differ
ok "all commands that take a run are asked here" test ! -s differ
ok "a run that is not there is named" all_say none 'none does not exist\|there is no run none' "$commands $live"
ok "so is a folder that is no run" all_say some 'some is not the folder of a recorded run' "$commands view where snapshot control finish"
"$tacho" -q record -o empty -- sh -c 'exit 3' >said 2>&1
ok "an empty run says what record saw" all_say empty 'ended with status 3, and no process made'
"$tacho" -q record --all --keep-spools -o run -- cat said >said.2 2>&1
ok "-q record writes the report" test -s run/report.html
cp -r run merged && rm merged/tacho.db
ok "with a trace the next step is the analysis" all_say merged 'run tacho analyze merged first' \
	"stats info report compare export"
cp -r merged spools && rm -r spools/trace
ok "with spools it is both" all_say spools 'run tacho merge spools and tacho analyze spools first' \
	"stats info report compare export"

# As somebody who may not read them; root may read everything.
chmod 755 "$tmp"
others="setpriv --reuid 65534 --clear-groups"
cp -r run closed && mkdir shut && cp -r run shut
chmod 000 run/tacho.db run/trace run/spool closed shut
if [ "$(id -u)" = 0 ] && ! $others test -x "$tacho" 2>/dev/null; then
	skip "parts that may not be read are named" "nobody else may run this tacho"
	skip "so is the folder" "nobody else may run this tacho"
	skip "and one in a folder that is shut" "nobody else may run this tacho"
	skip "and one that is to be measured" "nobody else may run this tacho"
else
	[ "$(id -u)" != 0 ] || as=$others
	ok "parts that may not be read are named" all_say run 'cannot read .*: Permission denied'
	ok "so is the folder" all_say closed 'cannot read closed: Permission denied' "$commands $live"
	ok "and one in a folder that is shut" all_say shut/run 'cannot read shut/run: Permission denied' "$commands $live"
	$as "$tacho" doctor shut/run >said 2>&1
	ok "and one that is to be measured" grep -qx 'tacho: cannot read shut/run: Permission denied' said
fi
chmod 755 run/tacho.db run/trace run/spool closed shut

# An installation that lies elsewhere than it was configured for says where its files are.
mkdir -p else/bin else/lib else/share/tacho && cp "$tacho" else/bin && cp "$top_srcdir/include/tacho.py" else/share/tacho
TACHO_LIB=$lib else/bin/tacho record -o nothing -- sh -c : 2>said.3
ok "files are named where they are installed" grep -qF "$(realpath else)/share/tacho/tacho.py" said.3

# On a terminal the analysis says what comes next.
if command -v script >/dev/null; then
	TERM=xterm script -qec "'$tacho' analyze run" /dev/null </dev/null >said.4 2>&1
	ok "after the analysis the next commands are named" grep -q 'tacho report run makes its page, tacho stats run' said.4
else
	skip "after the analysis the next commands are named" "script is not installed"
fi
