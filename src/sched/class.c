// SPDX-License-Identifier: BSD-2-Clause
/*
 * class.c - the classes above fair: their order, the pick among them, their timers.
 */
#include <errno.h>

#include "base/arena.h"
#include "sched/class.h"

const struct sched_class *const sched_classes[] = {
	[CLASS_RT] = &rt_class,
	[CLASS_DL] = &dl_class,
	[CLASS_STOP] = NULL,
};

/* ---- the pick ---- */

/* prev's class and those below it may take tasks from elsewhere before the pick */
static void balance_classes(struct sched *s, struct rq *rq)
{
	enum sched_class_id from = rq->curr ? rq->curr->class_id : CLASS_STOP;

	for (int id = CLASS_DL; id > CLASS_FAIR; id--)
		if (id <= (int)from)
			sched_classes[id]->balance(s, rq, rq->curr);
}

struct task *pick_above_fair(struct sched *s, struct rq *rq)
{
	struct task *p = NULL;

	if (rq->curr_above_fair)
		balance_classes(s, rq);
	for (int id = CLASS_DL; !p && id > CLASS_FAIR; id--)
		p = sched_classes[id]->pick(s, rq);
	return p;
}

const struct task *peek_above_fair(const struct rq *rq)
{
	const struct task *p = NULL;

	if (server_first(rq))
		return NULL;
	for (int id = CLASS_DL; !p && id > CLASS_FAIR; id--)
		p = sched_classes[id]->peek(rq);
	return p;
}

void put_prev_above_fair(struct sched *s, struct rq *rq, struct task *p)
{
	class_of(p)->put_prev(s, rq, p);
}

void push_above_fair(struct sched *s, struct rq *rq)
{
	rq->push_due = false;
	for (int id = CLASS_DL; id > CLASS_FAIR; id--)
		sched_classes[id]->push(s, rq);
}

void forget_above_fair(struct sched *s, struct task *p)
{
	dl_forget(s, p);
}

/* ---- timers ---- */

void class_timer_init(struct class_timer *t, enum class_timer_kind kind)
{
	list_init(&t->node);
	t->armed = false;
	t->kind = kind;
}

/* the host waits for the first one */
static void ask_host(struct sched *s, struct rq *rq)
{
	u64 at = list_empty(&rq->timers) ?
			 UINT64_MAX :
			 list_first_entry(&rq->timers, struct class_timer, node)->at;

	if (at == rq->timer_asked)
		return;
	rq->timer_asked = at;
	sched_push_out(s, OUT_TIMER, rq->cpu, rq->cpu, NULL, at);
}

void class_timer_arm(struct sched *s, struct rq *rq, struct class_timer *t, u64 at)
{
	struct list_head *l = rq->timers.prev;

	class_timer_cancel(s, t);
	while (l != &rq->timers && list_entry(l, struct class_timer, node)->at > at)
		l = l->prev;
	t->at = at;
	t->cpu = rq->cpu;
	t->armed = true;
	list_add(&t->node, l);
	ask_host(s, rq);
}

void class_timer_cancel(struct sched *s, struct class_timer *t)
{
	if (!t->armed)
		return;
	list_del(&t->node);
	t->armed = false;
	ask_host(s, cpu_rq(s, t->cpu));
}

void sched_timer(struct sched *s, u64 now, int cpu)
{
	struct rq *rq = cpu_rq(s, cpu);

	update_rq_clock(s, rq, now);
	rq->timer_asked = UINT64_MAX;
	while (!list_empty(&rq->timers)) {
		struct class_timer *t = list_first_entry(&rq->timers, struct class_timer, node);

		if (t->at > now)
			break;
		list_del(&t->node);
		t->armed = false;
		switch (t->kind) {
		case TIMER_RT_PERIOD:
			rt_period_expired(s, rq);
			break;
		case TIMER_DL_REPLENISH:
			dl_timer(s, t);
			break;
		case TIMER_DL_INACTIVE:
			dl_inactive_timer(s, t);
			break;
		case TIMER_SERVER:
			server_timer(s, rq);
			break;
		case TIMER_CFS_PERIOD:
			cfs_period_timer(s, rq, t);
			break;
		case TIMER_CFS_SLACK:
			cfs_slack_timer(s, rq, t);
			break;
		}
	}
	ask_host(s, rq);
}

/* ---- life ---- */

static s64 tunable(const struct sched *s, enum sched_tunable t)
{
	return sched_tunable(&s->k, t, s->nr_cpus);
}

