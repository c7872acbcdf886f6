// SPDX-License-Identifier: BSD-2-Clause
/*
 * Random worlds: every entry point in every order a host may use, on machines
 * and kernels of all kinds, every invariant recounted after each event. A
 * failure names its seed; IDLEST_SEED=N runs that one alone, IDLEST_ROUNDS=N
 * more of them.
 */
#include <errno.h>

#include "rig.h"
#include "sched/cgroup.h"
#include "sched/psi.h"

#define MAX_TASKS 48
#define STEPS	  1500

enum cpu_state { CPU_RUNS, CPU_WALKS, CPU_ATTACHES, CPU_SWITCHES, CPU_STOPS };

struct cpu {
	enum cpu_state state;
	enum walk_kind walk; /* CPU_WALKS: what for */
	struct task *from;   /* CPU_SWITCHES: the old task, NULL: idle */
	bool resched, softirq, kick, run_list, push, rt_push, empty, throttle;
	u64 timer_at;
	struct task *stop_task;
	int stop_dst;
};

struct world {
	struct rig r;
	struct rng rng;
	struct cpu cpu[64];
	struct task *task[MAX_TASKS];
	struct task_group *group[4]; /* [0] NULL: the root's; [3] below [2] */
	int nr_tasks;
	u64 psi_at, clamped, pressed, rt_asked, rt_pushes, rt_pulls, dl_pushes, dl_pulls, dl_throttled, refused;
	u64 downs, ups, refused_downs, deaths, divided;
	u64 spins, lists, queued, pulled, pushed, moved, walks, blocks;
	u64 throttled, nr_throttled, throttled_time;
	u64 seed;
	const char *kernel;
};

static int draw(struct world *w, int n)
{
	return (int)rng_below(&w->rng, n);
}

/* ---- a host, as small as it can be ---- */

static void take_requests(struct world *w)
{
	struct sched_out out;

	while (sched_next_out(w->r.s, &out)) {
		struct cpu *c = &w->cpu[out.cpu];

		switch (out.kind) {
		case OUT_RESCHED:
		case OUT_RESCHED_LAZY:
			c->resched = true;
			break;
		case OUT_SOFTIRQ:
			c->softirq = true;
			break;
		case OUT_NOHZ_KICK:
			c->kick = true;
			break;
		case OUT_ACTIVE_BALANCE:
			c->push = true;
			break;
		case OUT_STOP_MIGRATE:
			c->stop_task = out.p;
			c->stop_dst = (int)out.arg;
			break;
		case OUT_TIMER:
			c->timer_at = out.arg;
			break;
		case OUT_RT_PUSH:
			c->rt_push = true;
			break;
		case OUT_STOP_DRAIN:
			c->empty = true;
			break;
		case OUT_PSI:
			w->psi_at = out.arg;
			break;
		case OUT_THROTTLE:
			c->throttle = true;
			break;
		case OUT_HRTICK:
		case OUT_UCLAMP:
			break;
		}
	}
}

static void forget(struct world *w, struct task *p)
{
	for (int i = 0; i < w->nr_tasks; i++)
		if (w->task[i] == p)
			w->task[i] = w->task[--w->nr_tasks];
	for (int c = 0; c < w->r.s->nr_cpus; c++)
		if (w->cpu[c].stop_task == p)
			w->cpu[c].stop_task = NULL;
	w->dl_throttled += sched_task_dl_stats(p)->throttled;
	sched_task_free(w->r.s, p);
}

static void finish_pick(struct world *w, int cpu, struct task *prev, struct task *next)
{
	struct cpu *c = &w->cpu[cpu];

	c->state = prev == next ? CPU_RUNS : CPU_SWITCHES;
	c->from = prev;
}

