#!/bin/sh
# Markers of Python programs: phases and steps with samples, and nothing at all without tacho.
. "$top_srcdir/tests/collector_common.sh"
tacho=$top_builddir/analyzer/tacho
for tool in python3 sqlite3; do
	command -v $tool >/dev/null || { echo "1..0 # SKIP $tool is not installed"; exit 0; }
done
cat >"$tmp/train.py" <<'END'
import tacho
with tacho.phase("train"):
    for n in range(5):
        with tacho.step(n, samples=8) as step, tacho.region("forward"):
            if n == 4:
                step.samples = 3
try:
    with tacho.phase("validate"):
        raise ValueError
except ValueError:
    print("done")
END
PYTHONPATH=$top_srcdir/include
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE

echo 1..10
ok "without tacho markers do nothing" same "$(python3 "$tmp/train.py")" done
"$tacho" record -o "$tmp/run" --flops-per-sample 1M --peak-flops 1e9 -- python3 "$tmp/train.py" >"$tmp/out" 2>&1
ok "steps, their samples and phases are recorded" same "$(sqlite3 "$tmp/run/tacho.db" "select count(*), sum(samples) from step;
	select group_concat(name, ',') from (select distinct name from phase order by name)" | tr '\n' ' ')" "5|35 train,validate "
ok "FLOPs and peak that are given say how much of it was used" same "$(sqlite3 "$tmp/run/tacho.db" "select count(*),
	max(abs(m.value * p.ns / (35 * 1e6) - 1) < 1e-6) from metric m join phase_all p on m.window = 'phase:' || p.name where m.name = 'mfu'";
	tr -s ' \n' ' ' <"$tmp/out" | grep -o 'MFU of 1 GFLOP/s a rank, as given' | uniq)" "1|1
MFU of 1 GFLOP/s a rank, as given"
cat >"$tmp/fails.py" <<'END'
import sys, tacho
with tacho.phase("train"):
    sys.exit(3)
END
"$tacho" record -o "$tmp/failed" -- python3 "$tmp/fails.py" >"$tmp/out" 2>&1
ok "a program that fails says so in the summary" same "$(tr -s ' \n' ' ' <"$tmp/out" |
	grep -c 'the command ended with status 3 rank 0 exited with status 3')" 1
sed '1a tacho.flops_per_sample(1e6)' "$tmp/train.py" >"$tmp/says.py"
"$tacho" -q record -o "$tmp/says" -- python3 "$tmp/says.py" >"$tmp/out" 2>&1
host=$(sqlite3 "$tmp/says/tacho.db" 'select hostname from node')
echo '{"nodes": [{"host": "'"$host"'", "gemm": 4}]}' >"$tmp/roofs.json"
"$tacho" -q analyze --roofs "$tmp/roofs.json" "$tmp/says" >>"$tmp/out" 2>&1
ok "what the program says of FLOPs, and a peak that doctor measured, are as good" same "$(sqlite3 "$tmp/says/tacho.db" "select
	max(abs(m.value * p.ns / (35 * 1e6) * 4 - 1) < 1e-6) from metric m join phase_all p on m.window = 'phase:' || p.name where m.name = 'mfu';
	select value like 'measured by tacho doctor%' from environment where key = 'TACHO::PEAK_FLOPS_OF'" | tr '\n' ' ')" "1 1 "
"$tacho" -q analyze --peak-flops bf16 "$tmp/says" >>"$tmp/out" 2>&1
ok "no peak is taken from a data sheet that says nothing of it" same "$(sqlite3 "$tmp/says/tacho.db" "select distinct value is null, flag from metric
	where name = 'mfu'")" '1|no peak of bf16 is known of these processors: --peak-flops takes a number, too'
cat >"$tmp/learns.py" <<'END'
import tacho
class Tensor:
    def __float__(self):
        return 0.75
for n in range(6000):
    with tacho.step(n):
        pass
    tacho.metric("loss", 8 / (1 + n))
tacho.metric("accuracy", Tensor())
tacho.metric("broken", float("nan"))
END
"$tacho" record --target loss=0.5 --max-size 1M -o "$tmp/learns" -- python3 "$tmp/learns.py" >"$tmp/out" 2>&1
# of 6,000 values the first 2,048, and every second of the next 3,952
ok "what the program says of its learning is kept, thinned alike, in a bounded run too" same "$(sqlite3 "$tmp/learns/tacho.db" "select name, count(*), max(nth), max(step),
	round(min(value), 6) from training_metric group by name; select count(*) from training_point p where p.nth = p.step and p.name = 'loss' and
	abs(p.value * (1 + p.nth) - 8) > 1e-9" | tr '\n' ' ')" "accuracy|1|0|5999|0.75 broken|1|0|5999| loss|4024|5998|5998|0.001334 0 "
ok "with the time and steps until a target" same "$(sqlite3 "$tmp/learns/tacho.db" "select m.value = (select min(t_ns) from training_point where name = 'loss' and value <= 0.5)
	from metric m where name = 'time_to_target'; select value from metric where name = 'steps_to_target'" | tr '\n' ' ')" "1 16.0 "
ok "and the summary has it" same "$(tr -s ' \n' ' ' <"$tmp/out" | grep -cE 'loss 8 → 0.00133 \(best 0.00133\).* broken is no number .* loss=0.5 after [0-9.]+ m?s, 16 steps')" 1
# the helper's time, Python's look-ups and calls by their calibrated cost, of the CPU time of the rank
ok "and what recording cost: of the CPU time, and bytes" same "$(tr -s ' \n' ' ' <"$tmp/out" | grep -oE 'tacho used [0-9.]+ % of the CPU time and wrote [0-9.]+ [kM]B')" \
	"$(sqlite3 "$tmp/learns/tacho.db" "select printf('tacho used %.1f %% of the CPU time and wrote ', 100 * ((select sum(value) from environment where scope = 'rank:0' and
	key in ('sampler_ns', 'python_cost_ns')) + (select sum(calls) from call) * (select value from environment where key = 'TACHO::CALL_COST_NS')) / (select value from metric
	where model = 'counters' and name = 'cpu' and subject = 'rank:0')) || (select case when max(value) < 1e5 then printf('%.0f kB', max(value) / 1e3)
	else printf('%.1f MB', max(value) / 1e6) end from sample where name = 'proc.own_written')")"
