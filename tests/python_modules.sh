#!/bin/sh
# Names of modules: the time of each module of a model is found under its attribute, with every CPython there is. A stand-in
# has PyTorch's way of calling modules; tests/e2e/torch_modules.sh has PyTorch itself.
. "$top_srcdir/tests/python_common.sh"
echo 1..$((3 * $(pythons | wc -l)))

mkdir -p "$tmp/site-packages/torch/nn/modules"
cp "$top_srcdir/tests/python/module.py" "$top_srcdir/tests/python/container.py" "$tmp/site-packages/torch/nn/modules/"
touch "$tmp/site-packages/torch/__init__.py" "$tmp/site-packages/torch/nn/__init__.py" "$tmp/site-packages/torch/nn/modules/__init__.py"
# seconds of each module by its clock, and the share of them that is found under its name
shares()
{
	db "create temp table truth (name, s); $(sed 's/\(.*\) \(.*\)/insert into truth values ('"'\1'"', \2);/' "$tmp/truth")
		select name, s, coalesce((select sum(ns) / 1e9 from python_module
			where module glob '* (modules.py:*): ' || name), 0) / s from truth where name <> 'hidden' order by name" >"$tmp/found"
}
# A module runs for 0.3 s or more; one that gets the time of another, or none, is further off than this.
found_all()
{
	cat "$tmp/found"
	[ "$(wc -l <"$tmp/found")" = 8 ] && ! awk -F '|' '{ off = ($3 - 1) * $2 } off ^ 2 > (0.15 + 0.25 * $2) ^ 2' "$tmp/found" | grep .
}
for python in $(pythons); do
	version=$("$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])')
	for try in 1 2 3; do
		rm -rf "$tmp/run" "$tmp/truth"
		PYTHONPATH=$tmp/site-packages "$tacho" -q record --python-hz 200 -o "$tmp/run" -- env RANK=0 WORLD_SIZE=1 \
			"$python" "$top_srcdir/tests/python/modules.py" "$tmp/truth" >"$tmp/out" 2>&1
		shares
		found_all >/dev/null && break
	done
	if found_all >/dev/null || ! disturbed; then
		ok "$version: each module's time is under its attribute, also in containers, and after others took the names" found_all
	else
		skip "$version: each module's time is under its attribute" "the machine was too busy, three times"
	fi
	ok "$version: a module that is no attribute has its class and line" sql "select count(*) from (select distinct module from python_module
		where module glob '*(modules.py:*) > *(modules.py:*)')"
	ok "$version: no name is wrong" same "$(db "select group_concat(distinct substr(module, instr(module, '): ') + 3)) from python_module
		where instr(module, '): ') and substr(module, instr(module, '): ') + 3) not in ('first', 'layers.0', 'layers.1', 'heads.near.0',
			'stack', 'stack.0', 'left', 'right', 'old', 'old.leaf')")" ""
done
