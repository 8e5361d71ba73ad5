#!/bin/sh
# A user who ends tacho record while it merges or analyses is told how to go on, and can.
tacho=$top_builddir/analyzer/tacho
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 99
mkdir large
"$top_builddir/tests/unit/spool_make" large <<'TEXT' || exit 99
process a.1.0 1 0 1
comm 1 world 0 0 0 0
handle 1 file 1 0 /data/x
end 1000000000
thread 0 main
fill 400000
thread 1 reader
fill 400000
TEXT
ntests=0
check() {
	ntests=$((ntests + 1))
	text=$1
	shift
	if output=$("$@" 2>&1); then echo "ok $ntests - $text"; else
		echo "not ok $ntests - $text"
		printf '%s\n' "$output" | sed 's/^/# /'
	fi
}

# interrupt SIGNAL RUN FILE: ends tacho record by the signal once FILE is there; its status
interrupt() {
	"$tacho" record -o "$2" -- sh -c 'mkdir "$TACHO_DIR/spool" && cp -r large/* "$TACHO_DIR/spool"' \
		2>"$2.err" >/dev/null &
	pid=$!
	while kill -0 $pid 2>/dev/null && ! ls $3 >/dev/null 2>&1; do sleep 0.01; done
	kill -"$1" $pid
	wait $pid
}

interrupt TERM merging 'merging/trace.tmp/traces/*.evt'
check "tacho ends by the signal" test $? = 143
check "ended while it merges it says how to go on" \
	grep -q '^tacho: interrupted, the spools are kept: .tacho finish merging. resumes it' merging.err
check "once" test "$(grep -c interrupted merging.err)" = 1
goes_on() {
	timeout 100 "$tacho" -q finish merging && [ -s merging/tacho.db ] && [ ! -e merging/spool ]
}
check "and so it goes on" goes_on
check "nothing is left of the first merge" test ! -e merging/trace.tmp

interrupt HUP analyzing 'analyzing/tacho.db.*'
check "tacho ends by the signal" test $? = 129
check "ended while it analyses it says how to go on" \
	grep -q '^tacho: interrupted.*complete: .tacho finish analyzing' analyzing.err
check "nothing is left of the first database" test -z "$(ls analyzing/tacho.db* 2>/dev/null)"
analyzes() {
	timeout 100 "$tacho" -q finish analyzing && [ -s analyzing/tacho.db ]
}
check "and so it goes on" analyzes

# Ctrl-C goes to all of the foreground's processes: tacho, a launcher, which passes it on, and the ranks.
# keyboard RUN PROGRAM: tacho in a group of its own, which is in $pid
keyboard() {
	setsid env --default-signal=INT "$tacho" record -o "$1" -- sh -c '
		trap "kill -INT \$rank" INT
		env --default-signal=INT sh -c "$0" & rank=$!
		while kill -0 $rank 2>"$TACHO_DIR/gone"; do wait $rank; done
		exit 130' "$2" 2>"$1.err" >/dev/null &
	pid=$!
}

# await COMMAND...: until it succeeds, as long as tacho lives
await() {
	while kill -0 $pid 2>/dev/null && ! "$@" >/dev/null 2>&1; do sleep 0.01; done
}

# twice RUN COMMAND...: of a program that records and ends at Ctrl-C; a second one once the command succeeds
program='mkdir "$TACHO_DIR/spool"; cp -r large/* "$TACHO_DIR/spool"; trap "exit 130" INT
	touch "$TACHO_DIR/ready"; while :; do sleep 0.05; done'
twice() {
	keyboard "$1" "$program"
	await test -e "$1/ready"
	kill -INT -$pid
	shift
	await "$@"
	kill -INT -$pid
	wait $pid
}

says_how() {
	cat "$1.err"
	[ "$(grep -c interrupted "$1.err")" = 1 ] &&
		grep -q "^tacho: interrupted, the spools are kept: .tacho finish $1. resumes it" "$1.err"
}
merges() {
	timeout 100 "$tacho" -q merge "$1" && [ -s "$1/trace/traces.otf2" ] && timeout 100 "$tacho" -q analyze "$1"
}

twice two sh -c 'ls two/trace.tmp/traces/*.evt'
check "a second Ctrl-C, while it merges, ends it" test $? = 130
check "and it says how to go on" says_how two
check "tacho merge goes on, too" merges two

# its folder's name says that this test is a process of the run, so that tacho waits for it
mv large/a.1.0 "large/$(hostname).$$.0"
twice waits grep -q end_ns waits/run.properties
check "one while it waits for the program's processes ends it" test $? = 130
check "and it says how to go on" says_how waits
check "tacho merge goes on, too" merges waits
echo "1..$ntests"
