#!/usr/bin/env python3
"""prose.py SRCDIR TACHO: counts marks of unidiomatic English in all that users read.

Prints, in TAP, one test for each group of texts: at most 3 marks per 1,000 words (or one), and in pages at most
2 % of the sentences (or one) with more than 40 words. Comparable projects have 0.1 to 1.7 marks. The lines with
marks and the long sentences follow a failed test. -v prints the figures of all groups. Comments of the code may
have as many marks as COMMENTS_MOST says; its limits only shrink, to 6.
"""
import glob
import os
import re
import subprocess
import sys

MARKS_MOST = 3.0  # per 1,000 words
WORDS_MOST = 40  # of a sentence
LONG_MOST = 2.0  # percent of the sentences

COMMENTS_MOST = {"analyzer": 5.0, "collector": 5.9, "include": 0.5, "examples": 3.0, "tests": 4.9}

MARKS = [
    r"(?:^|[.;:] )Of (?!course)",
    r"\bwhat (?:is|was|are|were|has|had|it|they|he|the|each|others|follows|comes|lies|stands|a|an|one)\b",
    r"\bwho\b|\bwhose\b|\bwhom\b",
    r"\b(?:tells?|told|says?|said)\b",
    r"\blook(?:s|ed)?\b(?! up| at the)",
    r"\b(?:go|goes|going|went) on\b",
    r"\b(?:is|are|was|were) there\b",
    r"\b(?:that|those) (?:of|that|which|who)\b",
    r"\bof (?:its|their|his) own\b|\bby itself\b",
    r"\b(?:stands?|lies?|lay|stood)\b(?!-in)",
    r", too\b",
    r"\b(?:nobody|somebody|everybody)\b",
]
# a text for each mark
PLANTED = ["Of it", "what is", "whose", "it says", "look", "goes on", "is there", "that of", "of its own",
           "it lies", "it, too", "nobody"]
SQL = r"\b(?:select|insert|create|update|delete|join|where|from) "


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def markdown(path):
    """Paragraphs of a page: without code, each cell of a table is one."""
    text = re.sub(r"```.*?```", "", read(path), flags=re.S)
    text = re.sub(r"(?m)^(?:    |\t).*$", "", text)
    text = re.sub(r"(?m)^\s*(?:[-*]|\d+\.) ", "\n\n", text)
    text = re.sub(r"(?m)^\|(.*)\|$", lambda m: "\n\n" + m.group(1).replace("|", "\n\n") + "\n\n", text)
    return re.split(r"\n\s*\n|\n(?=#)", re.sub(r"(?m)^#.*$", "\n", text))


def roff(path):
    """Paragraphs of a manual page, without examples."""
    text = re.sub(r"(?ms)^\.(?:nf.*?^\.fi|EX.*?^\.EE)", "", read(path))
    text = re.sub(r'(?m)^\.\\".*$', "", text)
    text = re.sub(r"(?m)^\.TP\n(.*)$", r"\1\n\n", text)
    text = re.sub(r"(?m)^\.(?:PP|IP|SS|SH|TH|RS|RE|br)\b.*$", "\n", text)
    text = re.sub(r"(?m)^\.[BI]?[BIR]\s+(.*)$", lambda m: m.group(1).replace('"', ""), text)
    return re.split(r"\n\s*\n", re.sub(r"\\f.|\\&|\\(?=-)", "", text))


def helps(tacho):
    """The help of tacho and of its commands, line by line: each option is a sentence of its own."""
    def help_of(*args):
        return subprocess.run([tacho, *args, "--help"], capture_output=True, text=True, check=True).stdout
    text = help_of()
    for command in re.findall(r"(?m)^  ([a-z]+) +[A-Z]", text):
        text += help_of(command)
    return [line for line in text.split("\n") if not line.startswith("    tacho")]


def findings(folder):
    """The texts of findings without comments, names and queries."""
    texts = []
    for path in sorted(glob.glob(folder + "/*.rule")):
        text = re.sub(r"(?m)^#.*$", "", read(path).split("\nquery\n")[0])
        for line in re.sub(r"\n\s+", " ", text).split("\n"):
            key, _, said = line.partition("\t")
            if said and key != "evidence" and (key == "term:" or key[-1] != ":"):
                texts.append(said)
    return texts


