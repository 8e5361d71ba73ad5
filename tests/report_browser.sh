#!/bin/sh
# A browser opens the page: nothing on its console, every plot has a size, no sideways scrolling on
# a phone.
. "$top_srcdir/tests/report_common.sh"
. "$top_srcdir/tests/report_browse.sh"
needs sqlite3 chromium gnuplot python3
plan 20

make_run run1 4 100 2 train killed
make_run hostile 4 100 2 train gpu hostile
make_run gpu 4 100 2 train gpu
sqlite3 "$work/run1/tacho.db" "update step set loading_ns = (end_ns - start_ns) / 4, backward_ns = (end_ns - start_ns) / 2, communication_ns = 0,
	optimizer_ns = 9, checkpoint_ns = 0; update step set other_ns = end_ns - start_ns - loading_ns - backward_ns - 9"
for run in run1 gpu; do
	sqlite3 "$work/$run/tacho.db" "update location set damaged = 'cut';
		insert or ignore into not_recorded (run_id, subject, reason, count, message) values (1, 'rank:3', 'disk_full', 1234, 'no space');
		insert or ignore into metric (run_id, window, model, name, subject, value, unit, flag)
			values (1, 'run', 'quality', 'lost', 'rank:3', 5.6e9, 'ns', null);
		insert into finding (run_id, rule, n, seconds, message, brief, evidence, advice, confidence, culprit_rank, phase) values
		(1, 'step_compute', 1, 1.48, 'straggler: rank 2 on n1 is slow', 'the other ranks wait for rank 2, which is slower (in computing)', 'select 1', 'look', 'high', 2, null),
		(1, 'validation_share', 2, 1.2, 'validate takes 15 % of the run', 'validate takes much of the time', 'select 2', 'less', 'high', null, 'validate'),
		(1, 'exposed_io', 3, 0.9, 'no prefetching', 'the ranks read between their steps', 'select 3', 'workers', 'low: an upper bound', null, null)"
done
mkdir "$work/several"
"$tacho" report -o "$work/several/report.html" "$work/run1" "$work/gpu" "$work/hostile" >/dev/null 2>&1
for run in run1 hostile gpu several; do
	[ $run = several ] || "$tacho" report "$work/$run" >/dev/null 2>&1
	browse --dump-dom "file://$work/$run/report.html" >"$work/$run.dom"
	grep -q '</html>' "$work/$run.dom" && ! grep 'CONSOLE' "$work/log" | sed 's/^/# /' | grep .
	check $? "the page of $run opens without a word on the console"
done

# A page of our own measures the report in a frame of 420 pixels: shapes without size are missing.
measure='<body><script>
onload = () => {
	const d = frames[0].document, r = [];
	d.querySelectorAll(".entered").forEach((section) => section.classList.add("with-pictures"));
	for (const s of d.querySelectorAll("svg, svg image")) {
		const box = s.getBoundingClientRect();
		if (box.width < 10 || box.height < 10) r.push("small " + s.tagName);
	}
	for (const a of d.querySelectorAll("nav a")) if (!d.querySelector(a.hash)) r.push("dead " + a.hash);
	for (const f of d.querySelectorAll("details")) { f.open = true; if (f.scrollHeight < 20) r.push("empty details"); }
	const wide = d.documentElement.scrollWidth > 420 ? "wide " + d.documentElement.scrollWidth : "fits";
	document.title = "measured " + d.querySelectorAll("svg").length + " " + r.length + " " + wide + " " + r.join(",");
};</script><iframe width="420" height="800" src="report.html"></iframe></body>'
echo "$measure" >"$work/run1/measure.html"
browse --allow-file-access-from-files --dump-dom "file://$work/run1/measure.html" |
	grep -o '<title>measured[^<]*' >"$work/measured"
sed 's/^/# /' "$work/measured"
grep -Eq 'measured ([7-9]|[1-9][0-9]) 0 ' "$work/measured"
check $? "every plot and image has a size, links and folding work"
grep -q ' fits' "$work/measured"
check $? "at 420 pixels only tables and plots scroll sideways"

