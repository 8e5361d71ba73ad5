"""What hinders readers with a keyboard, a screen reader or weak eyes in pages, in light and in dark, as loaded and after a
reader has followed each kind of link and opened all there is: by access.js, and by axe-core where AXE names its axe.min.js.

usage: access.py PAGE|URL...     a line each; exit status 1 when something is wrong, 77 when Chromium does not start here
"""
import os, sys
from chromium import Browser

HERE = os.path.dirname(os.path.abspath(__file__))
AXE = os.environ.get("AXE", "/usr/share/nodejs/axe-core/axe.min.js")
READY = """for (let i = 0; i < 400 && document.querySelector(".view:not([hidden])") && !document.querySelector(".view-sums .state"); i++)
	await new Promise((next) => setTimeout(next, 25));"""
USE = """const rest = (ms) => new Promise((next) => setTimeout(next, ms)), press = async (one) => { if (one) { one.click(); await rest(150); } };
await press(document.querySelector("a.place"));
await press(document.querySelector("a.rows"));
for (const one of document.querySelectorAll("details")) one.open = true;
for (const name of ["Step", "resources", "cursors", "unfold"])
	await press([...document.querySelectorAll(".view button")].find((b) => b.textContent.startsWith(name)));
await press(document.querySelector("th button"));
await press(document.querySelector(".whatif input"));
const canvas = document.querySelector(".view-pane canvas");
for (const key of canvas ? [".", "c"] : []) { canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })); await rest(100); }"""
RUN = """const said = await axe.run(document, { resultTypes: ["violations"] });
return said.violations.map((v) => `axe ${v.id} (${v.nodes.length}): ${v.nodes[0].html.slice(0, 120)} ${v.nodes[0].any[0] ? v.nodes[0].any[0].message.slice(0, 140) : ""}`);"""


def main():
    own, axe = open(os.path.join(HERE, "access.js")).read(), open(AXE).read() if os.path.exists(AXE) else None
    browser, bad = Browser(600), 0
    try:
        session = browser.tab()
        for page in sys.argv[1:]:
            for dark in (False, True):
                browser.open(session, page if "://" in page else "file://" + os.path.abspath(page), dark)
                browser.run(session, READY)
                if axe:
                    browser.ask("Runtime.evaluate", session, expression=axe)
                for used in (False, True):
                    if used:
                        browser.run(session, USE)
                    wrong = browser.run(session, own) + (browser.run(session, RUN) if axe else [])
                    bad += len(wrong)
                    for line in wrong:
                        print(f"{os.path.basename(page)}, {'dark' if dark else 'light'}{', used' if used else ''}: {line}")
        print(f"{len(sys.argv) - 1} pages, {bad} faults{', axe-core too' if axe else ''}")
    finally:
        browser.close()
    return 1 if bad else 0


sys.exit(main())
