/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guest.h - the first process of an emulated machine (make kernel-check).
 *
 * It describes the machine and its scheduler, runs the jobs that the file
 * /jobs lists while the kernel's sched events are traced, hands everything out
 * through a virtio port and switches the machine off. The port carries files
 * one after the other, each as a line "NAME SIZE" and so many bytes; the last
 * is "end 0".
 */
#ifndef IDLEST_GUEST_H
#define IDLEST_GUEST_H

#include <stdio.h>

#define TRACING "/sys/kernel/tracing"
#define SCHED_DEBUG "/sys/kernel/debug/sched"

/* The events that every trace has. */
extern const char *const guest_events[]; /* ends with NULL */

/** complain() - a line on the console: the host keeps it beside the results */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ---- small files of /proc and /sys ---- */

/** read_line() - first line of a file into @buf; "-" if it can't be read. Return: @buf */
char *read_line(char *buf, size_t len, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/** write_text() - @text into the file @path; complains if it can't. Return: 0 or -1 */
int write_text(const char *path, const char *text);
/** copy_file() - the whole of @path behind what @to has. Return: 0 or -1 */
int copy_file(FILE *to, const char *path);

/* ---- what goes out ---- */

/** out_open() - open the port, once its driver is ready. Return: 0 or -1 */
int out_open(void);
/** out_begin() - a file to write to, which out_send() then hands out */
FILE *out_begin(void);
void out_send(FILE *f, const char *name);

/* ---- the parts ---- */

void dump_machine(FILE *to);
void run_jobs(void);

#endif
