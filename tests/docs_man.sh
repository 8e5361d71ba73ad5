#!/bin/sh
# The manual page names every command, every environment variable that is read
# and every variable of the traced program that is kept.
man=$top_srcdir/analyzer/cli/tacho.1
pages=$(cd "$top_builddir" && pwd)/analyzer/cli/pages
cd "$top_srcdir" || exit 1
n=0

# says WHAT WORD…: each word stands in the page.
says() {
	what=$1
	shift
	missing=
	for word; do
		grep -qF -- "$word" "$man" || missing="$missing $word"
	done
	n=$((n + 1))
	[ $# -gt 0 ] && [ -z "$missing" ] && echo "ok $n - the manual page has $what" ||
		{ echo "not ok $n - the manual page has $what"; echo "# missing:${missing:- nothing found to look for}"; }
}

echo 1..4
says "every command" $(sed -n 's/^const struct command command_\([a-z]*\) =.*/\1/p' analyzer/cli/cmd_*.c)
says "every TACHO_ variable" $(grep -rhoE '(getenv|read)\("TACHO_[A-Z_]+"' collector analyzer |
	grep -oE 'TACHO_[A-Z_]+' | grep -v TACHO_PARENT | sort -u)
says "every kept variable" $(sed -n '/allowed\[\] = {/,/^};/p' collector/core/env.c | grep -o '"[^"]*"' |
	tr -d '"')
if command -v man >/dev/null && command -v groff >/dev/null; then
	n=$((n + 1))
	warnings=$(for page in "$man" "$pages"/*.1; do
		LC_ALL=C.UTF-8 MANROFFSEQ= MANWIDTH=100 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null
	done)
	[ -z "$warnings" ] && echo "ok $n - the manual pages are formatted without a warning" ||
		{ echo "not ok $n - the manual pages are formatted without a warning"; echo "$warnings" | sed 's/^/# /'; }
else
	echo "ok 4 - the manual pages are formatted without a warning # SKIP no man or groff"
fi