static void schedule(struct world *w, int cpu)
{
	struct task *prev = sched_current(w->r.s, cpu), *next;
	struct cpu *c = &w->cpu[cpu];
	u64 cost;

	take_requests(w); /* what was asked for so far is about to be done */
	c->resched = c->throttle = false;
	if (sched_pick(w->r.s, w->r.now, cpu, true, &next)) {
		finish_pick(w, cpu, prev, next);
	} else if (sched_walk_begin(w->r.s, w->r.now, cpu, WALK_NEWIDLE, &cost)) {
		c->state = CPU_WALKS;
		c->walk = WALK_NEWIDLE;
		w->walks++;
	} else {
		assert_true(sched_pick(w->r.s, w->r.now, cpu, false, &next));
		finish_pick(w, cpu, prev, next);
	}
}

static void go_on(struct world *w, int cpu)
{
	struct cpu *c = &w->cpu[cpu];
	struct task *prev = sched_current(w->r.s, cpu), *next;
	u64 cost;

	switch (c->state) {
	case CPU_WALKS:
		if (sched_walk_step(w->r.s, w->r.now, cpu, &cost)) {
			c->state = CPU_ATTACHES;
		} else if (c->walk == WALK_NEWIDLE) {
			assert_true(sched_pick(w->r.s, w->r.now, cpu, false, &next));
			finish_pick(w, cpu, prev, next);
		} else {
			c->state = CPU_RUNS;
		}
		break;
	case CPU_ATTACHES:
		w->pulled += sched_walk_attach(w->r.s, w->r.now, cpu);
		c->state = CPU_WALKS;
		break;
	case CPU_SWITCHES:
		sched_switch_done(w->r.s, w->r.now, cpu, c->from);
		c->state = CPU_RUNS;
		if (c->from && c->from->state == TASK_DEAD)
			forget(w, c->from);
		break;
	case CPU_STOPS:
		if (c->push) {
			w->pushed += sched_active_balance(w->r.s, w->r.now, cpu);
			c->push = false;
		}
		if (c->stop_task)
			w->moved += sched_stop_migrate(w->r.s, w->r.now, cpu, c->stop_task,
						       c->stop_dst);
		c->stop_task = NULL;
		while (c->empty) /* few enough for the ring of requests */
			c->empty = sched_stop_drain(w->r.s, w->r.now, cpu);
		sched_stop_end(w->r.s, w->r.now, cpu);
		c->state = CPU_RUNS;
		c->resched = true;
		break;
	case CPU_RUNS:
		break;
	}
}

/* what waits to be done on a CPU between two instructions; Return: false if nothing did */
static bool interrupt(struct world *w, int cpu)
{
	struct cpu *c = &w->cpu[cpu];
	u64 cost;

	if (c->run_list) {
		c->run_list = false;
		sched_wake_list_run(w->r.s, w->r.now, cpu);
		c->resched |= !sched_current(w->r.s, cpu);
	} else if (c->timer_at <= w->r.now) {
		c->timer_at = UINT64_MAX;
		sched_timer(w->r.s, w->r.now, cpu);
	} else if (c->rt_push) {
		c->rt_push = false;
		sched_rt_push(w->r.s, w->r.now, cpu);
		w->rt_asked++;
	} else if (c->push || c->stop_task || c->empty) {
		sched_stop_begin(w->r.s, w->r.now, cpu);
		c->state = CPU_STOPS;
	} else if (c->throttle) { /* a return to user mode */
		c->throttle = false;
		w->throttled += sched_throttle_curr(w->r.s, w->r.now, cpu);
	} else if (c->resched) {
		schedule(w, cpu);
	} else if (c->softirq || c->kick) {
		c->walk = c->kick ? WALK_NOHZ : WALK_PERIODIC;
		if (sched_walk_begin(w->r.s, w->r.now, cpu, c->walk, &cost))
			c->state = CPU_WALKS;
		c->softirq = c->kick = false;
		w->walks++;
	} else {
		return false;
	}
	return true;
}

/* ---- what tasks do ---- */

