#!/bin/sh
# Ranks on other nodes are recorded without the user's doing, and with the user's own -x. The
# nodes' agent hands on no environment, as ssh does not.
. "$top_srcdir/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cluster.sh"

load=$top_builddir/tests/counters_load
[ -x "$load" ] || skip_all "built without MPI"
cluster_up 4

recorded() {	# RUN
	on_nodes "$1" 4 || { cat "$1.out"; return 1; }
}

record() {	# RUN COMMAND...
	run=$1
	shift
	timeout 120 "$cluster" run "$tacho" record -o "$run" -- "$@" >"$run.out" 2>&1
}

record plain mpirun -n 4 "$load" exchange 2 0.2
check "tacho record -- mpirun: all nodes are recorded" recorded plain
record given mpirun -x COLOUR=red -x HOME -n 4 "$load" exchange 2 0.2
check "and when the user gives -x" recorded given
record preload mpirun -x LD_PRELOAD -n 4 "$load" exchange 2 0.2
check "and when that is LD_PRELOAD" recorded preload
other=$(ls /lib/*/libm.so.6 /lib64/libm.so.6 2>/dev/null | head -n 1)
record other mpirun -x LD_PRELOAD="$other" -n 4 "$load" exchange 2 0.2
check "and when it is a library of the user's own" recorded other
cat >job.sh <<END
#!/bin/sh
mpirun -n 2 "$load" exchange 2 0.2 : -x COLOUR=red -n 2 "$load" exchange 2 0.2
END
chmod +x job.sh
record script ./job.sh
check "and when a script starts mpirun, with two programs" recorded script
if command -v python3 >/dev/null; then
	cat >job.py <<-END
		import subprocess, sys
		sys.exit(subprocess.run(["mpirun", "-n", "4", sys.argv[1], "exchange", "2", "0.2"]).returncode)
	END
	record python python3 job.py "$load"
	check "and when Python starts it, by vfork" recorded python
else
	ok 0 "and when Python starts it, by vfork # SKIP no python3"
fi

mkdir local
timeout 120 "$cluster" run mpirun -n 4 "$tacho" record -o inside --spool \
	"$work/local" --keep-spools -- \
	"$load" exchange 2 0.2 >inside.out 2>&1
check "mpirun tacho record --spool: all nodes are recorded" recorded inside
check "their spools are brought to the run" same \
	"$(ls -A local | wc -l) $(ls inside/spool | wc -l)" "0 4"
check "each node's counters are read once" same \
	"$(timeout 60 otf2-print inside/trace/traces.otf2 2>/dev/null | head -c 4000000 |
		awk '$1 == "METRIC" && /"cpu.user"/ { print $2 }' | sort -u | wc -l)" 4
plan
