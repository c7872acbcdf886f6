// SPDX-License-Identifier: BSD-2-Clause
/*
 * Kept sums give the decisions that reading every CPU gives, whatever happened before.
 */
#include <errno.h>

#include "world.h"

static const char *const kernels[] = { "v5.10", "v5.17", "v6.1", "v6.6", "v6.12", "v7.3" };

/* as if nothing had been counted: every CPU is read singly */
static void forget_sums(struct sched *s)
{
	for (int c = 0; c < s->nr_cpus; c++)
		rq_load_changed(cpu_rq(s, c));
}

/* Return: groups of @sd whose sums are fresh */
static int fresh_groups(const struct sched_domain *sd)
{
	const struct sched_group *g = sd->groups;
	int n = 0;

	do {
		n += group_load(g) != NULL;
		g = g->next;
	} while (g != sd->groups);
	return n;
}

static struct balance_decision summed, read;

/* Return: groups whose sums were used */
static int compare_pass(struct world *w, int cpu, struct sched_domain *sd, enum cpu_idle_type kind)
{
	struct sched *s = w->r.s;
	int fresh;

	group_sums_refresh(s, sd);
	fresh = fresh_groups(sd);
	balance_decide(s, w->r.now, cpu, sd, kind, &summed);
	forget_sums(s);
	assert_int_equal(fresh_groups(sd), 0);
	balance_decide(s, w->r.now, cpu, sd, kind, &read);
	assert_memory_equal(&summed, &read, offsetof(struct balance_decision, look));
	assert_memory_equal(summed.look, read.look, read.nr_looks * sizeof(read.look[0]));
	/* counted again, so that the events to come are noted one by one */
	group_sums_refresh(s, sd);
	return fresh;
}

static int compare_passes(struct world *w)
{
	int cpu = draw(w, w->r.s->nr_cpus), fresh = 0;
	struct sched_domain *sd;

	for_each_domain(cpu_rq(w->r.s, cpu), sd)
		for (int kind = 0; kind < NR_IDLE_TYPES; kind++)
			fresh += compare_pass(w, cpu, sd, kind);
	return fresh;
}

/* weights, groups, capacities and misfits change, too */
static void unusual_event(struct world *w, struct task_group **groups)
{
	struct sched *s = w->r.s;
	struct rq *rq = cpu_rq(s, draw(w, s->nr_cpus));

	if (!w->nr)
		return;
	switch (draw(w, 4)) {
	case 0:
		sched_set_nice(s, w->r.now, w->task[draw(w, w->nr)], draw(w, 3), draw(w, 40) - 20);
		break;
	case 1:
		sched_set_group(s, w->r.now, w->task[draw(w, w->nr)], groups[draw(w, 2)]);
		break;
	case 2:
		rq->misfit_task_load = draw(w, 2) * 600;
		rq_load_changed(rq);
		break;
	case 3:
		rq->cpu_capacity = rq->cpu_capacity_orig - draw(w, 2) * 300;
		rq_load_changed(rq);
		break;
	}
	rig_handle_requests(&w->r);
}

static void run_world(int seed, const char *kernel, const int *shape, int little, int *fresh)
{
	struct world w = { 0 };
	struct task_group *groups[2];
	struct err err = { 0 };
	struct rng boot;

	rig_start_mixed(&w.r, kernel, shape[0], shape[1], shape[2], shape[3], little);
	w.r.between = meanwhile;
	rng_init(&w.rng, seed, 3);
	rng_init(&boot, seed, 4);
	sched_boot(w.r.s, w.r.now, &boot);
	groups[0] = sched_group_new(w.r.s, NULL, 512, &err);
	groups[1] = sched_group_new(w.r.s, groups[0], 1024, &err);
	for (int i = 0; i < 500; i++) {
		if (draw(&w, 8))
			random_event(&w);
		else
			unusual_event(&w, groups);
		*fresh += compare_passes(&w);
		if (sched_check(w.r.s, w.r.now, &err))
			fail_msg("seed %d (%s), event %d: %s", seed, kernel, i, err.msg);
	}
	rig_stop(&w.r);
}

static void same_as_read_singly(void **state)
{
	static const int shape[][4] = {
		{ 1, 2, 2, 2 }, { 2, 2, 2, 2 }, { 4, 1, 2, 1 }, { 2, 3, 1, 1 }
	};
	int fresh = 0;

	for (int seed = 0; seed < 48; seed++)
		run_world(seed, kernels[seed % ARRAY_SIZE(kernels)],
			  shape[seed / 6 % ARRAY_SIZE(shape)], seed & 1 ? 3 : 0, &fresh);
	print_message("%d sums read\n", fresh);
	assert_true(fresh > 10000);
}

/* groups of whole LLCs have sums, those inside one have none */
static void what_is_kept(void **state)
{
	struct sched_domain *sd;
	struct rig r;

	rig_start(&r, "v6.12", 2, 2, 4, 2);
	for_each_domain(cpu_rq(r.s, 0), sd) {
		const struct sched_group *g = sd->groups;

		do {
			assert_int_equal(g->sums != NULL, g->weight >= 8);
			g = g->next;
		} while (g != sd->groups);
	}
	/* its own, and that of its node */
	for (int i = 0; i < r.s->nr_llcs; i++)
		assert_int_equal(r.s->llc[i].nr_sums, 2);
	/* all CPUs share them */
	assert_ptr_equal(cpu_rq(r.s, 0)->sd->parent->parent->groups->sums,
			 cpu_rq(r.s, 1)->sd->parent->parent->groups->sums);
	rig_stop(&r);

	/* one LLC: nobody would read any sum */
	rig_start(&r, "v6.12", 1, 1, 4, 2);
	assert_int_equal(r.s->llc[0].nr_sums, 0);
	rig_task(&r, 0, NULL);
	group_sums_refresh(r.s, cpu_rq(r.s, 0)->sd->parent);
	rig_check(&r);
	rig_stop(&r);
}

/* a change that nobody told is found by recounting */
static void untold_change_is_found(void **state)
{
	struct err err = { 0 };
	struct sched_domain *sd;
	struct rig r;

	rig_start(&r, "v6.12", 1, 2, 2, 1);
	rig_task(&r, 0, NULL);
	sd = rig_domain(&r, 0, "PKG");
	group_sums_refresh(r.s, sd);
	assert_int_equal(group_sums_check(r.s, &err), 0);
	assert_int_equal(group_load(sd->groups)->nr, 1);
	assert_int_equal(group_load(sd->groups)->idle, 1);
	cpu_rq(r.s, 1)->cfs.avg.load_avg += 5;
	assert_int_equal(group_sums_check(r.s, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "CPU 1"));
	rq_load_changed(cpu_rq(r.s, 1));
	assert_int_equal(group_sums_check(r.s, &err), 0);
	assert_null(group_load(sd->groups));
	cpu_rq(r.s, 1)->cfs.avg.load_avg -= 5;
	group_sums_refresh(r.s, sd);
	cpu_rq(r.s, 1)->llc->sums[0]->sum.util++;
	assert_int_equal(group_sums_check(r.s, &err), -EINVAL);
	rig_stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_read_singly),
		cmocka_unit_test(what_is_kept),
		cmocka_unit_test(untold_change_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
