#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""make_dat.py >small.dat: a trace.dat of two CPUs and ten events, as trace-cmd.dat.v6(5) describes it."""
import struct
import sys

PAGE = 4096
COMMON = """\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;
"""
HEADER_PAGE = """\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;
"""
HEADER_EVENT = """# compressed entry header
\ttype_len    :    5 bits
\ttime_delta  :   27 bits
\tarray       :   32 bits

\tpadding     : type == 29
\ttime_extend : type == 30
\ttime_stamp : type == 31
\tdata max type_len  == 28
"""
COMM, INT, LONG, U64 = ("char", "[16]", 16, 0), ("int", "", 4, 1), ("long", "", 8, 1), ("u64", "", 8, 0)
# name: number, fields
SCHED = {
    "sched_switch": (316, [("prev_comm", COMM), ("prev_pid", INT), ("prev_prio", INT), ("prev_state", LONG),
                           ("next_comm", COMM), ("next_pid", INT), ("next_prio", INT)]),
    "sched_waking": (319, [("comm", COMM), ("pid", INT), ("prio", INT), ("target_cpu", INT)]),
    "sched_wakeup": (318, [("comm", COMM), ("pid", INT), ("prio", INT), ("target_cpu", INT)]),
    "sched_migrate_task": (315, [("comm", COMM), ("pid", INT), ("prio", INT), ("orig_cpu", INT), ("dest_cpu", INT)]),
    "sched_process_fork": (309, [("parent_comm", COMM), ("parent_pid", INT), ("child_comm", COMM), ("child_pid", INT)]),
    "sched_stat_runtime": (303, [("comm", COMM), ("pid", INT), ("runtime", U64)]),
    "sched_pi_setprio": (302, [("comm", COMM), ("pid", INT), ("oldprio", INT), ("newprio", INT)]),
}
EXEC, PRINT, MARK_WRITE = 308, 5, 0xffffffff81000000


def event_format(name, number, fields):
    text, offset = f"name: {name}\nID: {number}\nformat:\n{COMMON}\n", 8
    for field, (c_type, array, size, signed) in fields:
        offset = (offset + min(size, 8) - 1) // min(size, 8) * min(size, 8) if not array else offset
        text += f"\tfield:{c_type} {field}{array};\toffset:{offset};\tsize:{size};\tsigned:{signed};\n"
        offset += size
    return text + "\nprint fmt: \"\"\n"


EXEC_FORMAT = (f"name: sched_process_exec\nID: {EXEC}\nformat:\n{COMMON}\n"
               "\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;\n"
               "\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
               "\tfield:pid_t old_pid;\toffset:16;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n")
PRINT_FORMAT = (f"name: print\nID: {PRINT}\nformat:\n{COMMON}\n"
                "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
                "\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n\nprint fmt: \"\"\n")


def head(number, flags, depth, pid):
    return struct.pack("<HBBi", number, flags, depth, pid)


def event(name, flags, depth, pid, *values):
    number, fields = SCHED[name]
    data = head(number, flags, depth, pid)
    for (_, (_, array, size, _)), value in zip(fields, values):
        if array:
            data += value.encode().ljust(16, b"\0")
        else:
            data += b"\0" * (-len(data) % size) + value.to_bytes(size, "little", signed=value < 0)
    return data


def page(start, events):
    """one page of the ring buffer: each record has its length and the time since the one before"""
    body, now = b"", start
    for ns, data in events:
        data += b"\0" * (-len(data) % 4)
        words, long = len(data) // 4, b""
        if words > 28:
            words, long = 0, struct.pack("<I", len(data) + 4)
        body += struct.pack("<I", words | (ns - now) << 5) + long + data
        now = ns
    return (struct.pack("<QQ", start, len(body)) + body).ljust(PAGE, b"\0")


def sized(text, form="<Q"):
    data = text.encode() if isinstance(text, str) else text
    return struct.pack(form, len(data)) + data


def main():
    t = 5_000_000_000
    name = b"/bin/a program\0"
    cpu0 = page(t, [
        (t + 123, event("sched_waking", 0x1 | 0x8, 3, 0, "sleeper", 20, 98, 1)),
        (t + 456, event("sched_migrate_task", 0x1, 2, 0, "sleeper", 20, 98, 1, 0)),
        (t + 1_789, event("sched_wakeup", 0x1 | 0x4 | 0x8, 4, 0, "sleeper", 20, 98, 0)),
        (t + 3_000, event("sched_switch", 0x1, 2, 0, "swapper/0", 0, 120, 0, "sleeper", 20, 98)),
        (t + 9_000, head(PRINT, 0, 0, 20) + struct.pack("<Q", MARK_WRITE) + b"phase 1\n\0"),
        (t + 60_000, event("sched_switch", 0x1, 2, 20, "sleeper", 20, -1, 1, "swapper/0", 0, 120)),
    ])
    cpu1 = page(t, [
        (t + 200, event("sched_process_fork", 0, 0, 30, "shell", 30, "shell", 31)),
        (t + 2_500, head(EXEC, 0x10, 0, 31) + struct.pack("<Iii", 20 | len(name) << 16, 31, 31) + name),
        (t + 2_600, event("sched_pi_setprio", 0, 0, 31, "shell", 31, 120, 110)),
        (t + 8_000, event("sched_stat_runtime", 0x1, 2, 31, "a program", 31, 7_654_321)),
        (t + 8_100, event("sched_switch", 0x1, 2, 31, "a program", 31, 120, 256, "shell", 30, 120)),
    ])
    out = b"\x17\x08\x44tracing6\0" + b"\0" + b"\x08" + struct.pack("<I", PAGE)
    out += b"header_page\0" + sized(HEADER_PAGE) + b"header_event\0" + sized(HEADER_EVENT)
    out += struct.pack("<I", 1) + sized(PRINT_FORMAT)
    out += struct.pack("<I", 1) + b"sched\0" + struct.pack("<I", len(SCHED) + 1)
    for event_name, (number, fields) in SCHED.items():
        out += sized(event_format(event_name, number, fields))
    out += sized(EXEC_FORMAT)
    out += sized(f"{MARK_WRITE:x} T tracing_mark_write\n{MARK_WRITE + 64:x} T another\n", "<I")
    out += sized("", "<I") + sized("20 sleeper\n30 shell\n31 a program\n")
    out += struct.pack("<I", 2) + b"options  \0" + struct.pack("<H", 0) + b"flyrecord\0"
    first = (len(out) + 32 + PAGE - 1) // PAGE * PAGE
    out += struct.pack("<QQQQ", first, PAGE, first + PAGE, PAGE)
    sys.stdout.buffer.write(out.ljust(first, b"\0") + cpu0 + cpu1)


main()
