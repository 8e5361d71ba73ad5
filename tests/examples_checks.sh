#!/bin/sh
# examples/checks: the figures of tacho doctor are read, slow nodes and troubles are named, ClusterShell collects them from
# several nodes, and ReFrame runs the check. Without ReFrame the check's own command line is run instead.
top=$(cd "$top_srcdir" && pwd)
checks=$top/examples/checks
tacho=$(cd "$top_builddir/analyzer" && pwd)/tacho
python=/usr/bin/python3
[ -x $python ] || { echo "1..0 # SKIP no $python"; exit 0; }
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
n=0

ok()
{
	n=$((n + 1))
	text=$1
	shift
	if "$@" >out 2>&1; then
		echo "ok $n - $text"
	else
		echo "not ok $n - $text"
		sed 's/^/# /' out
	fi
}

skip()
{
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# doctor NODE MEMORY [TROUBLE]: what tacho doctor would print of a node
doctor()
{
	printf '{"nodes": [{"host": "%s", "memory_triad": %s, "gemm": 100, "link": null}], "units": {"memory_triad": "GB/s", "gemm": "GFLOP/s"},
		"troubles": [%s], "undecided": []}' "$1" "$2" "${3:+\"$3\"}" >"$1"
}

# figures STATUS LINES FILE...: exit status, and what is wrong
figures()
{
	status=$1
	lines=$2
	shift 2
	$python "$checks/figures.py" "$@" >said
	[ "$? $(sed -n 's/^wrong: //p' said)" = "$status $lines" ] || { cat said; return 1; }
}

echo 1..8
for node in a b c; do
	doctor $node 200
done
doctor d 150
doctor e 200 "e: the clock is off"
echo "no such command" >f
ok "nodes that are alike are well" figures 0 "" a b c
ok "a slow node is named" figures 1 "d: memory_triad 150, the median is 200" a b c d
ok "what the doctor finds is named" figures 1 "e: the clock is off" a b c e
$python "$checks/figures.py" a f >said
ok "a node that did not answer fails" sh -c 'grep -q "^wrong: f: no output of tacho doctor" said'
"$tacho" doctor --brief --format json >real 2>err
ok "the figures of a real doctor are read" $python -c "import sys; sys.path.insert(0, '$checks')
import figures
nodes, units, troubles, undecided = figures.read(open('real').read())
assert len(nodes) == 1 and figures.least(open('real').read(), 'memory_triad') > 0, nodes
assert set(figures.FIGURES) <= set(units), units"

if command -v clush >/dev/null; then
	CLUSH_OPTIONS="-R exec" TACHO="$tacho" "$checks/clush-doctor" 'n[1-2]' >table 2>&1
	ok "ClusterShell brings the figures of all nodes" sh -c 'grep -v "^not sure" table; [ "$(grep -c "^[^nw].*	[0-9]\|^n2	" table)" = 2 ]'
else
	skip "ClusterShell brings the figures of all nodes" "clush is not installed"
fi

cat >site.py <<'END'
site_configuration = {
    "systems": [{"name": "here", "hostnames": [".*"], "partitions": [
        {"name": "node", "scheduler": "local", "launcher": "local", "environs": ["builtin"]}]}],
    "environments": [{"name": "builtin"}],
}
END
if command -v reframe >/dev/null; then
	PATH=$(dirname "$tacho"):$PATH
	reframe -C site.py -c "$checks/reframe_doctor.py" -n NodeDoctor -r --performance-report >report 2>&1
	ok "ReFrame runs the check" sh -c 'grep -q "Ran 1/1 test case(s).*(0 failure(s)" report || { cat report; false; }'
	ok "and has its figures" grep -q "memory_triad" report
else
	skip "ReFrame runs the check" "reframe is not installed"
	# the words of the check's lists, as they are in its source
	cat >words.py <<-'END'
	import ast, sys
	for node in ast.walk(ast.parse(open(sys.argv[1]).read())):
	    if isinstance(node, ast.Assign):
	        name = getattr(node.targets[0], "id", getattr(node.targets[0], "attr", None))
	        if name == "executable":
	            program = node.value.value
	        if name == "executable_opts":
	            options = [part.value for part in node.value.left.elts]
	print(program, *options)
	END
	# shellcheck disable=SC2046 # words
	set -- $($python words.py "$checks/reframe_doctor.py")
	[ "$1" = tacho ] && shift
	"$tacho" "$@" >real 2>err
	ok "without it: the check's command line gives what is read" sh -c '"$1" "$2" real | tee said | grep -q "memory_triad GB/s"' \
		sh $python "$checks/figures.py"
fi
