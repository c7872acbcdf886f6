/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * psi.h - pressure stall information: how long tasks waited for a CPU, for I/O, for memory
 * (spec 09 §5).
 *
 * Part of the core's face. Off until sched_psi_enable(); then every group is measured, the root
 * group being the system. "some": at least one task of the group waits; "full": nobody of it gets
 * on. The host says what the core can't see: sleeps for I/O, stalls for memory, interrupts. It
 * calls sched_psi_update() when OUT_PSI tells it to.
 */
#ifndef IDLEST_SCHED_PSI_H
#define IDLEST_SCHED_PSI_H

#include "sched/sched.h"

enum psi_res { PSI_IO, PSI_MEM, PSI_CPU, PSI_IRQ, NR_PSI_RESOURCES };

struct sched_psi_line {
	u32 avg10, avg60, avg300; /* hundredths of a percent */
	u64 total_us;
};

/* What a pressure file says. */
struct sched_psi {
	bool has_some, has_full; /* which lines it has */
	struct sched_psi_line some, full;
};

/**
 * sched_psi_enable() - measure from now on
 *
 * Groups made later are measured, too. Return: 0; -EBUSY: tasks are queued already; -ENOMEM.
 */
int sched_psi_enable(struct sched *s, u64 now, struct err *err);
bool sched_psi_enabled(const struct sched *s);

/**
 * sched_psi_read() - what the pressure file of a group says
 * @tg: NULL: the root group, /proc/pressure
 *
 * As in the kernel, totals are as of now, averages as of the end of the last period.
 * Return: 0; -EOPNOTSUPP: not measured, or this kernel has no such file.
 */
int sched_psi_read(struct sched *s, u64 now, struct task_group *tg, enum psi_res res,
		   struct sched_psi *out);

/** sched_psi_update() - the time of OUT_PSI has come: averages of the periods that are over */
void sched_psi_update(struct sched *s, u64 now);

/**
 * sched_psi_set() - cgroup.pressure: measure a group, or don't (6.1+)
 *
 * Return: 0; -EINVAL: the root group, a session's; -EOPNOTSUPP: a kernel without, or nothing is
 * measured.
 */
int sched_psi_set(struct sched *s, u64 now, struct task_group *tg, bool on, struct err *err);

/** sched_task_iowait() - the next sleep of @p is for I/O */
void sched_task_iowait(struct task *p);
/** sched_psi_memstall() - @p begins, or ends, to wait for memory or to work for it */
void sched_psi_memstall(struct sched *s, u64 now, struct task *p, bool stalled);
/** sched_psi_irq() - interrupts took @ns from what runs on @cpu; where the kernel accounts that */
void sched_psi_irq(struct sched *s, u64 now, int cpu, u64 ns);

#endif
