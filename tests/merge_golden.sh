#!/bin/sh
# Spools made from a text become exactly the archive written down in
# tests/golden. UPDATE_GOLDEN=1 writes the expected text anew (then review it).
tacho=$top_builddir/analyzer/tacho
make=$top_builddir/tests/unit/spool_make
golden=$top_srcdir/tests/golden
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT

if ! command -v otf2-print >/dev/null; then
	echo "1..0 # SKIP otf2-print is missing (otf2-tools)"
	exit 0
fi

# References to definitions carry numbers that change when a table grows; the names stay. What
# otf2-print complains of comes last: it has a buffer of its own, which gets into lines anywhere.
print() {
	timeout 60 otf2-print -G "$1" 2>"$dir/complaints" |
		grep -E '^(CLOCK|SYSTEM|LOCATION|GROUP|COMM|INTER_COMM|REGION|RMA|IO_)'
	timeout 60 otf2-print "$1" 2>>"$dir/complaints" | sed -n '/^---/,$p' | tail -n +2
	sort -u "$dir/complaints"
}

n=0
ok() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

set -- "$golden"/merge_*.txt
echo "1..$((3 * $#))"
for text in "$@"; do
	name=$(basename "$text" .txt)
	mkdir -p "$dir/$name/spool"
	"$make" "$dir/$name/spool" <"$text"
	timeout 60 "$tacho" merge -j 1 "$dir/$name" >"$dir/$name/said" 2>&1
	ok $? "$name: merge succeeds"
	print "$dir/$name/trace/traces.otf2" |
		sed 's/ *<[0-9]*>//g; s/[[:space:]]*$//' >"$dir/$name/is"
	sed "s|$dir|RUN|g" "$dir/$name/said" | sed 's/[0-9]* bytes/N bytes/' >>"$dir/$name/is"
	[ -z "$UPDATE_GOLDEN" ] || cp "$dir/$name/is" "$golden/$name.expected"
	diff -u "$golden/$name.expected" "$dir/$name/is" >"$dir/$name/diff"
	ok $? "$name: the archive is as written down"
	sed 's/^/# /' "$dir/$name/diff" | head -n 60
	rm -r "$dir/$name/spool"
	mkdir "$dir/$name/spool"
	"$make" -b "$dir/$name/spool" <"$text"
	timeout 60 "$tacho" merge -j 3 -o "$dir/$name/again" "$dir/$name" >/dev/null 2>&1
	print "$dir/$name/again/traces.otf2" |
		sed 's/ *<[0-9]*>//g; s/[[:space:]]*$//' >"$dir/$name/threads"
	grep -v '^RUN\|^truncated\|^tacho:' "$dir/$name/is" | cmp -s - "$dir/$name/threads"
	ok $? "$name: several threads write the same, of calls that are in brief in their spools"
done
