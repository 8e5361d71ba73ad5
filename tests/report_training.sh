#!/bin/sh
# What programs gave by tacho_metric() in compare and history: the best value, the time to a target, and which of two is better.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3 python3
plan 4

# learns NAME FALL SECONDS: two ranks whose loss falls from 2 by FALL a step; the target is reached after so many seconds
learns() {
	make_run "$1" 2 100 1 train
	sqlite3 "$work/$1/tacho.db" "update run set label = '$1', start_ns = start_ns + $4 * 3600000000000;
		insert into training_metric (run_id, process_id, name, nth, step, t_ns, value)
			select 1, s.process_id, m.column1, s.n, s.n, s.end_ns, m.column2 + m.column3 * s.n
			from step s, (values ('loss', 2.0, -$2), ('accuracy', 0.1, $2 / 4)) m;
		insert into environment (run_id, scope, key, value) values (1, '', 'TACHO::TARGET', 'loss=1.5');
		insert into metric (run_id, window, model, name, subject, value, unit, flag)
			values (1, 'run', 'training', 'time_to_target', '', $3 * 1e9, 'ns', null)"
}
learns base 0.01 6 0
learns quick 0.012 5 1
"$tacho" compare --format json "$work/base" "$work/quick" >"$work/both.json" 2>"$work/said"
python3 -c 'import json, sys
for f in json.load(open(sys.argv[1]))["figures"]:
    print(f["figure"], round(f["base"], 3), round(f["new"], 3), f["better"], sep="|")' "$work/both.json" >"$work/figures"
grep 'best\|time to' "$work/figures" | sed 's/^/# /'
grep -qx 'loss, best|1.01|0.812|less' "$work/figures"
check $? "compare has the best loss of both runs"
grep -qx 'accuracy, best|0.348|0.397|more' "$work/figures"
check $? "and knows that accuracy shall rise"
grep -qx 'time to loss=1.5|6000000000|5000000000|less' "$work/figures"
check $? "and the time to the target of both"

# 12 runs, of which the last three reach the target later and end with a higher loss
for i in 1 2 3 4 5 6 7 8 9; do learns "h$i" "0.01000$i" "6.00$i" $i; done
for i in 10 11 12; do learns "h$i" "0.0050$i" "9.0$i" $i; done
"$tacho" history --format json $(for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "$work/h$i"; done) >"$work/history.json" 2>"$work/said"
python3 -c 'import json, sys
print(*sorted("%s|%d|%s" % (c["figure"], c["run"], c["way"]) for c in json.load(open(sys.argv[1]))["changes"]), sep="\n")' "$work/history.json" >"$work/changes"
sed 's/^/# /' "$work/said" "$work/changes"
printf '%s\n' 'best accuracy|10|worse' 'best loss|10|worse' 'time to loss=1.5|10|worse' | cmp -s - "$work/changes"
check $? "history finds where the training ends worse and reaches its target later"
