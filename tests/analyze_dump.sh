#!/bin/sh
# tacho dump: every event is a line, filters keep what they say, names do no harm.
. "$top_srcdir/tests/analyze_common.sh"
dump() { timeout 60 "$tacho" dump "$@" >"$dir/out" 2>"$dir/err"; }
for kind in bare names metrics; do
	mkdir "$dir/$kind"
	"$top_builddir/tests/unit/archive_make" $kind "$dir/$kind"
done
make_case case v03_serialised_pipeline

echo 1..10
dump "$dir/bare/traces.otf2" && [ "$(wc -l <"$dir/out")" = 28 ] && [ "$(head -n 2 "$dir/out" | tail -n 1)" = '100 0 enter "MPI_Allreduce"' ]
ok $? "each event is a line: time, location, kind, name"
dump --location b --region pread64 "$dir/bare/traces.otf2" &&
	[ "$(tr '\n' ';' <"$dir/out")" = '400 1 enter "pread64";460 1 leave "pread64";' ]
ok $? "one region of one location"
dump --location 0 --from 100ns --to 0.3us --limit 2 "$dir/bare/traces.otf2" &&
	[ "$(tr '\n' ';' <"$dir/out")" = '100 0 enter "MPI_Allreduce";300 0 leave "MPI_Allreduce";' ]
ok $? "a span of time, and a limit"
dump --location 1 --region MPI_Recv "$dir/case/traces.otf2" && grep -q '^[0-9]* 1 recv peer=0 comm=0 tag=[0-9]* bytes=[0-9]*$' "$dir/out"
ok $? "messages say their partner, communicator, tag and size, inside of their call"
dump --location 'rank 1' "$dir/case/traces.otf2" && [ "$(cut -d ' ' -f 2 "$dir/out" | sort -u)" = 1 ]
ok $? "a process stands for its locations"
dump --location PAPI "$dir/metrics/traces.otf2" && grep -qxF '500 1 metric "temperature"=250 "PAPI_TOT_INS"=500' "$dir/out"
ok $? "metrics say their names and values"
dump "$dir/names/traces.otf2" && [ "$(wc -l <"$dir/out")" = 8 ] && ! LC_ALL=C grep -aqP '[\x00-\x09\x0b-\x1f\x7f]' "$dir/out"
ok $? "hostile names stay on their line"
size=$(stat -c %s "$dir/bare/traces/1.evt")
truncate -s $((size - 20)) "$dir/bare/traces/1.evt"
dump "$dir/bare/traces.otf2" && grep -q 'location 1 (b) is damaged' "$dir/err" && [ "$(wc -l <"$dir/out")" -le 28 ]
ok $? "a location that is truncated is reported and ends"
timeout 60 "$tacho" dump "$dir/case/traces.otf2" 2>"$dir/err" | head -n 1 >"$dir/out"
dump --location nosuch "$dir/case/traces.otf2"
[ $? -eq 1 ] && [ "$(wc -l <"$dir/err")" = 1 ]
ok $? "a location that is not there is refused in a sentence"
dump --region nosuch "$dir/case/traces.otf2"
[ $? -eq 1 ] && grep -q 'has no region nosuch' "$dir/err" && [ "$(wc -l <"$dir/err")" = 1 ] && dump --from 5ns --to 3ns "$dir/case/traces.otf2"
[ $? -eq 2 ] && [ "$(wc -l <"$dir/err")" = 1 ]
ok $? "and so is a region that is not, and a time that ends before it begins"
