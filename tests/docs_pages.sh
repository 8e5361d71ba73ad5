#!/bin/sh
# Links and anchors of the pages resolve, commands in them are known to the option tables, and are run, here or by the
# test that docs_commands.txt names; the manifest is YAML, and the pages become HTML.
. "$top_srcdir/tests/e2e/lib.sh"

command -v python3 >/dev/null || skip_all "python3 is not installed"
source=$(cd "$top_srcdir" && pwd)
trainer=$top_builddir/examples/trainer/tacho-trainer
pages=$(cd "$source" && find README.md CONTRIBUTING.md docs examples tests/README.md tests/gpu/README.md -name '*.md' | LC_ALL=C sort)

# nothing COMMAND…: it prints nothing
nothing() {
	said=$("$@" 2>&1)
	[ -z "$said" ] || { echo "$said"; return 1; }
}
of_source() { (cd "$source" && "$@"); }

# shellcheck disable=SC2086 # lists of paths without spaces
check "every link and anchor leads somewhere" nothing of_source python3 tests/docs_pages.py links $pages
# shellcheck disable=SC2086
check "every command is known with its options" nothing of_source python3 tests/docs_pages.py commands "$tacho" "$trainer" $pages
printf '# A head\n[a](#a-head) [b](#b-head) [c](none.md)\n\n    tacho recrod -o x\n    tacho merge --jbos 3 RUN\n' >bad.md
check "a wrong link, anchor, command or option would be told" same "$({ python3 "$source/tests/docs_pages.py" links bad.md
	python3 "$source/tests/docs_pages.py" commands "$tacho" "$trainer" bad.md; } | sed 's/.*there is no //; s/.*has no/no/' | grep -v ^only | paste -sd ,)" \
	"no heading #b-head,none.md,tacho recrod,--jbos of tacho merge"

# Each command line of what is to be read is run here, with few steps and ranks, or the list says which test does so.
(cd "$source" && python3 tests/docs_pages.py lines tests/docs_commands.txt README.md docs/*.md) >lines
listed() { sed '/^---$/,$d' lines | grep . && return 1 || return 0; }
check "a test is named for every command of the pages, or why there is none" listed
commands_run() {
	mkdir lesson bin && ln -s "$tacho" "$trainer" bin/ && cd lesson || return 1
	printf '#!/bin/sh\nexec tacho-trainer --data-dir shapes --side 16 --steps 8 --quiet\n' >train && chmod +x train
	standins=$(cd "$top_builddir" && pwd)/tests/standin/cuda13
	sed '0,/^---$/d' ../lines | sed -E "s/--epochs [0-9]+/--steps 8/; s/--steps 60/--steps 8/; s/samples 16384/samples 512/g; s/mpirun (-n 8 )?.\/train/mpirun -n 2 .\/train/; s/[$]SLURM_JOB_ID/21/
		s|build/tests/standin/cuda13|'$standins'|; s|/path/to/libtacho.so|'$library'|; s|^tacho record |tacho -q record -f |; s|^(LD_PRELOAD.*)|mkdir -p run1 \&\& rm -r run1 \&\& \1|" >todo
	[ -d "$standins" ] || sed -i '/STANDIN\|standin\|--device cuda\| exposed \| launch /d' todo
	command -v sqlite3 >/dev/null || sed -i '/^sqlite3/d' todo
	# data first, the lesson second
	{ grep -h 'make-data' todo; grep -hv 'make-data' todo; } >again && [ "$(wc -l <again)" -ge 20 ] || { cat again; return 1; }
	PATH=$PWD/../bin:$PATH GNUPLOT=none
	export GNUPLOT
	while read -r line; do
		eval "$line" >said 2>&1 </dev/null || { status=$?; case $line:$status in *--gate*:[13]) ;; *) echo "$line: $status"; cat said; return 1 ;; esac }
	done <again
}
if [ -x "$trainer" ]; then
	check "and those that the list leaves to this one run" commands_run
else
	ok 0 "and those that the list leaves to this one run # SKIP the trainer is not built (no MPI)"
fi

manifest() {
	/usr/bin/python3 - "$source/examples/kubernetes/job.yaml" <<-END
	import sys, yaml
	service, job = yaml.safe_load_all(open(sys.argv[1]))
	pod = job["spec"]["template"]["spec"]
	assert (service["kind"], job["kind"], pod["subdomain"]) == ("Service", "Job", service["metadata"]["name"])
	mounted = {m["name"] for c in pod["containers"] for m in c["volumeMounts"]}
	assert mounted == {v["name"] for v in pod["volumes"]}
	END
}
if /usr/bin/python3 -c 'import yaml' 2>/dev/null; then
	check "the Kubernetes manifest is a Job and its service" manifest
else
	ok 0 "the Kubernetes manifest is a Job and its service # SKIP no yaml module of Python"
fi
if command -v mkdocs >/dev/null; then
	check "the pages become HTML" sh -c 'mkdocs build -q --strict -f "$1/mkdocs.yml" -d "$PWD/html" && [ -s html/diagnoses.html ]' - "$source"
else
	ok 0 "the pages become HTML # SKIP mkdocs is not installed"
fi
plan
