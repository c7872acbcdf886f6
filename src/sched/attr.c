// SPDX-License-Identifier: BSD-2-Clause
/*
 * attr.c - changing what a living task is: nice, policy, slice, affinity, group.
 */
#include <assert.h>
#include <errno.h>

#include "sched/class.h"
#include "sched/forced.h"
#include "sched/task.h"

/* A task taken off its queue for a change, as it stood before. */
struct saved {
	bool queued, running;
};

static struct saved save_task(struct sched *s, struct rq *rq, struct task *p)
{
	struct saved was = {.queued = p->on_rq, .running = rq->curr == p};

	if (p->se.sched_delayed) { /* its sleep is completed first */
		deactivate_task(s, rq, p, DEQUEUE_SLEEP | DEQUEUE_DELAYED);
		was.queued = false;
	}
	if (was.queued)
		deactivate_task(s, rq, p, DEQUEUE_SAVE);
	if (was.running && task_is_fair(p))
		fair_put_prev_task(s, rq, p);
	else if (was.running)
		put_prev_above_fair(s, rq, p);
	return was;
}

static void restore_task(struct sched *s, struct rq *rq, struct task *p, struct saved was,
			 int flags)
{
	if (was.queued)
		activate_task(s, rq, p, ENQUEUE_RESTORE | flags);
	if (!was.running)
		return;
	rq->curr_above_fair = !task_is_fair(p);
	if (task_is_fair(p))
		fair_set_next_task(s, rq, p);
	else
		class_of(p)->set_next(s, rq, p);
}

#define UNSEEN_DEADLINE (4 * NSEC_PER_SEC)

/* the queue of @p: a throttled deadline task may have stayed on a CPU that is down since */
static struct rq *task_rq(struct sched *s, struct task *p)
{
	struct rq *rq = cpu_rq(s, p->cpu);

	return unlikely(rq->dead && p->on_rq) ? dl_leave_offline(s, rq, p) : rq;
}

/* ---- policy and priority ---- */

struct params {
	enum sched_policy policy;
	int nice, prio;
	bool set_slice;
	const struct task_attr *asked;
};

static void set_params(struct sched *s, struct task *p, const struct params *new)
{
	p->policy = new->policy;
	p->nice = new->nice;
	p->prio = new->prio;
	if (new->set_slice)
		task_set_slice(s, p, new->asked->runtime);
	if (new->policy == POLICY_DEADLINE)
		dl_set_params(p, new->asked);
	uclamp_set_requests(s, p, new->asked);
}

/* the task stays in its class, where its place is another one now */
static void changed_inside(struct sched *s, struct rq *rq, struct task *p, struct saved was,
			   int old_prio)
{
	if (task_is_fair(p)) {
		if (was.running && p->prio > old_prio && rq->nr_running > 1)
			resched_curr(s, rq, rq->cpu);
		else if (was.queued && !was.running)
			check_preempt_curr(s, rq, p, 0, rq->cpu);
		return;
	}
	if (was.queued)
		class_of(p)->prio_changed(s, rq, p, old_prio);
}

static void changed_class(struct sched *s, struct rq *rq, struct task *p, struct saved was,
			  enum sched_class_id old)
{
	if (old != CLASS_FAIR)
		sched_classes[old]->switched_from(s, rq, p);
	if (!task_is_fair(p))
		class_of(p)->switched_to(s, rq, p);
	else if (was.running)
		resched_curr(s, rq, rq->cpu);
	else if (was.queued)
		check_preempt_curr(s, rq, p, 0, rq->cpu);
}

static enum sched_class_id policy_class(enum sched_policy policy)
{
	return policy_is_fair(policy) ? CLASS_FAIR : policy_is_rt(policy) ? CLASS_RT : CLASS_DL;
}

static void set_policy(struct sched *s, u64 now, struct task *p, const struct params *new)
{
	enum sched_class_id old = p->class_id, class_id = policy_class(new->policy);
	int old_prio = p->prio;
	struct saved was;
	struct rq *rq;

	s->now = now;
	rq = task_rq(s, p);
	update_rq_clock(s, rq, now);
	was = save_task(s, rq, p);
	if (old == CLASS_FAIR && class_id != CLASS_FAIR)
		fair_switched_from(s, p);
	set_params(s, p, new);
	p->class_id = class_id;
	if (class_id == CLASS_FAIR && old == CLASS_FAIR) {
		fair_reweight_task(s, rq, p);
	} else if (class_id == CLASS_FAIR) {
		fair_set_weight(s, p);
		if (!was.queued && p->state != TASK_NEW)
			fair_switched_to(s, p);
	}
	/* spec 08 §2.1: a lowered priority doesn't lose its turn */
	restore_task(s, rq, p, was, old_prio < p->prio ? ENQUEUE_HEAD : 0);
	if (old == class_id)
		changed_inside(s, rq, p, was, old_prio);
	else
		changed_class(s, rq, p, was, old);
}

