#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""manpages.py IDLEST FOLDER: man pages of idlest and its commands, from what `idlest help` says.

As a step of `meson install`, FOLDER is below the prefix that is installed to.
"""
import os
import re
import subprocess
import sys

# One line an option, however long; the pages are broken by whoever shows them.
WIDE = {"ARGP_HELP_FMT": "rmargin=20000,no-dup-args-note", "LC_ALL": "C"}


def roff(text):
    """text as roff has it: no escapes, no request at the beginning of a line, hyphens as typed"""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(['.])", r"\\&\1", text, flags=re.M)


def said_by(idlest, *args):
    return subprocess.run([idlest, "help", *args], check=True, capture_output=True, text=True,
                          env={**os.environ, **WIDE}).stdout


def commands_of(idlest):
    """what `idlest help` lists: [(name, what it is)]"""
    return re.findall(r"^  (\S+)  +(\S.*)$", said_by(idlest), flags=re.M)


def head(name, version, what):
    return [f'.TH "{roff(name.upper())}" 1 "" "{roff(version)}" "idlest"', ".SH NAME",
            f"{roff(name)} \\- {roff(what)}"]


def see_also(names):
    return [".SH SEE ALSO", ",\n".join(f"\\fB{roff(n)}\\fR(1)" for n in names)]


STATUS = [".SH EXIT STATUS", "0: done. 1: the answer is no. 2: bad usage or bad input; the message says where, why, and what helps."]


def option(line):
    """one line of argp's list: flags with their arguments, then what they do"""
    flags, _, text = re.match(r"\s+(\S.*?)(  +|$)(.*)$", line).groups()
    flags = re.sub(r"(-[-\w?]+)(?:=(\w+)|\[=(\w+)\])?",
                   lambda m: f"\\fB{roff(m[1])}\\fR" + (f"=\\fI{m[2]}\\fR" if m[2] else f"[=\\fI{m[3]}\\fR]" if m[3] else ""),
                   flags)
    return [".TP", flags, roff(text) if text else "\\&"]


def command_page(idlest, version, name, what, others):
    text = said_by(idlest, name)
    usage, rest = re.match(r"((?:(?:Usage:|  or: )[^\n]*\n)+)(.*)", text, flags=re.S).groups()
    doc, _, listed = rest.partition("\n\n")
    page = head(f"idlest-{name}", version, what) + [".SH SYNOPSIS"]
    for line in usage.splitlines():
        page += [f"\\fBidlest {roff(name)}\\fR" + roff(re.sub(r"^.*?idlest \S+", "", line)), ".br"]
    page += [".SH DESCRIPTION", roff(doc.strip()), ".SH OPTIONS"]
    for line in listed.splitlines():
        if re.match(r"\s+-", line):
            page += option(line)
        elif line.strip():
            page += [".PP", roff(line.strip())]
    return page + STATUS + see_also(["idlest"] + [f"idlest-{n}" for n, _ in others if n != name])


def main_page(version, commands):
    page = head("idlest", version, "a laboratory for CPU schedulers")
    page += [".SH SYNOPSIS", "\\fBidlest\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...]", ".SH DESCRIPTION",
             roff("A scheduler core that takes the decisions the Linux scheduler takes, kernel by kernel, on a simulated machine "
                  "of any shape or along a recorded trace."), ".SH COMMANDS"]
    for name, what in commands:
        page += [".TP", f"\\fBidlest\\-{roff(name)}\\fR(1)", roff(what)]
    return page + STATUS + see_also([f"idlest-{name}" for name, _ in commands])


def main():
    idlest, folder = sys.argv[1:]
    prefix = os.environ.get("MESON_INSTALL_DESTDIR_PREFIX")
    if prefix and not os.path.isabs(folder):
        folder = os.path.join(prefix, folder)
    elif prefix:
        folder = os.environ.get("DESTDIR", "") + folder
    version = subprocess.run([idlest, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    commands = commands_of(idlest)
    pages = {"idlest": main_page(version, commands)}
    for name, what in commands:
        pages[f"idlest-{name}"] = command_page(idlest, version, name, what, commands)
    os.makedirs(folder, exist_ok=True)
    for name, page in pages.items():
        with open(os.path.join(folder, name + ".1"), "w", encoding="utf-8") as f:
            f.write("\n".join(page) + "\n")


if __name__ == "__main__":
    main()
