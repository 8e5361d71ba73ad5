#!/bin/sh
# cuBLAS multiplies right in every form and precision, and NVML answers what was set.
. "$top_srcdir/tests/standin_common.sh"
need "$standin/ask13" "$standin/ask12"

for version in 13 12; do
	STANDIN_SM_CLOCK=1980,1290 STANDIN_THROTTLE=0,0x4 STANDIN_POWER_W=170,250 STANDIN_NVLINK_KIBS=1000,0 \
		on $version "$standin/ask$version" > "$tmp/out" 2>&1
	status=$?
	sed -n 's/^not ok/# not ok/p; s/^Bail/# Bail/p' "$tmp/out"
	[ $status -eq 0 ] && [ "$(grep -c '^ok' "$tmp/out")" -eq 12 ] && ! grep -q '^not ok' "$tmp/out"
	ok $? "cuBLAS and NVML of CUDA $version"
done

CUDA_VISIBLE_DEVICES=1 on 13 "$standin/ask13" visible > "$tmp/out" 2>&1
grep -q '^ok 1 - CUDA has one device and NVML two' "$tmp/out"
ok $? "CUDA_VISIBLE_DEVICES counts for CUDA and not for NVML"

STANDIN_GFLOPS=0.01 on 13 "$standin/ask13" tensor > "$tmp/out" 2>&1
grep -q '^ok 1 - tensor cores take half as long' "$tmp/out"
ok $? "products in half precision and bfloat16 are faster than in single"

STANDIN_FAULT=nonvml on 13 "$standin/ask13" nvml > "$tmp/out" 2>&1
grep -q 'Bail out! nvmlInit_v2(): 9' "$tmp/out"
ok $? "nonvml: NVML finds no driver"

echo "1..$number"
