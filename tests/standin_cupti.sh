#!/bin/sh
# A CUPTI client written against the toolkit's header sees exactly what the program did.
. "$top_srcdir/tests/standin_common.sh"
need "$standin/cuda13/libcupti.so.13" "$standin/work13" "$standin/client13.so"

# equal NAME…: the client counted what the program says.
equal() {
	for name in "$@"; do
		[ -n "$(expected "$name" "$tmp/out")" ] && [ "$(seen "$name" "$tmp/out")" = "$(expected "$name" "$tmp/out")" ] && continue
		echo "# $name: seen $(seen "$name" "$tmp/out"), expected $(expected "$name" "$tmp/out")"
		return 1
	done
}

# none NAME…: the client counted none.
none() {
	for name in "$@"; do
		[ "$(seen "$name" "$tmp/out")" = 0 ] && continue
		echo "# $name: seen $(seen "$name" "$tmp/out")"
		return 1
	done
}

for version in 13 12; do
	traced $version "$standin/work$version" > "$tmp/out" 2>&1
	! grep -q '^not ok\|^seen refused' "$tmp/out" && [ "$(seen count "$tmp/out")" = 2 ]
	ok $? "CUDA $version: the program runs as without a client"
	equal kernels graphkernels h2d d2h d2d p2p sets bytes
	ok $? "CUDA $version: kernels, copies and memsets are counted exactly"
	none unbound unnamed unbalanced return_missing
	ok $? "CUDA $version: every activity has its call, every call its end and its result"
	none backwards end0 dropped unknown
	ok $? "CUDA $version: times are sane and nothing is lost"
	# Each kernel but the 15 of graphs has a launch; 5 were captured and 1 refused; each launch that
	# was not has a driver call inside it.
	[ "$(seen launch_callbacks "$tmp/out")" -eq $(($(expected kernels "$tmp/out") - 15 + 5 + 1)) ] &&
		[ "$(seen nested_driver "$tmp/out")" -ge "$(seen launch_callbacks "$tmp/out")" ]
	ok $? "CUDA $version: launches are seen, and the driver's calls within them"
	[ "$(seen devices "$tmp/out")" = 2 ] && [ "$(seen streams "$tmp/out")" -ge 9 ] && [ "$(seen syncs "$tmp/out")" -ge 9 ] &&
		[ "$(seen graph_nodes "$tmp/out")" = 6 ] && [ "$(seen external "$tmp/out")" -gt 0 ] && [ "$(seen overhead "$tmp/out")" -gt 0 ]
	ok $? "CUDA $version: devices, streams, synchronisations, graph nodes, external ids and overhead are reported"
	[ "$(seen pageable "$tmp/out")" = 11 ] && [ "$(seen pinned "$tmp/out")" = 1 ]
	ok $? "CUDA $version: pageable and pinned memory are told apart"
done
none overlapping
ok $? "work of one stream does not overlap"
[ "$(seen version "$tmp/out")" = 22 ]
ok $? "CUDA 12 has a version number of CUDA 12"

CLIENT_GRAPHS=1 traced 13 "$standin/work13" > "$tmp/out" 2>&1
[ "$(seen graphs "$tmp/out")" = 3 ] && none graphkernels
ok $? "graph level: one record per launch instead of the kernels'"

CLIENT_PERIOD=20 traced 13 "$standin/work13" > "$tmp/out" 2>&1
equal kernels bytes && [ "$(seen buffers "$tmp/out")" -gt 20 ]
ok $? "a periodic flush loses nothing"

CUDA_INJECTION64_PATH=/nonexistent on 13 "$standin/work13" > "$tmp/out" 2>&1
ok $? "an injected library that is missing does no harm"

echo "1..$number"
