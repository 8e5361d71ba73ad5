#!/usr/bin/env python3
"""Opens files of tacho export with the reader of Chrome's developer tools (their panel Performance).

export_chrome.py FILE...    exit status 77 where this Chromium has no such reader

Each track must have the name and as many slices, of as much time together, as the file says.
"""
import json
import os
import sys
import time
from collections import defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "report"))
from chromium import Browser

PAGE = "devtools://devtools/bundled/devtools_app.html"
READ = """(async () => {
	const at = await import("devtools://devtools/bundled/models/trace/trace.js");
	const model = at.TraceModel.Model.createWithAllHandlers();
	await model.parse(%s, {});
	const parsed = model.parsedTrace(), tracks = [];
	for (const [pid, process] of (parsed.data || parsed).Renderer.processes)
		for (const [tid, thread] of process.threads)
			tracks.push([pid, tid, thread.name, thread.entries.length,
				thread.entries.reduce((sum, entry) => sum + (entry.dur || 0), 0)]);
	return tracks;
})()"""


def tracks_of(events):
    """What the file says itself: name, slices and their time by track."""
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    slices = defaultdict(list)
    opened = defaultdict(list)
    for e in events:
        track = e.get("pid"), e.get("tid")
        if e["ph"] == "B":
            opened[track].append(e["ts"])
        elif e["ph"] == "E":
            slices[track].append((opened[track].pop(), e["ts"]))
        elif e["ph"] == "X":
            slices[track].append((e["ts"], e["ts"] + e["dur"]))
    return {track: (names[track], len(s), sum(b - a for a, b in s)) for track, s in slices.items()}


def check(browser, session, path):
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    answer = browser.ask("Runtime.evaluate", session, expression=READ % json.dumps(events), returnByValue=True, awaitPromise=True)
    if "exceptionDetails" in answer:
        why = answer["exceptionDetails"].get("exception", {}).get("description", str(answer))
        if "Failed to fetch dynamically imported module" in why or "reading 'Model'" in why:
            browser.close()
            sys.exit(77)
        sys.exit(f"{path}: {why}")
    read = {(pid, tid): (name, n, us) for pid, tid, name, n, us in answer["result"]["value"] if n}
    expected = tracks_of(events)
    assert expected and set(read) == set(expected), (path, set(read) ^ set(expected))
    for track, (name, n, us) in expected.items():
        assert read[track][:2] == (name, n) and abs(read[track][2] - us) < 0.01 + 1e-9 * us * n, (path, track, expected[track], read[track])
    print(f"{os.path.basename(path)}: {sum(n for _, n, _ in expected.values())} slices on {len(expected)} tracks")


def main():
    browser = Browser()
    try:
        session = browser.tab()
        if "errorText" in browser.ask("Page.navigate", session, url=PAGE):
            sys.exit(77)
        for _ in range(100):
            ready = browser.ask("Runtime.evaluate", session, expression="document.readyState", returnByValue=True)
            if ready.get("result", {}).get("value") == "complete":
                break
            time.sleep(0.1)
        for path in sys.argv[1:]:
            check(browser, session, path)
    finally:
        browser.close()


main()
