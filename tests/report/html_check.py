"""Reads a report as a browser would and reports what is wrong with it, one line each.

usage: html_check.py report.html          exit status 1 when something is wrong
       html_check.py --text report.html   its text: headings, sentences, tables
       html_check.py --data report.html   the data of its timeline, unpacked
"""
import base64, csv, hashlib, io, json, os, re, sys, urllib.parse, zlib
from html.parser import HTMLParser

VOID = {"wbr", "meta", "link", "br", "img", "input", "hr"}
ELEMENTS = set("""wbr html head meta link title style body a header nav main footer section p h1 h2 h3 ul ol li dl dt dd div span
    b strong code sup abbr table caption thead tbody tr th td details summary figure figcaption
    script svg desc g rect defs circle path use filter feflood fecomposite text tspan polygon polyline line image""".split())
SVG_SHAPES = {"rect", "circle", "path", "use", "polygon", "polyline", "line", "feflood", "fecomposite", "image"}


class Page(HTMLParser):
    def __init__(self, folder):
        super().__init__(convert_charrefs=True)
        self.folder, self.stack, self.wrong, self.ids, self.targets, self.lines = folder, [], [], set(), set(), []
        self.counts, self.table, self.text, self.row = {}, None, "", []
        self.regions, self.headings, self.heading = [], {}, None
        self.script, self.scripts, self.allowed, self.data = None, 0, "", []

    def handle_starttag(self, tag, attrs, closed=False):
        if tag != "wbr":
            self.flush(tag)
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if tag not in ELEMENTS:
            self.wrong.append(f"line {self.getpos()[0]}: element {tag}")
        for name, value in attrs:
            self.attribute(tag, name, value or "")
        if tag == "script":
            self.script = (dict(attrs), "")
        if tag == "meta" and dict(attrs).get("http-equiv") == "Content-Security-Policy":
            self.allowed = dict(attrs)["content"]
        named = dict(attrs)
        if tag in ("h2", "h3") and "id" in named:
            self.heading = named["id"]
        if tag in ("section", "nav") or named.get("role") == "region":
            self.regions.append((named.get("aria-label"), named.get("aria-labelledby")))
        if tag == "svg" and named.get("role") == "img" and not named.get("aria-label"):
            self.wrong.append(f"line {self.getpos()[0]}: a picture without a name")
        if tag == "table":
            self.table = False
        if tag == "caption":
            self.table = True
        if tag not in VOID and not closed:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs, closed=True)

    def attribute(self, tag, name, value):
        if name.startswith("on") or value.strip().lower().startswith("javascript:"):
            self.wrong.append(f"script in {tag} {name}")
        if name == "id":
            if value in self.ids:
                self.wrong.append(f"id {value} twice")
            self.ids.add(value)
        if name in ("href", "xlink:href", "src"):
            self.reference(tag, value)

    def reference(self, tag, value):
        if value.startswith("#"):
            self.targets.add(value[1:])
        elif value.startswith("data:text/csv;charset=utf-8;base64,"):
            rows = list(csv.reader(io.StringIO(base64.b64decode(value.split(",", 1)[1]).decode(), newline="")))
            if len({len(row) for row in rows}) != 1:
                self.wrong.append("a CSV whose rows differ in length")
        elif value.startswith("data:image/png;base64,") and tag == "image":
            if base64.b64decode(value.split(",", 1)[1])[:4] != b"\x89PNG":
                self.wrong.append("an image that is no PNG")
        elif value == "data:," and tag == "link":
            pass
        elif ":" in value or not os.path.exists(os.path.join(self.folder, urllib.parse.unquote(value))):
            self.wrong.append(f"{tag} refers to {value[:60]}")

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.row.append(" ".join(self.text.split()))
            self.text = ""
        if self.heading and tag in ("h2", "h3"):
            self.headings[self.heading], self.heading = " ".join(self.text.split()), None
        self.flush(tag)
        if tag == "script":
            self.script_end(*self.script)
            self.script = None
        if not self.stack or self.stack.pop() != tag:
            self.wrong.append(f"line {self.getpos()[0]}: </{tag}> closes something else")
        if tag == "table" and not self.table:
            self.wrong.append("a table without a caption")
        if tag == "tr":
            self.lines.append(" | ".join(self.row))
            self.row = []

    def script_end(self, attributes, text):
        """Data are packed JSON, or columns of numbers (analyzer/report/report_planes.h); the one script there is is the one that the policy names."""
        columns = {"run": 0, "lanes": 0, "step": 0, "slices": 6, "launches": 4}
        if attributes.get("type") == "application/x-deflate" and set(attributes) == {"type", "data-what"}:
            many = columns[attributes["data-what"]]
            packed = base64.b64decode(text, validate=True)
            data = zlib.decompress(packed, -15) if packed else b""
            self.data.append(self.rows(data, many) if many else data.decode())
            json.loads(self.data[-1])
            return
        self.scripts += 1
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        if attributes or self.scripts > 1 or f"script-src 'sha256-{digest}';" not in self.allowed:
            self.wrong.append(f"a script that the policy does not name: sha256-{digest}")

    @staticmethod
    def rows(data, many):
        n = len(data) // (4 * many)
        assert len(data) == 4 * many * n
        value = lambda i, k: int.from_bytes(bytes(data[4 * n * i + n * p + k] for p in range(4)), "little", signed=True)
        return json.dumps([[value(i, k) for i in range(many)] for k in range(n)], separators=(",", ":"))

    def handle_data(self, data):
        if self.script:
            self.script = (self.script[0], self.script[1] + data)
        if not self.stack or self.stack[-1] not in ("style", "script"):
            self.text += data

    def flush(self, tag):
        """Ends a piece of text at a tag; a table cell is one piece, whatever is in it."""
        if "td" in self.stack or "th" in self.stack:
            return
        text, self.text = " ".join(self.text.split()), ""
        if text and "svg" not in self.stack:
            self.lines += ["", ("# " if self.stack[-1] in ("h1", "h2", "h3") else "") + text, ""]

    def names_check(self):
        """What axe calls svg-img-alt and landmark-unique."""
        said = [name if name else self.headings.get(of) for name, of in self.regions]
        for name in sorted({name or "" for name in said if not name or said.count(name) > 1}):
            self.wrong.append(f"{said.count(name)} regions are called {name!r}")

    def finish(self):
        self.names_check()
        if self.stack:
            self.wrong.append(f"not closed: {self.stack}")
        for target in sorted(self.targets - self.ids):
            self.wrong.append(f"nothing has the id {target}")
        for least in ("h1", "main", "nav", "section"):
            if not self.counts.get(least):
                self.wrong.append(f"no {least}")
        return self.wrong


def main():
    text, data, path = sys.argv[1] == "--text", sys.argv[1] == "--data", sys.argv[-1]
    source = open(path, encoding="utf-8", newline="").read()
    page = Page(os.path.dirname(path))
    page.feed(source)
    page.close()
    if text:
        print(re.sub(r"\n\n+", "\n", "\n".join(page.lines)).strip())
        return 0
    if data:
        print("\n".join(page.data))
        return 0
    wrong = page.finish()
    for control in sorted(set(re.findall(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", source))):
        wrong.append(f"control character {control!r}")
    for line in wrong:
        print("#", line)
    print(f"# {len(source)} characters, {page.counts.get('svg', 0)} plots, {page.counts.get('table', 0)} tables")
    return 1 if wrong else 0


sys.exit(main())
