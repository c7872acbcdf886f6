// SPDX-License-Identifier: BSD-2-Clause
/*
 * psi.c - pressure stall information: what tasks are counted as, on each CPU, in their group and
 * those above (spec 09 §5).
 *
 * A task that is switched out stays what it was until then; one that falls asleep stops being
 * runnable at the switch. A switch walks from both tasks' groups up to the first one they share:
 * above it something ran and something runs, and only if the two tasks differ in more than that
 * have those groups anything to hear.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "sched/psi_group.h"
#include "sched/task.h"

/* ---- one group on one CPU ---- */

/* the table of spec 09 §5 */
static u32 states_of(const struct psi_group_cpu *gc)
{
	const u32 *n = gc->tasks;
	u32 m = 0;

	m |= (n[NR_IOWAIT] > 0) << PSI_IO_SOME;
	m |= (n[NR_IOWAIT] && !n[NR_RUNNING]) << PSI_IO_FULL;
	m |= (n[NR_MEMSTALL] > 0) << PSI_MEM_SOME;
	m |= (n[NR_MEMSTALL] && n[NR_RUNNING] == n[NR_MEMSTALL_RUNNING]) << PSI_MEM_FULL;
	m |= (n[NR_RUNNING] > gc->oncpu) << PSI_CPU_SOME;
	m |= (n[NR_RUNNING] && !gc->oncpu) << PSI_CPU_FULL;
	m |= (n[NR_IOWAIT] || n[NR_MEMSTALL] || n[NR_RUNNING]) << PSI_NONIDLE;
	return m;
}

void psi_record_times(struct psi_group_cpu *gc, u64 now)
{
	s64 delta = (s64)(now - gc->state_start);

	if (delta <= 0)
		return;
	for (u32 m = gc->states; m; m &= m - 1)
		gc->times[__builtin_ctz(m)] += delta;
	gc->state_start = now;
}

static void group_change(struct sched *s, struct psi_group *g, int cpu, u32 clear, u32 set)
{
	struct psi_group_cpu *gc = &g->cpu[cpu];

	psi_record_times(gc, s->now);
	for (u32 m = clear & ~TSK_ONCPU; m; m &= m - 1)
		gc->tasks[__builtin_ctz(m)]--;
	for (u32 m = set & ~TSK_ONCPU; m; m &= m - 1)
		gc->tasks[__builtin_ctz(m)]++;
	if (clear & TSK_ONCPU)
		gc->oncpu = false;
	if (set & TSK_ONCPU)
		gc->oncpu = true;
	gc->states = g->enabled ? states_of(gc) : 0;
	if (g->enabled)
		psi_wake_clock(s, g);
}

/* ---- what a task is ---- */

static inline void change_flags(struct task *p, u32 clear, u32 set)
{
	p->psi_flags = (p->psi_flags & ~clear) | set;
}

static void task_change(struct sched *s, struct task *p, int cpu, u32 clear, u32 set)
{
	if (!(clear | set))
		return;
	change_flags(p, clear, set);
	for (struct psi_group *g = p->tg->psi; g; g = g->parent)
		group_change(s, g, cpu, clear, set);
}

/* what stays with a sleeping task, on whose CPU it is counted */
static u32 asleep_flags(const struct task *p)
{
	return (p->in_iowait ? TSK_IOWAIT : 0) | (p->in_memstall ? TSK_MEMSTALL : 0);
}

void psi_queued(struct sched *s, struct rq *rq, struct task *p)
{
	u32 want = TSK_RUNNING;

	if (p->se.sched_delayed) {
		want = asleep_flags(p);
	} else {
		p->in_iowait = false;
		if (p->in_memstall)
			want |= TSK_MEMSTALL | TSK_MEMSTALL_RUNNING;
	}
	task_change(s, p, rq->cpu, p->psi_flags & ~want & ~TSK_ONCPU, want & ~p->psi_flags);
}

void psi_moves(struct sched *s, struct task *p)
{
	task_change(s, p, p->cpu, p->psi_flags, 0);
}

/* what @prev gives up besides the CPU, and takes on */
static void leaving_flags(const struct task *prev, u32 *clear, u32 *set)
{
	*clear = TSK_ONCPU;
	*set = 0;
	if (prev->state == TASK_RUNNABLE)
		return;
	*clear |= prev->psi_flags & (TSK_RUNNING | TSK_MEMSTALL_RUNNING);
	if (prev->in_iowait && prev->state != TASK_DEAD)
		*set |= TSK_IOWAIT;
	if (prev->state == TASK_DEAD)
		*clear |= prev->psi_flags;
}

