#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""timing.py TRACE...: what the kernel's paths took in recorded traces, by how many CPUs were busy.

For each number of busy CPUs (those that don't run their idle task, the waker's included), medians
in us over all traces, and how many there were:
  decide   sched_waking to sched_wakeup where both came from the same CPU: choosing a CPU, and
           queueing the task there
  remote   … where the woken task's CPU queued it: choosing, an interrupt sent and taken
  start    sched_wakeup to running, on a CPU that was idle
  between  a task's sched_waking to its next one, with nothing else on that CPU in between
TRACE is ftrace text, plain or .xz; simulated ones can be measured, too (idlest run --trace).
"""
import lzma
import re
import statistics
import sys

LINE = re.compile(r"^\s*.{1,16}-(\d+)\s+(?:\(.*?\) )?\[(\d+)\]\s+\S+\s+(\d+)\.(\d+): (\w+): (.*)")


def events(path):
    """(µs, cpu, pid, event, text)"""
    with lzma.open(path, "rt") if path.endswith(".xz") else open(path) as f:
        for line in f:
            m = LINE.match(line)
            if m:
                us = int(m[3]) * 10**6 + int(m[4].ljust(9, "0")) / 1000
                yield us, int(m[2]), int(m[1]), m[5], m[6]


def number(text, key):
    return int(re.search(rf"\b{key}=(\d+)", text)[1])


def measure(path, samples):
    busy, waking, wakeup, last = set(), {}, {}, {}
    for t, cpu, pid, event, text in events(path):
        if event == "sched_switch":
            now = number(text, "next_pid")
            if now in wakeup and cpu not in busy:
                samples.setdefault(("start", len(busy) + 1), []).append(t - wakeup[now])
            wakeup.pop(now, None)
            (busy.add if now else busy.discard)(cpu)
            last.pop(cpu, None)
        elif event == "sched_waking":
            woken = number(text, "pid")
            waking[woken] = t, cpu, len(busy | {cpu})
            if cpu in last and last[cpu][0] == pid and pid:
                samples.setdefault(("between", len(busy)), []).append(t - last[cpu][1])
            last[cpu] = pid, t
        elif event == "sched_wakeup":
            woken = number(text, "pid")
            if woken in waking:
                t0, waker, n = waking.pop(woken)
                kind = "decide" if waker == cpu else "remote"
                samples.setdefault((kind, n), []).append(t - t0)
                if kind == "remote":
                    busy.add(cpu)  # it left idle to take the interrupt
                    busy.discard(cpu)
            wakeup[woken] = t


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    samples = {}
    for path in sys.argv[1:]:
        measure(path, samples)
    kinds = ["decide", "remote", "start", "between"]
    print("busy " + "".join(f"{k:>18}" for k in kinds))
    for n in sorted({n for _, n in samples}):
        cells = []
        for k in kinds:
            s = samples.get((k, n), [])
            cells.append(f"{statistics.median(s):9.1f} ({len(s):6d})" if s else "")
        print(f"{n:4d} " + "".join(f"{c:>18}" for c in cells))
    return 0


if __name__ == "__main__":
    sys.exit(main())