void sched_set_nice(struct sched *s, u64 now, struct task *p, enum sched_policy policy, int nice)
{
	struct params new = {.policy = policy, .nice = nice, .prio = DEFAULT_PRIO + nice};

	assert(nice >= -20 && nice <= 19 && policy_is_fair(policy));
	if (p->nice != nice || p->policy != policy)
		set_policy(s, now, p, &new);
}

/* ---- what may be asked for (sched_setattr) ---- */

static bool attr_valid(const struct sched *s, const struct task_attr *a)
{
	const u32 flags = ATTR_RESET_ON_FORK | ATTR_RECLAIM | ATTR_DL_OVERRUN |
			  ATTR_KEEP_POLICY | ATTR_KEEP_PARAMS | ATTR_UTIL_MIN | ATTR_UTIL_MAX;

	if (a->flags & ~flags || a->priority < 0 || a->priority > RT_PRIO_NONE)
		return false;
	if ((unsigned int)a->policy > POLICY_DEADLINE)
		return false;
	if (a->policy == POLICY_DEADLINE && !dl_attr_valid(s, a))
		return false;
	return policy_is_rt(a->policy) == (a->priority != 0);
}

static bool attr_permitted(const struct task *p, const struct task_attr *a)
{
	const struct sched_cred *cred = a->cred;

	if (!cred)
		return true;
	if (a->policy == POLICY_DEADLINE)
		return false;
	if (policy_is_fair(a->policy) && a->policy != POLICY_IDLE && a->nice < p->nice &&
	    20 - a->nice > cred->rlimit_nice)
		return false;
	if (policy_is_rt(a->policy)) {
		int own = policy_is_rt(p->policy) ? RT_PRIO_NONE - p->prio : 0;

		if (a->policy != p->policy && !cred->rlimit_rtprio)
			return false;
		if (a->priority > own && a->priority > cred->rlimit_rtprio)
			return false;
	}
	/* leaving SCHED_IDLE is as good as raising nice from 19 */
	if (p->policy == POLICY_IDLE && a->policy != POLICY_IDLE && 20 - p->nice > cred->rlimit_nice)
		return false;
	return !p->reset_on_fork || a->flags & ATTR_RESET_ON_FORK;
}

static bool attr_changes(const struct task *p, const struct task_attr *a, const struct params *new)
{
	if (p->policy != a->policy || p->prio != new->prio || p->nice != new->nice)
		return true;
	if (a->policy == POLICY_DEADLINE)
		return p->dl.dl_runtime != a->runtime || p->dl.dl_deadline != a->deadline ||
		       p->dl.dl_period != (a->period ? a->period : a->deadline) ||
		       p->dl.flags != (a->flags & ~(ATTR_UTIL_MIN | ATTR_UTIL_MAX));
	return new->set_slice && (a->runtime ? !p->se.custom_slice || p->se.slice != a->runtime :
					       p->se.custom_slice);
}

static int change(struct sched *s, u64 now, struct task *p, const struct params *new)
{
	struct rq *rq = cpu_rq(s, p->cpu);
	bool was_asleep;
	int rc;

	update_rq_clock(s, rq, now);
	if (new->policy == POLICY_DEADLINE) {
		rc = dl_admit(s, p, new->asked);
		if (rc)
			return rc;
		dl_uncount(s, p);
	}
	p->reset_on_fork = new->asked->flags & ATTR_RESET_ON_FORK;
	was_asleep = p->class_id == CLASS_DL && !p->on_rq;
	set_policy(s, now, p, new);
	if (was_asleep && new->policy == POLICY_DEADLINE)
		dl_count(s, rq, p, false);
	return 0;
}

int sched_set_attr(struct sched *s, u64 now, struct task *p, const struct task_attr *attr)
{
	struct task_attr a = *attr;
	struct params new;
	int rc;

	if (a.flags & ATTR_KEEP_POLICY)
		a.policy = p->policy;
	if (a.flags & ATTR_KEEP_PARAMS) {
		a.nice = p->nice;
		a.priority = policy_is_rt(p->policy) ? RT_PRIO_NONE - p->prio : 0;
		a.runtime = p->se.custom_slice ? p->se.slice : 0;
		if (p->policy == POLICY_DEADLINE) {
			a.runtime = p->dl.dl_runtime;
			a.deadline = p->dl.dl_deadline;
			a.period = p->dl.dl_period;
		}
	}
	a.nice = clamp(a.nice, -20, 19);
	if (!attr_valid(s, &a))
		return -EINVAL;
	if (!attr_permitted(p, &a))
		return -EPERM;
	rc = uclamp_validate(s, p, &a);
	if (rc)
		return rc;
	/* SCHED_IDLE, FIFO and RR leave nice and slice as they are for later */
	new = (struct params){.policy = a.policy, .nice = p->nice, .asked = &a};
	if (a.policy == POLICY_NORMAL || a.policy == POLICY_BATCH) {
		new.nice = a.nice;
		new.set_slice = true;
	}
	new.prio = policy_is_fair(a.policy) ? DEFAULT_PRIO + new.nice :
		   policy_is_rt(a.policy)   ? RT_PRIO_NONE - a.priority :
					      MAX_DL_PRIO - 1;
	if (!attr_changes(p, &a, &new)) {
		if (a.flags & (ATTR_UTIL_MIN | ATTR_UTIL_MAX))
			uclamp_set_requests(s, p, &a);
		p->reset_on_fork = a.flags & ATTR_RESET_ON_FORK;
		return 0;
	}
	return change(s, now, p, &new);
}

