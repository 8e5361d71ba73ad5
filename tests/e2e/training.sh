#!/bin/sh
# A real training, recorded: MPI calls, bytes and file accesses of the trace equal what the trainer
# counted itself, and the collector changes no bit of the weights.
. "$top_srcdir/tests/e2e/lib.sh"

trainer=$top_builddir/examples/trainer/tacho-trainer
[ -x "$trainer" ] || skip_all "the trainer is not built (no MPI)"
ranks=4
size="--train-samples 512 --validate-samples 128 --test-samples 128"
options="--data-dir data $size --model conv --epochs 2 --batch 32 --fusion 0.01 --readers 2 --quiet"

check "the data set is made" "$trainer" --make-data data $size --quiet
check "trains without tacho" timeout 400 mpirun -n $ranks "$trainer" $options --dump-weights plain
check "trains under tacho" timeout 400 "$tacho" -q record -o run -- \
	mpirun -n $ranks "$trainer" $options --dump-weights traced --truth truth
check "the weights are the same to the bit" cmp plain traced

mpi_calls_agree() {	# RANK
	sed -n 's/^mpi \([^ ]*\) calls \([0-9]*\) .*/\1 \2/p' "truth.$1" |
		while read -r name calls; do
		[ "$calls" = 0 ] || same "$name $(query "select c.calls from call c join process p on p.id = c.process_id
			where p.rank = $1 and c.name = '$name'")" "$name $calls" || exit 1
	done
}

allreduce_bytes_agree() {	# RANK
	same "$(query "select c.bytes_sent from call c join process p on p.id = c.process_id
		where p.rank = $1 and c.name = 'MPI_Allreduce'")" \
		"$(sed -n 's/^mpi MPI_Allreduce calls [0-9]* bytes \([0-9]*\)/\1/p' "truth.$1")"
}

# Opens, reads and bytes of the data set's files.
files_agree() {	# RANK
	same "$(query "select sum(opens), sum(reads), sum(bytes_read) from io_file f join process p on p.id = f.process_id
		where p.rank = $1 and path like '%/data/%'")" \
		"$(awk '$1 == "file" && $2 ~ /^(train|validate|test|header)$/ {
			for (i = 3; i < NF; i += 2) n[$i] += $(i + 1) }
			END { print n["opens"] "|" n["reads"] "|" n["bytes_read"] }' "truth.$1")"
}

steps_agree() {	# RANK
	same "$(query "select count(*) || ' samples ' || sum(samples) from step s join process p on p.id = s.process_id
		where p.rank = $1")" "$(sed -n 's/^steps //p' "truth.$1")"
}

for rank in $(seq 0 $((ranks - 1))); do
	check "rank $rank: every MPI function was called as often as the trainer says" mpi_calls_agree "$rank"
	check "rank $rank: bytes given to MPI_Allreduce" allreduce_bytes_agree "$rank"
	check "rank $rank: opens, reads and bytes of the data set" files_agree "$rank"
	check "rank $rank: steps and samples" steps_agree "$rank"
done
check "phases are those of the trainer" same \
	"$(query 'select distinct name from phase order by 1' | tr '\n' ' ')" "setup test train validate "
check "no message or call is lost" same \
	"$(query 'select count(*) from loss')$(query 'select count(*) from unmatched')" 00
check "the archive reads without a warning" sh -c \
	'timeout 400 otf2-print run/trace/traces.otf2 2>warnings | head -c 100000 >/dev/null; test ! -s warnings'
check "host time adds up to the run" same "$(query "select count(*) from
	(select sum(ns) n from host_time where window = 'run' group by process_id)
	where n <> (select duration_ns from run)")" 0
check "every check of the analysis holds" same \
	"$(query 'select count(*) from checks where not ok')" 0
plan
