#!/bin/sh
# What a run's folder has not is said alike by all commands, with the command that goes on; no chase
# from one to the next when nothing was recorded. -q record writes the report all the same.
. "$top_srcdir/tests/collector_common.sh"
tacho=$top_builddir/analyzer/tacho
cd "$tmp" || exit 1
echo 1..7

# all_say RUN PATTERN [COMMANDS]: each command ends with status 1 and one line that matches
all_say()
{
	for command in ${3:-stats info dump report compare analyze merge export scaling}; do
		case $command in
		compare | scaling) arguments="$1 $1" ;;
		export) arguments="$1 --csv $tmp/csv" ;;
		*) arguments=$1 ;;
		esac
		$as "$tacho" $command $arguments >/dev/null 2>"$tmp/said"
		if [ $? -ne 1 ] || [ "$(wc -l <"$tmp/said")" -ne 1 ] || ! grep -q "$2" "$tmp/said"; then
			echo "$command: $(cat "$tmp/said")"
			return 1
		fi
	done
}

as=
mkdir some
ok "a run that is not there is named" all_say none 'none does not exist'
ok "so is a folder that is no run" all_say some 'some is not the folder of a recorded run'
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
chmod 000 run/tacho.db run/trace run/spool
chmod 755 "$tmp"
if [ "$(id -u)" != 0 ]; then
	ok "what may not be read is named" all_say run 'cannot read .*: Permission denied'
elif as="setpriv --reuid 65534 --clear-groups" && $as test -x "$tacho" 2>/dev/null; then
	rm -rf run/trace.tmp
	ok "what may not be read is named" all_say run 'cannot read .*: Permission denied'
else
	skip "what may not be read is named" "nobody else may run this tacho"
fi
chmod 755 run/tacho.db run/trace run/spool
