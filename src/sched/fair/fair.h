/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fair.h - what the files of the fair class share.
 *
 *	weights.c	nice to weight, vtime()			spec 02 §2
 *	pelt.c		the averages of one entity or queue	spec 03 §1-3, §7
 *	load.c		averages between entities and queues	spec 03 §4-5
 *	util_est.c	estimated utilisation			spec 03 §6
 *	cfs.c, eevdf.c	one queue: place, order, choose		spec 02 §4, §5
 *	entity.c	one entity enters, runs on, leaves one level
 *	enqueue.c	a task enters or leaves the hierarchy
 *	pick.c, peek.c	who runs next
 *	preempt.c	wake-up preemption, tick, yield		spec 02 §4-5, 16 §5
 *	flat.c		one tree a CPU, effective weights	spec 16 §3
 *	group.c		group queues, shares			spec 09 §1
 *	group_files.c	what is written into a group's files
 *	bandwidth.[ch], throttle.c  quotas of groups		spec 09 §2, 16 §13
 *	check.c		recounts everything
 *
 * CFS and EEVDF differ in how one queue orders and chooses; whoever needs to
 * know asks is_cfs(). In the flat variant of EEVDF all tasks of a CPU compete in
 * the tree of the root queue; group queues keep counts, load and averages only.
 */
#ifndef IDLEST_SCHED_FAIR_FAIR_H
#define IDLEST_SCHED_FAIR_FAIR_H

#include "sched/fair/bandwidth.h"
#include "sched/internal.h"

#define NICE_0_LOAD ((u64)NICE_0_WEIGHT << WEIGHT_SHIFT)
#define WEIGHT_IDLEPRIO 3
#define MIN_SHARES 2 /* of a group entity, in stored units (times 1024) */

static inline bool is_cfs(const struct sched *s)
{
	return s->k.rules.fair_class == FAIR_CFS;
}

static inline bool is_flat(const struct sched *s)
{
	return s->k.rules.fair_class == FAIR_EEVDF_FLAT;
}

/* the queue whose tree the entity competes in */
static inline struct cfs_rq *tree_of(const struct sched *s, const struct sched_entity *se)
{
	return is_flat(s) ? &se->cfs_rq->rq->cfs : se->cfs_rq;
}

static inline bool se_is_idle(const struct sched_entity *se)
{
	if (entity_is_task(se))
		return container_of(se, const struct task, se)->policy == POLICY_IDLE;
	return se->idle_group;
}

static inline struct sched_entity *rb_entity(const struct rb_node *n)
{
	return n ? container_of(n, struct sched_entity, run_node) : NULL;
}

static inline struct sched_entity *first_entity(const struct cfs_rq *cfs_rq)
{
	return rb_entity(cfs_rq->tasks_timeline.leftmost);
}

/* reschedule on behalf of the fair class (spec 16 §6) */
static inline void fair_resched(struct sched *s, struct rq *rq, int from)
{
	if (s->k.rules.resched == RESCHED_LAZY)
		resched_curr_lazy(s, rq, from);
	else
		resched_curr(s, rq, from);
}

/* ---- weights.c ---- */

extern const int sched_prio_to_weight[40];
extern const u32 sched_prio_to_wmult[40];

/* scaled(): @delta · @weight / (weight behind @inv), by the shifting rule of spec 02 §2 */
static inline u64 scaled_delta(u64 delta, u64 weight, u32 inv)
{
	u64 fact = weight * inv;
	int shift = 32;

	if (fact >> 32) {
		int excess = 32 - __builtin_clz((u32)(fact >> 32));

		fact >>= excess;
		shift -= excess;
	}
	return (u64)(((u128)delta * fact) >> shift);
}

u64 vtime_slow(u64 delta, const struct sched_entity *se);

/* @delta ns of run time as virtual time of @se */
static inline u64 vtime(u64 delta, const struct sched_entity *se)
{
	if (likely(se->vload.weight == NICE_0_LOAD))
		return delta;
	return vtime_slow(delta, se);
}

u32 weight_inverse(const struct load_weight *lw);
/* own weight of a task by policy and nice */
struct load_weight task_weight(const struct task *p);
/* sets the entity's own weight; in the flat variant the effective one is left alone */
void set_entity_load(const struct sched *s, struct sched_entity *se, struct load_weight lw);

