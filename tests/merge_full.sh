#!/bin/sh
# The disk on which the archive is written is full at some point: merge says so
# in one sentence, fails, leaves no half archive and keeps the spools.
tacho=$top_builddir/analyzer/tacho
make=$top_builddir/tests/unit/spool_make
dir=$(mktemp -d) || exit 99
mkdir -p "$dir/run/spool" "$dir/small"
if ! mount -t tmpfs -o size=64k tmpfs "$dir/small" 2>/dev/null; then
	echo "1..0 # SKIP no right to mount a small tmpfs"
	rm -rf "$dir"
	exit 0
fi
umount "$dir/small"
trap 'umount "$dir/small" 2>/dev/null; rm -rf "$dir"' EXIT
"$make" "$dir/run/spool" <<'TEXT'
process a.1.0 1 0 1
comm 1 world 0 0 0 0
handle 1 file 1 0 /data/x
end 1000000000
thread 0 main
fill 20000
thread 1 reader
fill 20000
TEXT
echo 1..4
wrong=0 failed=0 done=0 words=0
for kib in 4 16 64 128 256 512 1024 1300 1400 1450 1500 2048 8192; do
	mount -t tmpfs -o size=${kib}k tmpfs "$dir/small" || exit 99
	timeout 60 "$tacho" merge -j 2 -o "$dir/small/trace" "$dir/run" >/dev/null 2>"$dir/err"
	status=$?
	case $status in
	0) done=$((done + 1)) ;;
	1)
		failed=$((failed + 1))
		[ -z "$(ls "$dir/small")" ] || wrong=$((wrong + 1))
		[ "$(wc -l <"$dir/err")" = 1 ] && grep -q 'No space left' "$dir/err" || words=$((words + 1))
		;;
	*)
		echo "# $kib KiB: status $status"
		wrong=$((wrong + 1))
		;;
	esac
	umount "$dir/small"
done
echo "# $failed failed, $done done"
[ $failed -gt 3 ] && [ $done -gt 0 ] && echo "ok 1 - too small a disk fails, a large one does not" ||
	echo "not ok 1 - too small a disk fails, a large one does not"
[ $wrong = 0 ] && echo "ok 2 - no crash and no half archive" ||
	echo "not ok 2 - no crash and no half archive"
[ $words = 0 ] && echo "ok 3 - one sentence says that no space is left" ||
	echo "not ok 3 - one sentence says that no space is left"
[ -s "$dir/run/spool/a.1.0/thread.0" ] && echo "ok 4 - the spools are kept" ||
	echo "not ok 4 - the spools are kept"
