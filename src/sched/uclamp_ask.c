// SPDX-License-Identifier: BSD-2-Clause
/*
 * uclamp_ask.c - what clamps mean to those who decide: does a task fit, how much is used.
 */
#include <errno.h>
#include <stdlib.h>

#include "sched/internal.h"
#include "sched/task.h"

unsigned int sched_task_uclamp(const struct sched *s, const struct task *p, enum uclamp_id id)
{
	return has_uclamp(s) ? uclamp_eff_value(s, p, id) : uclamp_none(id);
}

unsigned int sched_cpu_uclamp(const struct sched *s, int cpu, enum uclamp_id id)
{
	return s->tracks & TRACK_UCLAMP ? s->rq[cpu].uclamp[id].value : uclamp_none(id);
}

unsigned long sched_cpu_util_with(const struct sched *s, int cpu, unsigned long util,
				  const struct task *p)
{
	unsigned int lo = sched_cpu_uclamp(s, cpu, UCLAMP_MIN);
	unsigned int hi = sched_cpu_uclamp(s, cpu, UCLAMP_MAX);

	if (!(s->tracks & TRACK_UCLAMP))
		return util;
	if (p) {
		lo = max(lo, uclamp_eff_value(s, p, UCLAMP_MIN));
		/* what an idle CPU holds is nobody's */
		hi = s->rq[cpu].uclamp_idle ? uclamp_eff_value(s, p, UCLAMP_MAX) :
					      max(hi, uclamp_eff_value(s, p, UCLAMP_MAX));
	}
	/* tasks of different clamps together: a minimum above the maximum wins */
	if (lo >= hi)
		return lo;
	return clamp(util, (unsigned long)lo, (unsigned long)hi);
}

unsigned long sched_cpu_freq_util(const struct sched *s, int cpu)
{
	const struct rq *rq = cpu_rq(s, cpu);
	unsigned long whole = rq->cpu_capacity_orig, util;

	if (rq->rt.nr_running && !(s->tracks & TRACK_UCLAMP))
		return whole;
	util = cpu_util_cfs(s, cpu);
	if (s->k.rules.util_boost)
		util = min(max(util, cpu_runnable(rq)), whole);
	util = sched_cpu_util_with(s, cpu, util, NULL);
	return min(util + (rq->dl.running_bw * SCHED_CAPACITY_SCALE >> 20), whole);
}

int util_fits_clamped(const struct sched *s, unsigned long util, unsigned long lo,
		      unsigned long hi, int cpu)
{
	const struct rq *rq = cpu_rq(s, cpu);
	unsigned long whole = rq->cpu_capacity_orig;
	bool fits;

	if (s->k.rules.uclamp_fit == UCLAMP_FIT_CLAMPED)
		return util_fits_capacity(lo > hi ? lo : clamp(util, lo, hi), rq->cpu_capacity);
	fits = util_fits_capacity(util, rq->cpu_capacity);
	/* told to use no more than this CPU has; on the biggest ones that says nothing */
	if (hi <= whole && !(hi == SCHED_CAPACITY_SCALE && whole == SCHED_CAPACITY_SCALE))
		fits = true;
	lo = min(lo, hi);
	if (fits && util < lo && lo > whole)
		return -1;
	return fits;
}

/* ---- --check ---- */

typedef u32 bucket_counts[NR_UCLAMP][MAX_UCLAMP_BUCKETS];

static int count_task(const struct sched *s, const struct task *p, bucket_counts *of_cpu,
		      struct err *err)
{
	const struct rq *rq = cpu_rq(s, p->cpu);

	for (enum uclamp_id id = 0; id < NR_UCLAMP; id++) {
		const struct uclamp_se *se = &p->uclamp[id];

		if (!se->active)
			continue;
		of_cpu[p->cpu][id][se->bucket]++;
		if (!p->on_rq || se->value > rq->uclamp[id].value)
			return err_set(err, -EINVAL,
				       "CPU %d: task %d, queued %d, counts with a clamp of %d; the "
				       "CPU's is %u", p->cpu, p->id, p->on_rq, se->value,
				       rq->uclamp[id].value);
	}
	return 0;
}

static int check_rq(const struct sched *s, const struct rq *rq, bucket_counts *counts,
		    struct err *err)
{
	for (enum uclamp_id id = 0; id < NR_UCLAMP; id++)
		for (int b = 0; b < s->uclamp_buckets; b++)
			if ((*counts)[id][b] != rq->uclamp[id].bucket[b].tasks)
				return err_set(err, -EINVAL,
					       "CPU %d: %u tasks in bucket %d of clamp %d, not %u",
					       rq->cpu, (*counts)[id][b], b, id,
					       rq->uclamp[id].bucket[b].tasks);
	return 0;
}

int uclamp_check(const struct sched *s, struct err *err)
{
	const struct task_chunk *chunk;
	const struct task *p;
	bucket_counts *counts;
	int rc = 0;

	if (!(s->tracks & TRACK_UCLAMP))
		return 0;
	counts = calloc(s->nr_cpus, sizeof(*counts));
	if (!counts)
		return err_set(err, -ENOMEM, "no memory to check");
	for_each_task_slot(s, chunk, p)
		if (!rc && p->in_use)
			rc = count_task(s, p, counts, err);
	for (int c = 0; !rc && c < s->nr_cpus; c++)
		rc = check_rq(s, cpu_rq(s, c), &counts[c], err);
	free(counts);
	return rc;
}
