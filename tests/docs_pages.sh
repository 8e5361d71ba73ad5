#!/bin/sh
# Links and anchors of the pages resolve, commands in them are known to the option tables, and the ones of the first
# lesson run; the manifest is YAML, and the pages become HTML.
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

# The first lesson, line by line, with few steps.
lesson() {
	mkdir lesson bin && ln -s "$tacho" "$trainer" bin/ && cd lesson || return 1
	grep -E '^    (tacho|tacho-trainer|sqlite3) ' "$source/docs/first-diagnosis.md" | sed 's/--epochs [0-9]/--steps 20/' >lines
	command -v sqlite3 >/dev/null || sed -i '/^ *sqlite3/d' lines
	[ "$(wc -l <lines)" -ge 7 ] || return 1
	PATH=$PWD/../bin:$PATH
	while read -r line; do
		eval "$line" >said 2>&1 </dev/null || { echo "$line"; cat said; return 1; }
	done <lines
}
if [ -x "$trainer" ]; then
	check "the commands of the first lesson run" lesson
else
	ok 0 "the commands of the first lesson run # SKIP the trainer is not built (no MPI)"
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
