#!/bin/sh
# Files that a program opens again: one definition and one system call of the library's, and the right
# names where files and names change.
. "$top_srcdir/tests/collector_common.sh"
load=$top_builddir/tests/unit/files_load
echo 1..10

# at FOLDER LOAD: recorded in a folder of its own
at()
{
	mkdir -p "$tmp/$1"
	(cd "$tmp/$1" && record "$tmp/$1.run" "$load" "$2")
}

at names names
"$dump" "$tmp"/names.run/spool/* >"$tmp/all"
sed -n '/^process .*is_child=0/,$p' "$tmp/all" >"$tmp/parent" # the child's comes first

# defined PATH: how many definitions of it the first process has
defined()
{
	grep -c "^handle .*/names/$1\$" "$tmp/parent"
}

# by fopen to be written, then by open
ok "a file that is opened again is defined once" same "$(defined sample.1)" 2
ok "its openings are recorded" same "$(grep -c '^io.* open a=' "$tmp/all")" $((2 * 100 + 3 + 6 + 2))
ok "two descriptors at once have two definitions" same "$(defined sample.0)" 3
grep -o '^io.* read a=[0-9]*' "$tmp/parent" >"$tmp/reads"
ok "the number of the one that is closed is taken again, not that of the open one" same \
	"$(sort -u "$tmp/reads" | wc -l) $(sed -n 2,3p "$tmp/reads" | sort -u | wc -l)" "2 1"
ok "the same words in another folder are another path" same "$(defined one/moved) $(defined two/moved)" "1 1"
ok "a renamed file has its new name" same "$(defined after)" 1
ok "a new file of the old name is another one" same "$(defined before)" 2
ok "a forked child defines what it opens" same \
	"$(grep -c '^handle .*/names/sample.1$' "$tmp/all")" 3
ok "what a child of vfork opens is none of its parent's files" same "$(defined of-vfork) $(defined of-parent)" "0 1"

at calls calls >"$tmp/calls.out"
if [ $? = 77 ]; then
	skip "the library makes one system call per opening" "no filters of system calls"
else
	ok "the library makes one system call per opening" same "$(cat "$tmp/calls.out")" "fstat 100, others 0"
fi