/* ---- pelt.c ---- */

/* the clock of a queue's averages: it stands while the queue is throttled */
static inline u64 cfs_rq_clock_pelt(const struct cfs_rq *cfs_rq)
{
	u64 now = rq_clock_pelt(cfs_rq->rq);

	return unlikely(cfs_rq->limited) ? limited_clock_pelt(cfs_rq, now) : now;
}

#define LOAD_AVG_MAX	 47742
#define PELT_MIN_DIVIDER (LOAD_AVG_MAX - 1024)

static inline u32 pelt_divider(const struct sched_avg *sa)
{
	return PELT_MIN_DIVIDER + sa->period_contrib;
}

u64 decay_load(u64 val, u64 periods);
void pelt_cross_periods(struct sched_avg *sa, u64 delta, u64 load, u64 runnable, bool running);
/* load_avg, runnable_avg and util_avg from the sums; @weight: an entity's own, 1 for a queue */
void pelt_update_averages(struct sched_avg *sa, u64 weight);

/* whole units of 1024 ns from @sa's last update to @now; very many if that is later */
static inline u64 pelt_elapsed(u64 now, const struct sched_avg *sa)
{
	return (now - sa->last_update_time) >> 10;
}

/* @delta such units that end inside the present period: the sums grow, no average moves */
static inline void pelt_grow(struct sched_avg *sa, u64 delta, u64 load, u64 runnable, bool running)
{
	sa->last_update_time += delta << 10;
	sa->period_contrib += delta;
	if (load) {
		sa->load_sum += load * delta;
		sa->runnable_sum += (runnable * delta) << 10;
		if (running)
			sa->util_sum += delta << 10;
	}
}

/**
 * pelt_update_sum() - bring the sums of @sa to @now (spec 03 §3)
 * @now: PELT clock, ns
 *
 * Return: whether a period ended, so that the averages have to follow.
 */
static inline bool pelt_update_sum(u64 now, struct sched_avg *sa, u64 load, u64 runnable,
				   bool running)
{
	u64 delta = pelt_elapsed(now, sa);

	if (!delta)
		return false;
	if (unlikely((s64)(now - sa->last_update_time) < 0)) {
		sa->last_update_time = now;
		return false;
	}
	if (likely(sa->period_contrib + delta < 1024)) {
		pelt_grow(sa, delta, load, runnable, running);
		return false;
	}
	sa->last_update_time += delta << 10;
	pelt_cross_periods(sa, sa->period_contrib + delta, load, runnable, running);
	return true;
}

/* runnable tasks an entity stands for (spec 03 §3.6) */
static inline u64 se_runnable(const struct sched_entity *se)
{
	if (se->sched_delayed)
		return 0;
	return entity_is_task(se) ? se->on_rq : (u64)se->runnable_weight;
}

/* Return: whether a period ended, i.e. the averages are new */
static inline bool pelt_update_se(u64 now, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	bool load = se->on_rq && !se->sched_delayed;

	if (!pelt_update_sum(now, &se->avg, load, se_runnable(se), cfs_rq->curr == se))
		return false;
	pelt_update_averages(&se->avg, load_down(&se->load));
	se->util_changed = true;
	return true;
}

static inline bool pelt_update_blocked_se(u64 now, struct sched_entity *se)
{
	if (!pelt_update_sum(now, &se->avg, 0, 0, false))
		return false;
	pelt_update_averages(&se->avg, load_down(&se->load));
	se->util_changed = true;
	return true;
}

/* tasks of a queue that count as runnable */
static inline u64 cfs_rq_runnable(const struct sched *s, const struct cfs_rq *cfs_rq)
{
	return s->k.rules.h_nr_runnable ? cfs_rq->h_nr_runnable : cfs_rq->h_nr_queued;
}

static inline bool pelt_update_cfs_rq(const struct sched *s, u64 now, struct cfs_rq *cfs_rq)
{
	if (!pelt_update_sum(now, &cfs_rq->avg, load_down(&cfs_rq->load),
			     cfs_rq_runnable(s, cfs_rq), cfs_rq->curr != NULL))
		return false;
	pelt_update_averages(&cfs_rq->avg, 1);
	rq_load_changed(cfs_rq->rq);
	return true;
}

