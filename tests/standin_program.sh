#!/bin/sh
# An nvcc-built program computes, orders and copies on the stand-ins as on a GPU.
. "$top_srcdir/tests/standin_common.sh"
need "$standin/cuda13/libcudart.so.13" "$standin/work13" "$standin/work12"

for version in 13 12; do
	on $version "$standin/work$version" > "$tmp/out" 2> "$tmp/err"
	status=$?
	sed 's/^/# /' "$tmp/err" "$tmp/out" | grep -E 'not ok|Bail|stand-in:'
	[ $status -eq 0 ] && [ "$(grep -c '^ok' "$tmp/out")" -eq 22 ] && ! grep -q '^not ok' "$tmp/out"
	ok $? "the program's checks hold with the libraries of CUDA $version"
done

STANDIN_DEVICES=1 on 13 "$standin/work13" > "$tmp/out" 2>&1
[ "$(grep -c '^ok' "$tmp/out")" -eq 21 ] && ! grep -q '^not ok' "$tmp/out"
ok $? "one device does as well"

on 13 "$standin/own13" > "$tmp/out" 2>&1
[ $? -eq 0 ] && [ "$(grep -c '^ok' "$tmp/out")" -eq 2 ]
ok $? "a program built for per-thread default streams has them"

CUDA_VISIBLE_DEVICES= on 13 "$standin/work13" > "$tmp/out" 2>&1
grep -q 'Bail out!.*no CUDA-capable device' "$tmp/out"
ok $? "devices can be hidden"

on 13 "$standin/work13-ptx" 10 > "$tmp/out" 2> "$tmp/err"
sed -n 's/^stand-in:/# &/p' "$tmp/err"
[ "$(grep -c '^ok' "$tmp/out")" -eq 22 ] && ! grep -q '^not ok' "$tmp/out"
ok $? "kernels that are there as compressed PTX only have their parameters too"

STANDIN_FAULT=nodriver on 13 "$standin/work13" > "$tmp/out" 2>&1
[ $? -eq 1 ] && grep -q 'Bail out!.*driver version is insufficient' "$tmp/out"
ok $? "without a driver the runtime says so"

# 50 kernels of 4 ms, one after the other in a stream.
start=$(date +%s%N)
STANDIN_KERNEL_NS=4000000 on 13 "$standin/work13" 50 > "$tmp/out" 2>&1
[ $(($(date +%s%N) - start)) -gt 200000000 ] && ! grep -q '^not ok' "$tmp/out"
ok $? "kernels take the time that is asked for"

# 50 kernels of 4 ms in a stream become 50 of 40 ms.
start=$(date +%s%N)
STANDIN_KERNEL_NS=4000000 STANDIN_SM_CLOCK=198 on 13 "$standin/work13" 50 > "$tmp/out" 2>&1
[ $(($(date +%s%N) - start)) -gt 2000000000 ] && ! grep -q '^not ok' "$tmp/out"
ok $? "a throttled device takes longer by the ratio of its clocks"

echo "1..$number"
