/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * internal.h - what the rooms of the core do for each other.
 *
 * Included by sched/ and its unit tests only; everybody else uses sched.h. The
 * state they share is in entity.h, sd.h and rq.h.
 */
#ifndef IDLEST_SCHED_INTERNAL_H
#define IDLEST_SCHED_INTERNAL_H

#include "sched/rq.h"

/* ---- core.c: shared by all rooms ---- */

void update_rq_clock(struct sched *s, struct rq *rq, u64 now);
/* @rq's bit in the idle sets, or in those of SCHED_IDLE CPUs, is wrong: turn it */
void rq_idle_changed(struct sched *s, struct rq *rq);
void rq_sched_idle_changed(struct sched *s, struct rq *rq);

void rq_sums_stale(struct rq *rq);

/*
 * Something that balancing reads of @rq changes: its averages, the estimate,
 * its counts of tasks, idle_visible, its capacity or its misfit load.
 */
static inline void rq_load_changed(struct rq *rq)
{
	if (!rq->sums_stale)
		rq_sums_stale(rq);
}

/* bring masks and LLC sets in line with curr, nr_running and ttwu_pending */
static inline void rq_update_idle(struct sched *s, struct rq *rq)
{
	bool idle = rq->curr_is_idle && !rq->nr_running && !rq->ttwu_pending && rq->online;

	if (idle != rq->idle_visible)
		rq_idle_changed(s, rq);
	if (unlikely(sched_idle_rq(rq) != rq->sched_idle_visible))
		rq_sched_idle_changed(s, rq);
}

/* nr_running += count, with overload flag and busy_mask (spec 06 §11.2) */
static inline void add_nr_running(struct sched *s, struct rq *rq, int count)
{
	int old = rq->nr_running;

	rq->nr_running = old + count;
	rq_load_changed(rq);
	if (unlikely(s->host.nr_running))
		s->host.nr_running(s->host.ctx, rq->cpu, rq->nr_running);
	if (count > 0 && old < 2 && rq->nr_running >= 2)
		rq->rd->overload = true;
	if (!old != !rq->nr_running) {
		mask_flip(s->busy_mask, rq->cpu);
		rq->busy_since = rq->clock;
	}
}

void resched_curr(struct sched *s, struct rq *rq, int from);
void resched_curr_lazy(struct sched *s, struct rq *rq, int from);
void sched_push_out(struct sched *s, enum sched_out_kind kind, int cpu, int from, struct task *p,
		    u64 arg);
void activate_task(struct sched *s, struct rq *rq, struct task *p, int flags);
/* Return: false if the task stays queued (delayed dequeue) */
bool deactivate_task(struct sched *s, struct rq *rq, struct task *p, int flags);
void check_preempt_curr(struct sched *s, struct rq *rq, struct task *p, int flags, int from);
/* the task's CPU becomes @cpu: averages and vruntime leave the old queue where due */
void set_task_cpu(struct sched *s, struct task *p, int cpu);
/* @next is picked: it, or the idle task, is current from now on (run.c) */
void set_picked(struct sched *s, struct rq *rq, struct task *next);
/* class.c: the classes above fair */
struct task *pick_above_fair(struct sched *s, struct rq *rq);
const struct task *peek_above_fair(const struct rq *rq);
void put_prev_above_fair(struct sched *s, struct rq *rq, struct task *p);
void push_above_fair(struct sched *s, struct rq *rq);
/* @p is recycled: its timers end, its bandwidth is given back */
void forget_above_fair(struct sched *s, struct task *p);
/* dl/server.c: what runs changes; a fair task came to where a higher class is about */
void server_sync(struct sched *s, struct rq *rq);
void server_start(struct sched *s, struct rq *rq, u64 since);
void server_tick(struct sched *s, struct rq *rq);
/* counters of the waker's CPU @rq and of its domains: something on @target was woken (spec 04 §1.10) */
void count_wakeup(struct rq *rq, int target);
/* the idle stamp's interval enters avg_idle, the stamp is cleared (spec 04 §1.9) */
void update_avg_idle(struct sched *s, struct rq *rq);