/* load_avg of an entity whose weight changed */
void pelt_recompute_load(struct sched_entity *se);

/* ---- load.c ---- */

enum {
	UPDATE_TG = 1 << 0,
	DO_ATTACH = 1 << 1,
	DO_DETACH = 1 << 2,
	SKIP_AGE_LOAD = 1 << 3,
};

/**
 * update_load_avg() - bring an entity and its queue up to date
 * @flags: UPDATE_TG: the group's sum follows; DO_ATTACH: an entity without a time stamp joins;
 *	DO_DETACH: it leaves (its stamp is zeroed); SKIP_AGE_LOAD: it isn't aged first
 */
void update_load_avg(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se, int flags);

bool update_cfs_rq_load_avg(struct sched *s, u64 now, struct cfs_rq *cfs_rq);
void enqueue_load_avg(struct cfs_rq *cfs_rq, struct sched_entity *se);
void dequeue_load_avg(struct cfs_rq *cfs_rq, struct sched_entity *se);
void attach_entity_cfs_rq(struct sched *s, struct sched_entity *se);
void detach_entity_cfs_rq(struct sched *s, struct sched_entity *se);
void remove_entity_load_avg(struct sched *s, struct sched_entity *se);
void leaf_list_add(struct sched *s, struct cfs_rq *cfs_rq);

/* ---- util_est.c ---- */

static inline unsigned long util_estimate(const struct sched *s, const struct task *p)
{
	if (s->k.rules.util_est == UTIL_EST_TWO)
		return max(p->util_est.ewma, p->util_est.enqueued);
	return p->util_est.ewma;
}

static inline void util_est_enqueue(struct sched *s, struct cfs_rq *root, struct task *p)
{
	if (!feat(s, FEAT_UTIL_EST))
		return;
	root->util_est += util_estimate(s, p);
	rq_load_changed(root->rq);
}

static inline void util_est_dequeue(struct sched *s, struct cfs_rq *root, struct task *p)
{
	if (!feat(s, FEAT_UTIL_EST))
		return;
	root->util_est -= min(root->util_est, util_estimate(s, p));
	rq_load_changed(root->rq);
}

void util_est_remember(struct sched *s, struct rq *rq, struct task *p);

/* @p goes to sleep */
static inline void util_est_update(struct sched *s, struct rq *rq, struct task *p)
{
	if (p->se.util_changed && feat(s, FEAT_UTIL_EST))
		util_est_remember(s, rq, p);
}

/* ---- cfs.c ---- */

u64 sched_slice(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se);
void cfs_update_min_vruntime(struct cfs_rq *cfs_rq);
void cfs_place_entity(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se,
		      bool initial);
void cfs_insert(struct cfs_rq *cfs_rq, struct sched_entity *se);
void cfs_remove(struct cfs_rq *cfs_rq, struct sched_entity *se);
/* @curr_v: vruntime of curr to reckon with */
struct sched_entity *cfs_pick(const struct sched *s, const struct cfs_rq *cfs_rq, u64 curr_v);
bool cfs_should_preempt(const struct sched *s, const struct sched_entity *curr,
			const struct sched_entity *se);
void cfs_tick(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *curr);

/* ---- eevdf.c ---- */

/* S and W with curr (spec 02 §5) */
struct vsum {
	s128 sum;	/* S */
	s64 weight;	/* W */
};

/* (v - v0) · w: what an entity adds to S */
static inline s128 vsum_part(const struct cfs_rq *cfs_rq, u64 v, u64 key_weight)
{
	return (s128)(s64)(v - cfs_rq->min_vruntime) * (s64)key_weight;
}

struct vsum queue_vsum(const struct cfs_rq *cfs_rq);
/* V, rounded down */
u64 avg_vruntime(const struct cfs_rq *cfs_rq);
bool entity_eligible(const struct cfs_rq *cfs_rq, const struct sched_entity *se);
void eevdf_update_min_vruntime(struct cfs_rq *cfs_rq);
/* a new deadline if the old one is reached; Return: it was */
bool eevdf_update_deadline(const struct sched *s, struct sched_entity *se);
void eevdf_measure_lag(const struct sched *s, const struct cfs_rq *cfs_rq,
		       struct sched_entity *se);

