// SPDX-License-Identifier: BSD-2-Clause
/*
 * uclamp.c - utilisation clamps: requests, effective values, buckets (spec 09 §3).
 *
 * A run queue counts its tasks in buckets by their effective clamps. The value of a clamp on a CPU
 * is that of its highest bucket with tasks in it, and a bucket's is the largest that came in since
 * it was empty: it is not lowered when that task leaves. A queue that becomes empty asks for
 * nothing, but holds the last task's util_max until the next one comes.
 */
#include <errno.h>

#include "sched/internal.h"

/* rounded to the nearest width, so the last bucket may be narrower or wider */
static int bucket_of(const struct sched *s, unsigned int value)
{
	int n = s->uclamp_buckets, width = (SCHED_CAPACITY_SCALE + n / 2) / n;

	return min((int)value / width, n - 1);
}

/* ---- what counts of a request ---- */

static unsigned int within_group(const struct sched *s, const struct task *p, enum uclamp_id id)
{
	const struct uclamp_se *req = &p->uclamp_req[id];
	const struct task_group *tg = p->tg;

	if (!tg->parent || tg->autogroup)
		return req->value;
	if (s->k.rules.uclamp_group == UCLAMP_GROUP_LIMITS)
		return req->user_defined ? min(req->value, tg->uclamp[id]) : tg->uclamp[id];
	return clamp(req->value, tg->uclamp[UCLAMP_MIN], tg->uclamp[UCLAMP_MAX]);
}

static unsigned int effective(const struct sched *s, const struct task *p, enum uclamp_id id)
{
	return min(within_group(s, p, id), (unsigned int)s->uclamp_default[id]);
}

unsigned int uclamp_eff_value(const struct sched *s, const struct task *p, enum uclamp_id id)
{
	return p->uclamp[id].active ? p->uclamp[id].value : effective(s, p, id);
}

/* ---- counting ---- */

static void inc_id(struct sched *s, struct rq *rq, struct task *p, enum uclamp_id id)
{
	struct uclamp_rq *uc = &rq->uclamp[id];
	struct uclamp_se *se = &p->uclamp[id];
	unsigned int value = effective(s, p, id);
	int b = bucket_of(s, value);

	se->value = value;
	se->bucket = b;
	se->active = true;
	if (rq->uclamp_idle)
		uc->value = value;
	if (!uc->bucket[b].tasks++ || value > uc->bucket[b].value)
		uc->bucket[b].value = value;
	if (value > uc->value)
		uc->value = value;
}

/* the highest bucket with tasks; none: what an empty queue asks for, @last having left it */
static unsigned int highest(struct sched *s, struct rq *rq, enum uclamp_id id, unsigned int last)
{
	const struct uclamp_rq *uc = &rq->uclamp[id];

	for (int b = s->uclamp_buckets - 1; b >= 0; b--)
		if (uc->bucket[b].tasks)
			return uc->bucket[b].value;
	if (id == UCLAMP_MIN)
		return 0;
	rq->uclamp_idle = true;
	return last;
}

static void dec_id(struct sched *s, struct rq *rq, struct task *p, enum uclamp_id id)
{
	struct uclamp_rq *uc = &rq->uclamp[id];
	struct uclamp_se *se = &p->uclamp[id];

	if (!se->active) /* queued before clamps were used */
		return;
	se->active = false;
	if (--uc->bucket[se->bucket].tasks)
		return;
	if (uc->bucket[se->bucket].value >= uc->value)
		uc->value = highest(s, rq, id, se->value);
}

void uclamp_rq_inc(struct sched *s, struct rq *rq, struct task *p)
{
	if (p->uclamp[UCLAMP_MIN].active || !(s->tracks & TRACK_UCLAMP))
		return;
	if (p->class_id == CLASS_DL) /* its bandwidth says what it needs (spec 08 §4.7) */
		return;
	inc_id(s, rq, p, UCLAMP_MIN);
	inc_id(s, rq, p, UCLAMP_MAX);
	rq->uclamp_idle = false;
}