# The first screen: name, facts, verdict, bars, the costliest findings and trust lie above the fold, marked where events were lost.
cat >"$work/first.html" <<'END'
<body><script>
onload = () => {
	const d = frames[0].document, said = [];
	for (const what of ["h1", ".facts", ".verdict", ".because", "#verdict .bar", "#verdict .legend", ".top li:nth-child(3)", ".trust summary"]) {
		const all = [...d.querySelectorAll(what)], low = Math.max(...all.map((e) => e.getBoundingClientRect().bottom));
		if (!all.length || !(low < 900)) said.push(what + " at " + low);
	}
	const marks = d.querySelectorAll("abbr.touched").length;
	if (marks < 7) said.push(marks + " marks");
	if (!/events? w|was killed/.test(d.querySelector(".verdict").textContent)) said.push("no loss in the verdict");
	if (d.querySelector(".facts").getClientRects().length > 1 || d.querySelector(".facts").clientHeight > 30) said.push("facts of many lines");
	console.log("first " + (said.join(", ") || "fits"));
};</script><iframe width="1400" height="900" src="report.html"></iframe></body>
END
for run in run1 gpu; do
	cp "$work/first.html" "$work/$run/"
	browse --allow-file-access-from-files --window-size=1450,1000 --dump-dom "file://$work/$run/first.html" >/dev/null
	sed -n 's/.*CONSOLE/# /p' "$work/log"
	grep -q 'first fits' "$work/log"
	check $? "the first screen of $run holds the answers"
done

