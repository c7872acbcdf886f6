/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pressure.h - pressure files as the kernel shows them: /proc/pressure, cpu.pressure of a cgroup
 * (spec 09 §5).
 */
#ifndef IDLEST_TRACE_PRESSURE_H
#define IDLEST_TRACE_PRESSURE_H

#include <stdio.h>

#include "sched/psi.h"

/** pressure_name() - "cpu", "io", "memory", "irq": the file's name in /proc/pressure */
const char *pressure_name(enum psi_res res);

/** pressure_write() - the lines of one file */
void pressure_write(FILE *f, const struct sched_psi *psi);

#endif
