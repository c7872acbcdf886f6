// SPDX-License-Identifier: BSD-2-Clause
/*
 * uclamp_limits.c - what groups and the system leave of clamps that tasks ask for (spec 09 §3).
 */
#include <errno.h>

#include "base/arena.h"
#include "sched/internal.h"
#include "sched/task.h"

/* ---- groups ---- */

void uclamp_init_group(struct task_group *tg)
{
	for (enum uclamp_id id = 0; id < NR_UCLAMP; id++) {
		bool root = !tg->parent;

		/* the root group limits nobody */
		tg->uclamp_req[id] = root ? SCHED_CAPACITY_SCALE : uclamp_none(id);
		tg->uclamp[id] = root ? SCHED_CAPACITY_SCALE :
					min(tg->uclamp_req[id], tg->parent->uclamp[id]);
	}
	tg->uclamp[UCLAMP_MIN] = min(tg->uclamp[UCLAMP_MIN], tg->uclamp[UCLAMP_MAX]);
}

/* from the parents downwards: a group is made after its parent, and listed after it */
static void update_groups(struct sched *s)
{
	struct task_chunk *chunk;
	struct task_group *tg;
	struct task *p;

	list_for_each_entry(tg, &s->groups, node) {
		const u16 *above = tg->parent ? tg->parent->uclamp : tg->uclamp_req;

		for (enum uclamp_id id = 0; id < NR_UCLAMP; id++)
			tg->uclamp[id] = min(tg->uclamp_req[id], above[id]);
		tg->uclamp[UCLAMP_MIN] = min(tg->uclamp[UCLAMP_MIN], tg->uclamp[UCLAMP_MAX]);
	}
	for_each_task_slot(s, chunk, p)
		if (p->in_use && p->tg->parent)
			uclamp_recount(s, p);
}

int sched_group_set_uclamp(struct sched *s, u64 now, struct task_group *tg, enum uclamp_id id,
			   unsigned int value, struct err *err)
{
	if (!has_uclamp(s))
		return err_set(err, -EOPNOTSUPP, "%s is built without utilisation clamps",
			       sched_profile_name(s->k.profile));
	if (!tg || !tg->parent || tg->autogroup)
		return err_set(err, -EINVAL,
			       "the root group and sessions have no utilisation clamps");
	if (value > SCHED_CAPACITY_SCALE)
		return err_set(err, -EINVAL, "a utilisation clamp is 0 to %d, not %u",
			       SCHED_CAPACITY_SCALE, value);
	s->now = now;
	uclamp_use(s);
	tg->uclamp_req[id] = value;
	update_groups(s);
	return 0;
}

unsigned int sched_group_uclamp(const struct sched *s, const struct task_group *tg,
				enum uclamp_id id)
{
	return (tg ? tg : &s->root_tg)->uclamp[id];
}

/* percent with two decimals, in hundredths; -1: not that */
static int hundredths(const char *t)
{
	int n = 0, digits = 0, decimals = 0;
	bool point = false;

	for (; *t; t++) {
		if (*t == '.' && !point && digits) {
			point = true;
			continue;
		}
		if (*t < '0' || *t > '9' || (point && decimals == 2))
			return -1;
		n = min(n * 10 + (*t - '0'), 1000000);
		digits++;
		decimals += point;
	}
	if (!digits || (point && !decimals))
		return -1;
	for (; decimals < 2; decimals++)
		n *= 10;
	return n;
}

int sched_uclamp_percent(const char *text, unsigned int *value)
{
	static const char max_text[] = "max";
	int n = 10000, i = 0;

	while (max_text[i] && text[i] == max_text[i])
		i++;
	if (max_text[i] || text[i])
		n = hundredths(text);
	if (n < 0)
		return -EINVAL;
	if (n > 10000)
		return -ERANGE;
	*value = (n * SCHED_CAPACITY_SCALE + 5000) / 10000;
	return 0;
}

/* ---- the system's limits ---- */

int sched_set_util_clamp(struct sched *s, u64 now, unsigned int min, unsigned int max,
			 unsigned int min_rt_default)
{
	struct task_chunk *chunk;
	struct task *p;

	if (!has_uclamp(s))
		return -EOPNOTSUPP;
	if (min > max || max > SCHED_CAPACITY_SCALE || min_rt_default > SCHED_CAPACITY_SCALE)
		return -EINVAL;
	s->now = now;
	uclamp_use(s);
	s->uclamp_default[UCLAMP_MIN] = min;
	s->uclamp_default[UCLAMP_MAX] = max;
	s->uclamp_min_rt_default = min_rt_default;
	for_each_task_slot(s, chunk, p) {
		if (!p->in_use)
			continue;
		if (!p->uclamp_req[UCLAMP_MIN].user_defined)
			uclamp_default_request(s, p, UCLAMP_MIN);
		uclamp_recount(s, p);
	}
	return 0;
}

static s64 tunable_or(const struct sched *s, enum sched_tunable t, s64 missing)
{
	s64 v = sched_tunable(&s->k, t, s->nr_cpus);

	return v == TUNABLE_NA ? missing : v;
}

int uclamp_init(struct sched *s, struct err *err)
{
	unsigned int lo = tunable_or(s, TUN_sched_util_clamp_min, SCHED_CAPACITY_SCALE);
	unsigned int hi = tunable_or(s, TUN_sched_util_clamp_max, SCHED_CAPACITY_SCALE);
	unsigned int rt = tunable_or(s, TUN_sched_util_clamp_min_rt_default, SCHED_CAPACITY_SCALE);

	s->uclamp_default[UCLAMP_MIN] = s->uclamp_default[UCLAMP_MAX] = SCHED_CAPACITY_SCALE;
	s->uclamp_min_rt_default = SCHED_CAPACITY_SCALE;
	s->uclamp_buckets = tunable_or(s, TUN_uclamp_buckets_count, 5);
	uclamp_init_group(&s->root_tg);
	if (!has_uclamp(s) && (lo != SCHED_CAPACITY_SCALE || hi != lo || rt != lo))
		return err_set(err, -EINVAL,
			       "a kernel without utilisation clamps has no sched_util_clamp_*");
	if (!has_uclamp(s))
		return 0;
	for (int c = 0; c < s->nr_cpus; c++) {
		struct rq *rq = cpu_rq(s, c);

		rq->uclamp = arena_array(s->arena, NR_UCLAMP, sizeof(*rq->uclamp));
		if (!rq->uclamp)
			return err_set(err, -ENOMEM, "no memory for a machine of %d CPUs",
				       s->nr_cpus);
		rq->uclamp[UCLAMP_MAX].value = SCHED_CAPACITY_SCALE;
		rq->uclamp_idle = true;
	}
	if (s->k.rules.uclamp == UCLAMP_ALWAYS)
		uclamp_use(s);
	if (lo == SCHED_CAPACITY_SCALE && hi == lo && rt == lo)
		return 0;
	if (sched_set_util_clamp(s, s->now, lo, hi, rt))
		return err_set(err, -EINVAL,
			       "sched_util_clamp_min is %u, more than sched_util_clamp_max, %u", lo,
			       hi);
	return 0;
}