static const u64 *random_set(struct world *w, u64 *set)
{
	int n = w->r.s->nr_cpus;

	mask_zero(set, w->r.s->words);
	switch (draw(w, 4)) {
	case 0:
		mask_set(set, draw(w, n));
		return set;
	case 1:
		for (int c = 0; c < n; c++)
			mask_assign(set, c, draw(w, 2));
		mask_set(set, draw(w, n));
		return set;
	default:
		mask_fill(set, n);
		return set;
	}
}

static void fork_task(struct world *w, int cpu)
{
	struct fork_decision d;
	struct task *p;
	u64 set[1];

	if (w->nr_tasks == MAX_TASKS)
		return;
	p = rig_task(&w->r, draw(w, 4) ? NULL : random_set(w, set));
	sched_fork_decide(w->r.s, w->r.now, cpu, p, &d);
	assert_true(sched_cpu_online(w->r.s, d.target));
	sched_fork_commit(w->r.s, w->r.now, cpu, p, &d, d.target);
	assert_true(sched_task_allowed(p, sched_task_cpu(p)));
	sched_activate_new(w->r.s, w->r.now, cpu, p);
	w->task[w->nr_tasks++] = p;
}

static void wake_somebody(struct world *w, int cpu)
{
	struct wake_decision d;
	struct wake_query q = {.cpu = cpu, .sync = draw(w, 2), .in_task = draw(w, 2)};

	if (!w->nr_tasks)
		return;
	q.p = w->task[draw(w, w->nr_tasks)];
	if (q.p->state != TASK_SLEEPING || q.p->wake_after_move)
		return;
	sched_wake_decide(w->r.s, w->r.now, &q, &d);
	sched_wake_commit(w->r.s, w->r.now, &q, &d, d.target);
	if (d.path == WAKE_LIST || d.path == WAKE_DIRECT)
		assert_true(sched_task_allowed(q.p, sched_task_cpu(q.p)) &&
			    sched_cpu_online(w->r.s, sched_task_cpu(q.p)));
	switch (d.path) {
	case WAKE_QUEUED:
		w->queued++;
		sched_wake_queued(w->r.s, w->r.now, cpu, q.p);
		break;
	case WAKE_ON_CPU_LIST:
	case WAKE_LIST:
		w->lists++;
		sched_wake_list_add(w->r.s, w->r.now, cpu, q.p);
		w->cpu[sched_task_cpu(q.p)].run_list = true;
		break;
	case WAKE_DIRECT:
		sched_activate(w->r.s, w->r.now, cpu, q.p);
		break;
	case WAKE_SPIN:
		w->spins++;
		break;
	case WAKE_CURRENT:
		fail_msg("a sleeping task can't be the caller");
	}
}

/* a few realtime priorities only, so that equal ones meet */
static void change_policy(struct world *w, struct task *p)
{
	struct task_attr a = {.policy = draw(w, 7), .nice = draw(w, 40) - 20};
	int rc, pinned;

	if (a.policy > POLICY_DEADLINE)
		a.policy = POLICY_DEADLINE;
	if (policy_is_rt(a.policy))
		a.priority = 1 + 7 * draw(w, 5);
	if (a.policy == POLICY_DEADLINE) {
		a.period = (1 + draw(w, 40)) * 500000ULL;
		a.deadline = a.period / (1 + draw(w, 2));
		a.runtime = a.deadline / (2 + draw(w, 20)) + 1024;
		a.flags = draw(w, 3) ? 0 : ATTR_RECLAIM;
	}
	pinned = !mask_subset(cpu_rq(w->r.s, p->cpu)->rd->span, p->allowed, w->r.s->words);
	rc = sched_set_attr(w->r.s, w->r.now, p, &a);
	if (a.policy != POLICY_DEADLINE)
		assert_int_equal(rc, 0);
	else if (rc)
		assert_int_equal(rc, pinned ? -EPERM : -EBUSY);
	w->refused += rc != 0;
}

