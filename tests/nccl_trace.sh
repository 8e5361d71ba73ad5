#!/bin/sh
# NCCL on stand-ins: what a program calls, its kernels and communicators are in the trace and the
# database, for several processes and devices, linked, looked up and static.
. "$top_srcdir/tests/nccl_common.sh"
nccl_plan 45

seen() { compared "$1" nccl_check.py "${2:-}"; }

for what in "2 1 linked" "4 2 linked" "1 1 linked" "1 3 all" "3 1 dlsym" "2 2 dlsym" "2 1 careful"; do
	set -- $what
	name=run$1$2$3
	ok "$1 processes with $2 devices, $3: results are right" run "$name" "$1" nccl_calls "$2" "$3"
	ok "every call, communicator and kernel is reported" seen "$name"
done

# What watch says of a rank's communicators: the bytes of its kernels are those of its operations on the busiest of
# two members' links; a communicator of one member has none.
run watched 2 nccl_calls 1 linked
"$tacho" -q watch --interval 200ms --openmetrics "$tmp/watched.prom" "$tmp/watched" >/dev/null
grep '^comm' "$tmp/watched.said.1" >"$tmp/others"
ok "watch has the bytes on the busiest link of each communicator" same \
	"$(sed -n 's/^tacho_nccl_bus_bytes_total{.*rank="0".* //p' "$tmp/watched.prom")" \
	"$(grep '^comm' "$tmp/watched.said.0" | awk '
		NR == FNR { shared[$2]; next }
		$2 in shared { sum += $7 * ($5 == "recv" ? 0 : $5 ~ /^(allreduce|broadcast|reduce|send)$/ ? 1 : 0.5) }
		END { print sum }' "$tmp/others" -)"
ok "and time of its kernels" sh -c "grep -c '^tacho_nccl_kernel_seconds_total{.*rank=\"0\".*comm=' '$tmp/watched.prom' | grep -qv '^0'"
# How fast each peer is reached, of a sample of collectives: those of the communicator of all have six links.
links()
{
	"$tacho" merge "$tmp/$1" >/dev/null && "$tacho" analyze "$tmp/$1" >/dev/null 2>&1
	sqlite3 "$tmp/$1/tacho.db" "select count(*) from (select value as v, max(value ->> 'comm') over (partition by scope) from environment
		where key glob 'nccl_link.*') where v ->> 'send' = 1 and $2"
}
export TACHO_NCCL_SAMPLE=1
ok "with events of the network results are right" run net 3 nccl_calls 1 linked
ok "and every call, communicator and kernel is reported" seen net
ok "of each rank the links to all peers have bytes and time" test "$(links net "v ->> 'bytes' > 0 and v ->> 'net_ns' > 0")" -ge 6
ok "and the interface of the own end" same "$(links net "v ->> 'nic' = ''")" 0
ok "what it cost is known" sh -c "sqlite3 '$tmp/net/tacho.db' \"select count(*) from environment where key = 'nccl_sample' and value glob
	'1 in 1, [0-9]* events, [0-9]* ns'\" | grep -qx 3"
TACHO_NCCL_SAMPLE=4
run fewer 3 nccl_calls 1 linked >/dev/null
ok "of one collective in four there are fewer operations" test "$(links fewer "v ->> 'ops' between 1 and 5")" -ge 6
unset TACHO_NCCL_SAMPLE
run unasked 3 nccl_calls 1 linked >/dev/null
ok "without being asked for there is none" same "$(links unasked 1)" 0
ok "a static NCCL works" run static 2 nccl_static 1 linked
ok "and its calls are reported by the profiler plugin" seen static static
# with_version VERSION: communicators made in one group, by one call, and without blocking
with_version()
{
	for what in "2 2 linked" "1 3 all" "2 1 careful"; do
		set -- "$1" $what
		run "plugin$1$4" "$2" nccl_calls "$3" "$4" && seen "plugin$1$4" || return 1
	done
}

