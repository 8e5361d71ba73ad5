#!/bin/sh
# The table of where CPython has what, against the headers of each CPython that there is.
. "$top_srcdir/tests/python_common.sh"
compiler=${CC:-cc}
echo "int main(void) { return 0; }" >"$tmp/a.c"
$compiler -o "$tmp/a" "$tmp/a.c" 2>/dev/null || { echo "1..0 # SKIP no C compiler"; exit 0; }
# from 3.13 on the interpreter tells its layout itself
table=$(pythons | while read -r python; do "$python" -c 'import sys; sys.version_info < (3, 13) and print(sys.executable)'; done)
[ -n "$table" ] || { echo "1..0 # SKIP no CPython of the table's"; exit 0; }
echo 1..$(echo "$table" | wc -l)

for python in $table; do
	version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
	headers=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
	if [ ! -f "$headers/internal/pycore_pystate.h" ]; then
		skip "the layout of $version is that of its headers" "they are not installed"
		continue
	fi
	$compiler -w -I"$headers" -I"$headers/internal" -I"$top_srcdir/collector" -o "$tmp/layout" \
		"$top_srcdir/tests/python/layout.c" >"$tmp/out" 2>&1 || cat "$tmp/out"
	ok "the layout of $version is that of its headers" "$tmp/layout"
	rm -f "$tmp/layout"
done