static void task_switch(struct sched *s, int cpu, struct task *prev, struct task *next)
{
	struct psi_group *common = NULL, *g;
	u32 clear, set;

	if (next) {
		change_flags(next, 0, TSK_ONCPU);
		for (g = next->tg->psi; g; g = g->parent) {
			if (g->cpu[cpu].oncpu) { /* @prev's group, too */
				common = g;
				break;
			}
			group_change(s, g, cpu, 0, TSK_ONCPU);
		}
	}
	if (!prev)
		return;
	leaving_flags(prev, &clear, &set);
	change_flags(prev, clear, set);
	for (g = prev->tg->psi; g && g != common; g = g->parent)
		group_change(s, g, cpu, clear, set);
	clear &= ~TSK_ONCPU;
	if (clear | set)
		for (; g; g = g->parent)
			group_change(s, g, cpu, clear, set);
}

void psi_picked(struct sched *s, struct rq *rq, struct task *next)
{
	struct task *prev = rq->curr;

	if (!prev && rq->psi_stopper->psi_flags & TSK_ONCPU) /* it slept just now */
		prev = rq->psi_stopper;
	if (prev != next)
		task_switch(s, rq->cpu, prev, next);
}

void psi_stopper_begins(struct sched *s, struct rq *rq, struct task *prev)
{
	struct task *stopper = rq->psi_stopper;

	stopper->state = TASK_RUNNABLE;
	task_change(s, stopper, rq->cpu, 0, TSK_RUNNING & ~stopper->psi_flags);
	if (!(stopper->psi_flags & TSK_ONCPU))
		task_switch(s, rq->cpu, prev, stopper);
}

void psi_stopper_ends(struct rq *rq)
{
	rq->psi_stopper->state = TASK_SLEEPING;
}

u32 psi_leave_group(struct sched *s, struct task *p)
{
	u32 flags = p->psi_flags;

	task_change(s, p, p->cpu, flags, 0);
	return flags;
}

void psi_join_group(struct sched *s, struct task *p, u32 flags)
{
	task_change(s, p, p->cpu, 0, flags & ~p->psi_flags); /* its queueing was heard of */
}

void sched_task_iowait(struct task *p)
{
	p->in_iowait = true;
}

void sched_psi_memstall(struct sched *s, u64 now, struct task *p, bool stalled)
{
	u32 flags = TSK_MEMSTALL | (p->psi_flags & TSK_RUNNING ? TSK_MEMSTALL_RUNNING : 0);

	if (p->in_memstall == stalled || !psi_on(s))
		return;
	s->now = now;
	p->in_memstall = stalled;
	task_change(s, p, p->cpu, stalled ? 0 : flags, stalled ? flags : 0);
}

void sched_psi_irq(struct sched *s, u64 now, int cpu, u64 ns)
{
	struct task *p = s->rq[cpu].curr;

	if (!psi_on(s) || !s->k.rules.psi_irq || !p)
		return;
	s->now = now;
	for (struct psi_group *g = p->tg->psi; g; g = g->parent) {
		if (!g->enabled)
			continue;
		psi_record_times(&g->cpu[cpu], now);
		g->cpu[cpu].times[PSI_IRQ_FULL] += ns;
		psi_wake_clock(s, g);
	}
}

/* ---- groups ---- */

int psi_init_group(struct sched *s, struct task_group *tg)
{
	struct psi_group *g;

	if (!psi_on(s))
		return 0;
	if (tg->autogroup) {
		tg->psi = s->root_tg.psi;
		return 0;
	}
	g = arena_alloc(s->arena, sizeof(*g));
	if (!g)
		return -ENOMEM;
	g->cpu = arena_array(s->arena, s->nr_cpus, sizeof(*g->cpu));
	if (!g->cpu)
		return -ENOMEM;
	g->parent = tg->parent ? tg->parent->psi : NULL;
	g->enabled = true;
	g->avg_last_update = s->now;
	g->avg_next_update = s->now + psi_period(s);
	g->work_at = UINT64_MAX;
	for (int c = 0; c < s->nr_cpus; c++)
		g->cpu[c].state_start = s->now;
	tg->psi = g;
	return 0;
}

