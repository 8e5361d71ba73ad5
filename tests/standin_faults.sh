#!/bin/sh
# Each fault shows what it is named for, and no other.
. "$top_srcdir/tests/standin_common.sh"
need "$standin/cuda13/libcupti.so.13" "$standin/work13" "$standin/client13.so"

# faulty LIST [VERSION]: the client's counts with these faults are in $tmp/out.
faulty() {
	STANDIN_FAULT=$1 traced "${2:-13}" "$standin/work${2:-13}" > "$tmp/out" 2>&1
}

device_records=$(on 13 "$standin/work13" | awk '/^expect (kernels|h2d|d2h|d2d|p2p|sets) / { n += $3 } END { print n }')
records() {
	echo $(($(seen kernels "$tmp/out") + $(seen h2d "$tmp/out") + $(seen d2h "$tmp/out") + $(seen p2p "$tmp/out") + $(seen sets "$tmp/out")))
}

faulty dropped=10
[ "$(seen dropped "$tmp/out")" -eq $((device_records / 10)) ] &&
	[ $(($(records) + $(seen dropped "$tmp/out"))) -eq "$device_records" ]
ok $? "dropped: each tenth record is missing and counted"

faulty end0=7
[ "$(seen end0 "$tmp/out")" -gt 0 ] && [ "$(records)" -eq "$device_records" ]
ok $? "end0: records without an end"

faulty unknown=9
[ "$(seen unknown "$tmp/out")" -eq $((device_records / 9)) ] && [ "$(records)" -eq "$device_records" ]
ok $? "unknown: records of a kind that nobody knows are stepped over"

faulty unordered=5 12
[ "$(seen disordered "$tmp/out")" -gt 0 ] && [ "$(records)" -eq "$device_records" ]
ok $? "unordered: records come out of order and complete"

CLIENT_FLUSHES=1 faulty late
[ "$(records)" -eq 0 ]
ok $? "late: the first flush has no record of the device"
CLIENT_FLUSHES=2 faulty late
[ "$(records)" -eq "$device_records" ]
ok $? "late: the next one has all of them"

faulty older
[ "$(records)" -eq "$device_records" ] && [ "$(seen graphkernels "$tmp/out")" -eq 15 ] &&
	[ "$(seen version "$tmp/out")" = 15 ]
ok $? "older: the records of CUDA 11 are read to the end"

faulty taken
grep -q 'refused cuptiSubscribe.* 39 CUPTI_ERROR_MULTIPLE' "$tmp/out"
ok $? "taken: somebody else has CUPTI (39)"

faulty timestamp
grep -q 'refused cuptiActivityRegisterTimestampCallback' "$tmp/out" && [ "$(records)" -eq "$device_records" ]
ok $? "timestamp: the clock is refused and everything else works"

faulty nodriver
grep -q 'Bail out!.*driver version is insufficient' "$tmp/out"
ok $? "nodriver: no driver"

STANDIN_FAULT=hang CLIENT_FLUSHES=1 LD_LIBRARY_PATH=$standin/cuda13 CUDA_INJECTION64_PATH=$standin/client13.so \
	timeout 5 "$standin/work13" 10 > "$tmp/out" 2>&1
[ $? -eq 124 ] && ! grep -q '^seen kernels' "$tmp/out"
ok $? "hang: a flush does not return"

echo "1..$number"
