#!/bin/sh
# Causes that a reader takes out on the page: the times there are those of tacho whatif --without.
. "$top_srcdir/tests/report_common.sh"
. "$top_srcdir/tests/report_browse.sh"
needs sqlite3 chromium
plan 4

mkdir "$work/run" && "$top_builddir/tests/unit/golden" "$tacho" "$work/run" write "$top_srcdir/tests/golden/cases/straggler_file_compute.case"
"$tacho" analyze --db "$work/run/tacho.db" "$work/run/traces.otf2" >/dev/null 2>&1
GNUPLOT=none "$tacho" report "$work/run" >/dev/null 2>&1

# Each combination as tacho whatif answers it, in the words of the page: 4 digits.
sqlite3 "$work/run/tacho.db" "select causes, steps_ns, outside_ns, steps_ns
	+ case when exists (select 1 from cause where part glob '*_outside') then outside_ns else 0 end
	from cause_without order by causes" | tr '|' ' ' >"$work/rows"
while read -r causes steps outside _; do
	set --
	for n in 1 2 3; do
		[ $((causes >> (n - 1) & 1)) -eq 0 ] || set -- "$@" --without "cause=$n"
	done
	[ $# -gt 0 ] || continue
	"$tacho" whatif "$work/run" "$@" --format json | tr -d ',{}' | awk -v steps="$steps" -v outside="$outside" '
		function is(a, ns) { return a * 1e9 - ns < 2 && ns - a * 1e9 < 2 }
		{ print (is($4, steps) && is($8, outside) ? "same" : $0) }'
done <"$work/rows" >"$work/answers"
[ "$(grep -c same "$work/answers")" -eq 7 ] && [ "$(wc -l <"$work/rows")" -eq 8 ]
check $? "the combinations in the database are what tacho whatif predicts"

slow=$(sqlite3 "$work/run/tacho.db" "select ranks from cause where part = 'compute'")
[ "$("$tacho" whatif "$work/run" --rank "$slow=median" --format json)" = "$("$tacho" whatif "$work/run" --without "rank=$slow part=compute" --format json)" ] &&
	! "$tacho" whatif "$work/run" --rank 99=median 2>"$work/said" && grep -q "no such rank" "$work/said"
check $? "a rank that computes as long as the median of the others"

cat >"$work/run/drive.html" <<'END2'
<body><script>
onload = async () => {
	const d = frames[0].document, part = d.querySelector(".whatif"), said = [];
	for (let i = 0; i < 200 && part.hidden; i++) await new Promise((done) => setTimeout(done, 25));
	const boxes = [...part.querySelectorAll("input")];
	for (let causes = 0; causes < 1 << boxes.length; causes++) {
		boxes.forEach((box, i) => { if (box.checked !== Boolean(causes >> i & 1)) box.click(); });
		const found = / takes? ([\d.]+) (n|\u00b5|m)?s/.exec(part.querySelector("[role=status]").textContent);
		said.push(`${causes}:${found ? found[1] * { n: 1e-9, "\u00b5": 1e-6, m: 1e-3, undefined: 1 }[found[2]] : "?"}:${(part.querySelector("code") || { textContent: "" }).textContent.replace(/ --without cause=/g, "+").replace(/.* /, "")}`);
	}
	const link = part.querySelector("a");
	link.click();
	await new Promise((done) => setTimeout(done, 500));
	said.push(`row:${d.querySelector(".view-pane canvas").getAttribute("aria-label").replace(/.*, /, "").replace(" ", "_")}`);
	console.log("driven " + said.join(" "));
};</script><iframe width="900" height="800" src="report.html"></iframe></body>
END2
browse --allow-file-access-from-files --virtual-time-budget=20000 --screenshot="$work/drive.png" "file://$work/run/drive.html" >/dev/null
sed -n 's/.*"driven \(.*\)", source.*/\1/p' "$work/log" | tr ' ' '\n' >"$work/said"
sed 's/^/# /' "$work/said"
while read -r causes _ _ ns; do
	awk -F: -v causes="$causes" -v ns="$ns" '$1 == causes { off = $2 * 1e9 / ns - 1; found = off > -6e-4 && off < 6e-4 } END { exit !found }' "$work/said" || echo "$causes"
done <"$work/rows" >"$work/wrong"
[ "$(wc -l <"$work/said")" -ge 9 ] && [ ! -s "$work/wrong" ] && grep -q '^5:.*RUN+1+3$' "$work/said"
check $? "the page predicts the same for each choice, and names the command"
first=$(sqlite3 "$work/run/tacho.db" "select cast(ranks as integer) from cause where n = 1")
grep -qx "row:rank_$first" "$work/said" && ! grep -v driven "$work/log" | grep CONSOLE
check $? "a cause leads to its rank in the timeline"
