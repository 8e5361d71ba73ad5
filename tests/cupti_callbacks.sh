#!/bin/sh
# Every call of the runtime and the driver that CUPTI reports is in cuda_callbacks.def, or in cupti_left_alone.txt with
# why it is not: the next CUDA shows what is new.
. "$top_srcdir/tests/collector_common.sh"
echo 1..3
include=$(for dir in ${CUDA_HOME:+"$CUDA_HOME/include" "$CUDA_HOME/extras/CUPTI/include"} /usr/local/cuda/include \
	/usr/local/cuda/extras/CUPTI/include /usr/include; do
	test -r "$dir/cupti_driver_cbid.h" && echo "$dir" && break
done)
if [ -z "$include" ]; then
	for what in "every callback is recorded or left alone" "a new one would be noticed" "none is in both lists"; do
		skip "$what" "no cupti_driver_cbid.h"
	done
	exit
fi
sed -n 's/^[A-Z]*(\(RUNTIME\|DRIVER\), [A-Za-z0-9_]*, \([A-Za-z0-9_]*\), .*/\2/p' \
	"$top_srcdir/collector/cuda/cuda_callbacks.def" | LC_ALL=C sort >"$tmp/recorded"
sed '/^#/d' "$top_srcdir/tests/cupti_left_alone.txt" | tr -s ' ' '\n' | sed '/^$/d' | LC_ALL=C sort >"$tmp/left"
sed -n 's/^ *CUPTI_\(RUNTIME\|DRIVER\)_TRACE_CBID_\([A-Za-z_][A-Za-z0-9_]*\) *= *[0-9].*/\2/p' \
	"$include/cupti_runtime_cbid.h" "$include/cupti_driver_cbid.h" |
	grep -vxE 'INVALID|SIZE|FORCE_INT' | LC_ALL=C sort -u >"$tmp/known"

# Names without version and form.
plain() { sed 's/_v[0-9]*$//; s/_pt[ds][sz]$//; s/_v[0-9]*$//'; }
# missing FILE: its callbacks that are in neither list.
missing()
{
	LC_ALL=C comm -23 "$1" "$tmp/recorded" | LC_ALL=C comm -23 - "$tmp/left" >"$tmp/rest"
	plain <"$tmp/rest" | paste - "$tmp/rest" |
		awk 'NR == FNR { left[$1]; next } !($1 in left) { print $2 }' "$tmp/left" -
}
ok "every callback is recorded or left alone" same "$(wc -l <"$tmp/known" | awk '{ print ($1 > 1000) }')$(missing "$tmp/known")" 1
{ cat "$tmp/known"; echo cuLaunchByMagic_v2_ptsz; } | LC_ALL=C sort >"$tmp/more"
ok "a new one would be noticed" same "$(missing "$tmp/more")" cuLaunchByMagic_v2_ptsz
ok "none is in both lists" same "$(LC_ALL=C comm -12 "$tmp/recorded" "$tmp/left" | tr '\n' ' ')" ""