/* ---- who tracks tasks (rq.h: TRACK_…); called if s->tracks only ---- */

/* @p is runnable on @rq's queue from now on */
void track_queued(struct sched *s, struct rq *rq, struct task *p);
/* @p leaves it; before the class hears of it. @flags: DEQUEUE_… */
void track_dequeued(struct sched *s, struct rq *rq, struct task *p, int flags);

/* ---- psi.c: pressure; called if it is measured only ---- */

int psi_init_group(struct sched *s, struct task_group *tg);
/* @p is queued on @rq, waking or moved there, or still asleep (delayed) */
void psi_queued(struct sched *s, struct rq *rq, struct task *p);
/* @p leaves its CPU for another one */
void psi_moves(struct sched *s, struct task *p);
/* @next is about to be current on @rq instead of rq->curr, or of the stopper */
void psi_picked(struct sched *s, struct rq *rq, struct task *next);
void psi_stopper_begins(struct sched *s, struct rq *rq, struct task *prev);
void psi_stopper_ends(struct rq *rq);
/* around a change of p->tg */
u32 psi_leave_group(struct sched *s, struct task *p);
void psi_join_group(struct sched *s, struct task *p, u32 flags);
int psi_check(const struct sched *s, struct err *err);

/* ---- uclamp.c, uclamp_limits.c, uclamp_ask.c: utilisation clamps ---- */

static inline bool has_uclamp(const struct sched *s)
{
	return s->k.rules.uclamp != UCLAMP_NONE;
}

/* the clamp that clamps nothing */
static inline unsigned int uclamp_none(enum uclamp_id id)
{
	return id == UCLAMP_MIN ? 0 : SCHED_CAPACITY_SCALE;
}

int uclamp_init(struct sched *s, struct err *err);
void uclamp_init_group(struct task_group *tg);
/* what @p asks for at its birth; @parent may be NULL */
void uclamp_init_task(const struct sched *s, struct task *p, const struct task *parent);
/* the static switch: on, for good */
void uclamp_use(struct sched *s);
void uclamp_rq_inc(struct sched *s, struct rq *rq, struct task *p);
void uclamp_rq_dec(struct sched *s, struct rq *rq, struct task *p);
/* a counted task's clamps may be others now */
void uclamp_recount(struct sched *s, struct task *p);
/* @p asked for nothing: realtime tasks want all there is */
void uclamp_default_request(const struct sched *s, struct task *p, enum uclamp_id id);
/* may @p ask for that? Return: 0, -EINVAL, -EOPNOTSUPP */
int uclamp_validate(struct sched *s, const struct task *p, const struct task_attr *a);
/* @p has a new policy, and asks for what @a says (NULL: nothing new) */
void uclamp_set_requests(struct sched *s, struct task *p, const struct task_attr *a);
/* of a task as it is counted, or would be */
unsigned int uclamp_eff_value(const struct sched *s, const struct task *p, enum uclamp_id id);
int uclamp_check(const struct sched *s, struct err *err);

/* room for a quarter more than that (spec 09 §3) */
static inline bool util_fits_capacity(unsigned long util, unsigned long capacity)
{
	return util * 1280 < capacity * 1024;
}

/*
 * Does a task of utilisation @util fit @cpu, that asks for at least @lo and at most @hi?
 * Return: 1: yes; 0: no; -1: but for @lo, which the CPU can't give.
 */
int util_fits_clamped(const struct sched *s, unsigned long util, unsigned long lo,
		      unsigned long hi, int cpu);

enum {
	ENQUEUE_WAKEUP = 1 << 0,
	ENQUEUE_INITIAL = 1 << 1,
	ENQUEUE_MIGRATED = 1 << 2,
	ENQUEUE_RESTORE = 1 << 3,
	ENQUEUE_DELAYED = 1 << 4,
	ENQUEUE_HEAD = 1 << 5, /* realtime: its priority was lowered */
	ENQUEUE_REPLENISH = 1 << 6, /* deadline: with a new budget */
	DEQUEUE_SLEEP = 1 << 8,
	DEQUEUE_SAVE = 1 << 9,
	DEQUEUE_SPECIAL = 1 << 10,
	DEQUEUE_DELAYED = 1 << 11,
	WF_SYNC = 1 << 16,
	WF_FORK = 1 << 17,
	WF_MIGRATED = 1 << 18,
	WF_TTWU = 1 << 19,
	WF_EXEC = 1 << 20,
	WF_RQ_SELECTED = 1 << 21,
};

