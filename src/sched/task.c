// SPDX-License-Identifier: BSD-2-Clause
/*
 * task.c - tasks and task groups: the pool they come from, what the host may ask.
 *
 * Tasks live in chunks of the core's arena and are recycled, so memory follows
 * the largest number of live tasks, never simulated time.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "sched/cgroup.h"
#include "sched/class.h"
#include "sched/task.h"

static bool grow_pool(struct sched *s)
{
	struct task_chunk *c = arena_alloc(s->arena, sizeof(*c));
	u64 *sets = arena_array(s->arena, (size_t)TASKS_PER_CHUNK * s->words, sizeof(u64));

	if (!c || !sets)
		return false;
	for (int i = 0; i < TASKS_PER_CHUNK; i++) {
		c->task[i].allowed = sets + (size_t)i * s->words;
		list_add_tail(&c->task[i].list_node, &s->free_tasks);
	}
	list_add_tail(&c->node, &s->chunks);
	return true;
}

void task_set_allowed(struct sched *s, struct task *p, const u64 *allowed)
{
	if (!allowed)
		mask_fill(p->allowed, s->nr_cpus);
	else if (allowed != p->allowed)
		mask_copy(p->allowed, allowed, s->words);
	p->nr_allowed = mask_weight(p->allowed, s->words);
	p->allowed_all = p->nr_allowed == s->nr_cpus;
	p->per_cpu_kthread = p->kthread && p->nr_allowed == 1;
	if (!p->allowed_all)
		p->affinity_changed = true;
}

void task_relax_allowed(struct sched *s, struct task *p)
{
	if (task_is_fair(p))
		task_set_allowed(s, p, NULL);
	else
		class_of(p)->set_allowed(s, cpu_rq(s, p->cpu), p, NULL);
}

void task_set_slice(struct sched *s, struct task *p, u64 slice_ns)
{
	p->se.custom_slice = s->k.rules.custom_slice && slice_ns;
	if (p->se.custom_slice)
		p->se.slice = clamp(slice_ns, MIN_CUSTOM_SLICE, MAX_CUSTOM_SLICE);
	else
		p->se.slice = s->base_slice;
}

struct task *sched_task_new(struct sched *s, const struct sched_task_attr *attr)
{
	const struct task *parent = attr->parent;
	struct task *p;
	u64 *allowed;

	assert(attr->nice >= -20 && attr->nice <= 19);
	assert(policy_is_fair(attr->policy) ||
	       (policy_is_rt(attr->policy) && attr->rt_priority >= 1 && attr->rt_priority <= 99));
	if (list_empty(&s->free_tasks) && !grow_pool(s))
		return NULL;
	p = list_first_entry(&s->free_tasks, struct task, list_node);
	list_del(&p->list_node);
	allowed = p->allowed;
	memset(p, 0, sizeof(*p));
	p->allowed = allowed;
	list_init(&p->list_node);
	list_init(&p->rq_node);
	p->in_use = true;
	s->nr_tasks++;

	p->state = TASK_NEW;
	p->id = attr->id;
	p->host = attr->host;
	p->policy = attr->policy;
	p->nice = attr->nice;
	p->class_id = policy_is_fair(p->policy) ? CLASS_FAIR : CLASS_RT;
	p->prio = policy_is_fair(p->policy) ? DEFAULT_PRIO + p->nice :
					      RT_PRIO_NONE - attr->rt_priority;
	list_init(&p->rt.run_list);
	list_init(&p->rt.pushable);
	p->rt.time_slice = s->rtd.rr_timeslice;
	class_timer_init(&p->dl.timer, TIMER_DL_REPLENISH);
	class_timer_init(&p->dl.inactive, TIMER_DL_INACTIVE);
	p->kthread = attr->kthread;
	if (attr->comm)
		strncpy(p->comm, attr->comm, sizeof(p->comm) - 1);
	p->cpu = parent ? parent->cpu : 0;
	p->recent_used_cpu = p->cpu;
	p->tg = attr->group ? attr->group : parent ? parent->tg : &s->root_tg;
	task_set_allowed(s, p, attr->allowed);
	set_task_cpu(s, p, p->cpu);
	fair_init_task(s, p);
	task_set_slice(s, p, attr->slice_ns);
	uclamp_init_task(s, p, parent);
	return p;
}

void sched_task_free(struct sched *s, struct task *p)
{
	assert(p->in_use && !p->on_rq && !p->on_cpu && !p->on_wake_list);
	if (unlikely(p->dl.dl_runtime))
		forget_above_fair(s, p);
	p->in_use = false;
	s->nr_tasks--;
	list_add(&p->list_node, &s->free_tasks);
}

static struct task_group *new_group(struct sched *s, struct task_group *parent, u64 shares,
				    bool autogroup, struct err *err)
{
	struct task_group *tg;

	if (shares < MIN_SHARES || shares > MAX_SHARES) {
		err_set(err, -EINVAL,
			"group shares %llu: allowed are %d to %d (1024 is cpu.weight 100)",
			(unsigned long long)shares, MIN_SHARES, MAX_SHARES);
		return NULL;
	}
	tg = arena_alloc(s->arena, sizeof(*tg));
	if (!tg) {
		err_set(err, -ENOMEM, "no memory for a task group");
		return NULL;
	}
	tg->parent = parent ? parent : &s->root_tg;
	tg->shares = shares << WEIGHT_SHIFT;
	tg->autogroup = autogroup;
	uclamp_init_group(tg);
	if (fair_group_init(s, tg, err))
		return NULL;
	if (psi_init_group(s, tg)) {
		err_set(err, -ENOMEM, "no memory to measure a task group's pressure");
		return NULL;
	}
	list_add_tail(&tg->node, &s->groups);
	return tg;
}

struct task_group *sched_group_new(struct sched *s, struct task_group *parent, u64 shares,
				   struct err *err)
{
	return new_group(s, parent, shares, false, err);
}

struct task_group *sched_autogroup_new(struct sched *s, struct err *err)
{
	return new_group(s, NULL, SCHED_SHARES_DEFAULT, true, err);
}

void *sched_task_host(const struct task *p)
{
	return p->host;
}

int sched_task_id(const struct task *p)
{
	return p->id;
}

const char *sched_task_comm(const struct task *p)
{
	return p->comm;
}

int sched_task_cpu(const struct task *p)
{
	return p->cpu;
}

bool sched_task_on_cpu(const struct task *p)
{
	return p->on_cpu;
}

bool sched_task_queued(const struct task *p)
{
	return p->on_rq;
}

bool sched_task_allowed(const struct task *p, int cpu)
{
	return task_allowed(p, cpu);
}

const u64 *sched_task_cpus(const struct task *p)
{
	return p->allowed;
}

enum sched_policy sched_task_policy(const struct task *p)
{
	return p->policy;
}

int sched_task_prio(const struct task *p)
{
	return p->prio;
}

const struct sched_dl_stats *sched_task_dl_stats(const struct task *p)
{
	return &p->dl.stats;
}

void sched_task_waits(const struct task *p, u64 *wait_ns, u64 *slices)
{
	*wait_ns = p->run_delay;
	*slices = p->pcount;
}

u64 sched_task_runtime(const struct task *p)
{
	return p->se.sum_exec_runtime;
}

unsigned long sched_task_util(const struct task *p)
{
	return p->se.avg.util_avg;
}
