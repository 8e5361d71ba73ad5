#!/bin/sh
# The prolog and epilog of examples/slurm/site under a real Slurm on two nodes: jobs of a partition are recorded without
# a change to them, within a budget, and the history has them by user and job name.
. "$top_srcdir/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cluster.sh"

[ -n "$MPICC_MPICH" ] || skip_all "MPICH is not installed"
for tool in slurmctld slurmd munged setpriv; do
	command -v $tool >/dev/null || [ -x "/usr/sbin/$tool" ] || skip_all "$tool is missing"
done
cluster_up 2
TACHO_CLUSTER_WAIT=300 "$cluster" slurm up >up.out 2>&1 ||
	skip_all "Slurm does not start: $(tail -n 1 up.out)"
state=/run/tacho-cluster-$TACHO_CLUSTER/slurm

# An installed tacho in a few links, and the site's folder beside it.
mkdir -p prefix/bin prefix/lib/tacho site runs
chmod 1777 runs
ln -s "$tacho" prefix/bin/tacho
ln -s "$library" prefix/lib/tacho/libtacho.so
cp "$top_srcdir/examples/slurm/site/task-prolog" "$top_srcdir/examples/slurm/site/epilog" site
sed -e 's/^TACHO_PARTITIONS=.*/TACHO_PARTITIONS="other all"/' -e "s|^TACHO_RUNS=.*|TACHO_RUNS=$link/runs|" \
	-e "s|^TACHO_PREFIX=.*|TACHO_PREFIX=$link/prefix|" -e 's/^TACHO_JOB_KEEP=.*/TACHO_JOB_KEEP=1/' \
	"$top_srcdir/examples/slurm/site/tacho.conf" >site/tacho.conf
printf '%s\n' '#!/bin/sh' 'echo unset OMPI_MCA_orte_default_hostfile' "exec '$link/site/task-prolog'" >"$state/prolog"
# slurmd kills the epilog's process group when it ends: setsid is slow here, as on a busy machine
mkdir slow
printf '%s\n' '#!/bin/sh' "{ sleep 0.3; exec '$(command -v setsid)' \"\$@\"; } &" >slow/setsid
chmod 755 slow/setsid
printf '%s\n' '#!/bin/sh' "export PATH=$link/slow:\$PATH" "exec '$link/site/epilog'" >"$state/epilog"

"$MPICC_MPICH" -w -O2 -I"$top_srcdir/include" -o ring "$top_srcdir/tests/e2e/ring_load.c" || exit 99
printf '%s\n' '#!/bin/sh' 'srun --mpi=pmi2 -N 2 -n 2 ./ring 1 20' 'env >environment' >job.sh
mine=runs/$(id -un)

run() {
	"$cluster" run env SLURM_CONF="$state/slurm.conf" timeout 200 "$@"
}

# job NAME [OPTION...]: submits, waits, and prints the job's number
job() {
	run sbatch --parsable --wait --nodes=2 --ntasks-per-node=1 -o "$1.out" -J "$@" job.sh | tail -n 1
}

# finished JOB: waits for what the epilog does in the background
finished() {
	for _ in $(seq 600); do
		[ -f "$mine/history.db" ] && sqlite3 -readonly "$mine/history.db" "select 1 from run where path like '%/$1/%'" 2>/dev/null |
			grep -q 1 && return
		sleep 0.2
	done
	cat "$mine/$1/site/log"
	ls -R "$mine/$1" | head -n 40
	return 1
}

first=$(job solver)
check "a job that asks for nothing is recorded, and finished by the epilog" finished "$first"
check "all ranks on all nodes are in it" on_nodes "$mine/$first" 2
check "within the site's budget" grep -qx 'TACHO_MAX_SIZE=64M/rank' environment
check "the page is there" [ -s "$mine/$first/report.html" ]
check "no other user reads it" same "$(stat -c %a "$mine/$first")" 700
second=$(job other)
check "another job is, too" finished "$second"
check "the history has both by their names" same "$(sqlite3 -readonly "$mine/history.db" 'select group_concat(label) from (select label from run order by label)')" other,solver
for _ in $(seq 100); do
	[ -d "$mine/$first" ] || break
	sleep 0.1
done
check "run folders beyond those to keep are removed" [ ! -d "$mine/$first" ]
"$tacho" history --format csv --label solver "$mine/history.db" >history.out 2>&1
check "tacho history reads it" same "$? $(grep -c . history.out | sed 's/[1-9][0-9]*/lines/')" "0 lines"
chmod 755 "$work"
nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
if $nobody test -r "$library" -a -x "$link/prefix/bin/tacho" -a -r "$link/job.sh" && $nobody "$tacho" --version >/dev/null 2>&1; then
	chmod 777 .
	foreign=$(run sbatch --uid=65534 --gid=65534 --parsable --wait --nodes=2 --ntasks-per-node=1 -o foreign.out -J foreign job.sh | tail -n 1)
	mine=runs/$(id -un 65534)
	check "another user's job is recorded" finished "$foreign"
	check "as that user" same "$(find "$mine" ! -user 65534 | wc -l)" 0
	mine=runs/$(id -un)
else
	ok 0 "another user's job # SKIP another user does not reach this build"
fi
off=$(job off --export=ALL,TACHO_SITE=off)
check "a user can switch it off" [ ! -e "$mine/$off" ]
sed -i 's/^TACHO_PARTITIONS=.*/TACHO_PARTITIONS=other/' site/tacho.conf
outside=$(job outside)
check "jobs of other partitions are left alone" [ ! -e "$mine/$outside" ]
check "and have no variable of it" sh -c '! grep -q "^TACHO_DIR=\|libtacho" environment'
mv prefix/lib prefix/gone
sed -i 's/^TACHO_PARTITIONS=.*/TACHO_PARTITIONS=all/' site/tacho.conf
without=$(job without)
check "without an installed tacho jobs run unrecorded" sh -c '[ ! -e "$1" ] && ! grep -qi error "$2"' sh "$mine/$without" without.out
parts_add_up
plan
