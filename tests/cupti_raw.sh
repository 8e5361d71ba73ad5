#!/bin/sh
# Activity buffers that a real GPU's CUPTI wrote (tests/data/cupti13), given to the collector's own reading of them:
# what comes out is what the programs say they did, and damaged ones do no harm.
. "$top_srcdir/tests/collector_common.sh"
data=$top_srcdir/tests/data/cupti13
raw=$top_builddir/tests/unit/cuda_raw
cuda=$(sed -n 's/^CUDA_DIR = //p' "$top_builddir/Makefile")
python3 -c 'import lzma' 2>/dev/null || { echo "1..0 # SKIP needs Python with lzma"; exit 0; }
for name in known trainer; do
	python3 -c 'import lzma, shutil, sys; shutil.copyfileobj(lzma.open(sys.argv[1]), sys.stdout.buffer)' \
		"$data/$name.raw.xz" >"$tmp/$name.raw"
	"$raw" read "$tmp/$name.raw" >"$tmp/$name.read"
done
python3 "$top_srcdir/tests/cupti_raw.py" "$tmp/known.read" "$data/known.truth" "$tmp/trainer.read" "$data/trainer.truth" >"$tmp/checks" 2>"$tmp/err"
status=$?
echo 1..$(($(grep -c '^\(not \)\{0,1\}ok ' "$tmp/checks") + 6))
while read -r line; do
	case $line in
	ok* | not*) count=$((count + 1)); echo "${line%% - *} $count - ${line#* - }" ;;
	*) echo "$line" ;;
	esac
done <"$tmp/checks"
[ $status = 0 ] || sed 's/^/# /' "$tmp/err"
ok "all of the truth was looked at" same "$status $(grep -c '^ok .*memsets' "$tmp/checks")" "0 2"

# What a libcupti makes of them, which needs no driver for it.
library=$(ls "$cuda"/lib64/libcupti.so.13 "$cuda"/extras/CUPTI/lib64/libcupti.so.13 2>/dev/null | head -n 1)
walks_alike() { "$raw" read "$tmp/$1.raw" "$library" | cmp - "$tmp/$1.read"; }
for name in known trainer; do
	what="NVIDIA's libcupti walks the same records: $name"
	if [ -n "$library" ]; then ok "$what" walks_alike $name; else skip "$what" "there is none of CUDA 13"; fi
done
ok "bytes that are changed or cut do no harm: known" "$raw" damage "$tmp/known.raw" 100
ok "bytes that are changed or cut do no harm: trainer" "$raw" damage "$tmp/trainer.raw" 1000
ok "where a refusal may crash CUPTI it always gets a buffer, and what it loses is counted" same "$("$raw" limit "$tmp/known.raw" | tr '\n' ' ')" \
	"held 16384 spare 1000 lost 30 recorded 0 back 0 back 1 again 1 "