/* @se is queued: its lag, as it takes it along */
static inline void eevdf_update_lag(const struct sched *s, const struct cfs_rq *cfs_rq,
				    struct sched_entity *se)
{
	if (cfs_rq->nr_tree == 1)
		se->vlag = se->slack = 0;
	else
		eevdf_measure_lag(s, cfs_rq, se);
}

void eevdf_place_entity(const struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se,
			int flags);
void eevdf_insert(struct cfs_rq *cfs_rq, struct sched_entity *se);
void eevdf_remove(struct cfs_rq *cfs_rq, struct sched_entity *se);
void eevdf_slice_changed(struct sched_entity *se);
u64 queue_min_slice(const struct cfs_rq *cfs_rq);
/* what the queue is to be judged by: real, or what a peek supposes */
struct eevdf_view {
	const struct cfs_rq *cfs_rq;
	struct vsum vs;			/* curr included */
	struct sched_entity *curr;	/* NULL: none that is queued */
	struct sched_entity *next;	/* buddy */
	u64 curr_v, curr_deadline, curr_vprot;
	int nr;				/* entities, curr included */
};
struct sched_entity *eevdf_pick(const struct sched *s, const struct eevdf_view *view,
				bool protect);
void eevdf_view_of(const struct cfs_rq *cfs_rq, struct eevdf_view *view);
bool eevdf_view_protected(const struct sched *s, const struct eevdf_view *view);
bool eevdf_view_eligible(const struct eevdf_view *view, const struct sched_entity *se);
/* protection of the running entity */
void eevdf_protect(const struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se);
bool eevdf_protected(const struct sched *s, const struct sched_entity *se);
void eevdf_cancel_protection(const struct sched *s, struct sched_entity *se);
void eevdf_shorten_protection(const struct sched *s, struct cfs_rq *cfs_rq,
			      struct sched_entity *se);

/* ---- learn.c ---- */

/* nobody knows the lag with which @se fell asleep */
void eevdf_lag_unseen(const struct sched *s, struct sched_entity *se);
/* @se, queued and not delayed, was picked by somebody who knew */
void eevdf_learn_pick(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se);

/* ---- entity.c ---- */

/* how many runnable tasks PELT sees below a group entity */
static inline void update_runnable_weight(const struct sched *s, struct sched_entity *se)
{
	if (se->my_q)
		se->runnable_weight = s->k.rules.h_nr_runnable ? se->my_q->h_nr_runnable :
								 se->my_q->h_nr_queued;
}

void account_curr(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *curr, u64 delta);

/**
 * update_curr() - account the running entity of a queue up to the rq's clock
 *
 * In the flat variant only the root queue has one.
 */
static inline void update_curr(struct sched *s, struct cfs_rq *cfs_rq)
{
	struct sched_entity *curr = cfs_rq->vcurr;

	if (curr && (s64)(cfs_rq->rq->clock_task - curr->exec_start) > 0)
		account_curr(s, cfs_rq, curr, cfs_rq->rq->clock_task - curr->exec_start);
}

/* order, as CFS or EEVDF have it */

static inline void tree_insert(const struct sched *s, struct cfs_rq *cfs_rq,
			       struct sched_entity *se)
{
	if (is_cfs(s))
		cfs_insert(cfs_rq, se);
	else
		eevdf_insert(cfs_rq, se);
}

static inline void tree_remove(const struct sched *s, struct cfs_rq *cfs_rq,
			       struct sched_entity *se)
{
	if (is_cfs(s))
		cfs_remove(cfs_rq, se);
	else
		eevdf_remove(cfs_rq, se);
}

static inline void update_min_vruntime(const struct sched *s, struct cfs_rq *cfs_rq)
{
	if (is_cfs(s))
		cfs_update_min_vruntime(cfs_rq);
	else
		eevdf_update_min_vruntime(cfs_rq);
}

