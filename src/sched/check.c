// SPDX-License-Identifier: BSD-2-Clause
/*
 * check.c - recount every invariant of the core.
 *
 * Slow on purpose: nothing that is kept incrementally is believed.
 */
#include <errno.h>
#include <stdlib.h>

#include "sched/class.h"
#include "sched/fair/bandwidth.h"
#include "sched/task.h"

#define FAIL(err, ...) return err_set(err, -EINVAL, __VA_ARGS__)

static int check_masks(const struct sched *s, const struct rq *rq, struct err *err)
{
	bool idle = rq->curr_is_idle && !rq->nr_running && !rq->ttwu_pending && rq->online;
	bool sched_idle = rq->nr_running && rq->nr_running == rq->cfs.h_nr_idle;
	bool load = rq->cfs.avg.load_avg || rq->cfs.avg.util_avg || rq->cfs.avg.runnable_avg;
	bool core = idle;
	int c = rq->cpu;

	if (rq->idle_visible != idle || mask_test(s->idle_mask, c) != idle)
		FAIL(err, "CPU %d: idle is %d, the idle mask says %d", c, idle,
		     mask_test(s->idle_mask, c));
	if (mask_test(s->busy_mask, c) != (rq->nr_running > 0))
		FAIL(err, "CPU %d: %d tasks queued, the busy mask says %d", c, rq->nr_running,
		     mask_test(s->busy_mask, c));
	if (load && !mask_test(s->load_mask, c))
		FAIL(err, "CPU %d: has load to decay, the load mask lacks it", c);
	if (rq->nohz_idle != mask_test(s->nohz_mask, c))
		FAIL(err, "CPU %d: nohz_idle %d, the nohz mask says otherwise", c, rq->nohz_idle);
	if (rq->sched_idle_visible != sched_idle)
		FAIL(err, "CPU %d: SCHED_IDLE only is %d, kept as %d", c, sched_idle,
		     rq->sched_idle_visible);
	if (!rq->llc)
		return 0;
	for (int i = 0; i < rq->nr_siblings; i++)
		core = core && s->rq[rq->siblings[i]].idle_visible;
	if (mask_test(rq->llc->idle, rq->llc_pos) != idle ||
	    mask_test(rq->llc->idle_core, rq->llc_pos) != core ||
	    mask_test(rq->llc->sched_idle, rq->llc_pos) != sched_idle)
		FAIL(err,
		     "CPU %d: LLC %d's sets disagree with idle %d, idle core %d, sched-idle %d", c,
		     rq->llc->id, idle, core, sched_idle);
	return 0;
}

static int check_running(const struct sched *s, const struct rq *rq, u64 now, struct err *err)
{
	const struct task *curr = rq->curr;
	const struct task *p;
	int pending = 0;

	if (rq->clock > now)
		FAIL(err, "CPU %d: its clock %llu is ahead of now, %llu", rq->cpu,
		     (unsigned long long)rq->clock, (unsigned long long)now);
	if (curr && (!curr->in_use || !curr->on_cpu || curr->cpu != rq->cpu))
		FAIL(err, "CPU %d: current task %d has on_cpu %d, CPU %d", rq->cpu, curr->id,
		     curr->on_cpu, curr->cpu);
	if (rq->curr_is_idle && (curr || rq->stop_running))
		FAIL(err, "CPU %d: the idle task and another one are current", rq->cpu);
	list_for_each_entry(p, &rq->wake_list, list_node)
	{
		pending++;
		if (!p->on_wake_list || p->cpu != rq->cpu || p->state != TASK_WAKING || p->on_rq)
			FAIL(err,
			     "CPU %d: task %d on its wake list has state %d, CPU %d, queued %d",
			     rq->cpu, p->id, p->state, p->cpu, p->on_rq);
	}
	if (rq->ttwu_pending != (pending > 0))
		FAIL(err, "CPU %d: %d pending wake-ups, flag %d", rq->cpu, pending,
		     rq->ttwu_pending);
	return 0;
}

/* whether nr_running has it: a throttled task is queued but not runnable */
static bool task_counts(const struct rq *rq, const struct task *p)
{
	if (task_is_fair(p))
		return !p->throttled && !parked_above(&p->se);
	if (p->class_id == CLASS_RT)
		return !rq->rt.throttled;
	return p->class_id != CLASS_DL || p->dl.queued;
}

