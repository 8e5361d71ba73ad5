#!/bin/sh
# The database as its manual page describes it, and as programs read it through tacho stats.
. "$top_srcdir/tests/analyze_common.sh"
export ALTERED=1

make_case a phases_and_steps
"$tacho" analyze --label 'a "quoted", label' --db "$dir/db" "$dir/a/traces.otf2" 2>"$dir/err"
echo 1..21

# Example queries stand between .EX and .EE; each must run and give a row where it can.
page="$top_builddir/analyzer/db/tacho-db.5"
awk '/^\.EX/ { on = 1; next } /^\.EE/ { on = 0; next } on' "$page" >"$dir/examples.sql"
[ "$(grep -c ';$' "$dir/examples.sql")" -ge 7 ] && sqlite3 -bail "$dir/db" <"$dir/examples.sql" >"$dir/out" 2>"$dir/err"
ok $? "the example queries of tacho-db(5) run"

missing=
for name in $(sqlite3 "$dir/db" "select name from sqlite_master where type in ('table', 'view')"); do
	grep -qw "$name" "$page" || missing="$missing $name"
done
echo "missing:$missing" >"$dir/err"
[ -z "$missing" ]
ok $? "tacho-db(5) names every table and view"

[ "$(sqlite3 "$dir/db" "begin; insert into device (run_id, name, kind) values (1, 'NVIDIA H200', 'gpu'), (1, 'NVIDIA H200 NVL', 'gpu'),
	(1, 'NVIDIA H100 80GB HBM3', 'gpu'), (1, 'NVIDIA H100 PCIe', 'gpu'), (1, 'NVIDIA A100-SXM4-40GB', 'gpu'),
	(1, 'NVIDIA H100 80GB HBM3 MIG 1g.10gb', 'gpu'), (1, 'NVIDIA H200', 'stand-in'), (1, 'NVIDIA L4', 'gpu');
	select group_concat(name || ' ' || (flops / 1e12), ', ') from (select name, flops from device_peak p join device d on d.id = p.device_id
	where type = 'bf16' order by d.id)")" = "NVIDIA H200 989.5, NVIDIA H200 NVL 835.5, NVIDIA H100 80GB HBM3 989.5, NVIDIA H100 PCIe 756.5, NVIDIA A100-SXM4-40GB 312.0" ]
ok $? "peaks of GPUs are those of their data sheets"

[ "$(sqlite3 "$dir/db" "select count(*) from (select h.run_id, process_id, window, sum(ns) as s from host_time h
	group by 1, 2, 3 having window = 'run' and s <> (select duration_ns from run))")" = 0 ]
ok $? "host time sums exactly to the run"

"$tacho" stats --format json "$dir/db" >"$dir/json" 2>"$dir/err" &&
	sqlite3 :memory: "select json_valid(readfile('$dir/json')) and
		json_extract(readfile('$dir/json'), '\$.run[0].label') = 'a \"quoted\", label'" | grep -qx 1
ok $? "stats writes well-formed json and escapes names"

"$tacho" stats --format csv "$dir/db" run 2>"$dir/err" | sed -n 2p | grep -q '^"a ""quoted"", label",'
ok $? "stats writes csv and escapes names"

[ "$("$tacho" stats --format csv --metric mpi.transfer_efficiency --window phase:train "$dir/db" 2>"$dir/err" |
	tr -d '\r' | tail -n +2 | cut -d, -f5)" = 0.9444444444444444 ]
ok $? "stats gives one metric of one window"

sqlite3 "$dir/db" "delete from finding; delete from finding_time; insert into finding (run_id, rule, n, seconds, message, brief, evidence, advice, confidence) values (1, 'step_compute', 1, 0.5, 'rank 1 is slower, in a sentence that is longer than any column of a table can be',
	'all wait for rank 1', 'select 1 -- run_id = 1 ', 'look at its node, and at whatever else is told in this longer line', 'high')"
