#!/bin/sh
# Two nodes that read the same files from slow storage, gradients over a slow link that nothing hides,
# and clocks that nothing ties together, or not well enough for short steps: found; silent when the
# storage is quick, when a thread sums under the computing, and when steps are long.
. "$top_srcdir/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cluster.sh"
. "$top_srcdir/tests/e2e/findings.sh"
starving=1

trainer=$top_builddir/examples/trainer/tacho-trainer
[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
[ -x "$trainer" ] || skip_all "the trainer is not built (no MPI)"
cluster_up 2

# same_files OPTIONS...: prints the finding's message, or nothing
same_files() {
	rm -rf run
	timeout 400 "$cluster" run tacho -q record -o run -- mpirun -n 2 "$trainer" --quiet --data-dir data \
		--side 16 --train-samples 512 --shard-samples 128 --validate-samples 32 --test-samples 32 "$@" >out 2>&1 ||
		{ cat out; return 1; }
	query "select message from finding where variant = 'same_files'" run
}

# end: of three chances none, with what the last run has; status 77 where ranks had no core in any of them
end() {
	query "select rule, message from finding" run
	cat out
	[ "$fair" = 0 ] && return 77
	return 1
}

# The machine may be busy: a second and a third chance.
found() {
	fair=0
	for chance in 1 2 3; do
		case $(same_files --epochs 1 --readers 1 --plant slow-storage:8) in
		"all 2 nodes read the same "*) return 0 ;;
		esac
		starved || fair=1
	done
	end
}

# nothing COMMAND...: prints nothing, once in three times
nothing() {
	for chance in 1 2 3; do
		said=$("$@") && [ -z "$said" ] && return 0
	done
	echo "$said"
	return 1
}

quality() {
	query "select message from finding where rule = 'quality'" run
}

# Ranks that wait for a core exchange late, and their clocks are less sure: another run is another chance.
sure() {
	[ -z "$(quality)" ] || nothing same_quality
}

same_quality() {
	same_files --epochs 1 --readers 1 --plant slow-storage:8 >/dev/null && quality
}

# exposed OPTIONS...: prints the finding's message, or nothing
exposed() {
	rm -rf run
	timeout 400 "$cluster" run tacho -q record -o run -- mpirun -n 2 "$trainer" --quiet --data-dir wide \
		--side 8 --train-samples 512 --validate-samples 32 --test-samples 32 --model mlp --hidden 512 --batch 256 \
		--steps 24 "$@" >out 2>&1 || { cat out; return 1; }
	query "select message from finding where rule = 'exposed_communication'" run
}

nothing_hides() {
	fair=0
	for chance in 1 2 3; do
		case $(exposed --overlap none) in
		*" all-reduces of "*) return 0 ;;
		esac
		starved || fair=1
	done
	end
}

# clocks COMMAND...: what is said of the clocks of both nodes when they ran it
clocks() {
	rm -rf run
	timeout 400 "$cluster" run tacho -q record -o run -- mpirun -n 2 "$@" >out 2>&1 || { cat out; return 1; }
	query "select message from finding where rule = 'quality' and message like 'the clock%'" run
}

# Steps are not much longer than a message is under way.
short_steps() {
	for chance in 1 2 3; do
		case $(clocks "$trainer" --quiet --data-dir short --side 8 --train-samples 512 --validate-samples 32 \
			--test-samples 32 --model mlp --hidden 2 --batch 2 --epochs 2) in
		"the clock of $(node 2) may be off by "*) return 0 ;;
		esac
	done
	query "select hostname, clock_residual_ns from node; select avg(end_ns - start_ns) from step" run
	cat out
	return 1
}

check "all nodes read the same files" found
check "steps as long as these leave no doubt about clocks" sure
check "no finding where nobody waits for them" nothing same_files --epochs 2
check "nodes that exchange nothing have clocks of their own" same "$(clocks dd if="$top_srcdir/NEWS" of=/dev/null)" \
	"the clock of $(node 2) is not synchronised with the others: waits between ranks of different nodes are uncertain"
check "short steps want better clocks" short_steps
"$cluster" limit 100mbit
check "gradients that nothing hides" nothing_hides
check "no finding where a thread sums them under the computing" nothing exposed --overlap thread
plan