static int check_task(const struct sched *s, const struct task *p, int *queued, struct err *err)
{
	const struct rq *rq = cpu_rq(s, p->cpu);

	if (p->on_rq + p->on_wake_list + p->migrating > 1)
		FAIL(err, "task %d: queued %d, on a wake list %d, in a pass's hands %d", p->id,
		     p->on_rq, p->on_wake_list, p->migrating);
	if ((p->on_rq && task_is_fair(p)) != !list_empty(&p->rq_node))
		FAIL(err, "task %d: queued %d, but its CPU's task list says otherwise", p->id,
		     p->on_rq);
	if (p->on_rq && task_counts(rq, p))
		queued[p->cpu]++;
	if (p->on_rq && !task_allowed(p, p->cpu) && !p->migration_pending)
		FAIL(err, "task %d: queued on CPU %d, which it may not use", p->id, p->cpu);
	if (p->on_rq && rq->dead && !(p->class_id == CLASS_DL && p->dl.throttled))
		FAIL(err, "task %d: queued on CPU %d, which is down", p->id, p->cpu);
	if (p->on_cpu && rq->curr != p && !rq->switching)
		FAIL(err, "task %d: on CPU %d, which runs another one", p->id, p->cpu);
	if (p->state == TASK_RUNNABLE && !p->on_rq && !p->migrating)
		FAIL(err, "task %d: runnable but on no queue", p->id);
	if (p->se.sched_delayed && ((!p->on_rq && !p->migrating) || p->state == TASK_RUNNABLE))
		FAIL(err, "task %d: delayed, with queued %d and state %d", p->id, p->on_rq,
		     p->state);
	return 0;
}

static int check_tasks(const struct sched *s, struct err *err)
{
	int *queued = calloc(s->nr_cpus, sizeof(int)), nr = 0, rc = 0;
	const struct task_chunk *chunk;
	const struct task *p;

	if (!queued)
		return err_set(err, -ENOMEM, "no memory to check");
	for_each_task_slot(s, chunk, p)
	{
		if (!p->in_use)
			continue;
		nr++;
		if (!rc)
			rc = check_task(s, p, queued, err);
	}
	if (!rc && nr != s->nr_tasks)
		rc = err_set(err, -EINVAL, "%d tasks in the pool, %d counted", nr, s->nr_tasks);
	for (int c = 0; !rc && c < s->nr_cpus; c++)
		if (queued[c] + s->rq[c].stop_running != s->rq[c].nr_running)
			rc = err_set(err, -EINVAL, "CPU %d: %d tasks queued, nr_running %d", c,
				     queued[c] + s->rq[c].stop_running, s->rq[c].nr_running);
	free(queued);
	return rc;
}

static int check_llcs(const struct sched *s, struct err *err)
{
	for (int i = 0; i < s->nr_llcs; i++) {
		const struct llc *llc = &s->llc[i];
		int busy = 0, sched_idle = 0;

		for (int j = 0; j < llc->nr_cpus; j++) {
			busy += s->rq[llc->cpus[j]].nohz_busy_counted;
			sched_idle += s->rq[llc->cpus[j]].sched_idle_visible;
		}
		if (busy != llc->nr_busy_cpus || sched_idle != llc->nr_sched_idle)
			FAIL(err, "LLC %d: %d busy and %d sched-idle CPUs, kept as %d and %d",
			     llc->id, busy, sched_idle, llc->nr_busy_cpus, llc->nr_sched_idle);
	}
	return 0;
}

int sched_check(const struct sched *s, u64 now, struct err *err)
{
	int rc = check_tasks(s, err);

	for (int c = 0; !rc && c < s->nr_cpus; c++) {
		const struct rq *rq = cpu_rq(s, c);

		rc = check_masks(s, rq, err);
		if (!rc)
			rc = check_running(s, rq, now, err);
		if (!rc)
			rc = fair_check(s, rq, err);
	}
	if (!rc)
		rc = check_llcs(s, err);
	if (!rc)
		rc = classes_check(s, err);
	if (!rc)
		rc = uclamp_check(s, err);
	if (!rc)
		rc = psi_check(s, err);
	return rc ? rc : group_sums_check(s, err);
}
