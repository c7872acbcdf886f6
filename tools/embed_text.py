#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Write a text file into a C file: embed_text.py OUT.c HEADER NAME FILE.

HEADER declares NAME, an array of char that ends with a zero byte, and NAME_len.
"""
import sys


def c_string(text):
    out = []
    for line in text.splitlines(keepends=True):
        quoted = ''.join('\\' + c if c in '"\\' else '\\n' if c == '\n' else c for c in line)
        out.append('\t"' + quoted.replace('??', '?\\?') + '"')
    return '\n'.join(out)


def main(out, header, name, path):
    with open(path, encoding='utf-8') as f:
        text = f.read()
    with open(out, 'w', encoding='utf-8') as f:
        f.write(f'/* written by tools/embed_text.py */\n#include "{header}"\n\n')
        f.write(f'const char {name}[] =\n{c_string(text)};\n')
        f.write(f'const size_t {name}_len = sizeof({name}) - 1;\n')


main(*sys.argv[1:])
