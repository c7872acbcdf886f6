// SPDX-License-Identifier: BSD-2-Clause
/*
 * select.c - the rules for a waking fair task, in their order (spec 04 §2, §3, §7).
 */
#include "sched/place/place.h"

/* the parts of a waker that wake_wide reads: a task's, or the idle task's of its CPU */
struct waker {
	const struct task *last_wakee;
	unsigned int flips;
	u64 decay_ts;
};

static struct waker waker_of(const struct rq *rq)
{
	const struct task *t = rq->curr;

	if (t)
		return (struct waker){t->last_wakee, t->wakee_flips, t->wakee_flip_decay_ts};
	return (struct waker){rq->idle_last_wakee, rq->idle_wakee_flips, rq->idle_flip_decay_ts};
}

/* spec 04 §3: once per call, however long the pause was */
static struct waker recorded(struct waker w, u64 now, const struct task *p)
{
	if (now > w.decay_ts + NSEC_PER_SEC) {
		w.flips /= 2;
		w.decay_ts = now;
	}
	if (w.last_wakee != p) {
		w.last_wakee = p;
		w.flips++;
	}
	return w;
}

void record_wakee(struct sched *s, u64 now, int waker_cpu, struct task *p)
{
	struct rq *rq = cpu_rq(s, waker_cpu);
	struct waker w = recorded(waker_of(rq), now, p);
	struct task *t = rq->curr;

	if (t) {
		t->last_wakee = p;
		t->wakee_flips = w.flips;
		t->wakee_flip_decay_ts = w.decay_ts;
	} else {
		rq->idle_last_wakee = p;
		rq->idle_wakee_flips = w.flips;
		rq->idle_flip_decay_ts = w.decay_ts;
	}
}

/* the waker as it is after recording this wakee */
static bool wake_wide(const struct wake_ctx *c, bool may_use_waker)
{
	const struct rq *rq = cpu_rq(c->s, c->q->cpu);
	u64 master = recorded(waker_of(rq), c->now, c->p).flips;
	u64 slave = c->p->wakee_flips, factor = rq->llc_size;
	bool wide;

	if (master < slave) {
		u64 t = master;

		master = slave;
		slave = t;
	}
	wide = slave >= factor && master >= slave * factor;
	EXPLAIN(c->s, .now = c->now, .cpu = c->q->cpu, .p = c->p, .step = STEP_WAKE_WIDE,
		.reason = REASON_WAKE_WIDE, .candidate = -1, .taken = wide || !may_use_waker,
		.value = {(s64)master, (s64)slave, (s64)factor, may_use_waker});
	return wide;
}

struct sched_domain *wake_affine_domain(const struct rq *rq, int prev)
{
	struct sched_domain *sd;

	for_each_domain(rq, sd)
		if (sd->flags & SD_WAKE_AFFINE && mask_test(sd->span, prev))
			return sd;
	return NULL;
}

int select_task_rq_fair(const struct sched *s, u64 now, const struct wake_query *q,
			struct wake_decision *d, struct sched_work *w)
{
	const struct task *p = q->p;
	struct wake_ctx c = {
		.s = s,
		.now = now,
		.q = q,
		.d = d,
		.w = w,
		.p = p,
		.prev = p->cpu,
		.sched_idle_free = s->k.rules.sched_idle_free_for_idle || p->policy != POLICY_IDLE,
	};
	bool may_use_waker = task_allowed(p, q->cpu);
	int new = c.prev;
	bool want_affine;

	d->record_wakee = true;
	if (unlikely(q->current_cpu) && may_use_waker) {
		d->reason = REASON_CURRENT_CPU;
		return q->cpu;
	}
	if (unlikely(sis_current_on(s)) && may_use_waker && sis_current_stays(&c)) {
		d->reason = REASON_SHORT_PAIR;
		return q->cpu;
	}
	if (unlikely(s->k.rules.wake_longest_idle)) {
		int cpu = longest_idle_cpu(&c);

		if (cpu >= 0)
			return cpu;
	}
	want_affine = !wake_wide(&c, may_use_waker) && may_use_waker;
	if (want_affine && q->cpu != c.prev) {
		const struct sched_domain *sd = wake_affine_domain(cpu_rq(s, q->cpu), c.prev);

		if (sd)
			new = wake_affine(&c, sd);
	}
	d->waker_recent_used = want_affine && s->k.rules.recent_used == RECENT_ON_HIT;
	return select_idle_sibling(&c, new);
}

/* spec 04 §1.6; cpusets are not relaxed: the core has none beyond the task's own set */
int select_fallback_rq(const struct sched *s, int cpu, const struct task *p)
{
	const struct topo_cpu *topo = s->topo->cpu;
	int c;

	for (c = mask_next_and(p->allowed, s->online, 0, s->words); c >= 0;
	     c = mask_next_and(p->allowed, s->online, c + 1, s->words))
		if (topo[c].node == topo[cpu].node)
			return c;
	c = mask_next_and(p->allowed, s->online, 0, s->words);
	return c >= 0 ? c : mask_first(s->online, s->words);
}

/* ---- the remote wake list (spec 04 §7) ---- */

/* before a CPU was selected @p is still on @cpu; 5.7 has no wake list then, but for OPTTTWU */
static bool list_other_llc(const struct sched *s, int waker, int cpu, bool on_cpu)
{
	return !cpus_share_cache(s, waker, cpu) && (!on_cpu || s->k.rules.wake_list_on_cpu);
}

static bool list_remote(const struct sched *s, int waker, int cpu, bool on_cpu)
{
	return list_other_llc(s, waker, cpu, on_cpu);
}

static bool list_last_task(const struct sched *s, int waker, int cpu, bool on_cpu)
{
	return list_other_llc(s, waker, cpu, on_cpu) ||
	       (on_cpu && waker != cpu && s->rq[cpu].nr_running <= 1);
}

static bool list_empty_cpu(const struct sched *s, int waker, int cpu, bool on_cpu)
{
	return list_other_llc(s, waker, cpu, on_cpu) ||
	       (waker != cpu && !s->rq[cpu].nr_running);
}

typedef bool (*wake_list_fn)(const struct sched *s, int waker, int cpu, bool on_cpu);

static const wake_list_fn wake_list_rules[] = {
	[WAKE_LIST_REMOTE] = list_remote,	/* ≤5.7 */
	[WAKE_LIST_LAST_TASK] = list_last_task, /* 5.8: … or its last task, just blocking */
	[WAKE_LIST_EMPTY_CPU] = list_empty_cpu, /* 6.0: … or nothing is queued there */
};

bool ttwu_queue_cond(const struct sched *s, int waker_cpu, const struct task *p, int cpu,
		     bool on_cpu)
{
	if (!feat(s, FEAT_TTWU_QUEUE) || !s->rq[cpu].online || !task_allowed(p, cpu))
		return false;
	return wake_list_rules[s->k.rules.wake_list](s, waker_cpu, cpu, on_cpu);
}