static void read_tunables(struct sched *s)
{
	struct rt_domain *d = &s->rtd;
	s64 runtime = tunable(s, TUN_sched_rt_runtime_us);

	d->rt_period = tunable(s, TUN_sched_rt_period_us) * NSEC_PER_USEC;
	d->rt_runtime = runtime < 0 ? UINT64_MAX : (u64)runtime * NSEC_PER_USEC;
	d->rr_timeslice = max((int)(tunable(s, TUN_sched_rr_timeslice_ms) * s->host.hz / 1000), 1);
}

int classes_init(struct sched *s, struct err *err)
{
	u64 **mask[] = {&s->rtd.rt_overloaded, &s->rtd.dl_overloaded, &s->rtd.dl_free,
			&s->rtd.mask};
	size_t n = s->words;

	for (size_t i = 0; i < ARRAY_SIZE(mask); i++)
		*mask[i] = arena_array(s->arena, n, sizeof(u64));
	for (int i = 0; i < NR_CPUPRI; i++)
		s->rtd.cpupri[i] = arena_array(s->arena, n, sizeof(u64));
	if (!s->rtd.mask || !s->rtd.cpupri[NR_CPUPRI - 1])
		return err_set(err, -ENOMEM, "no memory for a machine of %d CPUs", s->nr_cpus);
	read_tunables(s);
	if (s->rtd.rt_runtime != UINT64_MAX && s->rtd.rt_runtime > s->rtd.rt_period)
		return err_set(err, -EINVAL,
			       "sched_rt_runtime_us is %llu, more than sched_rt_period_us, %llu",
			       (unsigned long long)s->rtd.rt_runtime / 1000,
			       (unsigned long long)s->rtd.rt_period / 1000);
	class_timer_init(&s->rtd.period_timer, TIMER_RT_PERIOD);
	for (int c = 0; c < s->nr_cpus; c++) {
		struct rq *rq = &s->rq[c];

		rq->rt.queue = arena_array(s->arena, MAX_RT_PRIO, sizeof(*rq->rt.queue));
		if (!rq->rt.queue)
			return err_set(err, -ENOMEM, "no memory for a machine of %d CPUs",
				       s->nr_cpus);
		rq->rt.highest = RT_PRIO_NONE;
		rq->rt.rt_runtime = s->rtd.rt_runtime;
		list_init(&rq->rt.pushable);
		list_init(&rq->timers);
		rq->timer_asked = UINT64_MAX;
		rq->cpupri = CPUPRI_INVALID;
		cpupri_update(s, rq);
	}
	return dl_init(s, err);
}

u64 sched_dl_bandwidth(const struct sched *s)
{
	u64 bw = 0;

	for (int i = 0; i <= s->nr_rds; i++)
		bw += s->rd[i].total_bw;
	return bw;
}

bool class_would_pull(const struct sched *s, const struct rq *rq, const u64 *overloaded,
		      struct task *(*choice)(const struct rq *rq, const struct rq *src),
		      struct class_move *m)
{
	int cpu;

	for_each_cpu(cpu, overloaded, s->words) {
		if (cpu == rq->cpu || !mask_test(rq->rd->span, cpu))
			continue;
		m->p = choice(rq, &s->rq[cpu]);
		m->from = cpu;
		m->to = rq->cpu;
		if (m->p)
			return true;
	}
	return false;
}

bool class_pull(struct sched *s, struct rq *rq, struct rq *src, struct task *p)
{
	if (p->on_cpu) {
		src->push_due = true;
		return false;
	}
	move_queued_task(s, src, p, rq);
	return true;
}

static int check_rq(const struct sched *s, const struct rq *rq, struct err *err)
{
	int above = (rq->rt.throttled ? 0 : rq->rt.nr_running) + rq->dl.nr_running;
	const struct class_timer *t;
	u64 last = 0;

	if (rq->nr_above_fair != above)
		return err_set(err, -EINVAL, "CPU %d: %d runnable above fair, kept as %d", rq->cpu,
			       above, rq->nr_above_fair);
	list_for_each_entry(t, &rq->timers, node) {
		if (!t->armed || t->at < last)
			return err_set(err, -EINVAL, "CPU %d: its timers are out of order",
				       rq->cpu);
		last = t->at;
	}
	return 0;
}

int classes_check(const struct sched *s, struct err *err)
{
	int rc = 0;

	for (int c = 0; !rc && c < s->nr_cpus; c++) {
		rc = check_rq(s, &s->rq[c], err);
		if (!rc)
			rc = rt_check(s, &s->rq[c], err);
		if (!rc)
			rc = dl_check(s, &s->rq[c], err);
	}
	return rc ? rc : dl_check_total(s, err);
}