/* as if it had been asked for more than it can use */
void sched_set_unseen_deadline(struct sched *s, u64 now, struct task *p)
{
	const struct task_attr a = {
		.policy = POLICY_DEADLINE,
		.runtime = UNSEEN_DEADLINE,
		.deadline = UNSEEN_DEADLINE,
	};
	const struct params new = {
		.policy = a.policy, .nice = p->nice, .prio = MAX_DL_PRIO - 1, .asked = &a};

	if (p->policy == POLICY_DEADLINE)
		return;
	update_rq_clock(s, cpu_rq(s, p->cpu), now);
	dl_take_bw(s, p, &a);
	dl_uncount(s, p);
	p->reset_on_fork = false;
	set_policy(s, now, p, &new);
	p->dl.dl_density = 0; /* it fits everywhere, for all that is known */
}

int sched_inherit(const struct task *parent, struct sched_task_attr *attr)
{
	attr->policy = parent->policy;
	attr->nice = parent->nice;
	attr->rt_priority = policy_is_rt(parent->policy) ? RT_PRIO_NONE - parent->prio : 0;
	attr->slice_ns = parent->se.custom_slice ? parent->se.slice : 0;
	if (!parent->reset_on_fork)
		return parent->policy == POLICY_DEADLINE ? -EAGAIN : 0;
	if (!policy_is_fair(parent->policy)) {
		attr->policy = POLICY_NORMAL;
		attr->nice = attr->rt_priority = 0;
	} else if (attr->nice < 0) {
		attr->nice = 0;
	}
	return 0;
}

/* the slice is read again at the next placement or new deadline (spec 02 §5.3) */
void sched_set_slice(struct sched *s, u64 now, struct task *p, u64 slice_ns)
{
	struct rq *rq = cpu_rq(s, p->cpu);
	struct saved was;

	if (!task_is_fair(p)) {
		task_set_slice(s, p, slice_ns);
		return;
	}
	update_rq_clock(s, rq, now);
	was = save_task(s, rq, p);
	task_set_slice(s, p, slice_ns);
	restore_task(s, rq, p, was, 0);
}

int sched_set_affinity(struct sched *s, u64 now, struct task *p, const u64 *allowed)
{
	struct rq *rq;
	int dst;

	s->now = now;
	rq = task_rq(s, p);
	if (!mask_intersects(allowed, s->online, s->words))
		return -EINVAL;
	/* deadline tasks are global (spec 08 §3) */
	if (p->class_id == CLASS_DL && !mask_subset(rq->rd->span, allowed, s->words))
		return -EBUSY;
	update_rq_clock(s, rq, now);
	if (task_is_fair(p)) {
		task_set_allowed(s, p, allowed);
	} else { /* whether it may be pushed away changes, its place in the queue doesn't */
		class_of(p)->set_allowed(s, rq, p, allowed);
	}
	p->affinity_changed = true;
	if (task_allowed(p, p->cpu)) {
		p->migration_pending = false;
		return 0;
	}
	if (!p->on_rq || p->migrating) /* a sleeper chooses again when it wakes */
		return 0;
	dst = any_and_distribute(s, rq->cpu, s->online, p->allowed);
	p->migration_pending = true;
	if (p->on_cpu)
		count_wakeup(rq, rq->cpu); /* of the stopper: nobody else moves a running task */
	sched_push_out(s, OUT_STOP_MIGRATE, rq->cpu, rq->cpu, p, dst);
	return 0;
}

static void change_group(struct sched *s, struct rq *rq, struct task *p, struct task_group *g)
{
	struct saved was;

	if (!task_is_fair(p)) { /* for when it is one again */
		bool pending = p->migration_pending;

		p->tg = g;
		set_task_cpu(s, p, p->cpu);
		p->migration_pending = pending;
		uclamp_recount(s, p);
		return;
	}
	was = save_task(s, rq, p);
	fair_change_group(s, p, g);
	restore_task(s, rq, p, was, 0);
	if (was.running)
		resched_curr(s, rq, rq->cpu);
	else if (was.queued)
		check_preempt_curr(s, rq, p, 0, rq->cpu);
}

int sched_set_group(struct sched *s, u64 now, struct task *p, struct task_group *g)
{
	struct rq *rq = cpu_rq(s, p->cpu);

	if (!g)
		g = &s->root_tg;
	if (p->tg == g)
		return 0;
	update_rq_clock(s, rq, now);
	if (unlikely(s->tracks & TRACK_PSI)) {
		u32 flags = psi_leave_group(s, p);

		change_group(s, rq, p, g);
		psi_join_group(s, p, flags);
	} else {
		change_group(s, rq, p, g);
	}
	return 0;
}
