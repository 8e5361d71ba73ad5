#!/bin/sh
# tacho sweep and launchers: what is put before the command; a job of a batch system is found again by the
# next sweep when one was killed, and not submitted twice. The launchers are made up.
. "$top_srcdir/tests/e2e/lib.sh"
export TACHO_DATADIR="$top_srcdir" GNUPLOT=none
${CC:-cc} -O1 -I"$top_srcdir/include" -o load "$top_srcdir/tests/e2e/sweep_load.c" || exit 99

mkdir bin
for name in srun torchrun; do
	cat >bin/$name <<-'E'
	#!/bin/sh
	echo "${0##*/} $*" >>calls
	while [ "$1" != ./load ]; do shift; done
	exec "$@"
	E
done
# Jobs are processes of a session of their own; squeue knows those that live by their names.
cat >bin/sbatch <<-'E'
	#!/bin/sh
	echo "sbatch $*" >>calls
	while [ $# -gt 1 ]; do
		case $1 in -J) name=$2 ;; -o) log=$2 ;; esac
		shift
	done
	setsid sh "$1" >"$log" 2>&1 </dev/null &
	echo $! >"job.$name"
	echo $!
E
cat >bin/squeue <<-'E'
	#!/bin/sh
	while [ $# -gt 1 ]; do shift; done
	[ ! -s "job.$1" ] || ! kill -0 "$(cat "job.$1")" 2>/dev/null || cat "job.$1"
E
chmod +x bin/*
PATH=$PWD/bin:$PATH

before() {	# LAUNCHER WORDS
	"$tacho" sweep -o "$1" --launcher "$1" -n 2 -N 1 --format csv -- ./load 2 4 >table 2>said || { cat said; return 1; }
	grep -qx -- "$2 ./load 2 4" calls || { cat calls; return 1; }
}
check "srun gets ranks and nodes" before srun "srun -n 2 -N 1"
check "torchrun gets the ranks of its node" before torchrun "torchrun --standalone --nproc_per_node 2"

# The job waits for a file, so that it is there when the sweep is killed.
batch() { "$tacho" sweep -o batch --launcher sbatch -n 2 --format csv -- sh -c 'while [ ! -e go ]; do sleep 0.1; done; exec ./load {ranks} 4'; }
found_again() {
	"$tacho" sweep -o batch --launcher sbatch -n 2 --format csv -- \
		sh -c 'while [ ! -e go ]; do sleep 0.1; done; exec ./load {ranks} 4' >table 2>said &
	pid=$!
	until grep -qs '^job 01-n2-r1 ' batch/state; do sleep 0.1; done
	kill -9 $pid
	wait $pid 2>/dev/null
	: >go
	batch >table 2>said || { cat said; return 1; }
	same "$(cut -d, -f1-3 table | tr '\n' ' ')" "ranks,runs,failed 2,1,0 " && same "$(grep -c '^sbatch ' calls)" 1 &&
		grep -q '^sbatch --parsable -n 2 -J tacho-.*-01-n2-r1-1 ' calls
}
check "a job is submitted once, also when the sweep is killed while it runs" found_again

failing() {
	"$tacho" sweep -o failing --launcher sbatch -n 1 --format csv -- sh -c './load {ranks} 4 5' >table 2>said
	same $? 1 && grep -q 'failed, status 5' said && same "$(grep -c '^sbatch ' calls)" 3 || { cat said; return 1; }
}
check "a job that fails is submitted once more" failing

alone() {
	"$tacho" sweep -o alone --launcher sbatch -n 2 --format csv -- ./load 1 4 >table 2>said
	same $? 1 && grep -q 'it had another number of ranks' said || { cat said; return 1; }
}
check "a job whose command starts one rank is none of two ranks" alone
plan