def literals(srcdir):
    """Messages and captions: texts of three words or more in the code, but for SQL."""
    literal = r'"(?:[^"\\\n]|\\.)*"'
    texts = []
    paths = [path for folder in ("analyzer", "collector", "include") for suffix in ("c", "h", "def")
             for path in sorted(glob.glob(f"{srcdir}/{folder}/**/*.{suffix}", recursive=True))]
    for path in paths:
        code = re.sub(r"/\*.*?\*/", "", read(path), flags=re.S)
        for found in re.findall(rf"{literal}(?:\s*{literal})*", code):
            text = "".join(part[1:-1] for part in re.findall(literal, found))
            if text.count(" ") >= 2 and not re.search(SQL, text):
                texts.append(text)
    return texts


def comments(srcdir, part):
    """Comments of the code of a part, each one text."""
    token = r"/\*(.*?)\*/|//([^\n]*)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
    for suffix in ("c", "h", "def"):
        for path in sorted(glob.glob(f"{srcdir}/{part}/**/*.{suffix}", recursive=True)):
            for block, line in re.findall(token, read(path), flags=re.S):
                yield re.sub(r"(?m)^\s*\*+ ?", "", block or line)


def sentences(paragraphs):
    for paragraph in paragraphs:
        yield from (s for s in re.split(r"(?<=[.!?])\s+", paragraph) if s)


def words(text):
    return len(re.findall(r"[A-Za-z']+", text))


def is_long(sentence):
    """Names as LD_PRELOAD or phase:train are one word each."""
    return sum(bool(re.search("[A-Za-z]", word)) for word in sentence.split()) > WORDS_MOST


def marks(texts):
    return [t for t in texts for mark in MARKS if re.search(mark, t) for _ in re.findall(mark, t)]


def check(number, name, paragraphs, is_page, most=MARKS_MOST):
    texts = [" ".join(p.split()) for p in paragraphs]
    total = sum(map(words, texts))
    marked = marks(texts)
    found = list(sentences(texts)) if is_page else []
    long = [s for s in found if is_long(s)]
    rate, share = 1000 * len(marked) / max(1, total), 100 * len(long) / max(1, len(found))
    good = total > 0 and (rate <= most or len(marked) == 1) and (share <= LONG_MOST or len(long) == 1)
    print(f"{'ok' if good else 'not ok'} {number} - {name} in plain English")
    if "-v" in sys.argv or not good:
        print(f"# {total} words, {rate:.1f} marks per 1,000, {share:.1f} % of {len(found)} sentences are long")
    for text in [] if good else [*sorted(set(marked))[:40], *long[:40]]:
        print(f"#   {text[:300]}")


def main():
    srcdir, tacho = [arg for arg in sys.argv[1:] if arg != "-v"]
    pages = sorted(glob.glob(srcdir + "/docs/*.md"))
    print(f"1..{len(pages) + 8 + len(COMMENTS_MOST)}")
    counted = [len(marks([text])) for text in PLANTED]
    print(f"{'ok' if counted == [1] * len(MARKS) else 'not ok'} 1 - each mark is counted in a text that has it")
    check(2, "README.md", markdown(srcdir + "/README.md"), True)
    check(3, "NEWS", re.split(r"\n\s*\n|\n\s*[-*] ", read(srcdir + "/NEWS")), True)
    check(4, "tacho(1)", roff(srcdir + "/analyzer/cli/tacho.1"), True)
    check(5, "the help of all commands", helps(tacho), False)
    check(6, "the texts of findings", findings(srcdir + "/reports/findings"), False)
    check(7, "messages and captions", literals(srcdir), False)
    check(8, "tacho-db(5)", roff(srcdir + "/analyzer/db/tacho-db.5.in"), False)
    for number, page in enumerate(pages, 9):
        check(number, os.path.relpath(page, srcdir), markdown(page), True)
    for number, (part, most) in enumerate(COMMENTS_MOST.items(), 9 + len(pages)):
        check(number, f"comments in {part}/", comments(srcdir, part), False, most)


main()
