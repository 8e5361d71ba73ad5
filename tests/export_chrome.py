#!/usr/bin/env python3
"""Opens files of tacho export with the reader of Chrome's developer tools (their panel Performance).

export_chrome.py FILE...    exit status 77 where this Chromium has no such reader

Each track must have the name and as many slices, of as much time together, as the file says.
"""
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict

SECONDS = 90
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


class Browser:
    """Chromium, instructed through a pipe: messages end with a zero byte."""

    def __init__(self):
        self.profile = tempfile.mkdtemp()
        child_in, self.out = os.pipe()
        self.answers, child_out = os.pipe()
        script = f"exec 3<&{child_in} 4>&{child_out}; exec \"$@\""
        self.process = subprocess.Popen(
            ["bash", "-c", script, "bash", "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
             "--user-data-dir=" + self.profile, "--remote-debugging-pipe"],
            pass_fds=(child_in, child_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(child_in)
        os.close(child_out)
        self.until, self.number, self.rest = time.monotonic() + SECONDS, 0, b""

    def ask(self, method, session=None, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            while b"\0" not in self.rest:
                if not select.select([self.answers], [], [], max(0, self.until - time.monotonic()))[0]:
                    sys.exit("no answer from the browser")
                got = os.read(self.answers, 1 << 16)
                if not got:
                    sys.exit("the browser has gone")
                self.rest += got
            answer, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(answer)
            if answer.get("id") == self.number:
                return answer.get("result", {})

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


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
        target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
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
