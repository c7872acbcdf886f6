// SPDX-License-Identifier: BSD-2-Clause
#include "trace/pressure.h"

const char *pressure_name(enum psi_res res)
{
	static const char *const names[NR_PSI_RESOURCES] = {
		[PSI_IO] = "io", [PSI_MEM] = "memory", [PSI_CPU] = "cpu", [PSI_IRQ] = "irq"};

	return names[res];
}

static void write_line(FILE *f, const char *name, const struct sched_psi_line *l)
{
	fprintf(f, "%s avg10=%u.%02u avg60=%u.%02u avg300=%u.%02u total=%llu\n", name,
		l->avg10 / 100, l->avg10 % 100, l->avg60 / 100, l->avg60 % 100, l->avg300 / 100,
		l->avg300 % 100, (unsigned long long)l->total_us);
}

void pressure_write(FILE *f, const struct sched_psi *psi)
{
	if (psi->has_some)
		write_line(f, "some", &psi->some);
	if (psi->has_full)
		write_line(f, "full", &psi->full);
}
