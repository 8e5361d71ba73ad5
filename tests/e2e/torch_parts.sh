#!/bin/sh
# Parts of a step of a training in PyTorch: loading, forward, backward and so on. Each sleeps for a known time, and
# is held against the program's own clock around its calls.
. "$top_srcdir/tests/e2e/lib.sh"

PYTHONPATH= /usr/bin/python3 -c 'import torch, torch.distributed as d; assert d.is_gloo_available()' 2>/dev/null ||
	skip_all "PyTorch with gloo is not installed"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
unset PYTHONPATH
cp "$top_srcdir/tests/e2e/torch_parts.py" .

MASTER_PORT=$(/usr/bin/python3 "$FREE_PORT")
export MASTER_PORT
cat >launch <<-'END'
	export MASTER_ADDR=127.0.0.1 WORLD_SIZE=2 LOCAL_WORLD_SIZE=2
	RANK=1 LOCAL_RANK=1 timeout 100 /usr/bin/python3 torch_parts.py truth &
	RANK=0 LOCAL_RANK=0 timeout 100 /usr/bin/python3 torch_parts.py truth && wait $!
END
# RANK: a part has what it slept, and no more than its calls took, with what communicates in them
parts() {
	query "select sum(loading_ns) || ' ' || sum(forward_ns) || ' ' || sum(backward_ns) || ' ' || sum(optimizer_ns) || ' ' ||
		sum(checkpoint_ns) || ' ' || sum(other_ns) || ' ' || sum(communication_ns) from step s join process p
		on p.id = s.process_id where p.rank = $1" | awk '
		FNR == NR { split("loading forward backward optimizer checkpoint other communication", name)
			for (i = 1; i <= NF; i++) ns[name[i]] = $i; next }
		{ n++; bad = ns[$1] + 0 < $2 || ($1 != "other" && ns[$1] > $3)
			print (bad ? "not " : "") "so: " $2 " <= " $1 " " ns[$1] " <= " $3; failed += bad }
		END { exit failed || n != 6 || !ns["communication"] }' - "truth.$1"
}

check "a training of two ranks is recorded" "$tacho" -q record -o run -- sh ./launch
check "its parts are what they slept, and not more than the program measured" parts 0
check "on the other rank, too, which writes no checkpoint" parts 1
check "which has none" same "$(query "select sum(checkpoint_ns) from step s join process p on p.id = s.process_id where p.rank = 1")" 0
check "they add up to each step" same "$(query "select count(*), sum(end_ns - start_ns = loading_ns + forward_ns + backward_ns +
	optimizer_ns + checkpoint_ns + other_ns + communication_ns) from step where not cut")" "16|16"
check "each is a region, once for each of its calls" same "$(query "select group_concat(name || ' ' || n, ', ') from (select c.name,
	group_concat(distinct c.calls) as n from call c join process p on p.id = c.process_id where c.name in ('torch:loader',
	'torch:forward', 'torch:backward', 'torch:optimizer', 'torch:save') group by c.name order by c.name)")" \
	"torch:backward 8, torch:forward 8, torch:loader 8, torch:optimizer 8, torch:save 1"
check "it is known how many steps had been trained when something was saved" same "$(query "select group_concat(coalesce(saved_steps, 'none'))
	from (select saved_steps from process where rank is not null order by rank)")" 4,none
"$tacho" report -s run >text
check "the summary has them in a line" grep -q '^ *a training step  *loading [0-9.<]* %  forward ' text
check "no check of the analysis fails" same "$(query "select count(*) from checks where not ok")" 0
plan
