#!/bin/sh
# Trainings that torch.compile has (2.x): a compiled model keeps all parts of a step; in a compiled step PyTorch does not name the
# optimizer, so that its part is not known, and steps are backward passes.
. "$top_srcdir/tests/e2e/lib.sh"

PYTHONPATH= /usr/bin/python3 -c 'import torch; torch.compile(torch.sin, backend="eager")(torch.ones(1))' 2>/dev/null ||
	skip_all "PyTorch with torch.compile for this Python is not installed"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
unset PYTHONPATH
cp "$top_srcdir/tests/e2e/torch_compiled.py" .
# parts RUN: calls of each, whether loading has what it slept, and the parts of steps that are known
parts() {
	query "select group_concat(name || ' ' || calls, ', ') from (select name, calls from call where name in ('torch:backward', 'torch:loader',
		'torch:optimizer') order by name); select sum(loading_ns) >= 19 * 5e6, sum(backward_ns) > 0, sum(optimizer_ns) > 0, count(*) from step where not cut" "$1" | tr '\n' '|'
}

for how in model step; do
	check "a training with a compiled $how runs without tacho" sh -c '/usr/bin/python3 torch_compiled.py "$0" >"$0.bare"' $how
	check "and under it" sh -c '"$0" -q record -o "$1" -- /usr/bin/python3 torch_compiled.py "$1" >"$1.weights"' "$tacho" $how
	check "its weights are the same bit for bit" cmp $how.bare $how.weights
	check "no check of its analysis fails" same "$(query "select count(*) from checks where not ok" $how)" 0
done
check "a compiled model keeps loader, backward passes and optimizer" same "$(parts model)" \
	"torch:backward 20, torch:loader 21, torch:optimizer 20|1|1|1|19|"
check "a compiled step keeps loader and backward passes" same "$(parts step)" "torch:backward 20, torch:loader 21|1|1||19|"
plan
