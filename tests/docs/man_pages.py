#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""man_pages.py MANPAGES.PY IDLEST: a page for idlest and for each command, with all that its help says."""
import os
import re
import shutil
import subprocess
import sys
import tempfile


def words(text):
    """the words of a page, without its marks and breaks"""
    text = re.sub(r"\\f[BIR]", "", text)
    text = re.sub(r"^\.\S+ ?", "", text, flags=re.M)
    return text.replace("\\-", "-").replace("\\&", "").replace("\\e", "\\").split()


def check_page(idlest, name, page):
    with open(page, encoding="utf-8") as f:
        text = f.read()
    have = " ".join(words(text))
    wrong = [] if text.startswith(".TH ") else ["it doesn't begin with a title"]
    help_text = subprocess.run([idlest, "help", name], check=True, capture_output=True, text=True,
                               env={**os.environ, "ARGP_HELP_FMT": "rmargin=20000", "LC_ALL": "C"}).stdout
    options = re.findall(r"^ +(?:-\S, )?(--[\w-]+)(?:\[?=\w+\]?)?(?:  +(\S.*))?$", help_text, flags=re.M)
    if len(options) < 3:
        wrong.append(f"only {len(options)} options in the help")
    for flag, says in options:
        if flag not in have or " ".join(says.split()) not in have:
            wrong.append(f"{flag} is missing, or what it does")
    return [f"{name}: {w}" for w in wrong]


def shown(page):
    """what the formatter complains about, where there is one"""
    if not (shutil.which("man") and shutil.which("groff")):
        return []
    p = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], capture_output=True, text=True,
                       env={**os.environ, "LC_ALL": "C.UTF-8"})
    return [f"{os.path.basename(page)}: {line}" for line in p.stderr.splitlines()]


def main():
    manpages, idlest = sys.argv[1:]
    commands = re.findall(r"^  (\S+)  +\S", subprocess.run([idlest, "help"], check=True, capture_output=True,
                                                           text=True).stdout, flags=re.M)
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, manpages, idlest, folder], check=True)
        for name in commands:
            page = os.path.join(folder, f"idlest-{name}.1")
            wrong += check_page(idlest, name, page) + shown(page)
        with open(os.path.join(folder, "idlest.1"), encoding="utf-8") as f:
            main_page = f.read()
        wrong += [f"idlest.1 doesn't name {name}" for name in commands if f"idlest\\-{name}" not in main_page]
        wrong += shown(os.path.join(folder, "idlest.1"))
    print("\n".join(wrong))
    print(f"{len(commands)} passed, {len(wrong)} failed")
    return 1 if wrong or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