for version in 1 2 3 4 6; do
	STANDIN_NCCL_PROFILER=$version
	export STANDIN_NCCL_PROFILER
	ok "version $version of the plugin's interface gives algorithm, protocol and channels" with_version $version
done
# an all-gather by the copy engines, whose copies are NCCL's and no kernel is
export STANDIN_NCCL_COPIES=1
STANDIN_NCCL_PROFILER=6
ok "an all-gather by copies: results are right" run copies 3 nccl_calls 1 linked
"$tacho" merge "$tmp/copies" >/dev/null && "$tacho" analyze "$tmp/copies" >/dev/null 2>&1
"$tacho" dump "$tmp/copies" >"$tmp/dump"
gathers=$(grep -c '^comm .* allgather ' "$tmp/copies.said")
ok "its call names the copy engines" same \
	"$(grep -c 'enter "ncclAllGather".*"tacho.algorithm"="copy_engine"' "$tmp/dump")" "$gathers"
ok "its copies are NCCL's, not the program's" same "$(sqlite3 "$tmp/copies/tacho.db" \
	"select sum(calls), group_concat(distinct class) from kernel where name = 'ncclCopy'")" "$((2 * gathers))|nccl"
ok "and the replay says that it does not know who waited" sh -c "sqlite3 '$tmp/copies/tacho.db' \
	\"select flag from metric where model = 'replay'\" | grep -q 'communicators of the communication kernels'"
# Version 5 and older ones have no event of it, and report nothing in its place: a copy is NCCL's by its launch.
for version in 5 4; do
	STANDIN_NCCL_PROFILER=$version
	run copies$version 3 nccl_calls 1 linked >/dev/null
	"$tacho" merge "$tmp/copies$version" >/dev/null && "$tacho" analyze "$tmp/copies$version" >/dev/null 2>&1
	ok "version $version of the interface says nothing of copies, which are NCCL's all the same" same "$(sqlite3 "$tmp/copies$version/tacho.db" \
		"select sum(calls), group_concat(distinct class) from kernel where name = 'ncclCopy' or name like 'memcpy_d2d'")" "$((2 * gathers))|nccl"
	"$tacho" dump "$tmp/copies$version" >"$tmp/dump"
	ok "… and the calls have no algorithm" same "$(grep -c 'enter "ncclAllGather".*"tacho.algorithm"' "$tmp/dump")" 0
done
unset STANDIN_NCCL_COPIES
STANDIN_NCCL_PROFILER=3
ok "of a static NCCL an interface that does not give sizes makes up nothing" run old 2 nccl_static 1 linked
ok "neither a call nor a plan" same "$(lines "$tmp/old" '^nccl')" 0
unset STANDIN_NCCL_PROFILER
for mode in linked all careful; do
	ok "all versions report as much, $mode" sh -c \
		'test "$1" -ge 18 && shift && for n; do test "$n" = "$1" || exit 1; done' - \
		$(for version in 1 1 2 3 4 6; do lines "$tmp/plugin$version$mode" '^nccl_plan'; done)
done
run other 2 nccl_calls 1 linked >/dev/null
env NCCL_PROFILER_PLUGIN=none RANK=0 WORLD_SIZE=1 LD_PRELOAD="$lib" TACHO_DIR="$tmp/none" timeout 60 \
	"$programs/nccl_calls" 0 1 "$tmp" 1 all >/dev/null
ok "a plugin of the user's is left alone" same "$(lines "$tmp/none" '^nccl_plan')" 0
timeout 60 otf2-print -G "$tmp/other/trace/traces.otf2" >"$tmp/print" 2>&1
"$tacho" merge "$tmp/other" >/dev/null && timeout 60 otf2-print -G "$tmp/other/trace/traces.otf2" >"$tmp/print" 2>&1
ok "other readers find the definitions in order" sh -c '! grep -E "warning|INVALID|error" "$1" && grep -q "^COMM .*NCCL 0" "$1"' - "$tmp/print"
