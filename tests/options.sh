#!/bin/sh
# How every command reads its command line: what is wrong is one sentence and status 2.
tacho=$top_builddir/analyzer/tacho
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
n=0

check() {
	status=$?
	n=$((n + 1))
	[ $status -eq 0 ] && echo "ok $n - $1" || { echo "not ok $n - $1"; sed 's/^/# /' said; }
}

# wrong SENTENCE ARGUMENT…: status 2, and this on standard error and nothing else
wrong() {
	expected=$1
	shift
	"$tacho" "$@" >out 2>said </dev/null
	[ $? -eq 2 ] && [ ! -s out ] && [ "$(cat said)" = "tacho: $expected" ]
}

# failed WORDS ARGUMENT…: the command line is right, so that the command fails with status 1
failed() {
	words=$1
	shift
	"$tacho" "$@" >out 2>said </dev/null
	[ $? -eq 1 ] && grep -qF -- "$words" said
}

echo 1..25
wrong "merge: unknown option --frce: did you mean --force? (see tacho merge --help)" merge --frce run &&
	wrong "unknown option --versoin: did you mean --version? (see tacho --help)" --versoin &&
	wrong "stats: unknown option --widnow: did you mean --window? (see tacho stats --help)" stats --widnow=run x
check "an unknown option is reported with the one that is near"
wrong "merge: unknown option --nonsense (see tacho merge --help)" merge --nonsense run &&
	wrong "merge: unknown option -x (see tacho merge --help)" merge -x run &&
	wrong "unknown option -Z (see tacho --help)" -Z
check "and alone where none is"
wrong "unknown command rpeort: did you mean report? (see tacho --help)" rpeort &&
	wrong "unknown command stat: did you mean stats? (see tacho --help)" stat run &&
	wrong "unknown command nothing (see tacho --help)" nothing
check "so is an unknown command"
wrong "stats: there is no table filse: did you mean files? (see tacho stats --help)" stats run filse
check "and an unknown table"
wrong "merge: --output needs a value: --output DIR (see tacho merge --help)" merge run --output &&
	wrong "merge: -o needs a value: -o DIR (see tacho merge --help)" merge run -o
check "a missing value is named"
wrong "merge: --force takes no value (see tacho merge --help)" merge --force=yes run
check "a value that is not wanted is refused"
for value in 0 -1 x 1x '' 99999999999999999999; do
	wrong "merge: --jobs $value: expected a number, 1 or more (see tacho merge --help)" merge --jobs "$value" run || break
done && wrong "merge: -j x: expected a number, 1 or more (see tacho merge --help)" merge -jx run
check "a count that is none is refused"
for value in 12 3d s 1e30s; do
	wrong "dump: --from $value: expected a time with its unit, like 1.5s, 20ms or 10m (see tacho dump --help)" dump run --from $value || break
done &&
	wrong "record: --status 60: expected a time with its unit, like 1.5s, 20ms or 10m (see tacho record --help)" record -o no --status 60 -- true &&
	wrong "record: --max-size 500: expected bytes like 2G or 512M/rank (K, M, G) (see tacho record --help)" record -o no --max-size 500 -- true &&
	wrong "record: --max-spool 500: expected bytes like 500M (K, M, G) (see tacho record --help)" record -o no --max-spool 500 -- true &&
	[ ! -e no ] && failed nowhere dump nowhere --from 0 --to 1h &&
	wrong "dump: --limit -1: expected a number of lines (see tacho dump --help)" dump --limit=-1 run
check "so is a time or a size without its unit, and a number"
for value in x 1X 1e 1.5TT -1; do
	wrong "analyze: --peak-flops $value: expected a number like 312e12 or 312T (K, M, G, T, P, E), or bf16, fp16, fp8, tf32, fp32 (see tacho analyze --help)" \
		analyze --peak-flops=$value nowhere || break
done && failed nowhere analyze --peak-flops 989.5T --flops-per-sample 6e9 --flops-per-step 3 nowhere
check "and operations that are no number"
wrong "stats: --format xml: expected table, csv or json (see tacho stats --help)" stats --format xml run &&
	wrong "compare: --format csv: expected table, json, markdown or junit (see tacho compare --help)" compare a b --format csv &&
	wrong "stats: --format jso: expected table, csv or json (see tacho stats --help)" stats --format jso run
check "so is a word that is not among the choices"
wrong "record: --st may be --start-after or --stopped (see tacho record --help)" record --st 1 true
check "an abbreviation that may be two is refused"
failed nowhere merge --for nowhere && failed nowhere stats --form json nowhere
check "an abbreviation that is clear is known"
failed nowhere merge nowhere -f && failed nowhere merge -f -j2 --output=out nowhere && failed nowhere merge -fj 2 nowhere
check "options stand anywhere, short ones together, and values after = or not"
failed "--force" merge -- --force
check "after -- there are arguments only"
wrong "compare: an argument is missing: tacho compare BASE RUN (see tacho compare --help)" compare a &&
	wrong "merge: an argument is missing: tacho merge RUN (see tacho merge --help)" merge &&
	wrong "merge: b is one argument too many: tacho merge RUN (see tacho merge --help)" merge a b &&
	wrong "a command is missing (see tacho --help)"