/* explain: one predictable branch when nobody listens */
void sched_emit(const struct sched *s, const struct sched_record *r);
#define EXPLAIN(s, ...)                                                                            \
	do {                                                                                       \
		if (unlikely((s)->sink))                                                           \
			sched_emit((s), &(struct sched_record){ __VA_ARGS__ });                    \
	} while (0)

/* ---- root_domain.c, hotplug.c ---- */

/* one partition with all CPUs; Return: 0 or -ENOMEM */
int root_domains_init(struct sched *s);
/* CPUs came or went */
void root_domains_refresh(struct sched *s);
/* @p was picked on a CPU that is to be empty */
void drain_picked(struct sched *s, struct rq *rq, struct task *p);
/* @p, queued on @src, goes to @dst, where it may not even run: then its mask is lost */
void move_to_fallback(struct sched *s, struct rq *src, struct task *p, int dst);
struct rq *flee_dead_cpu(struct sched *s, struct task *p);
/* @target was chosen for @p, for want of a better one or while it was online; Return: where to go */
int fall_back(struct sched *s, struct task *p, int target);

/* where @p is to be queued: its CPU may be gone since it was chosen */
static inline struct rq *living_rq(struct sched *s, struct task *p)
{
	struct rq *rq = cpu_rq(s, p->cpu);

	return likely(!rq->dead) ? rq : flee_dead_cpu(s, p);
}

/* ---- domain.c ---- */

/**
 * sched_build_domains() - domains, groups, LLC objects and shortcuts of every CPU (spec 01)
 *
 * Uses s->topo, s->k.rules, s->rd, s->online; fills s->dom_arena, rq->sd … rq->nr_siblings,
 * s->llc, s->smt_active, s->cluster_active, s->asym_active.
 */
int sched_build_domains(struct sched *s, struct err *err);
/**
 * sched_rebuild_domains() - the same while the machine runs: CPUs came or went, or are divided anew
 *
 * Root domains with the same CPUs as in @before keep what their domains have learnt. Return: 0, or
 * -ENOMEM: all is as it was.
 */
int sched_rebuild_domains(struct sched *s, u64 now, struct err *err);
/* flag names as debugfs prints them, space separated; Return: @buf */
char *sched_domain_flag_names(const struct sched *s, int flags, char *buf, size_t len);

/* ---- fair/ ---- */

/*
 * Who keeps what between core and fair/:
 *
 * The class calls add_nr_running() and links rq_node into rq.cfs_tasks where it
 * enqueues and dequeues; for a task whose delayed dequeue it completes (in a
 * pick, too) it also clears on_rq. Otherwise on_rq and state are the core's.
 * A task that changes its CPU while runnable has task.migrating set from
 * deactivate_task(0) to activate_task(); set_task_cpu() calls
 * fair_migrate_task_rq() and then sets se.cfs_rq, se.parent and se.depth.
 * rq.curr is set by the core after fair_put_prev_task(old) and
 * fair_set_next_task(new), neither of which is called when old == new.
 * sched_create() allocates root_tg.cfs_rq (= each rq.cfs) and root_tg.se (all
 * NULL); fair_group_init() is called for other groups only.
 * The averages of a queue that become nonzero set its bit in load_mask where
 * they are attached; update_blocked_averages() clears it.
 */