void account_entity_enqueue(struct cfs_rq *cfs_rq, struct sched_entity *se);
void account_entity_dequeue(struct cfs_rq *cfs_rq, struct sched_entity *se);
void enqueue_entity(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se, int flags);
/* Return: false if the entity stays, delayed */
bool dequeue_entity(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se, int flags);
void requeue_delayed_entity(struct sched *s, struct sched_entity *se);
void set_next_entity(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se);
void put_prev_entity(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *prev);
void forget_buddies(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se);

/* @se is chosen, or leaves: nobody prefers it any more, here and where it stands for this level */
static inline void clear_buddies(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	/* one test for all three */
	if (unlikely((uintptr_t)cfs_rq->next | (uintptr_t)cfs_rq->last | (uintptr_t)cfs_rq->skip))
		forget_buddies(s, cfs_rq, se);
}

void reweight_entity(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se,
		     struct load_weight lw);
s64 scale_by_weight(s64 v, u64 old, u64 new);
void rescale_queued(struct sched_entity *se, u64 avg, u64 old, u64 new);
void rescale_unqueued(struct sched_entity *se, u64 old, u64 new);
bool should_delay(const struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se, int flags);

/* ---- enqueue.c ---- */

/* the counts of a queue change by @nr tasks (±1) of which @runnable run and @idle are idle */
static inline void count_tasks(struct cfs_rq *cfs_rq, int nr, int runnable, int idle)
{
	cfs_rq->h_nr_queued += nr;
	cfs_rq->h_nr_runnable += runnable;
	cfs_rq->h_nr_idle += idle;
	rq_load_changed(cfs_rq->rq);
}

/* PELT and share of the group entity @se, whose queue changed below it */
void refresh_entity(struct sched *s, struct sched_entity *se);
/* a delayed entity, met by a pick, really leaves; so do levels that become empty */
void dequeue_delayed(struct sched *s, struct rq *rq, struct sched_entity *se);
/* @p became delayed, or is no more: it counts as runnable or not on all levels */
void count_runnable(const struct sched *s, struct task *p, int runnable);
void set_next_buddy(struct sched_entity *se);

/* ---- flat.c ---- */

void flat_enqueue_task(struct sched *s, struct rq *rq, struct task *p, int flags);
bool flat_dequeue_task(struct sched *s, struct rq *rq, struct task *p, int flags);
void flat_requeue_delayed(struct sched *s, struct rq *rq, struct task *p);
/* the effective weight of a queued task, from its hierarchy as it is now */
u64 flat_effective_weight(const struct sched_entity *se);
void flat_update_weight(struct sched *s, struct rq *rq, struct task *p);
void flat_set_next_task(struct sched *s, struct rq *rq, struct task *p);
void flat_put_prev_task(struct sched *s, struct rq *rq, struct task *p);
void flat_check_preempt(struct sched *s, struct rq *rq, struct task *p, int flags, int from);

/* ---- preempt.c ---- */

/* a timer for the end of @p's slice; @p runs or is about to (spec 16 §8) */
void hrtick_arm(struct sched *s, struct rq *rq, struct task *p);

static inline void hrtick_start(struct sched *s, struct rq *rq, struct task *p)
{
	if (feat(s, FEAT_HRTICK) && rq->cfs.h_nr_queued > 1)
		hrtick_arm(s, rq, p);
}

/* the running task was chosen again: its next slice ends by a timer, too */
static inline void hrtick_repick(struct sched *s, struct rq *rq, struct task *p)
{
	if (feat(s, FEAT_HRTICK) && p == rq->curr && !rq->hrtick_armed)
		hrtick_start(s, rq, p);
}

/* a task was queued beside the running one */
static inline void hrtick_update(struct sched *s, struct rq *rq)
{
	const struct sched_entity *curr = rq->curr ? &rq->curr->se : NULL;

	if (feat(s, FEAT_HRTICK) && curr && !rq->hrtick_armed && curr->cfs_rq->curr == curr)
		hrtick_start(s, rq, rq->curr);
}

/* ---- group.c ---- */

/* new share of the group entity @se on its CPU */
void update_cfs_group(struct sched *s, struct sched_entity *se);
void update_tg_load_avg(struct sched *s, struct cfs_rq *cfs_rq);
void set_task_rq(struct sched *s, struct task *p, int cpu);

#endif