void uclamp_rq_dec(struct sched *s, struct rq *rq, struct task *p)
{
	if (!(s->tracks & TRACK_UCLAMP))
		return;
	dec_id(s, rq, p, UCLAMP_MIN);
	dec_id(s, rq, p, UCLAMP_MAX);
}

void uclamp_recount(struct sched *s, struct task *p)
{
	struct rq *rq = cpu_rq(s, p->cpu);

	if (!p->uclamp[UCLAMP_MIN].active)
		return;
	uclamp_rq_dec(s, rq, p);
	uclamp_rq_inc(s, rq, p);
}

/* ---- the switch ---- */

void uclamp_use(struct sched *s)
{
	if (s->tracks & TRACK_UCLAMP)
		return;
	s->tracks |= TRACK_UCLAMP;
	sched_push_out(s, OUT_UCLAMP, 0, 0, NULL, 0);
}

bool sched_uclamp_used(const struct sched *s)
{
	return s->tracks & TRACK_UCLAMP;
}

/* ---- requests of tasks ---- */

static void set_request(struct task *p, enum uclamp_id id, unsigned int value, bool user_defined)
{
	p->uclamp_req[id].value = value;
	p->uclamp_req[id].user_defined = user_defined;
}

void uclamp_default_request(const struct sched *s, struct task *p, enum uclamp_id id)
{
	bool boosted = id == UCLAMP_MIN && policy_is_rt(p->policy);

	set_request(p, id, boosted ? s->uclamp_min_rt_default : uclamp_none(id), false);
}

void uclamp_init_task(const struct sched *s, struct task *p, const struct task *parent)
{
	for (enum uclamp_id id = 0; id < NR_UCLAMP; id++)
		if (parent && !parent->reset_on_fork && parent->uclamp_req[id].user_defined)
			set_request(p, id, parent->uclamp_req[id].value, true);
		else
			uclamp_default_request(s, p, id);
}

#define ATTR_CLAMPS (ATTR_UTIL_MIN | ATTR_UTIL_MAX)

int uclamp_validate(struct sched *s, const struct task *p, const struct task_attr *a)
{
	int lowest = s->k.rules.uclamp_reset ? -1 : 0;
	int util_min = p->uclamp_req[UCLAMP_MIN].value, util_max = p->uclamp_req[UCLAMP_MAX].value;

	if (!(a->flags & ATTR_CLAMPS))
		return 0;
	if (!has_uclamp(s))
		return -EOPNOTSUPP;
	if (a->flags & ATTR_UTIL_MIN)
		util_min = a->util_min;
	if (a->flags & ATTR_UTIL_MAX)
		util_max = a->util_max;
	if (util_min < lowest || util_min > SCHED_CAPACITY_SCALE || util_max < lowest ||
	    util_max > SCHED_CAPACITY_SCALE)
		return -EINVAL;
	if (util_min >= 0 && util_max >= 0 && util_min > util_max)
		return -EINVAL;
	uclamp_use(s);
	return 0;
}

static void ask(const struct sched *s, struct task *p, enum uclamp_id id, bool given, int value)
{
	if (given && value >= 0)
		set_request(p, id, value, true);
	else if (given || !p->uclamp_req[id].user_defined)
		uclamp_default_request(s, p, id);
}

void uclamp_set_requests(struct sched *s, struct task *p, const struct task_attr *a)
{
	u32 flags = a ? a->flags : 0;

	ask(s, p, UCLAMP_MIN, flags & ATTR_UTIL_MIN, a ? a->util_min : 0);
	ask(s, p, UCLAMP_MAX, flags & ATTR_UTIL_MAX, a ? a->util_max : 0);
	if (!(s->tracks & TRACK_UCLAMP) || !p->on_rq || p->se.sched_delayed)
		return;
	uclamp_rq_dec(s, cpu_rq(s, p->cpu), p);
	uclamp_rq_inc(s, cpu_rq(s, p->cpu), p);
}
