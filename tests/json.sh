#!/bin/sh
# What the JSON writer (analyzer/base/json.c) prints, read back by Python.
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
"$top_builddir/tests/unit/json" >"$work/said" || exit 99
python3 - "$work/said" <<'P'
import json, re, sys

n = 0
def check(name, fine, why=""):
    global n
    n += 1
    print("%sok %d - %s" % ("" if fine else "not ", n, name))
    if not fine:
        print("#", why)

def digits(text):
    return len(re.sub(r"e.*|[-.]", "", text).strip("0"))

print("1..8")
said = open(sys.argv[1], "rb").read()
read = json.loads(said.decode("utf-8", "strict"))
check("it is JSON, and valid UTF-8", list(read) == ["numbers", "texts", "nothing", "integers", "empty", 'a "key"\n'], list(read))

lines = re.findall(rb'\{"exact": "([^"]*)", "number": ([^}]*)\}', said)
other = [(a, b) for a, b in lines if float.fromhex(a.decode()) != float(b)]
check("numbers read back as the same double", len(lines) > 20000 and not other, other[:5])
longer = [(a, b) for a, b in lines if digits(b.decode()) != digits(repr(float.fromhex(a.decode())))]
check("with the fewest digits", not longer, longer[:5])
missing = {b"0", b"0.3", b"0.1", b"100", b"1e16", b"5e-324", b"1e-7"} - {b for _, b in lines}
check("0.3 is 0.3", not missing, missing)

check("what is not finite is null", read["nothing"] == [None] * 4, read["nothing"])
check("integers keep all digits", read["integers"] == [-2**63, 2**63 - 1], read["integers"])
wanted = ["", "plain", '"quoted\\"', "line\nend\ttab\r", "\x1b[31m\x7f\x01", "\x80\x9b[2J", "µ – … 漢字 😀", "\u202ereversed\u2066"]
check("text reads back as it was, bytes that are no text as U+FFFD", read["texts"][:8] == wanted and
      all(set(t) == {"\ufffd"} for t in read["texts"][8:]), read["texts"])
check("no control character reaches a terminal", not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]|\xe2\x81[\xa6-\xa9]", said))
P
