# Shared by the tests of GPU recording on stand-ins: sourced, not run.
. "$top_srcdir/tests/collector_common.sh"
tacho=$top_builddir/analyzer/tacho
standin=$(cd "$top_builddir" && pwd)/tests/standin

# need PLAN: skips all where the program or the stand-ins could not be built.
need()
{
	for file in tests/cupti/loop12 tests/cupti/loop13 tests/standin/cuda13/libcupti.so.13; do
		if [ ! -s "$top_builddir/$file" ]; then
			echo "1..0 # SKIP needs nvcc and the headers of CUDA 13 (no $file)"
			exit 0
		fi
	done
	echo "1..$1"
}

# loop VERSION OPTIONS -- STEPS KERNELS [MODE]: records a run into $run.
loop()
{
	version=$1 options=
	shift
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	rm -rf "$run"
	LD_LIBRARY_PATH=${libraries:-$standin/cuda$version} RANK=0 WORLD_SIZE=1 timeout 400 \
		"$tacho" record $options -o "$run" -- "$top_builddir/tests/cupti/loop$version" "$@" >"$tmp/out" 2>"$tmp/err"
}

sql()
{
	sqlite3 -separator ' ' "$run/tacho.db" "$1"
}

# said PATTERN: exactly one line of the library's.
said()
{
	[ "$(grep -c '^tacho' "$tmp/err")" = 1 ] && grep -q "$1" "$tmp/err" || { cat "$tmp/err"; false; }
}

# what the program says that it did, as `kernels 60 h2d 6 …` in one line
printed()
{
	grep -E '^(kernels|h2d|d2h|sets|bytes) ' "$tmp/out" | tr '\n' ' '
}

# … and what the database knows
found()
{
	sql "select 'kernels', coalesce(sum(case when name = 'half' then calls end), 0), 'h2d',
		coalesce(sum(case when name = 'memcpy_h2d' then calls end), 0), 'd2h',
		coalesce(sum(case when name = 'memcpy_d2h' then calls end), 0), 'sets',
		coalesce(sum(case when name = 'memset' then calls end), 0), 'bytes',
		coalesce(sum(bytes), 0) || ' ' from kernel"
}

counts_agree()
{
	same "$(found)" "$(printed)"
}

# checks_hold: all of them
checks_hold()
{
	same "$(sql "select group_concat(name || ': ' || message) from checks where ok = 0")" ""
}

# lost: reasons and numbers
lost()
{
	sql "select reason || ' ' || sum(count) from loss group by reason order by reason" | tr '\n' ' '
}

property()
{
	sql "select value from environment where key = '$1' order by value limit 1"
}
