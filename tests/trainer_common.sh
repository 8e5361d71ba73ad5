# trainer_common.sh - what the trainer's tests share: a folder of their own, TAP, runs.
# A test says how many checks it has (plan N), and `check NAME COMMAND…` makes one.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
unset LD_PRELOAD TACHO_DIR
trainer=$top_builddir/examples/trainer/tacho-trainer
number=0

plan() {
	[ -x "$trainer" ] || { echo "1..0 # SKIP no MPI, so there is no trainer"; exit 0; }
	echo "1..$1"
	work=$(mktemp -d) && cd "$work" || exit 1
	trap 'cd / && rm -rf "$work"' EXIT
}

check() {
	number=$((number + 1))
	name=$1
	shift
	if "$@"; then echo "ok $number - $name"; else echo "not ok $number - $name"; fi
}

# train RANKS OPTIONS…: a small training, its output in $work/log.
train() {
	ranks=$1
	shift
	timeout 400 mpirun -n "$ranks" "$trainer" --side 16 --train-samples 2048 --validate-samples 128 \
		--test-samples 512 --data-dir data "$@" >log 2>&1 </dev/null ||
		{ sed 's/^/# /' log; false; }
}

# close_to A B LIMIT: relative distance of two weight files, |A - B| / |A|.
close_to() {
	od -An -v -w4 -tf4 "$1" >a.txt && od -An -v -w4 -tf4 "$2" >b.txt || return 1
	[ -s a.txt ] && [ "$(wc -l <a.txt)" = "$(wc -l <b.txt)" ] || return 1
	paste a.txt b.txt | awk -v limit="$3" '{ d += ($1 - $2) ^ 2; a += $1 ^ 2 }
		END { print "# distance", sqrt(d / a); exit !(a > 0 && d == d && sqrt(d / a) < limit) }'
}