static void change_clamps(struct world *w, struct task *p)
{
	struct task_attr a = {.flags = ATTR_KEEP_POLICY | ATTR_KEEP_PARAMS | ATTR_UTIL_MIN,
			      .util_min = draw(w, 1026) - 1};
	int rc;

	if (draw(w, 2)) {
		a.flags |= ATTR_UTIL_MAX;
		a.util_max = draw(w, 1025);
	}
	rc = sched_set_attr(w->r.s, w->r.now, p, &a);
	if (!has_uclamp(w->r.s))
		assert_int_equal(rc, -EOPNOTSUPP);
	else if (rc == -EPERM) /* its CPUs were divided anew since it was admitted */
		assert_int_equal(sched_task_policy(p), POLICY_DEADLINE);
	else if (rc)
		assert_int_equal(rc, -EINVAL);
	if (!draw(w, 4) && has_uclamp(w->r.s))
		assert_false(sched_group_set_uclamp(w->r.s, w->r.now, w->group[1 + draw(w, 3)],
						    draw(w, 2), draw(w, 1025), NULL));
	w->clamped += sched_task_uclamp(w->r.s, p, UCLAMP_MAX) < 1024;
}

static void change_group(struct world *w)
{
	struct task_group *tg = w->group[1 + draw(w, 3)];
	u64 period = (2 + draw(w, 8)) * NSEC_PER_MSEC;
	struct sched_bandwidth b = {.quota = SCHED_NO_QUOTA, .period = period};
	struct err err = {0};

	switch (draw(w, 4)) {
	case 0:
		if (w->r.s->k.rules.group_idle)
			assert_false(sched_group_set_idle(w->r.s, w->r.now, tg, draw(w, 2), NULL));
		break;
	case 1:
		assert_int_equal(sched_group_set_shares(w->r.s, w->r.now, tg, 2 + draw(w, 3000),
							&err),
				 tg->idle ? -EINVAL : 0);
		break;
	case 2:
		b.quota = NSEC_PER_MSEC + draw(w, 3 * NSEC_PER_MSEC);
		if (draw(w, 2) && w->r.s->k.rules.bandwidth_burst)
			b.burst = draw(w, b.quota);
		/* fall through */
	default:
		assert_false(sched_group_set_bandwidth(w->r.s, w->r.now, tg, &b, NULL));
	}
}

static void change_somebody(struct world *w)
{
	struct task *p;
	u64 set[1];

	if (!w->nr_tasks)
		return;
	p = w->task[draw(w, w->nr_tasks)];
	if (p->state == TASK_DEAD || p->migrating)
		return;
	switch (draw(w, 9)) {
	case 8:
		change_group(w);
		break;
	case 7:
		change_clamps(w, p);
		break;
	case 5:
	case 6:
		change_policy(w, p);
		break;
	case 0:
	case 1:
		sched_set_affinity(w->r.s, w->r.now, p, random_set(w, set));
		break;
	case 2:
		sched_set_group(w->r.s, w->r.now, p, w->group[draw(w, 4)]);
		break;
	case 3:
		sched_set_slice(w->r.s, w->r.now, p, draw(w, 3) * NSEC_PER_MSEC);
		break;
	default:
		if (!policy_is_fair(sched_task_policy(p)))
			break;
		sched_set_nice(w->r.s, w->r.now, p, draw(w, 3) ? POLICY_NORMAL : POLICY_IDLE,
			       draw(w, 40) - 20);
	}
}

/* ---- what happens to the machine ---- */

static void plug(struct world *w)
{
	int cpu = draw(w, w->r.s->nr_cpus);
	struct err err = {0};

	if (!sched_cpu_online(w->r.s, cpu)) {
		assert_int_equal(sched_cpu_up(w->r.s, w->r.now, cpu, &err), 0);
		w->ups++;
		return;
	}
	if (sched_cpu_down(w->r.s, w->r.now, cpu, &err))
		w->refused_downs++;
	else
		w->downs++;
}