void fair_init_rq(struct sched *s, struct rq *rq);
void fair_init_task(struct sched *s, struct task *p);
void fair_forget_past(struct sched *s, struct task *p);
void fair_boot_util(struct sched *s, struct rq *rq, u32 util);
void fair_enqueue_task(struct sched *s, struct rq *rq, struct task *p, int flags);
bool fair_dequeue_task(struct sched *s, struct rq *rq, struct task *p, int flags);
void fair_delay_task(struct sched *s, struct rq *rq, struct task *p);
/* chooses; dequeues delayed entities it meets; NULL: no fair task is runnable */
struct task *fair_pick_task(struct sched *s, struct rq *rq);
/* the same without effects, as of the clocks of the last update */
const struct task *fair_pick_peek(const struct sched *s, const struct rq *rq);
/* … as of @clock_task */
const struct task *fair_pick_peek_at(const struct sched *s, const struct rq *rq, u64 clock_task);
/* … and why: *@reason is one of PICK_… */
const struct task *fair_pick_why(const struct sched *s, const struct rq *rq, u64 clock_task,
				 int *reason);
void fair_pick_forced(struct sched *s, struct rq *rq, struct task *next);
/*
 * @prev stops and @next starts running (NULL: no fair task); call it after the
 * pick. Levels that both have in common go on running; nothing happens if they
 * are the same. The two halves are for a task that changes while it runs.
 */
void fair_put_prev_set_next(struct sched *s, struct rq *rq, struct task *prev, struct task *next);
void fair_put_prev_task(struct sched *s, struct rq *rq, struct task *p);
void fair_set_next_task(struct sched *s, struct rq *rq, struct task *p);
void fair_task_tick(struct sched *s, struct rq *rq, struct task *p, bool hrtick);
void fair_check_preempt(struct sched *s, struct rq *rq, struct task *p, int flags, int from);
void fair_yield_task(struct sched *s, struct rq *rq);
void fair_note_misfit(struct sched *s, struct rq *rq, struct task *p);

/* @p runs, NULL: nothing does; only mixed capacity knows tasks too big for their CPU */
static inline void update_misfit_status(struct sched *s, struct rq *rq, struct task *p)
{
	if (unlikely(s->asym_active))
		fair_note_misfit(s, rq, p);
}

void fair_update_curr(struct sched *s, struct rq *rq);
/* fork: place beside the parent (CFS: parent's vruntime first) */
void fair_task_fork(struct sched *s, struct rq *rq, struct task *p);
/* exec: the task's averages decay up to the last update of its queue's */
void fair_sync_task(struct task *p);
/* initial utilisation, before the first enqueue (spec 03 §4) */
void fair_post_init_util(struct sched *s, struct rq *rq, struct task *p);
/*
 * The task's CPU becomes @new_cpu (called while p->cpu is the old one): a sleeping
 * task's averages and vruntime leave the old queue (spec 03 §5.2, 02 §4.6); those
 * of a queued one left when it was dequeued without DEQUEUE_SLEEP. Sets se.cfs_rq.
 */
void fair_migrate_task_rq(struct sched *s, struct task *p, int new_cpu);
/* nice or policy changed, queued or not */
void fair_reweight_task(struct sched *s, struct rq *rq, struct task *p);
/* @p, which is not queued, leaves the class or comes to it: its averages do */
void fair_switched_from(struct sched *s, struct task *p);
void fair_switched_to(struct sched *s, struct task *p);
void fair_set_weight(struct sched *s, struct task *p); /* not queued, in no class's hands */
/* @p is not queued; sets p->tg */
void fair_change_group(struct sched *s, struct task *p, struct task_group *g);
/* @p, which runs or is about to, belongs to a throttled group: it will have to leave */
void task_throttle_work(struct sched *s, struct rq *rq, struct task *p);
/* the CPU goes, or is back; domains were built anew */
void fair_rq_offline(struct sched *s, struct rq *rq, int from);
void fair_rq_online(struct sched *s, struct rq *rq);
void fair_domains_rebuilt(struct sched *s, int from);
int fair_group_init(struct sched *s, struct task_group *tg, struct err *err);
bool fair_task_hot_buddy(const struct rq *rq, const struct task *p); /* next or last buddy */
bool fair_task_eligible(const struct sched *s, const struct task *p);
int fair_check(const struct sched *s, const struct rq *rq, struct err *err);

/* ---- fair/pelt.c, util_est: what placement and balancing read ---- */