check "missing arguments and superfluous ones are named"
wrong "record: --ranks x: expected ranks like 0,4-7 (see tacho record --help)" record --ranks x -- true &&
	wrong "record: unknown option --rank-s: did you mean --ranks? (see tacho record --help)" record --rank-s 1 -- true
check "options of libtacho are checked before anything is recorded"
"$tacho" record -o run --no-merge -- sh -c 'echo "$@"' sh --force -o -- x >out 2>said && [ "$(cat out)" = "--force -o -- x" ]
check "what follows the command is the command's"
set --
for i in 1 2 3 4 5 6 7 8 9; do set -- "$@" --every $i --for 1 --steps 1:$i --sample-hz $i; done
"$tacho" record -o many --no-merge "$@" -- sh -c 'echo $TACHO_EVERY $TACHO_STEPS $TACHO_SAMPLE_HZ' >out 2>said && [ "$(cat out)" = "9 1:9 9" ]
check "of an option that is given often the last value counts"
for command in "" $("$tacho" --help | sed -n 's/^  \([a-z]*\)  *[A-Z].*/\1/p'); do
	"$tacho" $command --help >out 2>said && "$tacho" $command -h >short 2>>said && cmp -s out short && [ ! -s said ] &&
		[ "$(awk 'length > 100' out | wc -l)" -eq 0 ] && grep -q "^usage: tacho $command" out || break
done
check "every command has its help"

# completed WORDS EXPECTED: what bash offers behind these words
completed() {
	"$tacho" completion bash >script && [ "$(bash -c '. ./script; eval "COMP_WORDS=($1)"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tacho; echo "${COMPREPLY[*]}"' - "$1" 2>said)" = "$2" ]
}
completed "tacho sca" scaling && completed "tacho stats --wind" --window && completed "tacho stats --format ''" "table csv json" &&
	completed "tacho stats --format = j" json && completed "tacho merge --jobs ''" ""
check "bash completes commands, options and words that are values"
every=yes
for shell in bash zsh fish; do
	"$tacho" completion $shell >script && for option in keep-spools flops-per-sample openmetrics ahead; do grep -qF -- "$option" script || every=no; done
	! command -v $shell >said || $shell -n script 2>said || every=no
done
[ $every = yes ]
check "the scripts of all three shells have every option, and are well formed where the shell is there"
# Each by its own shell, as a user has it.
if command -v zsh >/dev/null; then
	mkdir -p zsh && "$tacho" completion zsh >zsh/_tacho
	offers() { TERM=dumb timeout 100 zsh -f "$top_srcdir/tests/zsh_completes.zsh" "$PWD/zsh" "$1" "$2" >said 2>&1; }
	offers "tacho re" "report  -- Write" && offers "tacho record --max-" "--max-spool  --"
	check "zsh completes commands and options"
else
	n=$((n + 1))
	echo "ok $n - zsh completes commands and options # SKIP zsh is not installed"
fi
if command -v fish >/dev/null; then
	offers() { HOME=$PWD timeout 100 fish -N -c "'$tacho' completion fish | source; complete -C '$1'" 2>said | cut -f 1 | paste -sd ' ' >out; [ "$(cat out)" = "$2" ]; }
	offers "tacho re" "record report" && offers "tacho record --max-" "--max-cost --max-size --max-spool" && offers "tacho stats --format c" csv
	check "fish completes commands, options and words that are values"
else
	n=$((n + 1))
	echo "ok $n - fish completes commands and options # SKIP fish is not installed"
fi
mkdir -p folder
echo text >folder/text
for command in "record --db" "analyze --db" "report -o" "compare -o" "history -o" "scaling --db" "scaling -o" "export --perfetto" "watch --openmetrics"; do
	for file in /nosuch/x folder; do
		failed "$file" ${command% *} ${command#* } $file nowhere && [ "$(wc -l <said)" = 1 ] && grep -q 'name a file' said || break 2
	done
done && failed "folder/text is not a database of tacho: name another file with --db" record -o no --db folder/text -- true || failed "not a database" record -o no --db folder/text -- true
[ $? = 0 ] && [ ! -e no ] && [ ! -e tacho-run ]
check "a file that cannot be written is refused before anything else happens"
"$tacho" help stats >out && "$tacho" stats --help | cmp -s - out && "$tacho" help | grep -q 'help COMMAND' &&
	wrong "unknown command stat: did you mean stats? (see tacho --help)" help stat
check "help COMMAND explains it"
