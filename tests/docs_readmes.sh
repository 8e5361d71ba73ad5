#!/bin/sh
# Every .c and every folder of analyzer/ and collector/ is named in the README of its folder or of
# the one above, and what a README names is there.
cd "$top_srcdir" || exit 1

# result N WHAT: passes if there is nothing on standard input.
result() {
	bad=$(cat)
	[ -z "$bad" ] && echo "ok $1 - $2" || { echo "not ok $1 - $2"; echo "$bad" | sed 's/^/# /'; }
}

# named NAME README…: as a word of its own, so that replay.c is not found in replay_wait.c.
named() {
	word=$(echo "$1" | sed 's/\./\\./g')
	shift
	cat "$@" 2>/dev/null | grep -qE "(^|[^A-Za-z0-9_.])$word([^A-Za-z0-9_]|\$)"
}

# Names of files in a README, without placeholders (NAME, N), headers that belong to others, and lines of
# commands, whose files are a user's.
names() {
	grep -v '^    ' "$1" | grep -oE '[A-Za-z0-9_./*-]+\.(c|h|def|sql|awk|gp|sh|py|mk|md)(:[0-9]+)?\>' |
		grep -vE 'NAME|AREA|RULE|-N\.|RUN/|^mpi\.h$|:[0-9]' | sort -u	# a line of it: of a user's file
}

words=$(mktemp) || exit 99
trap 'rm -f "$words"' EXIT
echo 1..5
# A subcommand's file says what it is by itself: its name and summary are its help.
find analyzer collector -name '*.c' ! -name 'cmd_*.c' | LC_ALL=C sort | while read -r file; do
	folder=${file%/*}
	named "${file##*/}" "$folder/README.md" || named "${file##*/}" "$folder/../README.md" || echo "$file"
done | result 1 "every .c is named in a README"
find analyzer collector -mindepth 1 -type d | LC_ALL=C sort | while read -r folder; do
	[ -n "$(find "$folder" -name '*.c')" ] || continue
	[ -f "$folder/README.md" ] || named "${folder##*/}/" "$folder/../README.md" || echo "$folder"
done | result 2 "every folder has a README, or stands in that of the folder above"
find . -path ./build -prune -o \( -path './analyzer/*' -o -path './collector/*' -o -path './CONTRIBUTING.md' \
	-o -path './README.md' -o -path './docs/*.md' -o -path './tests/README.md' -o -path './reports/*' \) -name '*.md' -print |
	LC_ALL=C sort | while read -r readme; do
	folder=${readme%/*}
	names "$readme" | while read -r name; do
		# shellcheck disable=SC2086
		ls -d $folder/$name >/dev/null 2>&1 || ls -d reports/*/$name >/dev/null 2>&1 || ls -d $name >/dev/null 2>&1 || echo "$readme: $name"
	done
done | result 3 "every file that a README names is there"
{
	sed -n 's/.*STATE([A-Z_]*, "\([a-z_]*\)").*/`\1`/p; s/.*STATE([A-Z_]*, "idle:\([a-z_]*\)").*/`\1`/p' include/tacho/trace.h
} | sort -u >"$words"
{
	[ "$(wc -l <"$words")" -gt 20 ] || echo "only $(wc -l <"$words") names of rules and states are found"
	while read -r word; do
		grep -qF "$word" docs/glossary.md || echo "$word"
	done <"$words"
} | result 4 "the glossary has every state"

# The glossary's table of rules is that of their files. With TACHO_UPDATE=1 it is written.
awk 'FNR == 1 { if (row) print row; rule = FILENAME; gsub(/.*\/|\.rule$/, "", rule); row = "" }
	/^[a-z]/ { in_term = $1 == "term:" }
	in_term && /^(term:)?\t/ { sub(/^(term:)?\t+/, ""); row = (row ? row " " : "| `" rule "` | ") $0 }
	/^$/ && row !~ /\|$/ && row { row = row " |"; in_term = 0 }
	END { print row }' reports/findings/*.rule >"$words"
if [ -n "${TACHO_UPDATE:-}" ]; then
	{ sed '/^| rule | the field/q' docs/glossary.md; echo '|---|---|'; cat "$words"; } >"$words.new" && mv "$words.new" docs/glossary.md
fi
sed '1,/^| rule | the field/d' docs/glossary.md | sed 1d | diff - "$words" | result 5 "the glossary has the rules of the advisor with their terms"