# The timeline: zooms by key and wheel, says what lies below the pointer, finds, and fills itself with a step.
cat >"$work/run1/drive.html" <<'END'
<body><script>
const unpacked = async (view) => {
	while (!view.querySelector(".view-pane canvas")) await new Promise((done) => setTimeout(done, 25));
	return view.querySelector(".view-pane canvas");
};
onload = async () => {
	const f = frames[0], d = f.document, view = d.querySelector(".view"), canvas = await unpacked(view);
	const said = [], sums = () => view.querySelector(".view-sums").textContent.replace(/, all rows.*/, "");
	/* A frame is drawn when the browser comes to it. */
	const note = async (name, is) => {
		for (let i = 0; i < 200 && !is(); i++)
			await new Promise((done) => setTimeout(done, 25));
		said.push(name + (is() ? " ok" : " wrong"));
	};
	const key = (k) => canvas.dispatchEvent(new f.KeyboardEvent("keydown", { key: k, bubbles: true }));
	const over = (type, more) => canvas.dispatchEvent(new type(more.name, { cancelable: true, ...more,
		clientX: canvas.getBoundingClientRect().left + 400, clientY: canvas.getBoundingClientRect().top + 5 }));
	await note("shown", () => !view.hidden && canvas.clientWidth > 300 && canvas.clientHeight > 20 && /^0 to /.test(sums()));
	const all = sums();
	canvas.focus();
	key("+");
	await note("key", () => sums() !== all);
	const nearer = sums();
	over(f.WheelEvent, { name: "wheel", deltaY: -300 });
	await note("wheel", () => sums() !== nearer);
	key("0");
	await note("reset", () => sums() === all);
	over(f.PointerEvent, { name: "pointermove" });
	await note("hover", () => /rank 0.*%.*step \d+, trainloading 25 %, backward 50 %, other 25 %$/.test(view.querySelector(".view-tip").textContent));
	const tall = canvas.clientHeight, used = [...view.querySelectorAll("button")].find((b) => b.textContent === "resources");
	canvas.dispatchEvent(new f.PointerEvent("pointermove", { clientX: canvas.getBoundingClientRect().left + 400, clientY: canvas.getBoundingClientRect().top + 28 }));
	await note("resource", () => /CPU0\.250 coresfull height: 2 cores/.test(view.querySelector(".view-tip").textContent));
	/* One resource of a rank is shown until it is opened; then a gauge as a line, and what was used as filled. */
	const count = () => Number(/: (\d+) rows/.exec(canvas.getAttribute("aria-label"))[1]), before = count();
	const on_name = (type) => canvas.dispatchEvent(new f.PointerEvent(type, { pointerId: 1, bubbles: true,
		clientX: canvas.getBoundingClientRect().left + 20, clientY: canvas.getBoundingClientRect().top + 28 }));
	canvas.setPointerCapture = () => {};
	on_name("pointerdown");
	on_name("pointerup");
	await note("opened", () => count() === before + 2);
	await new Promise((done) => setTimeout(done, 300));
	const column = canvas.getContext("2d").getImageData(500 * f.devicePixelRatio, 0, 1, canvas.height).data;
	const painted = (row) => column[4 * Math.round((row + 1) * canvas.height / count() - 4) + 3] > 0;
	await note("drawn", () => painted(1) && !painted(2));
	used.click();
	await note("folded", () => canvas.clientHeight < tall && count() === 4);
	const find = view.querySelector("input"), buttons = view.querySelectorAll(".view-bar button");
	find.value = "step 3";
	find.dispatchEvent(new f.Event("input"));
	await note("step", () => sums() !== all);
	buttons[1].click();
	find.value = "mpi";
	find.dispatchEvent(new f.Event("input"));
	await note("find", () => /found/.test(view.querySelector(".view-bar").textContent));
	const hover = (x, y) => canvas.dispatchEvent(new f.PointerEvent("pointermove", { clientX: canvas.getBoundingClientRect().left + x, clientY: canvas.getBoundingClientRect().top + y }));
	await note("file", () => { hover(170, 5); return /^rank 0readI\/O, .*shard-0007\.bin4\.10 GB at 8192/.test(view.querySelector(".view-tip").textContent); });
	buttons[0].click();
	find.value = "step 0";
	find.dispatchEvent(new f.Event("input"));
	await note("step 0", () => /^1\.0+ s to 1\.1/.test(sums()));
	const axis = view.querySelector(".view-frame > canvas"), at = axis.getBoundingClientRect();
	axis.dispatchEvent(new f.MouseEvent("click", { clientX: at.left + 500, clientY: at.top + 45 }));
	await note("step in full by a click", () => buttons[2].getAttribute("aria-pressed") === "true" && /^Step 0 · first$/.test(buttons[2].textContent) && /^0 to 1/.test(sums()));
	find.value = "";
	const place = d.querySelector(".top a.place"), from = (i) => JSON.parse(d.querySelectorAll(".top a.place")[i].dataset.place);
	place.click();
	await note("place", () => find.value === "" && from(0).row === "rank 2" && /^#(timeline$|t=.*rank=2)/.test(f.location.hash) && sums() !== all);
	d.querySelectorAll(".top a.place")[2].click();
	await note("state", () => find.value === "I/O" && from(1).from > 0);
	d.querySelectorAll(".top a.place")[3].click();
	await note("place in step", () => find.value === "I/O" && /[1-9]\d* found/.test(view.querySelector(".view-bar").textContent) &&
		/^Step/.test(view.querySelector(".view-bar button[aria-pressed=true]").textContent));
	const picture = () => getComputedStyle(d.querySelector("#timeline figure")).display;
	await note("pictures", () => picture() === "none");
	buttons[buttons.length - 1].click();
	await note("toggle", () => picture() !== "none");
	console.log("driven " + said.join(", "));
};</script><iframe width="900" height="800" src="report.html"></iframe></body>
END
# Only a page that is shown draws.
browse --allow-file-access-from-files --virtual-time-budget=20000 --screenshot="$work/drive.png" "file://$work/run1/drive.html"
sed -n 's/.*CONSOLE/# /p' "$work/log"
grep -q 'driven .*toggle ok' "$work/log" && ! grep -q 'driven .*wrong' "$work/log"
check $? "the timeline zooms, finds, and says what lies below the pointer"
grep -q 'driven .*place ok, state ok, place in step ok' "$work/log"
check $? "a finding's link goes to its place in the timeline"
[ "$(grep -c CONSOLE "$work/log")" -eq 1 ]
check $? "without another word on the console"

# A run of many ranks: nodes stand for them, and open; a chosen time fills the tables; collectives and arrows of what is selected.
make_run many 24 100 3 train gpu
"$tacho" report "$work/many" >/dev/null 2>&1
cat >"$work/many/drive.html" <<'END'
<body><script>
const unpacked = async (view) => {
	while (!view.querySelector(".view-pane canvas")) await new Promise((done) => setTimeout(done, 25));
	return view.querySelector(".view-pane canvas");
};
onload = async () => {
	const f = frames[0], d = f.document, view = d.querySelector(".view"), said = [];
	const canvas = await unpacked(view);
	const note = async (name, is) => {
		for (let i = 0; i < 200 && !is(); i++)
			await new Promise((done) => setTimeout(done, 25));
		said.push(name + (is() ? " ok" : " wrong"));
	};
	const key = (k, more) => canvas.dispatchEvent(new f.KeyboardEvent("keydown", { key: k, bubbles: true, ...more }));
	const point = (name, x, y) => canvas.dispatchEvent(new f.PointerEvent(name, { pointerId: 1, bubbles: true,
		clientX: canvas.getBoundingClientRect().left + x, clientY: canvas.getBoundingClientRect().top + y }));
	const click = (x, y) => { point("pointerdown", x, y); point("pointerup", x, y); };
	const rows = () => Number(/: (\d+) rows/.exec(canvas.getAttribute("aria-label"))[1]);
	const table = () => view.querySelector(".view-range").textContent, press = (name) => [...view.querySelectorAll("button")].find((b) => b.textContent.startsWith(name)).click();
	canvas.setPointerCapture = () => {};
	await note("nodes", () => rows() === 6 && canvas.clientWidth > 300);
	await note("means", () => /n2 · 8 ranks54 %/.test(table()) && /n1 · GPUs54 %/.test(table()));
	click(10, 10);
	await note("unfold", () => rows() === 13);
	canvas.dispatchEvent(new f.KeyboardEvent("keydown", { key: "ArrowDown" }));
	await note("row", () => /rank 0, folded/.test(canvas.getAttribute("aria-label")));
	key("Enter");
	await note("by key", () => rows() === 14);
	press("Step");
	await note("step", () => rows() === 3 && /MPI_Allreduce24/.test(table()));
	for (let i = 0; i < 4; i++) key("ArrowRight", { shiftKey: true });
	await note("chosen", () => /In the chosen time/.test(table()) && !/MPI_Allreduce/.test(table()) && /forward24/.test(table()));
	key("z");
	key("Escape");
	await note("filled", () => /In view/.test(table()) && !/MPI_Allreduce/.test(table()));
	key("0");
	press("unfold");
	click(500, 28);
	await note("selected", () => /rank 0 · forward · useful/.test(view.querySelector(".view-picked").textContent));
	key(".");
	const picked = () => view.querySelector(".view-picked").textContent;
	await note("collective", () => /rank 0 · MPI_Allreduce.* 24 members · waited .* for rank 2, which came last/.test(picked()));
	key(",");
	key(",");
	await note("next", () => /rank 0 · read.* · → 4.10 kB to rank 1, .* · → launched work on GPU 0 · stream 13, which began 5.00+ ms later/.test(picked()));
	console.log("driven " + said.join(", "));
};</script><iframe width="900" height="800" src="report.html"></iframe></body>
END
browse --allow-file-access-from-files --virtual-time-budget=20000 --screenshot="$work/drive.png" "file://$work/many/drive.html"
sed -n 's/.*CONSOLE/# /p' "$work/log"
grep -q 'driven .*next ok' "$work/log" && ! grep -q 'driven .*wrong' "$work/log" && [ "$(grep -c CONSOLE "$work/log")" -eq 1 ]
check $? "of many ranks the timeline folds, narrows tables to a chosen time and selects"
# A browser that cannot unpack does so by the page's own means.
mkdir "$work/old"
sed "s/DecompressionStream/NoSuchStream/; s/script-src [^;]*;/script-src 'unsafe-inline';/" "$work/many/report.html" >"$work/old/report.html"
for run in many old; do
	browse --virtual-time-budget=20000 --dump-dom "file://$work/$run/report.html" | grep -o '<div class="view-range.*' >"$work/$run.range"
done
grep -q 'n3 · 8 ranks' "$work/old.range" && cmp -s "$work/many.range" "$work/old.range"
check $? "a browser without DecompressionStream shows the same"
make_run large 300 20 2 train
GNUPLOT=none "$tacho" report "$work/large" >/dev/null 2>&1
browse --virtual-time-budget=20000 --dump-dom "file://$work/large/report.html" | grep -q '>n1 · [1-9][0-9]* of 150 ranks<.*>n2 · [1-9][0-9]* of 150 ranks<'
check $? "a node says how many of its ranks have rows"
# rows PAGE WHAT: labels of the run's rows, or of more of them
rows() {
	python3 - "$1" "$2" <<'P'
import base64, json, re, sys, zlib
text = re.search(r'<script[^>]*data-what="?run"?[^>]*>([^<]*)', open(sys.argv[1]).read()).group(1)
print(" ".join(r["label"].replace(" ", "_") for r in json.loads(zlib.decompress(base64.b64decode(text), -15))[sys.argv[2]]))
P
}
rows "$work/large/report.html" rows >"$work/before"
set -- $(rows "$work/large/report.html" more)
[ $(($(wc -w <"$work/before") + $#)) -eq 300 ] && [ "$(wc -w <"$work/before")" -le 128 ]
check $? "of many ranks 128 have rows, and the others are there to be shown"
named=${3#rank_} apart=${9#rank_} hidden=${20#rank_}
sqlite3 "$work/large/tacho.db" "insert into finding (run_id, rule, n, seconds, message, brief, evidence, advice, confidence, culprit_rank) values
	(1, 'step_compute', 1, 1.48, 'straggler: rank $named is slow', 'the other ranks wait for rank $named', 'select 1', 'look', 'high', $named);
	update host_time set ns = ns / 2 where state = 'useful' and window = 'run' and process_id = (select id from process where rank = $apart);"
GNUPLOT=none "$tacho" report "$work/large" >/dev/null 2>&1
rows "$work/large/report.html" rows >"$work/after"
grep -qw "rank_$named" "$work/after" && grep -qw "rank_$apart" "$work/after" && ! grep -qw "rank_$named\|rank_$apart" "$work/before" && [ "$(wc -w <"$work/after")" -le 128 ]
check $? "those of findings and the most unlike ones have them"
sed "s/RANK/$hidden/" >"$work/large/search.html" <<'END'
<body><script>
onload = async () => {
	const d = frames[0].document, said = [], view = d.querySelector(".view");
	for (let i = 0; i < 400 && !/of 300 rows/.test(view.textContent); i++) await new Promise((next) => setTimeout(next, 25));
	const find = view.querySelector("input"), canvas = view.querySelector(".view-pane canvas");
	for (const text of ["rank RANK", "no such thing"]) {
		find.value = text;
		find.dispatchEvent(new Event("input"));
		await new Promise((next) => setTimeout(next, 200));
		said.push(canvas.getAttribute("aria-label") + "|" + find.nextSibling.textContent);
	}
	document.title = "measured " + view.querySelector(".view-sampled").textContent + "|" + said.join("|");
};</script><iframe width="1000" height="800" src="report.html"></iframe></body>
END
browse --allow-file-access-from-files --virtual-time-budget=20000 --dump-dom "file://$work/large/search.html" | grep -o '<title>measured[^<]*' >"$work/measured"
grep -q "[0-9]* of 300 rows are drawn: .*|Timeline of Run, rank $hidden[^|]*|.*1 row found|.*|0 rows found" "$work/measured" || { sed 's/^/# /' "$work/measured"; false; }
check $? "a search shows a rank without a row, and counts what it found"
mkdir "$work/bare"
sed 's/script-src [^;]*;/script-src;/' "$work/run1/report.html" >"$work/bare/report.html"
browse --dump-dom "file://$work/bare/report.html" | grep -q '<div class="view" hidden'
check $? "a page whose script may not run keeps its pictures"

browse --hide-scrollbars --screenshot="$work/light.png" --window-size=1280,900 \
	"file://$work/run1/report.html" >/dev/null
browse --hide-scrollbars --blink-settings=preferredColorScheme=0 --screenshot="$work/dark.png" --window-size=1280,900 \
	"file://$work/run1/report.html" >/dev/null
[ -s "$work/light.png" ] && [ -s "$work/dark.png" ] && ! cmp -s "$work/light.png" "$work/dark.png"
check $? "the page follows the reader's light or dark setting"
browse --print-to-pdf="$work/page.pdf" "file://$work/run1/report.html" >/dev/null
[ "$(head -c 4 "$work/page.pdf")" = %PDF ]
check $? "the page prints"
