# analyze_common.sh - what the tests of analyze share: a folder of their own, TAP lines, archives of worked
# cases. Sourced.
tacho=$top_builddir/analyzer/tacho
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
: >"$dir/err"
n=0

# ok STATUS NAME: one TAP line, good when STATUS is 0; else with the start of $dir/err behind it.
ok() {
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		head -n 20 "$dir/err" | sed 's/^/# /'
	fi
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# make_case NAME [CASE]: the archive of a worked case of tests/golden in $dir/NAME
make_case() {
	mkdir "$dir/$1" && "$top_builddir/tests/unit/golden" "$tacho" "$dir/$1" write \
		"$top_srcdir/tests/golden/cases/${2:-$1}.case"
}
