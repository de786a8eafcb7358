#!/usr/bin/env python3
"""Man pages made from the programs' own help texts: man_pages.py FOLDER VERSION ORBWEAVER [PROGRAM…]

Writes orbweaver.1.gz, orbweaver-COMMAND.1.gz for each command that `orbweaver --help` lists, and PROGRAM.1.gz.
"""

import gzip
import pathlib
import re
import subprocess
import sys

EXIT_STATUS = re.compile(r"Exit code:? |Exits \d")


def main(folder, version, orbweaver, *programs):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.1.gz"):
        old.unlink()

    def write(name, summary, text, see_also):
        page = Page(name, version, summary)
        page.add(text)
        page.see_also(see_also)
        # Without a time, so that the same pages are the same bytes.
        with open(folder / f"{name}.1.gz", "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
            file.write(page.text().encode())

    top = help_of(orbweaver)
    commands = dict(re.findall(r"^  ([a-z][a-z-]*) +(.+)$", top.partition("\nCommands:\n")[2], re.M))
    pages = [f"orbweaver-{command}" for command in commands]
    workers = [pathlib.Path(program).name for program in programs]
    write("orbweaver", "a web crawler: on one machine, or as a cluster", top, pages + workers)
    for command, summary in commands.items():
        write(f"orbweaver-{command}", summary, help_of(orbweaver, command), ["orbweaver"])
    for program, name in zip(programs, workers):
        text = help_of(program)
        write(name, text.splitlines()[1], text, ["orbweaver"])


def help_of(*command):
    return subprocess.run([*command, "--help"], check=True, capture_output=True, text=True).stdout


def indent(line):
    return len(line) - len(line.lstrip())


class Page:
    """A help text, line by line: usage, paragraphs, rows of two columns, headings that end in a colon, examples."""

    def __init__(self, name, version, summary):
        summary = summary[0].lower() + summary[1:].rstrip(".")
        self._lines = [f'.TH {name.upper()} 1 "" "Orbweaver {version}" "Orbweaver"', ".nh", ".ad l", ".SH NAME", f"{escape(name)} \\- {escape(summary)}"]

    def text(self):
        return "\n".join(self._lines) + "\n"

    def see_also(self, names):
        pages = ", ".join(f"\\fB{escape(name)}\\fR(1)" for name in names)
        self._lines += [".SH SEE ALSO", pages]

    def add(self, text):
        lines = text.rstrip("\n").split("\n")
        at = self._usage(lines)
        self._lines.append(".SH DESCRIPTION")
        literal = options = False
        while at < len(lines):
            line = lines[at]
            at += 1
            heading = re.fullmatch(r"(\w[\w ,&-]*):", line)
            if heading:
                self._lines.append(f".SH {escape(heading[1].upper())}")
                literal = heading[1].lower().startswith("example")
                options = True
            elif not line.strip():
                self._lines.append(".PP")
            elif literal:
                self._lines += [".nf", escape(line.strip()), ".fi"]
            else:
                if not options and line.lstrip().startswith("--"):
                    self._lines.append(".SH OPTIONS")
                    options = True
                at = self._row(lines, at - 1) or self._paragraph(lines, at - 1)

    def _usage(self, lines):
        """The synopsis; the number of the line behind it."""
        self._lines.append(".SH SYNOPSIS")
        at = 0
        while at < len(lines) and (at == 0 or lines[at].startswith("       ")):
            usage = lines[at].removeprefix("usage:").strip()
            self._lines += [".PP", f"\\fB{escape(usage)}\\fR"] if at else [f"\\fB{escape(usage)}\\fR"]
            at += 1
        return at

    def _row(self, lines, at):
        """A term and what it means, beside it or further in below it; the number of the line behind, or None."""
        line = lines[at]
        columns = re.fullmatch(r" *(\S+(?: \S+)*)  +(\S.*)", line)
        below = lines[at + 1] if at + 1 < len(lines) else ""
        if columns:
            term, meaning, column = columns[1], [columns[2]], columns.start(2)
        elif line.startswith(" ") and below.strip() and indent(below) > indent(line):
            term, meaning, column = line.strip(), [], indent(below)
        else:
            return None
        at += 1
        while at < len(lines) and lines[at].strip() and indent(lines[at]) >= max(column, 1):
            meaning.append(lines[at].strip())
            at += 1
        self._lines += [".TP", f"\\fB{escape(term)}\\fR", marked(" ".join(meaning))]
        return at

    def _paragraph(self, lines, at):
        if EXIT_STATUS.match(lines[at]):
            self._lines.append(".SH EXIT STATUS")
        words = [lines[at].strip()]
        at += 1
        while at < len(lines) and lines[at].strip() and not re.search(r"\S  +\S", lines[at]):
            words.append(lines[at].strip())
            at += 1
        text = " ".join(words).removeprefix("Exit code: ")
        self._lines.append(marked(text))
        return at


def escape(text):
    """As it stands; a long list may be broken behind its commas."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("^", "\\(ha").replace("~", "\\(ti")
    text = re.sub(r",(?=\S)", r",\\:", text)
    return "\\&" + text if text[:1] in (".", "'") else text


def marked(text):
    """Text in which `code` is bold."""
    return re.sub(r"`([^`]+)`", r"\\fB\1\\fR", escape(text))


if __name__ == "__main__":
    main(*sys.argv[1:])
