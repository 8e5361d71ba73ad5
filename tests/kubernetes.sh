#!/bin/sh
# The manifests of examples/kubernetes against the fields of Kubeflow's custom resources: what is unknown, missing or of
# another type is found. TACHO_CRDS, a folder with pytorchjob.yaml and trainjob.yaml, checks against CRDs themselves.
python=/usr/bin/python3
source=$(cd "$top_srcdir" && pwd)
$python -c 'import yaml' 2>/dev/null || { echo "1..0 # SKIP no yaml module of Python"; exit 0; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0

ok()
{
	n=$((n + 1))
	text=$1
	shift
	if "$@" >"$tmp/out" 2>&1; then
		echo "ok $n - $text"
	else
		echo "not ok $n - $text"
		sed 's/^/# /' "$tmp/out"
	fi
}

# fits KIND MANIFEST
fits()
{
	if [ -n "${TACHO_CRDS:-}" ]; then
		$python "$source/tests/kubernetes.py" --crd "$TACHO_CRDS/$1.yaml" "$2"
	else
		$python "$source/tests/kubernetes.py" "$source/tests/data/kubeflow/$1.json" "$2"
	fi
}

# finds KIND SED SENTENCE: the changed manifest is wrong in that way only
finds()
{
	sed "$2" "$source/examples/kubernetes/$1.yaml" >"$tmp/bad.yaml"
	! cmp -s "$source/examples/kubernetes/$1.yaml" "$tmp/bad.yaml" && ! fits "$1" "$tmp/bad.yaml" >"$tmp/said" &&
		grep -q "$3" "$tmp/said" || { cat "$tmp/said"; return 1; }
}

# The training's command line is that of the Job, which other tests run.
same_command()
{
	$python - "$source/examples/kubernetes" <<-'END'
	import sys, yaml
	folder = sys.argv[1]
	load = lambda name: list(yaml.safe_load_all(open(f"{folder}/{name}.yaml")))[-1]
	tail = lambda command: command[command.index("--no_python"):-1]
	job = load("job")["spec"]["template"]["spec"]["containers"][0]["command"]
	torch = load("pytorchjob")["spec"]["pytorchReplicaSpecs"]
	train = load("trainjob")["spec"]["trainer"]["command"]
	master, worker = (torch[name]["template"]["spec"]["containers"][0]["command"] for name in ("Master", "Worker"))
	assert tail(job) == tail(master) == tail(worker) == tail(train), (job, master, worker, train)
	END
}

echo 1..9
ok "the PyTorchJob has fields of its kind" fits pytorchjob "$source/examples/kubernetes/pytorchjob.yaml"
ok "the TrainJob has fields of its kind" fits trainjob "$source/examples/kubernetes/trainjob.yaml"
ok "a field that the kind has not is found" finds pytorchjob 's/cleanPodPolicy/cleanPods/' 'no field cleanPods'
ok "and one in a pod" finds pytorchjob 's/terminationGracePeriodSeconds/terminationGrace/' 'no field terminationGrace'
ok "a field that lacks is found" finds trainjob '/mountPath: .dev.shm/d' 'mountPath is missing'
ok "a number for a text is found" finds pytorchjob 's/nprocPerNode: "1"/nprocPerNode: 1/' '1 is no string'
ok "a text for a number is found" finds trainjob 's/numNodes: 2/numNodes: "2"/' "'2' is no integer"
ok "a manifest of the other kind does not fit" sh -c '! "$@"' sh $python "$source/tests/kubernetes.py" \
	"$source/tests/data/kubeflow/trainjob.json" "$source/examples/kubernetes/pytorchjob.yaml"
ok "all manifests record by one command line" same_command
