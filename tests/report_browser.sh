#!/bin/sh
# A browser opens the page: nothing on its console, every plot has a size, no sideways scrolling on
# a phone.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3 chromium gnuplot
plan 8

browse() {
	timeout 90 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync --disable-dev-shm-usage \
		--enable-logging=stderr --log-level=0 --user-data-dir="$(mktemp -d -p "$work")" "$@" 2>"$work/log"
}

make_run run1 4 100 2 train killed
make_run hostile 4 100 2 train gpu hostile
make_run gpu 4 100 2 train gpu
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

browse --hide-scrollbars --screenshot="$work/light.png" --window-size=1280,900 \
	"file://$work/run1/report.html" >/dev/null
browse --hide-scrollbars --blink-settings=preferredColorScheme=0 --screenshot="$work/dark.png" --window-size=1280,900 \
	"file://$work/run1/report.html" >/dev/null
[ -s "$work/light.png" ] && [ -s "$work/dark.png" ] && ! cmp -s "$work/light.png" "$work/dark.png"
check $? "the page follows the reader's light or dark setting"
browse --print-to-pdf="$work/page.pdf" "file://$work/run1/report.html" >/dev/null
[ "$(head -c 4 "$work/page.pdf")" = %PDF ]
check $? "the page prints"
