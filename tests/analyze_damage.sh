#!/bin/sh
# Damaged archives: one clear sentence or a partial result that says what is missing; never a hang.
. "$top_srcdir/tests/analyze_common.sh"
jobs=${TEST_JOBS:+--jobs $TEST_JOBS}		# the same by several processes

# fresh NAME: a whole archive of 4 ranks in $dir/NAME
fresh() {
	make_case "$1" v03_serialised_pipeline
}

analyze() { timeout 60 "$tacho" analyze $jobs --db "$dir/db" "$1" 2>"$dir/err"; rc=$?; }

# refused ARCHIVE WHAT: status 1, one sentence, no database left
refused() {
	rm -f "$dir"/db*
	analyze "$1"
	[ $rc -eq 1 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && [ -z "$(ls "$dir" | grep '^db')" ]
	ok $? "$2"
}

sql() { sqlite3 "$dir/db" "$1"; }

echo 1..19
mkdir "$dir/empty"
refused "$dir/empty" "an empty folder is refused in one sentence"
refused "$dir/nowhere" "a missing file is refused in one sentence"
echo "this is no archive" >"$dir/text.otf2"
refused "$dir/text.otf2" "a file that is no archive is refused in one sentence"

fresh nodef
rm "$dir/nodef/traces.def"
refused "$dir/nodef/traces.otf2" "missing definitions are refused in one sentence"

fresh cutdef
head -c 100 "$dir/cutdef/traces.def" >"$dir/x" && mv "$dir/x" "$dir/cutdef/traces.def"
refused "$dir/cutdef/traces.otf2" "truncated definitions are refused in one sentence"

fresh noevt
rm "$dir/noevt/traces/2.evt"
rm -f "$dir/db"
analyze "$dir/noevt/traces.otf2"
[ $rc -eq 1 ] && [ "$(sql "select damaged is not null from location where ref = 2")" = 1 ] &&
	[ "$(sql "select count(*) from location where damaged is null")" = 3 ]
ok $? "a missing event file leaves the other ranks' figures and is reported"

fresh cutevt
size=$(stat -c %s "$dir/cutevt/traces/1.evt")
head -c $((size - 12)) "$dir/cutevt/traces/1.evt" >"$dir/x" && mv "$dir/x" "$dir/cutevt/traces/1.evt"
rm -f "$dir/db"
analyze "$dir/cutevt/traces.otf2"
[ $rc -ne 124 ] && { [ $rc -eq 1 ] || [ "$(sql "select damaged is not null from location where ref = 1")" = 1 ]; }
ok $? "a truncated event file is noticed and ends"

fresh flipped
printf '\377\377\377\377' | dd of="$dir/flipped/traces/0.evt" bs=1 seek=20 conv=notrunc 2>/dev/null
rm -f "$dir/db"
analyze "$dir/flipped/traces.otf2"
[ $rc -le 1 ]
ok $? "flipped bytes in an event file neither hang nor crash"

# Long enough for several chunks: libotf2 would deliver the rest of a truncated one for ever.
mkdir "$dir/long"
"$top_builddir/tests/bench/analyze" write "$dir/long" 400000 2
size=$(stat -c %s "$dir/long/traces/1.evt")
for kept in $((size - 100)) $((size / 2)) 300000; do
	truncate -s "$kept" "$dir/long/traces/1.evt"
	rm -f "$dir/db"
	analyze "$dir/long/traces.otf2"
	[ $rc -eq 1 ] && [ "$(sql "select damaged is not null from location where ref = 1")" = 1 ] &&
		[ "$(sql "select damaged is null from location where ref = 0")" = 1 ] &&
		[ "$(sql "select duration_ns < 1e9 from run")" = 1 ] &&
		[ "$(sql "select count(distinct end_ns) from location where kind = 'cpu_thread'")" = 1 ]
	ok $? "a long event file truncated to $((kept * 100 / size)) % gives what is left and says so"
done

# Two ranks of which one computes 0.85 of each millisecond, the other 0.8. A truncated file ends in the
# middle of one of them, so that a thousandth is missing.
cat >"$dir/even.case" <<'END'
rank
enter 0 main
repeat 4000 1000000
0 850000 useful
850000 1000000 mpi coll allreduce seq {0}
end
leave 4000000000 main
rank
enter 0 main
repeat 4000 1000000
0 800000 useful
800000 1000000 mpi coll allreduce seq {0}
end
leave 4000000000 main
elapsed 4000000000
END
mkdir "$dir/even" && "$top_builddir/tests/unit/golden" "$tacho" "$dir/even" write "$dir/even.case"
for ref in 0 1; do
	cp -r "$dir/even" "$dir/even$ref"
	truncate -s $(($(stat -c %s "$dir/even/traces/$ref.evt") / 2)) "$dir/even$ref/traces/$ref.evt"
	rm -f "$dir/db"
	analyze "$dir/even$ref/traces.otf2"
	figures=$(sql "select group_concat(round(value, 2), ' ') from (select value from metric where
		window = 'run' and model = 'mpi' and subject = '' and flag like '%damaged%' and name in
		('parallel_efficiency', 'load_balance', 'transfer_efficiency') order by name)")
	[ $rc -eq 1 ] && [ "$figures" = "0.97 0.83 0.85" ] &&
		[ "$(sql "select count(*) from finding where seconds > 0.02")" = 0 ] &&
		[ "$(sql "select abs(value - 2.0e9) < 0.1e9 from metric where name = 'read_until'")" = 1 ]
	ok $? "figures of the part that both ranks have, where half of rank $ref's file is missing"
	"$tacho" stats --format csv "$dir/db" run 2>"$dir/err" | grep -q damaged &&
		"$tacho" explain "$dir/db" 2>"$dir/err" | sed -n 3p | grep -q 'verdict.*The trace is damaged' &&
		timeout 60 "$tacho" analyze --allow-damaged --db "$dir/db" "$dir/even$ref/traces.otf2" 2>"$dir/err"
	ok $? "which is said first, and accepted if asked for"
done

fresh whole
rm -f "$dir/db"
analyze "$dir/whole/traces.otf2" && analyze "$dir/whole/traces.otf2" && analyze "$dir/noevt/traces.otf2"
[ "$(sql "select count(*) from run")" = 2 ] && [ "$(sql "select count(distinct run_id) from host_time")" = 2 ] &&
	[ -z "$(sql "pragma foreign_key_check")" ]
ok $? "a database takes several runs, and each archive once"

# A libotf2 that crashes at location 1, and one that turns round and round at its definitions.
cat >"$dir/crash.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
void *OTF2_Reader_GetEvtReader(void *reader, uint64_t location)
{
	void *(*real)(void *, uint64_t) = dlsym(RTLD_NEXT, "OTF2_Reader_GetEvtReader");

	if (location == 1)
		raise(SIGSEGV);
	return real(reader, location);
}
void *OTF2_Reader_GetGlobalDefReader(void *reader)
{
	void *(*real)(void *) = dlsym(RTLD_NEXT, "OTF2_Reader_GetGlobalDefReader");

	for (volatile int turn = 1; turn && getenv("TURN");)
		continue;
	return real(reader);
}
END
if grep -q __asan_init "$tacho" || ! ${CC:-cc} -shared -fPIC "$dir/crash.c" -o "$dir/crash.so" -ldl 2>"$dir/err"; then
	for what in 17 18 19; do echo "ok $what - a libotf2 that crashes # SKIP cannot be put before this program"; done
	exit 0
fi
rm -f "$dir"/db*
TACHO_READER=libotf2 LD_PRELOAD="$dir/crash.so" timeout 60 "$tacho" analyze $jobs --db "$dir/db" "$dir/whole/traces.otf2" 2>"$dir/err"
[ $? -eq 1 ] && [ "$(sql "select count(*) from location where damaged like '%crashed%' and ref = 1")" = 1 ] &&
	[ "$(sql "select count(*) from location where damaged is null and nevents > 0")" = 3 ] &&
	grep -q 'location 1 .*crashed.*left out' "$dir/err"
ok $? "a location that crashes libotf2 is left out and told, the others are there"
TACHO_READER=libotf2 LD_PRELOAD="$dir/crash.so" timeout 60 "$tacho" dump "$dir/whole/traces.otf2" >"$dir/out" 2>"$dir/err"
[ $? -eq 1 ] && grep -q 'crashed.*the archive is damaged' "$dir/err"
ok $? "dump says in a sentence that libotf2 crashed"
rm -f "$dir"/db*
TURN=1 TACHO_STALL_S=2 LD_PRELOAD="$dir/crash.so" timeout 60 "$tacho" analyze $jobs --db "$dir/db" "$dir/whole/traces.otf2" 2>"$dir/err"
[ $? -eq 1 ] && [ "$(wc -l <"$dir/err")" = 1 ] && grep -q 'reading the definitions of .* did not get on' "$dir/err" &&
	[ -z "$(ls "$dir" | grep '^db')" ]
ok $? "a libotf2 that does not come back is ended, in one sentence and without a trace"
