#!/bin/sh
# Trouble planted in a training is found, first or second, with its culprit named; a training
# without trouble has no finding.
. "$top_srcdir/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/findings.sh"
starving=1

trainer=$top_builddir/examples/trainer/tacho-trainer
[ -x "$trainer" ] || skip_all "the trainer is not built (no MPI)"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
sizes="--side 16 --train-samples 512 --validate-samples 64 --test-samples 1024"
large="--side 360 --train-samples 32 --validate-samples 4 --test-samples 4"	# 390 kB each

# run OPTIONS...: a recorded training of two ranks in $work/run
run() {
	rm -rf run
	timeout 400 "$tacho" -q record -o run -- mpirun --bind-to none -n 2 "$trainer" \
		$sizes --data-dir packed --quiet "$@" >log 2>&1 </dev/null
	[ -s run/tacho.db ] || { cat log; return 1; }
}

check "data sets are made" sh -c "'$trainer' --make-data packed $sizes --quiet &&
	'$trainer' --make-data single --layout files $sizes --quiet &&
	'$trainer' --make-data large $large --quiet"
check "no finding without trouble" none true --epochs 3 --overlap thread
check "rank 0 tests alone" found serial_phase "phase test is a serial section on rank 0" --steps 2 --test-phase serial
check "its evidence gives rows" proven

# in a database of several runs evidence names the run that it is about
joined() {
	rm -rf other && cp -r run other && "$tacho" -q analyze --db all.db run && "$tacho" -q analyze --db all.db other &&
		[ "$(sqlite3 all.db "select count(*) from finding where run_id = 2 and evidence like '%run_id = 2%'")" -gt 0 ] &&
		[ "$(sqlite3 all.db "select count(*) from finding where run_id = 2 and evidence like '%run_id = 1%'")" = 0 ]
}
check "evidence follows its run into a database of several" joined
check "the summary prints it" sh -c "'$tacho' report -s run | grep -A3 '^findings, seconds saved of' | grep -q '^  1 '"
slow="--steps 16 --plant slow-storage:10"
check "storage is slow" found data_loading/storage "for storage; 2 data-loader workers per rank" $slow
check "small reads wait for its latency" besides "advice like 'more data-loader workers per rank%'" $slow
slow="$large --batch 16 --model mlp --hidden 1 --epochs 3 --data-dir large --plant slow-storage:300"
check "it is slow for large reads" found data_loading/storage "for storage; 2 data-loader workers per rank" $slow
check "large ones share its bandwidth" besides "advice like '%the reads are large%'" $slow
check "large reads from quick storage" without data_loading/storage $large --batch 16 --model mlp --hidden 1 --epochs 5 \
	--data-dir large
check "one reader has too much to compute" found data_loading/preparing "1 data-loader worker per rank" --steps 10 --upsample 8 \
	--readers 1 --model mlp --hidden 32 --mixup 0.3 --flip --fusion 8
check "prepared offline they are no trouble" without data_loading/preparing --steps 10 --upsample 8 --readers 1 --model mlp \
	--hidden 32 --mixup 0.3 --flip --fusion 8 --preprocess offline --data-dir prepared
check "no prefetching" found exposed_io/reads "no prefetching" --steps 16 --readers 0 --plant slow-storage:4
most=3	# that there is no prefetching is found, too
check "a small file for every sample" found exposed_io/small_reads "opens of" --epochs 12 --readers 0 --layout files \
	--data-dir single --model mlp --hidden 8
most=2
check "packed they are read at once" without exposed_io/small_reads --epochs 12 --readers 0 --model mlp --hidden 512
check "tiny messages" found small_collectives "allreduces of 1.0 kB each" --steps 16 --plant tiny-messages
check "fused they are none" without small_collectives --steps 16
check "a slow rank, by name" found step_compute "rank 1" --epochs 3 --plant slow-rank:1:4
if [ "$(env -u OMP_NUM_THREADS nproc)" -gt 1 ]; then
	check "ranks on one core" found pinning/cores "2 ranks on node" --epochs 1 --plant wrong-pinning
	check "its evidence gives rows, too" proven
fi
check "checkpoints that block" found checkpoint/all "checkpoints" --epochs 2 --checkpoint-every 1 --checkpoint state
check "checkpoints now and then" without checkpoint/all --epochs 2 --checkpoint-every 1000 --checkpoint state
# what is below a second outside of steps is no finding
check "one rank has more to validate" found outside_more/more "rank 1 has" --epochs 4 --validate-samples 32768 \
	--data-dir longer --plant uneven:1:3
check "all have the same" without outside_more/more --epochs 4 --validate-samples 32768 --data-dir longer
check "validation all the time" found validation_share "validate takes" --epochs 6 --validate-samples 2048 \
	--data-dir held
# What has the cores. Spinning threads get as many as they can, but a machine may give most to others.
burning=
burn() {
	for core in $(seq "$(nproc)"); do
		timeout 400 sh -c 'while :; do :; done' &
		burning="$burning $!"
	done
}
# lacks WORDS OPTIONS...: ranks lack cores for what WORDS say, where the kernel keeps an account of it
lacks() {
	words=$1
	shift
	found without_core "$words" --steps 8 --readers 0 "$@" || [ "$(sqlite3 run/tacho.db \
		"select count(*) from sample where name = 'proc.core_waited'")" = 0 ]
}
# spinning: so many threads, or others ran half as much as all ranks together, as the kernel counts it
spinning() {
	lacks "other threads of the training" --plant spinning-threads:3 || [ "$(sqlite3 run/tacho.db "select
		(select sum(value) from metric where name = 'cpu' and model = 'counters') <
		(select sum(grown) from (select max(value) - min(value) as grown from sample
			where process_id is null and name in ('cpu.user', 'cpu.nice', 'cpu.system') group by name)) * 2 / 3")" = 1 ]
}
burn
check "other programs have the cores" lacks "other programs ran on"
# shellcheck disable=SC2086 # a list
kill $burning
check "their evidence gives rows" proven
check "and the ranks' own threads have not" same "$(counted "message like '%other threads of the training%'")" 0
check "their own threads have them" spinning
most=9
check "a run that was killed makes findings unsure" found quality "truncated" --epochs 1 --plant kill:1:4 --checkpoint-every 1000
plan