int sched_psi_enable(struct sched *s, u64 now, struct err *err)
{
	struct task_group *tg;

	if (psi_on(s))
		return 0;
	for (int c = 0; c < s->nr_cpus; c++)
		if (s->rq[c].nr_running || s->rq[c].curr)
			return err_set(err, -EBUSY,
				       "pressure can't be measured now: tasks run already");
	s->now = now;
	s->tracks |= TRACK_PSI;
	s->psi_at = UINT64_MAX;
	for (int c = 0; c < s->nr_cpus; c++) {
		struct task *stopper = arena_alloc(s->arena, sizeof(*stopper));

		if (!stopper)
			return err_set(err, -ENOMEM, "no memory to measure pressure");
		stopper->cpu = c;
		stopper->tg = &s->root_tg;
		s->rq[c].psi_stopper = stopper;
	}
	list_for_each_entry(tg, &s->groups, node)
		if (psi_init_group(s, tg))
			return err_set(err, -ENOMEM, "no memory to measure pressure");
	return 0;
}

bool sched_psi_enabled(const struct sched *s)
{
	return psi_on(s);
}

int sched_psi_set(struct sched *s, u64 now, struct task_group *tg, bool on, struct err *err)
{
	if (!tg || !tg->parent || tg->autogroup)
		return err_set(err, -EINVAL, "the root group and sessions have no cgroup.pressure");
	if (!s->k.rules.psi_per_group)
		return err_set(err, -EOPNOTSUPP, "%s has no cgroup.pressure",
			       sched_profile_name(s->k.profile));
	if (!psi_on(s))
		return err_set(err, -EOPNOTSUPP, "pressure isn't measured in this run");
	if (tg->psi->enabled == on)
		return 0;
	s->now = now;
	tg->psi->enabled = on;
	for (int c = 0; c < s->nr_cpus; c++)
		group_change(s, tg->psi, c, 0, 0);
	return 0;
}

/* ---- --check ---- */

static int check_task(const struct sched *s, const struct task *p, struct err *err)
{
	const struct rq *rq = cpu_rq(s, p->cpu);
	bool runnable = p->on_rq && !p->se.sched_delayed && p->state == TASK_RUNNABLE;
	bool counted = p->psi_flags & TSK_RUNNING, oncpu = p->psi_flags & TSK_ONCPU;

	/* one that blocks is counted until it is switched out */
	if (rq->curr == p ? !oncpu || !counted : oncpu || counted != runnable)
		return err_set(err, -EINVAL,
			       "task %d: queued %d, state %d, current %d, but PSI has it as %#x",
			       p->id, p->on_rq, p->state, rq->curr == p, p->psi_flags);
	return 0;
}

static void count_task(const struct sched *s, const struct task_group *of, const struct task *p,
		       struct psi_group_cpu *at)
{
	const struct task_group *tg = p->tg;

	while (tg && tg != of)
		tg = tg->parent;
	if (!tg)
		return;
	for (int i = 0; i < NR_PSI_COUNTS; i++)
		at[p->cpu].tasks[i] += p->psi_flags >> i & 1;
	at[p->cpu].oncpu |= (p->psi_flags & TSK_ONCPU) != 0;
}

static int check_group(const struct sched *s, const struct task_group *tg,
		       struct psi_group_cpu *at, struct err *err)
{
	const struct task_chunk *chunk;
	const struct task *p;

	for_each_task_slot(s, chunk, p)
		if (p->in_use)
			count_task(s, tg, p, at);
	for (int c = 0; c < s->nr_cpus; c++) {
		const struct psi_group_cpu *gc = &tg->psi->cpu[c];

		count_task(s, tg, s->rq[c].psi_stopper, at);
		for (int i = 0; i < NR_PSI_COUNTS; i++)
			if (gc->tasks[i] != at[c].tasks[i])
				return err_set(err, -EINVAL,
					       "CPU %d: PSI has %u tasks of kind %d, there are %u",
					       c, gc->tasks[i], i, at[c].tasks[i]);
		if (gc->oncpu != at[c].oncpu)
			return err_set(err, -EINVAL, "CPU %d: PSI has a group as %s there", c,
				       gc->oncpu ? "running" : "not running");
	}
	return 0;
}

int psi_check(const struct sched *s, struct err *err)
{
	const struct task_chunk *chunk;
	const struct task_group *tg;
	const struct task *p;
	int rc = 0;

	if (!psi_on(s))
		return 0;
	for_each_task_slot(s, chunk, p)
		if (!rc && p->in_use)
			rc = check_task(s, p, err);
	list_for_each_entry(tg, &s->groups, node) {
		struct psi_group_cpu *at;

		if (tg->autogroup)
			continue;
		at = calloc(s->nr_cpus, sizeof(*at));
		if (!at)
			return err_set(err, -ENOMEM, "no memory to check");
		if (!rc)
			rc = check_group(s, tg, at, err);
		free(at);
	}
	return rc;
}
