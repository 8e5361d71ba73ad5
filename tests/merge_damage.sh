#!/bin/sh
# Spools truncated or damaged at many places: merge neither crashes nor hangs,
# and what it writes opens in otf2-print. MERGE_DAMAGE_STEP=1 tries every byte.
tacho=$top_builddir/analyzer/tacho
make=$top_builddir/tests/unit/spool_make
damage=$top_builddir/tests/unit/spool_damage
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
echo 1..12

mkdir -p "$dir/whole/spool" "$dir/run"
"$make" -b "$dir/whole/spool" <"$top_srcdir/tests/golden/merge_mixed.txt"
"$make" "$dir/whole/spool" <"$top_srcdir/tests/golden/merge_gpu.txt"

# Printing takes most of the time: one archive in three, all of them where every byte is tried.
prints=${MERGE_DAMAGE_STEP:+1}
prints=${prints:-3}
tries=0
# Under sanitizers, which see more, at more places.
places_of_all=13 places_of_one=5
grep -q __asan_init "$tacho" || [ -n "${MERGE_DAMAGE_STEP:-}" ] || { places_of_all=9 places_of_one=3; }
command -v otf2-print >/dev/null || prints=1000000

# try HOW: damages each file at every step-th place; prints the places that went wrong.
try() {
	for file in n.10.0/process n.11.0/state n.10.0/thread.0 n.11.0/thread.0 n1.1.0/process n1.1.0/thread.1; do
		size=$(stat -c %s "$dir/whole/spool/$file")
		places=$places_of_all
		case $file in n1.*) places=$places_of_one ;; esac
		step=${MERGE_DAMAGE_STEP:-$((size / places + 1))}
		at=0
		while [ $at -lt "$size" ]; do
			rm -rf "$dir/run/spool" "$dir/run/trace"
			cp -r "$dir/whole/spool" "$dir/run/"
			"$damage" "$1" $at "$dir/run/spool/$file"
			timeout 60 "$tacho" -q merge -j 2 "$dir/run" >/dev/null 2>"$dir/err"
			status=$?
			! grep 'crashed (signal' "$dir/err" || status=crash
			[ $status = 0 ] || [ $status = 1 ] || echo "$1 $file at $at: status $status"
			[ $status = 0 ] || [ -s "$dir/err" ] ||
				echo "$1 $file at $at: failed without a word"
			tries=$((tries + 1))
			if [ $status = 0 ] && [ $((tries % prints)) = 0 ]; then
				timeout 60 otf2-print "$dir/run/trace/traces.otf2" 2>&1 >/dev/null |
					head -n 3 | sed "s|^|$1 $file at $at: |"
			fi
			at=$((at + step))
		done
	done
}

n=0
for how in cut flip random; do
	n=$((n + 1))
	try $how >"$dir/wrong"
	if [ -s "$dir/wrong" ]; then
		echo "not ok $n - spools that are damaged ($how) are merged or refused"
		sed 's/^/# /' "$dir/wrong" | head -n 20
	else
		echo "ok $n - spools that are damaged ($how) are merged or refused"
	fi
done

# A file that is missing altogether.
rm -rf "$dir/run/spool" "$dir/run/trace"
cp -r "$dir/whole/spool" "$dir/run/"
rm "$dir/run/spool/n.11.0/state" "$dir/run/spool/n.10.0/thread.2"
rm -r "$dir/run/spool/n.12.0"
mkdir "$dir/run/spool/empty.1.0"
if timeout 60 "$tacho" merge "$dir/run" >/dev/null 2>"$dir/err" &&
	grep -q empty.1.0 "$dir/err"; then
	echo "ok 4 - files that are missing are named, the rest is merged"
else
	echo "not ok 4 - files that are missing are named, the rest is merged"
	sed 's/^/# /' "$dir/err"
fi

# One that the process was about to make when it ended has lost nothing; one that has a record has.
unborn=$dir/run/spool/n.10.0/thread.9
again() {
	rm -rf "$dir/run/trace"
	timeout 60 "$tacho" merge "$dir/run" >/dev/null 2>"$dir/err"
}
rm -rf "$dir/run/spool"
cp -r "$dir/whole/spool" "$dir/run/"
: >"$unborn"
again && ! grep -q thread.9 "$dir/err" && { printf '\0\0\0\0\0\0\0\0\1'; head -c 20471 /dev/zero; } >"$unborn" &&
	again && ! grep -q thread.9 "$dir/err" && { printf x >>"$unborn"; head -c 7 /dev/zero >>"$unborn"; } &&
	again && grep -q thread.9 "$dir/err"
if [ $? = 0 ]; then
	echo "ok 5 - a spool in the making is none"