COLUMNS=100 "$tacho" stats "$dir/db" findings >"$dir/out" 2>"$dir/err" && [ "$(sed -n 2,4p "$dir/out")" = "1      0.5       -            -  step_compute
  message     rank 1 is slower, in a sentence that is longer than any column of a table can be
  advice      look at its node, and at whatever else is told in this longer line" ]
ok $? "stats shows whole sentences of findings below their rows"

# Everything long at once: an overview for people keeps to the width, and what it leaves out it says.
cp "$dir/db" "$dir/long"
sqlite3 "$dir/long" "insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns)
	select 1, min(id), '/a/folder/of/many/that/have/long/names/below/which/others/lie/shard-000017.tar', 'dataset', 123456, 1234567, 12345, 123456789,
	123456789, 5000, 1234567890, 1234567890, 1234567890 from process;
	insert into phase (run_id, process_id, name, instance, start_ns, end_ns) select 1, min(id), 'a phase that has a name which is a sentence', 0, 0, 1 from process;
	insert into not_recorded (run_id, subject, reason, count, message) values (1, 'rank 3 on a node', 'disk_full', 12, 'What was lost is said from its beginning to its end: 12 events of rank 3, as the disk of the node was full at the time');
	update run set command = 'mpirun -n 512 --map-by ppr:8:node --bind-to core ./examples/trainer/tacho-trainer --data-dir /scratch/data'"
fits() { # WIDTH: no line is wider
	COLUMNS=$1 "$tacho" stats "$dir/long" >"$dir/out" 2>"$dir/err" && [ -s "$dir/out" ] &&
		WIDTH=$1 python3 -c 'import os, sys
sys.exit(any(len(line.rstrip("\n")) > int(os.environ["WIDTH"]) for line in open(sys.argv[1], encoding="utf-8")))' "$dir/out"
}
fits 100 && grep -q '^path .* reads ' "$dir/out" && grep -q '^(too narrow for .*sequential_%.*: --format csv has them)' "$dir/out" &&
	grep -q '^…/.*/shard-000017.tar ' "$dir/out" && grep -q '^  message  What was lost is said' "$dir/out" && grep -q '^read_*time\|  time ' "$dir/out"
ok $? "an overview fits 100 columns, cut between words"
[ "$("$tacho" stats --format csv "$dir/long" files | head -n 1 | tr -d '\r' | tr , '\n' | sort | uniq -d | wc -l)" = 0 ] &&
	COLUMNS=200 "$tacho" stats "$dir/long" >"$dir/out" && grep '^path ' "$dir/out" | grep -q ' read  read_time .* write_time  meta_time  sequential_%'
ok $? "no two columns have one name, and a wide terminal has all"
"$tacho" stats "$dir/db" >"$dir/out" && grep -q '^Findings' "$dir/out" && grep -q 'rank 1 is slower, in a sentence' "$dir/out" && ! grep -q 'select 1 -- run_id' "$dir/out"
ok $? "findings are in the overview, without their queries"

"$tacho" analyze "$dir/a/traces.otf2" 2>"$dir/err" && "$tacho" stats "$dir/a/traces.otf2" run >"$dir/out" && "$tacho" info "$dir/a/traces.otf2" >"$dir/out" &&
	"$tacho" report -s "$dir/a/traces.otf2" >"$dir/out" && [ "$(GNUPLOT= "$tacho" report "$dir/a/traces.otf2")" = "$dir/a/report.html" ]
ok $? "an archive that was analysed stands for the database next to it"

"$tacho" stats "$dir/db" nosuch 2>"$dir/err"
a=$?
"$tacho" stats "$dir/nosuch" 2>>"$dir/err"
b=$?
[ $a -eq 2 ] && [ $b -eq 1 ] && [ "$(wc -l <"$dir/err")" -eq 2 ]
ok $? "stats refuses a table or a database that is not there, in a sentence each"

# refused STATUS WORDS COMMAND...: in one sentence with these words, and nothing on stdout
refused() {
	status=$1 words=$2
	shift 2
	"$tacho" "$@" >"$dir/out" 2>"$dir/err"
	[ $? -eq "$status" ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -qF "$words" "$dir/err" && ! [ -s "$dir/out" ]
}
cp "$dir/db" "$dir/newer"
sqlite3 "$dir/newer" "update meta set value = 1000 where key = 'schema_version'"
refused 1 "schema version 1000" stats "$dir/newer" && refused 1 "schema version 1000" info "$dir/newer"
ok $? "stats and info refuse the database of a newer tacho"

refused 1 "no window phase:tran (it has run, phase:test, phase:train, step:0 to step:2)" stats --window phase:tran "$dir/db" &&
	refused 1 "no window step:3" stats --window step:3 "$dir/db" hosts &&
	refused 1 "the table pop has nothing about step:1" stats --window step:1 "$dir/db" pop &&
	refused 1 "no metric transfer" stats --metric transfer "$dir/db" &&
	refused 1 "no metric nccl_efficiency in window phase:train" stats --metric nccl_efficiency --window phase:train "$dir/db"
ok $? "a window or metric that is not there is reported, with what there is"

refused 2 "knows no windows" stats --window phase:train "$dir/db" calls && refused 2 "no metrics" stats --metric io "$dir/db" calls &&
	"$tacho" stats --window phase:train --format json "$dir/db" >"$dir/json" 2>"$dir/err" &&
	sqlite3 :memory: "select json_extract(readfile('$dir/json'), '\$.calls') is null and
		json_extract(readfile('$dir/json'), '\$.hosts[0].window') = 'phase:train'" | grep -qx 1
ok $? "what is about the whole run is not shown for a part of it"

full=1
if [ -w /dev/full ]; then
	full=0
	for command in stats info "report -s" "stats --format json"; do
		# shellcheck disable=SC2086 # a command and its options
		"$tacho" $command "$dir/db" >/dev/full 2>"$dir/err"
		[ $? -eq 1 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -q "cannot write" "$dir/err" || full=1
	done
fi
ok $full "output that cannot be written is a failure, in a sentence"

# Databases that people have are brought to the present schema by its version alone.
version=$(sqlite3 "$dir/db" "select value from meta where key = 'schema_version'")
sum="$version $(sed 's/--.*//' "$top_srcdir"/analyzer/db/schema/*.sql | tr -s ' \t\n' ' ' | cksum | cut -d ' ' -f 1)"
: >"$dir/err"
grep -qx "$sum" "$top_srcdir/tests/golden/schema.sums" ||
	echo "the schema has changed: raise meta.schema_version, and add '$version+1 ${sum#* }' to tests/golden/schema.sums;
where $version was in no release yet, its line there is to be '$sum'" >"$dir/err"
! [ -s "$dir/err" ]
ok $? "each version of the schema is one"

mkdir "$dir/b"
"$top_builddir/tests/unit/golden" "$tacho" "$dir/b" write "$top_srcdir/tests/golden/cases/nccl_group_send_recv.case"
"$tacho" analyze --label one --db "$dir/alone" "$dir/b/traces.otf2" 2>"$dir/err"
cp "$dir/db" "$dir/both"
"$tacho" analyze --label one --db "$dir/both" "$dir/b/traces.otf2" 2>"$dir/err"
same=0
for table in pop hosts calls kernels copies checks metrics devices; do
	"$tacho" stats --format csv "$dir/alone" $table >"$dir/expected" 2>"$dir/err"
	"$tacho" stats --format csv --run one "$dir/both" $table >"$dir/out" 2>>"$dir/err"
	cmp "$dir/expected" "$dir/out" >>"$dir/err" || same=1
	"$tacho" stats --format csv "$dir/db" $table >"$dir/expected" 2>>"$dir/err"
	"$tacho" stats --format csv --run 1 "$dir/both" $table >"$dir/out" 2>>"$dir/err"
	cmp "$dir/expected" "$dir/out" >>"$dir/err" || same=1
done
[ $same -eq 0 ] && [ "$("$tacho" stats --format csv "$dir/both" run | wc -l)" = 3 ] && refused 1 "no run two" stats --run two "$dir/both" &&
	refused 1 "no run 1x" stats --run 1x "$dir/both"
ok $? "of a database of several runs one is shown, as if it were alone"

"$tacho" info "$dir/both" >"$dir/out" 2>"$dir/err"
[ $? -eq 0 ] && grep -q "holds 2 runs: these are the figures of one" "$dir/err" && grep -q "one node, one clock" "$dir/out" &&
	grep -q "nothing is known to be missing" "$dir/out"
ok $? "the last one, unless it is said, and that is reported; info says how good clocks are and what is lost"

# Every table of a run comes along, and what refers to processes still does.
mkdir "$dir/m"
"$top_builddir/tests/unit/golden" "$tacho" "$dir/m" write "$top_srcdir/tests/golden/cases/v03_serialised_pipeline.case"
"$tacho" analyze --label ring --db "$dir/ring" "$dir/m/traces.otf2" 2>"$dir/err"
"$tacho" analyze --label ring --db "$dir/both" "$dir/m/traces.otf2" 2>"$dir/err"
lists=$(sqlite3 "$dir/ring" "select m.name from sqlite_master m where type = 'table' and exists (select 1 from pragma_table_info(m.name) where name = 'run_id')")
listed=$(sed -n '/^static const char \*const tables/,/^}/p' "$top_srcdir/analyzer/db/db_merge.c")
missing=0
for table in $lists; do
	echo "$listed" | grep -q "\"$table\"" || { echo "$table is not copied" >>"$dir/err"; missing=1; }
done
pairs="select m.rank || '>' || m.peer_rank || ':' || m.messages from message_pair m join run r on r.id = m.run_id where label = 'ring' order by 1"
[ $missing -eq 0 ] && [ "$(sqlite3 "$dir/both" "$pairs" | tr '\n' ' ')" = "0>1:1 1>2:1 2>3:1 " ]
ok $? "a run that comes to others brings all its tables, and who sent to whom"
