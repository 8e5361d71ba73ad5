#!/bin/sh
# Time by module of PyTorch: of a model whose modules sleep in forward() each has its share, under the attributes of the model that lead to it.
. "$top_srcdir/tests/e2e/lib.sh"

PYTHONPATH= /usr/bin/python3 -c 'import torch, sys; assert sys.version_info >= (3, 11)' 2>/dev/null ||
	skip_all "PyTorch with Python 3.11 or later is not installed"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
unset PYTHONPATH
cp "$top_srcdir/tests/e2e/torch_modules.py" .
line() { grep -n "$1" torch_modules.py | cut -d : -f 1; }
model="Model (torch_modules.py:$(line 'model(torch'))"
head="$model: head" inner="$model: body.0.inner" tail="$model: rest.1"

check "a training is recorded" "$tacho" -q record --python-hz 200 -o run -- /usr/bin/python3 torch_modules.py
check "each module has its share of forward passes" same "$(query "with t as (select sum(ns) as ns from python_module)
	select group_concat(module, ';') from (select module from python_module join t
		where abs(1.0 * python_module.ns / t.ns - case module when '$inner' then 0.5 else 0.25 end) < 0.12
		and module in ('$head', '$inner', '$tail') order by module)")" "$inner;$head;$tail"
check "nearly all of the time in modules is theirs" same "$(query "select sum(iif(class = 'Sleep', ns, 0)) > 0.95 * sum(ns) from python_module")" 1
check "no more than what is on stacks as forward" same "$(query "select (select sum(ns) from python_module) <= (select sum(ns) from python_sample
	where state in ('forward', 'communication'))")" 1
"$tacho" stats --format csv run modules >text
check "each has its class, that of its forward() and the line that calls it" same "$(query "select group_concat(distinct class || ' ' || called_at)
	from (select * from python_module where module in ('$head', '$inner', '$tail') order by module)")" \
	"Sleep torch_modules.py:$(line 'self.inner(x)'),Sleep torch_modules.py:$(line 'self.head(x)'),Sleep torch_modules.py:$(line 'self.rest.1.(x)')"
check "flame graphs have the names" sh -c '"$0" export run --folded - | grep -q ";body (<nn.Module>);.*;0 (<nn.Module>);.*;inner (<nn.Module>);.*;Sleep.forward"' "$tacho"
check "stats has the longest first" sh -c 'sed -n 2p text | grep -q "body.0.inner"'
"$tacho" report run >/dev/null 2>&1
check "the page has modules with those in them, and their interval" awk -F , 'NR == 2 { whole = $5 == 1 }
	$2 == "Block" { ok = $5 > 0.38 && $5 < 0.62 && $6 > 0.01 && $6 < 0.1 && $1 ~ /: body.0$/ } END { exit !(whole && ok) }' run/report/modules.csv
check "and their classes" awk -F , '$1 ~ /Sleep/ { ok = $2 == 3 && $4 > 0.95 } END { exit !ok }' run/report/module_classes.csv
plan