/* two partitions, or one, or none; the rest is isolated */
static void divide(struct world *w)
{
	int n = w->r.s->nr_cpus, nr = draw(w, 3), whole = draw(w, 2), used = 0;
	u64 mask[2][1] = {{0}, {0}};
	const u64 *sets[2] = {mask[0], mask[1]};
	struct err err = {0};
	int rc;

	for (int c = 0; c < n; c++) {
		int part = whole && nr ? 0 : draw(w, 3);

		if (part < nr)
			mask_set(mask[part], c);
	}
	for (int i = 0; i < nr; i++)
		if (mask[i][0])
			sets[used++] = mask[i];
	rc = sched_set_partitions(w->r.s, w->r.now, used, sets, &err);
	assert_true(!rc || rc == -EBUSY);
	w->divided += !rc;
}

static void change_machine(struct world *w)
{
	if (draw(w, 3))
		plug(w);
	else
		divide(w);
}

static void act(struct world *w, int cpu)
{
	struct task *p = sched_current(w->r.s, cpu);

	switch (draw(w, 16)) {
	case 0:
		fork_task(w, cpu);
		break;
	case 1:
	case 2:
	case 3:
	case 4:
		if (p) {
			if (!draw(w, 4))
				sched_task_iowait(p);
			sched_block(w->r.s, w->r.now, cpu, !draw(w, 12));
			w->blocks++;
			schedule(w, cpu);
		}
		break;
	case 5:
		sched_tick(w->r.s, w->r.now, cpu);
		break;
	case 6:
		if (p) {
			sched_yield_task(w->r.s, w->r.now, cpu);
			schedule(w, cpu);
		}
		break;
	case 7:
	case 11:
		if (draw(w, 8))
			change_somebody(w);
		else
			change_machine(w);
		break;
	case 8:
		if (!p)
			sched_nohz_enter(w->r.s, w->r.now, cpu);
		break;
	case 9:
		if (p) {
			struct fork_decision d;

			sched_exec_decide(w->r.s, w->r.now, cpu, &d);
			if (d.target != cpu && !w->cpu[cpu].stop_task) {
				w->cpu[cpu].stop_task = p;
				w->cpu[cpu].stop_dst = d.target;
			}
		}
		break;
	case 10:
		sched_set_freq_scale(w->r.s, w->r.now, cpu, 500 + draw(w, 525));
		break;
	default:
		wake_somebody(w, cpu);
	}
}

/* a CPU that goes down and has nothing to do is dead; Return: whether it is */
static bool leaves(struct world *w, int cpu)
{
	bool was = cpu_rq(w->r.s, cpu)->dead, dead;
	const struct cpu *c = &w->cpu[cpu];

	if (sched_cpu_online(w->r.s, cpu) || c->push || c->stop_task || c->empty || c->run_list)
		return false;
	dead = sched_cpu_dead(w->r.s, w->r.now, cpu);
	take_requests(w);
	if (dead)
		w->cpu[cpu].resched = w->cpu[cpu].kick = false;
	w->deaths += dead && !was;
	return dead;
}

static void step(struct world *w)
{
	int cpu = draw(w, w->r.s->nr_cpus);
	struct err err = {0};

	w->r.now += draw(w, 4) ? draw(w, 3000) : draw(w, 2000000);
	if (w->psi_at <= w->r.now)
		sched_psi_update(w->r.s, w->r.now);
	if (w->cpu[cpu].state == CPU_RUNS && leaves(w, cpu))
		return;
	if (w->cpu[cpu].state != CPU_RUNS)
		go_on(w, cpu);
	else if (!interrupt(w, cpu))
		act(w, cpu);
	take_requests(w);
	if (sched_check(w->r.s, w->r.now, &err))
		fail_msg("%s, seed %llu: %s (again: IDLEST_SEED=%llu)", w->kernel,
			 (unsigned long long)w->seed, err.msg, (unsigned long long)w->seed);
}

static bool busy(const struct world *w)
{
	for (int c = 0; c < w->r.s->nr_cpus; c++) {
		const struct cpu *cpu = &w->cpu[c];

		if (cpu->state != CPU_RUNS || cpu->run_list || cpu->resched || cpu->push ||
		    cpu->stop_task || sched_current(w->r.s, c) || sched_nr_running(w->r.s, c))
			return true;
	}
	for (int i = 0; i < w->nr_tasks; i++)
		if (w->task[i]->state == TASK_RUNNABLE) /* throttled: it waits for its timer */
			return true;
	return false;
}

