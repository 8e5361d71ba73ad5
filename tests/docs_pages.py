"""Of the pages that are given: links or anchors that lead nowhere (links), or commands of tacho and
its trainer that they do not know (commands); a line for each.

    docs_pages.py links PAGE...
    docs_pages.py commands TACHO TRAINER PAGE...
    docs_pages.py lines LIST PAGE...

Of the last, what LIST (docs_commands.txt) lacks or has without need; and on standard output's end, after a
line ---, the command lines that are to be run here.
"""
import os
import re
import subprocess
import sys


def lines_of(page):
    """(number, line, whether it is of a command or an output)"""
    fenced = False
    with open(page, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("```"):
                fenced = not fenced
            yield number, line.rstrip("\n"), fenced or line.startswith("    ")


def anchors(page):
    """As GitHub and mkdocs name headings."""
    for _, line, quoted in lines_of(page):
        heading = re.match(r"#+ +(.*)", line)
        if heading and not quoted:
            text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.group(1)).replace("`", "")
            yield re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", text.lower()).strip())


def links(pages):
    for page in pages:
        for number, line, quoted in lines_of(page):
            if quoted:
                continue
            for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                path = os.path.join(os.path.dirname(page), path) if path else page
                if not os.path.exists(path):
                    print(f"{page}:{number}: there is no {path}")
                elif anchor and anchor not in anchors(path):
                    print(f"{page}:{number}: {path} has no heading #{anchor}")


def help_of(*command):
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return run.stdout if run.returncode == 0 else ""


def options_in(text):
    return set(re.findall(r"(?<![\w-])(--?[A-Za-z0-9][A-Za-z0-9-]*)", text))


def words_until_end(words):
    """The words of one command line, without what stands after it."""
    for word in words:
        if word in ("|", "&&", ">", "#", ";") or word.startswith("("):
            return
        yield word
        if word.endswith(";"):
            return


class Known:
    def __init__(self, tacho, trainer):
        self.tacho, self.helps = tacho, {}
        self.all = options_in(help_of(tacho, "--help")) | {"--help", "-h"}
        self.commands = re.findall(r"^  ([a-z]+) +[A-Za-z]", help_of(tacho, "--help"), re.M) + ["help"]
        self.trainer = options_in(help_of(trainer, "--help")) if os.access(trainer, os.X_OK) else None

    def unknown(self, line):
        """What of a line neither tacho nor its trainer knows."""
        for part in re.findall(r"(?<![\w/.-])tacho ((?:-[vq] )?[a-z]+(?: .*)?)$", line):
            words = list(words_until_end(part.split()))
            words = words[1:] if words[0] in ("-v", "-q") else words
            if words[0] not in self.commands:
                yield f"tacho {words[0]}"
                continue
            if words[0] not in self.helps:
                self.helps[words[0]] = options_in(help_of(self.tacho, "help", words[0])) | self.all
            for word in words[1:]:
                if word == "--":
                    break
                option = word.split("=")[0].rstrip(",;")
                if option.startswith("-") and option not in self.helps[words[0]]:
                    yield f"{option} of tacho {words[0]}"
        for part in re.findall(r"tacho-trainer (-.*)$", line) if self.trainer else []:
            for word in words_until_end(part.split()):
                if word.startswith("-") and word not in self.trainer:
                    yield f"{word} of tacho-trainer"


def commands(tacho, trainer, *pages):
    known, seen = Known(tacho, trainer), 0
    for page in pages:
        for number, line, quoted in lines_of(page):
            # a command begins the line, or stands in backquotes
            texts = [line] if quoted and not re.match(r" {5,}|    tacho:| +\S.* {3,}", line) else \
                re.findall(r"`([^`]*)`", line) if not quoted else []
            for text in texts:
                text = text.strip().replace("…", "").replace("$ ", "")
                seen += "tacho" in text
                for what in known.unknown(text):
                    print(f"{page}:{number}: there is no {what}")
    if seen < 20:
        print(f"only {seen} commands were found in {len(pages)} pages")


COMMAND = re.compile(r"(?:\$ )?((?:(?:tacho|tacho-trainer|mpirun|srun|sbatch|torchrun|sqlite3|kubectl|make|export|\./\S+)\s"
                     r"|for \w+ in |[A-Z_]+=\S+ ).*)")


def command_lines(pages):
    """(page, line as it is typed) of all blocks"""
    for page in pages:
        for _, line, quoted in lines_of(page):
            if not quoted or re.match(r" {5,}|```|    tacho:", line):
                continue
            found = COMMAND.fullmatch(re.sub(r" +#.*", "", line.strip()) + " ")
            if found:
                yield page, " ".join(found.group(1).split())


def lines(listed, *pages):
    """Each command line has a line in the list: how it is tested."""
    how = []
    with open(listed, encoding="utf-8") as file:
        for text in file:
            if text.strip() and not text.startswith("#"):
                how.append([part.strip() for part in text.split("|", 2)])
    used, here = set(), []
    for page, line in command_lines(pages):
        match = [i for i, (where, _, begin) in enumerate(how) if where == page and line.startswith(begin)]
        if not match:
            print(f"{page}: no test is named for: {line}")
            continue
        used.update(match)
        if how[match[0]][1] == "run":
            here.append(line)
    for i, (where, test, begin) in enumerate(how):
        if i not in used:
            print(f"{listed}: {where} has no command {begin}")
        if test.startswith("tests/") and not os.path.exists(test):
            print(f"{listed}: there is no {test}")
        if test != "run" and not test.startswith(("tests/", "not here:")):
            print(f"{listed}: {test} is neither run, tests/..., nor not here: why")
    print("---", *here, sep="\n")


if __name__ == "__main__":
    {"links": lambda *pages: links(pages), "commands": commands, "lines": lines}[sys.argv[1]](*sys.argv[2:])
