#!/bin/sh
# A training that is killed and resumed from its checkpoint: both runs are recorded, and say which
# steps were done, which rank died where, and what was checkpointed.
. "$top_srcdir/tests/e2e/lib.sh"

trainer=$top_builddir/examples/trainer/tacho-trainer
[ -x "$trainer" ] || skip_all "the trainer is not built (no MPI)"
options="--data-dir data --train-samples 512 --validate-samples 64 --test-samples 64 --batch 32 --epochs 2
	--checkpoint state --checkpoint-every 5 --quiet"

timeout 100 "$tacho" -q record -o first -- mpirun -n 2 \
	"$trainer" $options --plant kill:1:13 >first.out 2>&1
status=$?
check "the killed training's status passes through" test $status -gt 0
check "and is in the database, as truncated" same \
	"$(query 'select exit_status, cut from run' first)" "$status|1"
check "the rank that killed itself is known" same \
	"$(query "select end from process where rank = 1" first)" killed
check "it had begun fourteen steps (0 to 13), the last of them truncated" same \
	"$(query "select count(*), max(n) - min(n), sum(cut) from step s join process p on p.id = s.process_id
		where p.rank = 1" first)" "14|13|1"
check "checkpoints are a phase" same \
	"$(query "select count(*) from phase f join process p on p.id = f.process_id where f.name = 'checkpoint' and p.rank = 0" first)" 2
check "and their bytes are a class of file" same \
	"$(query "select sum(bytes_written) > 2 * $(stat -c %s state) - 1 from io_file where class = 'checkpoint'" first)" 1

check "resumed under tacho" timeout 100 "$tacho" -q record -o second -- mpirun -n 2 \
	"$trainer" $options --resume
check "it ended well" same "$(query 'select exit_status, cut from run' second)" "0|0"
check "its steps are those after the checkpoint" same \
	"$(query "select count(*), min(n), max(n) from step s join process p on p.id = s.process_id
		where p.rank = 1" second)" "22|10|31"
check "the checkpoint was read" same "$(query "select sum(bytes_read) from io_file where path like '%/state'" second)" \
	"$(stat -c %s state)"
check "trains without tacho to the same weights" sh -c '
	mpirun -n 2 "$0" $1 --dump-weights whole --checkpoint other && cmp state other' "$trainer" "$options"
plan