/* let everybody wake and sleep once more: nobody may be lost */
static void drain(struct world *w)
{
	for (int i = 0; i < 400000 && busy(w); i++) {
		int cpu = i % w->r.s->nr_cpus;

		/* a throttled CPU waits for its period; all CPUs get their turn in the shortest one */
		w->r.now += i < 50000 ? 1000 : 25000;
		if (w->cpu[cpu].state == CPU_RUNS && leaves(w, cpu))
			continue;
		if (w->cpu[cpu].state != CPU_RUNS) {
			go_on(w, cpu);
		} else if (!interrupt(w, cpu) && sched_current(w->r.s, cpu)) {
			sched_block(w->r.s, w->r.now, cpu, true);
			schedule(w, cpu);
		} else if (!sched_current(w->r.s, cpu) && sched_nr_running(w->r.s, cpu) &&
			   w->cpu[cpu].state == CPU_RUNS) {
			schedule(w, cpu); /* delayed ones are left */
		}
		take_requests(w);
	}
	for (int c = 0; c < w->r.s->nr_cpus; c++) {
		const struct task *p = sched_current(w->r.s, c);

		if (w->cpu[c].state != CPU_RUNS || p || sched_nr_running(w->r.s, c))
			fail_msg("%s, seed %llu: CPU %d never gets idle: state %d, current %d, %d "
				 "queued",
				 w->kernel, (unsigned long long)w->seed, c, w->cpu[c].state,
				 p ? p->id : 0, sched_nr_running(w->r.s, c));
	}
	for (int i = 0; i < w->nr_tasks; i++)
		assert_int_equal(w->task[i]->state, TASK_SLEEPING);
	rig_check(&w->r, "drained");
}

static void check_pressure(struct world *w)
{
	struct sched_psi psi;

	if (!sched_psi_enabled(w->r.s))
		return;
	for (int g = 0; g < 4; g++) {
		for (enum psi_res res = 0; res < PSI_IRQ; res++) {
			assert_int_equal(sched_psi_read(w->r.s, w->r.now, w->group[g], res, &psi),
					 0);
			assert_true(psi.some.total_us >= psi.full.total_us);
			assert_true(psi.some.avg10 >= psi.full.avg10);
		}
		w->pressed += psi.some.total_us;
	}
}

static const struct rig_machine machines[] = {
	RIG_MACHINE(1, 1, 1, 1, 1, 1), /* a uniprocessor has no domain */
	RIG_MACHINE(1, 1, 1, 1, 4, 1), RIG_MACHINE(1, 1, 2, 1, 3, 2),
	RIG_MACHINE(2, 2, 2, 1, 2, 2), RIG_MACHINE(1, 2, 1, 2, 4, 1, .arm = true),
	RIG_MACHINE(1, 1, 1, 2, 4, 1, .arm = true, .little = 446),
};

static const char *const kernels[] = {"v5.7", "v5.10", "v5.17",	   "v5.18", "v6.1", "v6.1.192",
				      "v6.6", "v6.12", "v6.12.95", "v6.18", "v7.3"};

