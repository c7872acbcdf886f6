#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Write machine presets into a C file: embed.py OUT.c PRESET.yaml...

A preset's name is its file's name. Files in a folder called base are bases for
others: they have no description line and aren't listed as machines.
"""
import os
import sys


def top_level(text, key):
    """The value of a key at the margin, else None."""
    for line in text.splitlines():
        if line.startswith(key + ':'):
            return line[len(key) + 1:].strip().strip('"\'')
    return None


def options(text):
    """Names of the entries of the options list, in order."""
    names, inside = [], False
    for line in text.splitlines():
        if line and not line[0].isspace() and line[0] not in '#-':
            inside = line.startswith('options:')
        elif inside and line.lstrip().startswith('- name:'):
            names.append(line.split(':', 1)[1].strip())
    return names


def c_string(text):
    out = []
    for line in text.splitlines(keepends=True):
        quoted = ''.join('\\' + c if c in '"\\' else '\\n' if c == '\n' else c for c in line)
        out.append('\t"' + quoted.replace('??', '?\\?') + '"')
    return '\n'.join(out)


def main(out, files):
    texts = []
    for path in sorted(files, key=lambda p: os.path.basename(p)):
        with open(path, encoding='utf-8') as f:
            texts.append((path, f.read()))
    with open(out, 'w', encoding='utf-8') as f:
        f.write('/* written by tools/embed.py */\n#include "machine/layers.h"\n\n')
        f.write('const struct preset machine_presets[] = {\n')
        for path, text in texts:
            name = os.path.splitext(os.path.basename(path))[0]
            doc = 'NULL'
            if os.path.basename(os.path.dirname(path)) != 'base':
                line = top_level(text, 'description')
                if not line:
                    sys.exit(f'{path}: a preset needs a description in one line')
                chosen = options(text)
                default = top_level(text, 'default_option')
                if chosen:
                    line += '; options ' + ', '.join(
                        n + ' (default)' if n == default else n for n in chosen)
                doc = c_string(line).strip()
            f.write(f'{{ "{name}", {doc},\n{c_string(text)},\n\t{len(text.encode())} }},\n')
        f.write('};\nconst int machine_nr_embedded = sizeof(machine_presets) / '
                'sizeof(machine_presets[0]);\n')


main(sys.argv[1], sys.argv[2:])
