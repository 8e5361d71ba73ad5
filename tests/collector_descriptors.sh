#!/bin/sh
# The library has no descriptor in the program's table, no limit of the program's meets its files, and its
# helper thread is in no call's way.
# TACHO_TEST_ROUNDS: how often the program opens and duplicates (100,000).
. "$top_srcdir/tests/collector_common.sh"
program=$top_builddir/tests/unit/own_descriptors
case $program in /*) ;; *) program=$PWD/$program lib=$PWD/$lib dump=$PWD/$dump ;; esac

# passes MODE…: the program finds nothing wrong
passes()
{
	(cd "$tmp" && record "$tmp/run.$1" "$program" "$@")
}

# complete MODE: nor is any event lost
complete()
{
	passes "$1" && same "$(lines "$tmp/run.$1" ' lost\.')" 0
}

echo 1..9
ok "files and numbers of the program stay as they are, and its table has its own files only" \
	passes stress "${TACHO_TEST_ROUNDS:-100000}"
ok "a program that has taken all descriptors is recorded to its end" complete full
ok "one with a small RLIMIT_FSIZE is not killed" passes small
ok "a child of clone(CLONE_VM) ends, and is the only one" timeout 60 sh -c \
	"cd '$tmp' && TACHO_ALL=1 TACHO_DIR='$tmp/run.clone' LD_PRELOAD='$lib' '$program' clone"
ok "a user namespace can be entered, as without the library" complete namespace
ok "one that locks its memory under a small limit has all of that limit" complete locked
# What the library adds to the process: its mapped files and its own, nothing else (docs/calls.md).
(cd "$tmp" && "$program" inside) | sort -u >"$tmp/bare"
(cd "$tmp" && record "$tmp/run.inside" "$program" inside) | sort -u >"$tmp/seen"
ok "no descriptor, thread, signal handler or mask is added" same "$(grep -v ^/ "$tmp/seen")" "$(grep -v ^/ "$tmp/bare")"
ok "files that are mapped are the library's and its spools" same \
	"$(comm -13 "$tmp/bare" "$tmp/seen" | grep '^/' | grep -cv "/libtacho\.so\|^$tmp/run\.inside/")" 0
if command -v valgrind >/dev/null; then
	ok "a program under valgrind ends as without" same "$(cd "$tmp" && record "$tmp/run.valgrind" valgrind -q \
		"$program" small >/dev/null 2>&1; echo $?)" 0
else
	skip "a program under valgrind ends as without" "no valgrind"
fi
