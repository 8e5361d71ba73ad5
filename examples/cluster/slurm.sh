# slurm.sh - a real Slurm on the cluster's nodes; sourced by cluster.
# The controller runs on the machine itself under the name ctl, a slurmd per node.

slurm=$state/slurm
slurm_lock=/run/tacho-cluster-slurm.lock	# munge and the controller's port exist once per machine

slurm_conf() {
	cat >"$slurm/slurm.conf" <<EOF
ClusterName=tacho
SlurmctldHost=ctl($net.254)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
SelectType=select/cons_tres
ReturnToService=2
SlurmdParameters=config_overrides
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/%n
TmpFS=$slurm/%n/tmp
TaskProlog=$slurm/prolog
Epilog=$slurm/epilog
SlurmctldPidFile=$slurm/ctl.pid
SlurmdPidFile=$slurm/%n.pid
SlurmctldLogFile=$slurm/ctl.log
SlurmdLogFile=$slurm/%n.log
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
EOF
	i=0
	for node in $(nodes); do
		i=$((i + 1))
		echo "NodeName=$node NodeAddr=$net.${node#"$name"} CPUs=$(nproc) State=UNKNOWN"
	done >>"$slurm/slurm.conf"
	echo "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES" >>"$slurm/slurm.conf"
}

# In a job Slurm tells mpirun its nodes, so the list of `cluster run` is taken away. A test puts its own epilog there.
slurm_prolog() {
	printf '%s\n' '#!/bin/sh' 'echo unset OMPI_MCA_orte_default_hostfile' >"$slurm/prolog" &&
		printf '%s\n' '#!/bin/sh' 'exit 0' >"$slurm/epilog" && chmod 755 "$slurm/prolog" "$slurm/epilog"
}

# A daemon of our own; its pid goes to the list that slurm_down ends.
slurm_start() {
	setsid "$@" >>"$slurm/daemons.log" 2>&1 </dev/null &
	echo $! >>"$slurm/pids"
}

# Holds the lock in a process of its own, as slurmctld would close its descriptor: the first in the list.
slurm_take() {
	slurm_start flock -F -w "${TACHO_CLUSTER_WAIT:-0}" "$slurm_lock" sh -c '>"$0" && exec sleep infinity' "$slurm/taken"
	holder=$!
	until [ -e "$slurm/taken" ]; do
		kill -0 $holder 2>/dev/null || { rm -rf "$slurm"; die "another cluster has its Slurm up"; }
		sleep 0.1
	done
}

slurm_munge() {
	[ -S /run/munge/munge.socket.2 ] && munge -n >/dev/null 2>&1 && return 0
	[ -s /etc/munge/munge.key ] || mungekey -c >/dev/null 2>&1
	install -d -o munge -g munge /run/munge
	slurm_start setpriv --reuid=munge --regid=munge --init-groups munged --foreground
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		munge -n >/dev/null 2>&1 && return 0
		sleep 0.3
	done
	return 1
}

slurm_up() {
	for tool in slurmctld slurmd munged; do
		command -v $tool >/dev/null || die "$tool is missing: apt-get install slurm-wlm munge"
	done
	[ ! -s "$slurm/pids" ] || die "slurm is up already"
	mkdir -p "$slurm/state" && slurm_conf && slurm_prolog
	slurm_take
	slurm_munge || die "munge does not start (see $slurm/daemons.log)"
	SLURM_CONF=$slurm/slurm.conf
	export SLURM_CONF
	slurm_start unshare --uts sh -c "hostname ctl; exec slurmctld -D -f '$slurm/slurm.conf'"
	for node in $(nodes); do
		mkdir -p "$slurm/$node/tmp"
		slurm_start nsenter --net="/run/netns/$node" unshare --uts \
			sh -c "hostname $node; exec slurmd -D -N $node -f '$slurm/slurm.conf'"
	done
	for _ in $(seq 60); do
		idle=$(sinfo -h -t idle -o %D 2>/dev/null)
		[ "${idle:-0}" = "$(nodes | wc -l)" ] && { echo "slurm up: SLURM_CONF=$slurm/slurm.conf"; return 0; }
		sleep 0.5
	done
	tail -n 5 "$slurm/ctl.log" >&2
	die "slurm does not come up (logs in $slurm)"
}

# Jobs first: their steps would outlive the daemons.
slurm_cancel() {
	jobs=$(SLURM_CONF=$slurm/slurm.conf squeue -h -o %A 2>/dev/null)
	[ -n "$jobs" ] || return 0
	# shellcheck disable=SC2086 # one word per job
	SLURM_CONF=$slurm/slurm.conf scancel $jobs
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ -n "$(SLURM_CONF=$slurm/slurm.conf squeue -h 2>/dev/null)" ] || break
		sleep 0.3
	done
}

# A munged that was there before is not in the list, and stays.
slurm_down() {
	[ -s "$slurm/pids" ] || return 0
	slurm_cancel
	# shellcheck disable=SC2046 # one word per process
	end_processes $(sed 1d "$slurm/pids")
	end_processes "$(sed q "$slurm/pids")"	# the lock: another Slurm may start now
	rm -rf "$slurm"
}
