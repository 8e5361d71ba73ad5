#!/bin/sh
# Every option of every command stands in its part of the manual page, and every option there is one:
# the help is printed from the tables that read the command line.
man=$top_srcdir/analyzer/cli/tacho.1
tacho=$top_builddir/analyzer/tacho
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
n=0

check() {
	status=$1
	n=$((n + 1))
	[ "$status" -eq 0 ] && echo "ok $n - $2" || { echo "not ok $n - $2"; sed 's/^/# /' "$work/why"; }
}

# help_options [COMMAND]: its options, as the help has them
help_options() {
	"$tacho" "$@" --help | sed -n 's/^  \(-.*\)/\1/p' | sed 's/  .*//' | grep -oE -- '-(-[a-z][a-z-]*|[a-zA-Z])\b' | sort -u
}

# man_options HEAD [PAGE]: those that begin a paragraph of the part of the page with this heading
man_options() {
	awk -v head="$1" '
		/^\.S[HS] / { within = index($0, head) == 1; next }
		within && tagged { print; tagged = 0 }
		/^\.TP/ { tagged = 1 }' "${2:-$man}" |
		sed 's/\\f.//g; s/\\-/-/g; s/"//g; s/^\.[A-Z]* //' |
		grep -oE -- '(^|[ ,])-(-[a-z][a-z-]*|[a-zA-Z])\b' | tr -d ' ,' | sort -u
}

commands=$("$tacho" --help | sed -n 's/^  \([a-z]*\)  *[A-Z].*/\1/p')
count=$(echo "$commands" | wc -l)
echo 1..$((2 * count + 2))
echo "$commands" >"$work/why"
[ "$count" -ge 10 ]
check $? "the help lists the commands"
help_options >"$work/help"
man_options ".SH OPTIONS" | grep -vxE -- '-h|--help' >"$work/man"
diff "$work/help" "$work/man" >"$work/why" && [ -s "$work/help" ]
check $? "the options before the command are those of the manual page"
for command in $commands; do
	help_options "$command" >"$work/help"
	man_options ".SS \"tacho $command " >"$work/man"
	"$tacho" "$command" --help | grep -q "^usage: tacho $command" &&
		grep -q "^\.SS \"tacho $command " "$man" && diff "$work/help" "$work/man" >"$work/why"
	check $? "the options of tacho $command are those of the manual page"
	page=$top_builddir/analyzer/cli/pages/tacho-$command.1
	man_options ".SH OPTIONS" "$page" >"$work/man"
	diff "$work/help" "$work/man" >"$work/why" && grep -q "^tacho..$command .- [a-z]" "$page"
	check $? "it has a page of its own, with these options"
done
