#!/bin/sh
# No query and no C reads a sentence of a finding, a flag or a trouble: their facts are columns.
# No line of SQL is wider than 100 columns, with tabs of 8. Made databases of tests are lists of rows
# as wide as their table is, and an older schema stays as it was released. Tests name the columns that they fill.
echo 1..4
wide=$(find "$top_srcdir/analyzer" "$top_srcdir/reports" "$top_srcdir/tests" -name '*.sql' -o -name '*.rule' |
	grep -vE '/tests/(findings|report|bench)/|/schema-[0-9]*\.sql$' | LC_ALL=C sort | LC_ALL=C xargs awk '
	FNR == 1 {
		is_sql = FILENAME !~ /rule$/
	}
	is_sql {
		line = $0
		gsub(/[\200-\277]/, "", line)	# the rest of a character of several bytes
		columns = 0
		for (i = 1; i <= length(line); i++)
			columns += substr(line, i, 1) == "\t" ? 8 - columns % 8 : 1
		if (columns > 100)
			print "# " FILENAME ":" FNR ": " columns " columns"
	}
	$0 == "query" {
		is_sql = 1
	}')
if [ -z "$wide" ]; then
	echo "ok 1 - lines of SQL have 100 columns at most"
else
	echo "$wide"
	echo "not ok 1 - lines of SQL have 100 columns at most"
fi

# Texts that are made for people: those of findings, flags of metrics, what a trouble is said to be. grep's status 1: none.
sentence="([a-z]+[.])?(message|brief|confidence|advice|evidence|flag|said|hang_text)"
match="\<$sentence([ )]*\|\|[^,]*)?[ )]* (not )?(like|glob) |\<instr\($sentence\>|\<(where|and|or|when|not) $sentence( =| <>| in) ?\(?'[^']* "
match="$match|str(str|cmp|ncmp|casecmp)\((\w+(->|\.))*(message|brief|confidence|advice|flag|hang_text)\>"
reads_sentences() {
	sed 's/--.*//' "$@" | grep -nE "$match"
}
reads=$(for file in "$top_srcdir"/reports/*/*.sql "$top_srcdir"/reports/findings/*.rule "$top_srcdir"/analyzer/*/*.c "$top_srcdir"/analyzer/*/*.sql \
	"$top_srcdir"/analyzer/db/schema/*.sql; do
	case $file in *.rule) sed '1,/^query$/d' "$file" ;; *) cat "$file" ;; esac | reads_sentences - | sed "s|^|${file#"$top_srcdir"/}:|"
done)
# a query of each kind is found
for planted in "where f.message like 'x%'" "where brief glob 'x*'" "instr(f.confidence, 'x')" "where flag = 'two words'" \
	"when said like '%x%'" 'if (strstr(row->message, "x"))'; do
	echo "$planted" | reads_sentences - >/dev/null || reads="$reads
not found: $planted"
done
if [ -z "$reads" ]; then
	echo "ok 2 - no query and no C reads sentences"
else
	echo "$reads" | sed 's/^/# /'
	echo "not ok 2 - no query and no C reads sentences"
fi

# A new column breaks no made database: tests insert by names. temp tables of their own are theirs; meta is a key and a value.
tables=$(sed -n 's/^create table \([a-z_]*\) *(.*/\1/p' "$top_srcdir"/analyzer/db/schema/*.sql | grep -vx meta | paste -sd '|')
by_position() { grep -nE "insert (or [a-z]+ )?into ($tables)([[:space:]]+(values|select|with)\>|[[:space:]]*\$)" "$@"; }
positional=$(find "$top_srcdir/tests" -type f \( -name '*.sql' -o -name '*.inc' -o -name '*.sh' -o -name '*.py' -o -name '*.[ch]' \) |
	grep -v '/schema-[0-9]*\.sql$' | LC_ALL=C sort | while read -r file; do
	by_position "$file" | sed "s|^|${file#"$top_srcdir"/}:|"
done)
for planted in "values (1)" "select 1"; do
	for table in host_time finding_overlap; do
		echo "insert into $table $planted" | by_position - >/dev/null || positional="$positional
not found: $table $planted"
	done
done
if [ -z "$positional" ]; then
	echo "ok 3 - tests insert by names of columns"
else
	echo "$positional" | sed 's/^/# /'
	echo "not ok 3 - tests insert by names of columns"
fi

# Useful, I/O and MPI are apart in luminance, words on a state can be read, waiting is hatched, and plots have the same colours.
command -v python3 >/dev/null || { echo "ok 4 # SKIP python3 is not installed"; exit 0; }
if python3 - "$top_srcdir/reports/page" <<'P'
import itertools, re, sys
style, plots = (open(f"{sys.argv[1]}/{name}").read() for name in ("style.css", "common.gp"))
def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return sum(w * (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4) for w, v in zip((0.2126, 0.7152, 0.0722), parts))
def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)
colours = {}
for names, colour in re.findall(r"((?:\.s-[\w-]+(?:, )?)+) \{ background: (#\w{6}); \}", style):
    colours.update((name[3:], colour) for name in names.split(", "))
assert len(colours) > 20, colours
ink = re.search(r"\.bar b \{ color: (#\w+)", style).group(1)
for a, b in itertools.combinations(("useful", "io", "mpi"), 2):
    assert contrast(colours[a], colours[b]) >= 1.45, (a, b, contrast(colours[a], colours[b]))
for name, colour in colours.items():
    assert contrast(colour, ink) >= 4.5, (name, contrast(colour, ink))
hatched = set(re.search(r"hatched.*?\n(.*?) \{", style, re.S).group(1).split(", "))
assert hatched == {".s-" + name for name in colours if name.endswith("wait") or name == "omp_idle"}, hatched
in_plots = re.search(r"state_colours\[23\] = \[(.*?)\]", plots, re.S).group(1)
order = ["useful", "io", "mpi", "cuda", "wait", "omp_idle", "compute", "nccl", "nccl_wait", "memcpy", "idle-io_wait", "idle-mpi_wait", "idle-checkpoint", "idle-host_compute",
         "idle-host_in_cuda_api", "idle-wait", "idle-launch_latency", "idle-queued_other", "idle-unknown", "absent", "gloo", "mpi_wait", "gloo_wait"]
assert ["#" + c for c in re.findall(r"0x(\w{6})", in_plots)] == [colours[name] for name in order]
P
then
	echo "ok 4 - states can be told apart without colour, in the page as in its plots"
else
	echo "not ok 4 - states can be told apart without colour, in the page as in its plots"
fi
