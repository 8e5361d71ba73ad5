#!/bin/sh
# Tables sort and filter in a browser, all rows of them, and a finding's link shows its rows; without script they stay.
. "$top_srcdir/tests/report_common.sh"
. "$top_srcdir/tests/report_browse.sh"
needs sqlite3 chromium
plan 4

make_run run1 4 100 2 train
sqlite3 "$work/run1/tacho.db" "insert into finding (run_id, rule, n, seconds, message, brief, evidence, advice, confidence, culprit_rank) values (1, 'step_compute', 1, 1.48, 'straggler: rank 2 on n1 is slow', 'rank 2 is slow', 'select 1', 'look', 'high', 2);
	with recursive c(i) as (select 0 union all select i + 1 from c where i < 989)
	insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
		select 1, 1, '/data/many/file-' || i || '.bin', 'dataset', 1, 1, 0, 1000 * (i + 1), 0, 1000 * (i * 7919 % 990 + 1), 500, 0, 100, 1, 10, 10, 1 from c"
GNUPLOT=none "$tacho" report "$work/run1" >/dev/null 2>&1
cat >"$work/run1/drive.html" <<'END'
<body><script>
onload = () => {
	const f = frames[0], d = f.document, said = [], part = d.getElementById("table-files"), table = part.querySelector("table");
	const note = (name, is) => said.push(name + (is ? " ok" : " wrong"));
	const cells = (column) => [...table.tBodies[0].rows].filter((r) => !r.hidden).map((r) => r.cells[column].textContent);
	const heading = (name) => [...table.tHead.rows[0].cells].find((h) => h.textContent.startsWith(name));
	const file = heading("File"), time = [...table.tHead.rows[0].cells].find((h) => h.textContent === "Time" || h.classList.contains("n"));
	note("folded", table.tBodies[0].rows.length === 15);
	const begun = f.performance.now();
	time.querySelector("button").click();
	console.log("# sorted in " + (f.performance.now() - begun).toFixed(0) + " ms");
	note("all", table.tBodies[0].rows.length === 1000 && part.querySelectorAll("table").length === 1);
	note("falls", time.getAttribute("aria-sort") === "descending");
	file.querySelector("button").click();
	const names = cells(file.cellIndex).filter((n) => n.includes("many"));
	note("natural", file.getAttribute("aria-sort") === "ascending" && !time.hasAttribute("aria-sort") &&
		names.findIndex((n) => n.includes("file-10.")) > names.findIndex((n) => n.includes("file-9.")));
	file.querySelector("button").click();
	note("back", file.getAttribute("aria-sort") === "descending");
	const find = part.querySelector("input");
	find.value = "file-77";
	find.dispatchEvent(new f.Event("input"));
	note("filter", cells(0).length === 11 && part.querySelector("[role=status]").textContent === "11 of 1000");
	find.value = "";
	find.dispatchEvent(new f.Event("input"));
	note("cleared", cells(0).length === 1000);
	const link = d.querySelector("#finding-1 a[href='#table-slow_ranks']");
	link.click();
	const rows = [...d.querySelectorAll("#table-slow_ranks tbody tr")].filter((r) => !r.hidden);
	note("rows", rows.length > 0 && rows.every((r) => r.textContent.includes("rank 2")));
	d.querySelectorAll(".sorts button").forEach((b) => b.click());
	note("every", d.querySelectorAll("[aria-sort]").length > 5);
	console.log("driven " + said.join(", "));
};</script><iframe width="900" height="800" src="report.html"></iframe></body>
END
browse --allow-file-access-from-files --dump-dom "file://$work/run1/drive.html" >/dev/null
sed -n 's/.*CONSOLE/# /p' "$work/log"
grep -q 'driven folded ok, all ok, falls ok, natural ok, back ok' "$work/log"
check $? "a heading sorts all rows, numbers in names as numbers, and the other way the next time"
grep -q 'filter ok, cleared ok' "$work/log"
check $? "a filter shows the rows that hold it, and how many"
grep -q 'rows ok' "$work/log"
check $? "a finding's link shows its rows"
grep -q 'every ok' "$work/log" && ! grep -q 'wrong' "$work/log" && [ "$(grep -c CONSOLE "$work/log")" -eq 2 ]
check $? "every table sorts without a word on the console"
