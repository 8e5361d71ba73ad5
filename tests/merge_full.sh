#!/bin/sh
# The disk on which the archive is written is full at some point: merge says so
# in one sentence, fails, leaves no half archive and keeps the spools. So does one that libotf2 meets
# in the midst of a file, after which it frees twice. tacho record ends with the command's status.
tacho=$top_builddir/analyzer/tacho
make=$top_builddir/tests/unit/spool_make
dir=$(mktemp -d) || exit 99
mkdir -p "$dir/run/spool" "$dir/small" "$dir/large"
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
"$make" "$dir/large" <<'TEXT' || exit 99
process a.1.0 1 0 1
comm 1 world 0 0 0 0
handle 1 file 1 0 /data/x
end 1000000000
thread 0 main
fill 400000
thread 1 reader
fill 400000
TEXT
echo 1..10
ntests=4
check() {
	ntests=$((ntests + 1))
	text=$1
	shift
	if output=$("$@" 2>&1); then echo "ok $ntests - $text"; else
		echo "not ok $ntests - $text"
		printf '%s\n' "$output" | sed 's/^/# /'
	fi
}
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

# Archives of 30 MB, whose locations are larger than what libotf2 holds back until the end.
wrong=0
for kib in 9000 10000 11000 12000 14000 16000 20000; do
	mount -t tmpfs -o size=${kib}k tmpfs "$dir/small" || exit 99
	timeout 60 "$tacho" merge -j 2 -o "$dir/small/trace" --spool "$dir/large" "$dir/run" >/dev/null 2>"$dir/err"
	status=$?
	if [ $status != 1 ] || [ -n "$(ls "$dir/small")" ] || [ "$(wc -l <"$dir/err")" != 1 ] ||
		! grep -q 'No space left.*spools are kept' "$dir/err"; then
		echo "# $kib KiB: status $status"
		sed 's/^/# /' "$dir/err"
		wrong=$((wrong + 1))
	fi
	umount "$dir/small"
done
check "a write that fails within a file is one sentence, too" test $wrong = 0

limited() {
	(ulimit -f 9000 && exec timeout 60 "$tacho" merge -o "$dir/limited" --spool "$dir/large" "$dir/run") 2>"$dir/err"
	[ $? = 1 ] && grep -q 'File too large' "$dir/err" && [ ! -e "$dir/limited.tmp" ]
}
check "so is a limit on the size of files" limited

# The command brings the spools, and then fills the disk but for 12 MB.
mount -t tmpfs -o size=64m tmpfs "$dir/small" || exit 99
cat >"$dir/command" <<'TEXT'
mkdir -p "$TACHO_DIR/spool" && cp -r "$1"/* "$TACHO_DIR/spool" || exit 99
free=$(df -Pk "$2" | awk 'NR == 2 { print $4 }')
head -c $((free - 12000))k /dev/zero >"$2/filler" || exit 99
exit 7
TEXT
timeout 100 "$tacho" record -o "$dir/small/run" -- sh "$dir/command" "$dir/large" "$dir/small" >/dev/null 2>"$dir/err"
check "tacho record ends with the command's status" test $? = 7
check "and says how to go on" grep -q "tacho finish $dir/small/run" "$dir/err"
check "the spools are kept" test -s "$dir/small/run/spool/a.1.0/thread.0"
rm -f "$dir/small/filler"
goes_on() {
	timeout 60 "$tacho" merge "$dir/small/run" | grep -q '1 rank, 2 locations, 2880001 events'
}
check "tacho merge goes on when there is room" goes_on