static inline u64 rq_clock_pelt(const struct rq *rq)
{
	return rq->clock_pelt - rq->lost_idle_time;
}
/* clock_task went on by @delta ns: clock_pelt by what capacity and frequency make of it */
void update_rq_clock_pelt(struct rq *rq, u64 delta);
void rq_clock_pelt_enter_idle(struct sched *s, struct rq *rq);
/* ages every queue of @rq; Return: whether anything is left to decay */
bool update_blocked_averages(struct sched *s, struct rq *rq);
/* utilisation of the CPU by fair tasks, expected or real (spec 03 §6) */
static inline unsigned long cpu_util_cfs(const struct sched *s, int cpu)
{
	const struct rq *rq = cpu_rq(s, cpu);
	unsigned long util = rq->cfs.avg.util_avg;

	if (feat(s, FEAT_UTIL_EST))
		util = max(util, rq->cfs.util_est);
	return min(util, rq->cpu_capacity_orig);
}

static inline unsigned long cpu_load(const struct rq *rq)
{
	return rq->cfs.avg.load_avg;
}

static inline unsigned long cpu_runnable(const struct rq *rq)
{
	return rq->cfs.avg.runnable_avg;
}

static inline unsigned long task_util(const struct task *p)
{
	return p->se.avg.util_avg;
}

unsigned long task_util_est(const struct sched *s, const struct task *p);

/* util_fits_clamped() of @p and what it asks for */
static inline int task_fits_cpu(const struct sched *s, const struct task *p, int cpu)
{
	unsigned long util = task_util_est(s, p);

	if (likely(!(s->tracks & TRACK_UCLAMP)))
		return util_fits_capacity(util, s->rq[cpu].cpu_capacity);
	return util_fits_clamped(s, util, uclamp_eff_value(s, p, UCLAMP_MIN),
				 uclamp_eff_value(s, p, UCLAMP_MAX), cpu);
}

/* cpu_util_cfs() as if @p, which is queued there, weren't */
unsigned long cpu_util_without(const struct sched *s, int cpu, const struct task *p);
/* pure: uses the h_load values of the queues as last refreshed or computes them fresh */
unsigned long task_h_load(const struct sched *s, const struct task *p);

/* ---- place/ ---- */

/* spec 04 §2 for TTWU; fills target, reason, effects and adds its work to @w */
int select_task_rq_fair(const struct sched *s, u64 now, const struct wake_query *q,
			struct wake_decision *d, struct sched_work *w);
/* spec 05; flag is SD_BALANCE_FORK or SD_BALANCE_EXEC */
int find_idlest_cpu(const struct sched *s, u64 now, int cpu, const struct task *p, int sd_flag,
		    int *reason, struct sched_work *w);
void record_wakee(struct sched *s, u64 now, int waker_cpu, struct task *p);
/* spec 04 §1.6 */
int select_fallback_rq(const struct sched *s, int cpu, const struct task *p);
bool ttwu_queue_cond(const struct sched *s, int waker_cpu, const struct task *p, int cpu, bool on_cpu);

/* ---- balance/ ---- */

void balance_boot(struct sched *s, u64 now, struct rng *rng);
void trigger_load_balance(struct sched *s, struct rq *rq);	/* from the tick */
void nohz_balancer_kick(struct sched *s, struct rq *rq);
void nohz_balance_exit_idle(struct sched *s, struct rq *rq);
int any_and_distribute(struct sched *s, int cpu, const u64 *a, const u64 *b);

/* balance/sums.c */
int group_sums_build(struct sched *s);
/* count what changed in the groups of @sd anew */
void group_sums_refresh(struct sched *s, const struct sched_domain *sd);
int group_sums_check(const struct sched *s, struct err *err);

/* the sums of @g's CPUs; NULL: not kept or not fresh, they are to be read one by one */
static inline const struct load_sums *group_load(const struct sched_group *g)
{
	return g->sums && !g->sums->nr_stale ? &g->sums->sum : NULL;
}

/* asymmetric packing: without a priority from the firmware the lower number is preferred */
static inline bool asym_prefer(const struct sched *s, int a, int b)
{
	return s->asym_priority ? s->asym_priority[a] > s->asym_priority[b] : a < b;
}

#endif
