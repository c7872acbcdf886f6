#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""heatmap.py IDLEST: the picture of a run: well-formed, of bounded size, and what it shows."""
import base64
import os
import re
import struct
import subprocess
import sys
import tempfile
import xml.dom.minidom
import zlib


def draw(idlest, path, *args):
    subprocess.run([idlest, "run", *args, "--heatmap", path], check=True, stdout=subprocess.DEVNULL)
    text = open(path, encoding="utf-8").read()
    xml.dom.minidom.parseString(text)
    return text


def pixels(svg):
    """rows of (red, green, blue) of the PNG in the picture, every checksum checked"""
    data = base64.b64decode(re.search(r'href="data:image/png;base64,([^"]*)"', svg)[1], validate=True)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body), kind
        chunks[kind] = body
        at += 12 + size
    assert list(chunks) == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    raw, palette = zlib.decompress(chunks[b"IDAT"]), chunks[b"PLTE"]
    assert len(raw) == height * (width + 1)
    rows = [raw[y * (width + 1):(y + 1) * (width + 1)] for y in range(height)]
    assert not any(row[0] for row in rows)
    return [[tuple(palette[3 * c:3 * c + 3]) for c in row[1:]] for row in rows]


WHITE, BLUE = (255, 255, 255), (158, 202, 225)
idlest = sys.argv[1]
with tempfile.TemporaryDirectory() as folder:
    path = folder + "/map.svg"
    # one hog on eight CPUs: one CPU's worth of blue, the rest is white
    rows = pixels(draw(idlest, path, "-m", "uma-8c", "-w", "hog:n=1,duration=200ms"))
    assert len(rows) == 8 and 512 <= len(rows[0]) <= 1024, (len(rows), len(rows[0]))
    columns = list(zip(*rows))[20:-20]
    blue = sum(max(abs(a - b) for a, b in zip(c, BLUE)) < 12 for column in columns for c in column)
    white = sum(c == WHITE for column in columns for c in column)
    assert blue > 0.9 * len(columns) and white > 0.8 * 7 * len(columns), (blue, white, len(columns))
    # thirty on eight are three or four each: nobody is white, or as dark as eight
    rows = pixels(draw(idlest, path, "-m", "uma-8c", "-w", "hog:n=30,duration=400ms"))
    middle = [c for row in rows for c in row[len(row) // 2:-40]]
    assert sum(c == WHITE for c in middle) < 0.01 * len(middle)
    assert all(c[0] > 200 and c[1] > 40 for c in middle), min(middle)
    # the same command, the same bytes; a large machine and a name out of hell
    args = ["-m", "pack:8 numa:4 l3:4 core:8 pu:2", "-w", os.path.dirname(__file__) + "/files/hostile.json"]
    text = draw(idlest, path, *args)
    assert text == draw(idlest, path, *args)
    assert len(pixels(text)) == 2048 and len(text) < 4 << 20, len(text)
    # nothing is left of a run that fails, or of a file that can't be
    for where, workload in ((folder + "/new.svg", "hgo:n=1"), ("/nonexistent/x.svg", "hog:n=1,duration=1ms"),
                            ("/dev/full", "hog:n=1,duration=1ms")):
        p = subprocess.run([idlest, "run", "-m", "uma-8c", "-w", workload, "--heatmap", where], capture_output=True)
        assert p.returncode == 2 and p.stderr, p
    assert os.listdir(folder) == ["map.svg"], os.listdir(folder)