else
	echo "not ok 5 - a spool in the making is none"
	sed 's/^/# /' "$dir/err"
fi

# A communicator of many ranks of which one left a spool, as with --ranks or by damage: time grows
# with them, and they are named in one line.
rm -rf "$dir/run/spool" "$dir/run/trace"
mkdir "$dir/run/spool"
ranks=8192
[ -z "${ASAN_OPTIONS:-}" ] || ranks=1024	# each takes its time there
# Processor time: 4 s, 140 where it grew with their cube. How long it waits for a core is not its affair.
limited() { (ulimit -t 30; timeout 300 "$@"); }
sed "s/^nccl_comm 1 0xabc 0 2 /nccl_comm 1 0xabc 0 $ranks /; /^process n2/,\$d" \
	"$top_srcdir/tests/golden/merge_nccl_clocks.txt" | "$make" "$dir/run/spool"
if limited "$tacho" merge "$dir/run" >/dev/null 2>"$dir/err" &&
	[ "$(grep -c "ranks 1-$((ranks - 1)) left no spool" "$dir/err")" = 1 ] &&
	[ "$(wc -l <"$dir/err")" = 1 ]; then
	echo "ok 6 - thousands of silent ranks are taken at once"
else
	echo "not ok 6 - thousands of silent ranks are taken at once"
	head -n 5 "$dir/err" | sed 's/^/# /'
fi

# Of very many, as a damaged size makes them, one location stands for all; the size stays.
rm -rf "$dir/run/spool" "$dir/run/trace"
mkdir "$dir/run/spool"
sed "s/^nccl_comm 1 0xabc 0 2 /nccl_comm 1 0xabc 0 131072 /; /^process n2/,\$d" \
	"$top_srcdir/tests/golden/merge_nccl_clocks.txt" | "$make" "$dir/run/spool"
if limited "$tacho" merge "$dir/run" >"$dir/out" 2>"$dir/err" &&
	grep -q "131071 ranks of an NCCL communicator left no spool" "$dir/err" &&
	[ "$(wc -l <"$dir/err")" = 1 ] &&
	[ "$(ls "$dir/run/trace/traces" | wc -l)" -lt 20 ] &&
	timeout 60 "$tacho" -q analyze --db "$dir/db" "$dir/run" 2>"$dir/err" &&
	[ "$(sqlite3 "$dir/db" "select max(size), (select count(*) from process) from communicator where kind = 'nccl'")" = "131072|2" ]; then
	echo "ok 7 - of very many silent ranks one location stands for all"
else
	echo "not ok 7 - of very many silent ranks one location stands for all"
	head -n 5 "$dir/out" "$dir/err" | sed 's/^/# /'
fi

# What a node that breaks down leaves of the main thread, an empty file or none, is a loss.
: >"$dir/wrong"
for how in ": >n.11.0/thread.0" "rm n.10.0/thread.0" "rm n.11.0/thread.*" "rm n.10.0/thread.0; mkfifo n.10.0/thread.0"; do
	rm -rf "$dir/run/spool" "$dir/run/trace"
	cp -r "$dir/whole/spool" "$dir/run/"
	(cd "$dir/run/spool" && eval "$how")
	rm -f "$dir/db"
	timeout 60 "$tacho" merge "$dir/run" >/dev/null 2>"$dir/err" &&
		grep -q "thread.0 is missing, empty or damaged" "$dir/err" &&
		timeout 60 "$tacho" -q analyze --db "$dir/db" "$dir/run" 2>>"$dir/err" &&
		[ "$(sqlite3 "$dir/db" "select sum(count) from loss where reason = 'missing'")" = 1 ] ||
		{ echo "$how"; cat "$dir/err"; } >>"$dir/wrong"
done
if [ ! -s "$dir/wrong" ]; then
	echo "ok 8 - a main thread without its spool is a loss"
else
	echo "not ok 8 - a main thread without its spool is a loss"
	sed 's/^/# /' "$dir/wrong"
fi

# A rank that exits before MPI_Finalize did not come to its end, but nobody killed it.
rm -rf "$dir/run/spool" "$dir/run/trace" "$dir/db"
mkdir "$dir/run/spool"
printf '%s\n' "process n.1.0 1 0 1" "comm 1 world 0 0 0 0 MPI_COMM_WORLD" "end 9000 4" "thread 0 main" \
	"rec CALL MPI_Init 0 0 1000 500" | "$make" "$dir/run/spool"
