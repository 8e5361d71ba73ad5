#!/bin/sh
# A view of the timeline as a link, as a picture, and measured by two cursors.
. "$top_srcdir/tests/report_common.sh"
. "$top_srcdir/tests/report_browse.sh"
needs sqlite3 chromium
plan 5

make_run run1 4 100 2 train
GNUPLOT=none "$tacho" report "$work/run1" >/dev/null 2>&1

# drive HASH SCRIPT: what `said` holds after SCRIPT, in the page of $run opened at HASH
drive() {
	cat >"$run/drive.html" <<END2
<body><script>
const wait = async (is) => { for (let i = 0; i < 80 && !is(); i++) await new Promise((done) => setTimeout(done, 25)); return is() ? "ok" : "wrong"; };
onload = async () => {
	const f = frames[0], d = f.document, said = [];
	await wait(() => d.querySelector(".view-range table"));
	const view = d.querySelector(".view"), canvas = view.querySelector(".view-pane canvas"), text = (what) => view.querySelector(what).textContent;
	const key = (k, more) => canvas.dispatchEvent(new f.KeyboardEvent("keydown", { key: k, bubbles: true, ...more }));
	const press = (name) => [...view.querySelectorAll("button")].find((b) => b.textContent.startsWith(name)).click();
	const point = (name, x, y) => canvas.dispatchEvent(new f.PointerEvent(name, { pointerId: 1, bubbles: true,
		clientX: canvas.getBoundingClientRect().left + x, clientY: canvas.getBoundingClientRect().top + y }));
	const click = (x, y) => { point("pointerdown", x, y); point("pointerup", x, y); };
	const hash = () => decodeURIComponent(f.location.hash);
	canvas.setPointerCapture = () => {};
	const note = async (name, is) => said.push(name + " " + await wait(is));
	$2
	console.log("driven " + said.join(", "));
};</script><iframe width="1000" height="800" src="report.html$1"></iframe></body>
END2
	browse --allow-file-access-from-files --virtual-time-budget=20000 --screenshot="$work/drive.png" "file://$run/drive.html" >/dev/null
	sed -n 's/.*CONSOLE/# /p' "$work/log"
	grep -q 'driven .*ok' "$work/log" && ! grep -q 'wrong' "$work/log" && [ "$(grep -c CONSOLE "$work/log")" -eq 1 ]
}

drive "#t=2-3.5&rank=2&range=2.5-3&find=mpi" '
	await note("opened", () => /^2\.0+ s to 3\.50* s/.test(text(".view-sums")) && /In the chosen time: 2\.50* s to 3\.0* s/.test(text(".view-range")) &&
		/rank 2/.test(canvas.getAttribute("aria-label")) && view.querySelector("input").value === "mpi" && f.scrollY > 100);
	key("Escape");
	key("+");
	await note("kept", () => /^#t=2\.2\d*-3\.2\d*&rank=2&find=mpi$/.test(hash()));
	f.location.hash = "#t=1-2";
	await note("followed", () => /^1\.0+ s to 2\.0+ s/.test(text(".view-sums")) && /^#t=1-2$/.test(hash()));
	key("0");
	await note("all", () => hash() === "");
	press("Step");
	canvas.focus();
	await note("step", () => /^Timeline of Step/.test(canvas.getAttribute("aria-label")));
	key(".");
	await note("selected", () => /^#step=\d+&t=0-0\.\d+&sel=\d+$/.test(hash()));
	const before = text(".view-picked"), at = hash();
	press("Run");
	await note("run", () => !/sel/.test(hash()) && text(".view-picked") === "");
	f.location.hash = at;
	await note("selected again", () => text(".view-picked") === before && before.length > 10);
	let copied = "";
	Object.defineProperty(f.navigator, "clipboard", { value: { writeText: async (words) => { copied = words; } } });
	press("copy link");
	await note("copied", () => decodeURIComponent(copied) === f.location.href.replace(/#.*/, "") + at);'
check $? "a link holds step, time, row, selection, chosen time and search, and the address follows"

drive "" '
	await note("plain", () => f.location.hash === "");
	point("pointermove", 400, 10);
	key("c");
	await note("one", () => /^cursor at \d/.test(text(".view-measured")));
	press("cursors");
	click(600, 10);
	const ns = 14 * 200 / (canvas.clientWidth - 160);
	await note("two", () => { const found = /: ([\d.]+) s apart$/.exec(text(".view-measured")); return found && Math.abs(found[1] - ns) < 0.05; });
	await note("linked", () => /&cursors=[\d.]+-[\d.]+$/.test(hash()));
	key("Escape");
	await note("gone", () => text(".view-measured") === "" && !/cursors/.test(hash()));
	press("Step");
	await note("step", () => /^Timeline of Step/.test(canvas.getAttribute("aria-label")));
	click(162, 10);
	await note("at an edge", () => text(".view-measured") === "cursor at 0");'
check $? "two cursors measure the time between them"

drive "#t=2-3.5" '
	let blob = null;
	f.ClipboardItem = function (items) { this.items = items; };
	Object.defineProperty(f.navigator, "clipboard", { value: { write: async ([item]) => { blob = await item.items["image/png"]; } } });
	press("copy PNG");
	await note("made", () => blob && blob.type === "image/png" && blob.size > 1000);
	const picture = await createImageBitmap(blob), made = Object.assign(document.createElement("canvas"), { width: picture.width, height: picture.height });
	const pen = made.getContext("2d");
	pen.drawImage(picture, 0, 0);
	const colours = new Set(), pixels = pen.getImageData(0, 0, made.width, made.height).data;
	for (let i = 0; i < pixels.length; i += 4) colours.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
	await note("drawn", () => picture.width === canvas.width && picture.height > canvas.height + 40 && colours.size > 20);'
check $? "a picture of the view can be copied"

# A short run has all its steps in full, and a list of those without a reason of their own.
run=$work/all
mkdir "$run" && "$top_builddir/tests/unit/golden" "$tacho" "$run" write "$top_srcdir/tests/golden/cases/straggler_file_compute.case"
"$tacho" analyze --db "$run/tacho.db" "$run/traces.otf2" >/dev/null 2>&1
GNUPLOT=none "$tacho" report "$run" >/dev/null 2>&1
nsteps=$(sqlite3 "$run/tacho.db" "select count(distinct n) from step where not cut")
[ "$nsteps" -gt 6 ] && [ "$(grep -o 'data-what="step"' "$run/report.html" | wc -l)" -eq "$nsteps" ] &&
	[ "$(sqlite3 "$run/tacho.db" "select count(*) from timeline_window w where exists (select 1 from timeline_step s where s.step = w.step)")" -eq "$nsteps" ]
check $? "all steps of a short run are there in full"
step=$(sqlite3 "$run/tacho.db" "select max(step) from timeline_window where why = ''")
drive "#step=$step&t=0-1" '
	const list = view.querySelector("select");
	await note("step", () => new RegExp(`Timeline of Step '"$step"':`).test(canvas.getAttribute("aria-label")) && list.selectedOptions[0].textContent.startsWith("Step '"$step"',"));
	list.value = list.options[1].value;
	list.dispatchEvent(new f.Event("change"));
	await note("another", () => canvas.getAttribute("aria-label").startsWith("Timeline of " + list.options[1].textContent.split(",")[0] + ":"));
	press("Run");
	await note("run", () => list.value === "" && /^Timeline of Run/.test(canvas.getAttribute("aria-label")));'
check $? "a list and a link lead to any of them"