static void one_world(u64 seed, struct world *sum)
{
	struct world w = {.seed = seed, .kernel = kernels[seed % ARRAY_SIZE(kernels)]};

	rng_init(&w.rng, seed, 9);
	rig_new(&w.r, &machines[draw(&w, ARRAY_SIZE(machines))], w.kernel);
	rig_boot(&w.r, seed);
	for (int c = 0; c < w.r.s->nr_cpus; c++)
		w.cpu[c].timer_at = UINT64_MAX;
	w.psi_at = UINT64_MAX;
	if (draw(&w, 2))
		assert_int_equal(sched_psi_enable(w.r.s, w.r.now, NULL), 0);
	for (int i = 1; i < 4; i++)
		w.group[i] = sched_group_new(w.r.s, i == 3 ? w.group[2] : NULL, 300 * i, NULL);
	for (int i = 0; i < STEPS; i++)
		step(&w);
	drain(&w);
	check_pressure(&w);
	sum->pressed += w.pressed;
	for (int i = 1; i < 4; i++) {
		struct sched_bandwidth_stat st;

		sched_group_bandwidth_stat(w.r.s, w.group[i], &st);
		sum->nr_throttled += st.nr_throttled;
		sum->throttled_time += st.throttled_time;
	}
	sum->throttled += w.throttled;
	sum->clamped += w.clamped;
	sum->downs += w.downs;
	sum->ups += w.ups;
	sum->refused_downs += w.refused_downs;
	sum->deaths += w.deaths;
	sum->divided += w.divided;
	sum->rt_asked += w.rt_asked;
	sum->rt_pushes += w.r.s->nr_rt_pushes;
	sum->rt_pulls += w.r.s->nr_rt_pulls;
	sum->dl_pushes += w.r.s->nr_dl_pushes;
	sum->dl_pulls += w.r.s->nr_dl_pulls;
	sum->dl_throttled += w.dl_throttled;
	sum->refused += w.refused;
	sum->spins += w.spins;
	sum->lists += w.lists;
	sum->queued += w.queued;
	sum->pulled += w.pulled;
	sum->pushed += w.pushed;
	sum->moved += w.moved;
	sum->walks += w.walks;
	sum->blocks += w.blocks;
	rig_free(&w.r);
}

static void random_worlds(void **state)
{
	const char *seed = getenv("IDLEST_SEED"), *rounds = getenv("IDLEST_ROUNDS");
	int n = rounds ? atoi(rounds) : 400;
	struct world sum = {0};

	if (seed) {
		one_world(strtoull(seed, NULL, 10), &sum);
		return;
	}
	for (int i = 1; i <= n; i++)
		one_world(i, &sum);
	/* a scenario in which a path never occurs tests it not */
	assert_true(sum.spins && sum.lists && sum.queued && sum.pulled && sum.moved && sum.walks);
	assert_true(sum.clamped && sum.pressed);
	assert_true(sum.throttled && sum.nr_throttled && sum.throttled_time);
	assert_true(sum.rt_asked && sum.rt_pushes && sum.rt_pulls);
	assert_true(sum.dl_pushes && sum.dl_pulls && sum.dl_throttled && sum.refused);
	assert_true(sum.downs && sum.ups && sum.refused_downs && sum.deaths && sum.divided);
	print_message("CPUs down %llu, dead %llu, up %llu, refused %llu, divided %llu times\n",
		      (unsigned long long)sum.downs, (unsigned long long)sum.deaths,
		      (unsigned long long)sum.ups, (unsigned long long)sum.refused_downs,
		      (unsigned long long)sum.divided);
	print_message(
		"blocks %llu, spins %llu, lists %llu, delayed %llu, pulled %llu, pushed %llu, "
		"moved %llu, walks %llu, realtime pushed %llu, pulled %llu, asked %llu, "
		"deadline pushed %llu, pulled %llu, throttled %llu, refused %llu\n",
		(unsigned long long)sum.blocks, (unsigned long long)sum.spins,
		(unsigned long long)sum.lists, (unsigned long long)sum.queued,
		(unsigned long long)sum.pulled, (unsigned long long)sum.pushed,
		(unsigned long long)sum.moved, (unsigned long long)sum.walks,
		(unsigned long long)sum.rt_pushes, (unsigned long long)sum.rt_pulls,
		(unsigned long long)sum.rt_asked, (unsigned long long)sum.dl_pushes,
		(unsigned long long)sum.dl_pulls, (unsigned long long)sum.dl_throttled,
		(unsigned long long)sum.refused);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_worlds)};

	return cmocka_run_group_tests_name("scenario", tests, NULL, NULL);
}