if timeout 60 "$tacho" merge "$dir/run" >"$dir/out" 2>"$dir/err" &&
	grep -q "^truncated: rank 0 exited with status 4 before MPI_Finalize$" "$dir/out" &&
	timeout 60 "$tacho" -q analyze --db "$dir/db" "$dir/run" 2>"$dir/err" &&
	[ "$(sqlite3 "$dir/db" "select end, value from process, environment where key = 'exit_status'")" = "killed|4" ]; then
	echo "ok 9 - a rank that exits early is said to, with its status"
else
	echo "not ok 9 - a rank that exits early is said to, with its status"
	cat "$dir/out" "$dir/err" | sed 's/^/# /'
fi

# What is kept in detail of a bounded run, damaged: one sentence, and nothing is lost, as the totals have it.
for how in "cut 400" "cut 12300" "flip 8" "flip 24" "flip 12400" "random 12900"; do
	rm -rf "$dir/run/spool" "$dir/run/trace" "$dir/db"
	mkdir "$dir/run/spool"
	"$make" "$dir/run/spool" <"$top_srcdir/tests/golden/merge_kept.txt"
	"$damage" $how "$dir/run/spool/n.10.0/kept.0"
	timeout 60 "$tacho" merge "$dir/run" >"$dir/out" 2>"$dir/err" &&
		[ "$(grep -c "kept.0 is damaged: .* in totals alone$" "$dir/err")" = 1 ] &&
		timeout 60 "$tacho" -q analyze --db "$dir/db" "$dir/run" 2>>"$dir/err" &&
		[ "$(sqlite3 "$dir/db" "select sum(calls) from call where name like 'MPI%'; select group_concat(distinct reason) from loss")" = "$(printf '13\nmissing')" ] ||
		{ echo "$how"; cat "$dir/out" "$dir/err"; }
done >"$dir/wrong"
if [ ! -s "$dir/wrong" ]; then
	echo "ok 10 - what is kept in detail and damaged is in totals, and said to be"
else
	echo "not ok 10 - what is kept in detail and damaged is in totals, and said to be"
	sed 's/^/# /' "$dir/wrong"
fi

# Spools of another version are refused whole, lest a part of them be taken for all; they stay.
rm -rf "$dir/run/spool" "$dir/run/trace"
cp -r "$dir/whole/spool" "$dir/run/"
for file in "$dir"/run/spool/*/*; do
	case $file in */process) at=16 ;; *) at=8 ;; esac	# struct spool_def_process, spool_head
	printf '\005' | dd of="$file" bs=1 seek=$at conv=notrunc 2>"$dir/out"
done
timeout 60 "$tacho" merge "$dir/run" >"$dir/out" 2>"$dir/err"
if [ "$? $(wc -l <"$dir/err")" = "1 1" ] && grep -q "was recorded by another version of tacho: merge it with the tacho that recorded it" "$dir/err" &&
	[ ! -e "$dir/run/trace" ] && [ -s "$dir/run/spool/n.10.0/thread.0" ]; then
	echo "ok 11 - spools of another version are refused in a sentence"
else
	echo "not ok 11 - spools of another version are refused in a sentence"
	cat "$dir/out" "$dir/err" | sed 's/^/# /'
fi

# Files of a run are regular ones: nothing waits for what writes to a FIFO, or to a device that never ends.
: >"$dir/wrong"
for file in n.10.0/process n.10.0/state n1.1.0/thread.1; do
	for what in mkfifo 'ln -s /dev/zero'; do
		rm -rf "$dir/run/spool" "$dir/run/trace"
		cp -r "$dir/whole/spool" "$dir/run/"
		rm "$dir/run/spool/$file"
		$what "$dir/run/spool/$file"
		for command in "where" "watch --once --interval 100ms" "merge"; do
			timeout 60 "$tacho" $command "$dir/run" >"$dir/out" 2>"$dir/err"
			[ $? -le 1 ] || { echo "$command with $what $file: $(cat "$dir/err")" >>"$dir/wrong"; }
		done
	done
done
rm -rf "$dir/run/spool" "$dir/run/trace"
cp -r "$dir/whole/spool" "$dir/run/"
for name in control run.properties local.0; do mkfifo "$dir/run/$name"; done
for command in "where" "merge"; do
	timeout 60 "$tacho" $command "$dir/run" >"$dir/out" 2>"$dir/err" || { echo "$command with FIFOs beside the spools: $(cat "$dir/err")" >>"$dir/wrong"; }
done
rm "$dir/run/control" "$dir/run/run.properties" "$dir/run/local.0"
if [ ! -s "$dir/wrong" ]; then
	echo "ok 12 - a FIFO or device among the files of a run is waited for by no command"
else
	echo "not ok 12 - a FIFO or device among the files of a run is waited for by no command"
	sed 's/^/# /' "$dir/wrong"
fi
