// SPDX-License-Identifier: BSD-2-Clause
/*
 * Decisions as they are told: complete, in order, and without changing the run.
 */
#include <errno.h>

#include "explain/summary.h"
#include "fixture.h"

#define US NSEC_PER_USEC

/* What was heard. */
struct heard {
	u64 nr[NR_STEPS], again, last_nr, last_now, ran, spins, unknown;
	bool out_of_order, late_step, no_kind, early;
	const struct sched_topology *topo;
	struct explain_summary *summary;
};

static void decided(void *ctx, const struct explain_decision *d)
{
	struct heard *h = ctx;

	h->no_kind |= !explain_kind_name(d->kind);
	h->out_of_order |= d->now < h->last_now;
	h->last_now = d->now;
	if (d->kind == STEP_WAKEUP && !d->again) {
		h->out_of_order |= d->nr != h->last_nr + 1;
		h->last_nr = d->nr;
	}
	h->again += d->again;
	h->spins += d->kind == STEP_WAKEUP && d->value[0] == WAKE_SPIN;
	h->nr[d->kind]++;
	for (int i = 0; i < d->nr_steps; i++)
		h->unknown += !strcmp(sched_step_name(d->step[i].step), "?") ||
			      d->step[i].step == STEP_NONE || explain_kind_name(d->step[i].step);
	explain_summary_add(h->summary, d);
}

static void ran(void *ctx, const struct explain_ran *r)
{
	struct heard *h = ctx;

	h->ran++;
	h->early |= r->queued_at < r->decided_at || r->ran_at < r->queued_at;
	explain_summary_ran(h->summary, r);
}

static void run(const struct setting *s, const char *kernel, struct heard *h, struct result *r)
{
	const struct explain_listener l = {h, decided, ran};
	struct sim_params p = {.seed = 3};
	struct sched_kernel k = kernel_of(kernel);
	struct explain *e = NULL;
	struct err err = {0};

	if (h) {
		*h = (struct heard){.topo = &s->m->topo,
				    .summary = explain_summary_new(&s->m->topo)};
		e = explain_new(s->m->topo.nr_cpus, &l);
		assert_non_null(e);
		explain_attach(e, &p);
	}
	if (workload_run(s->w, s->m, &k, &p, r, &err))
		fail_msg("%s: %s", kernel, err.msg);
	if (e)
		assert_int_equal(explain_error(e), 0);
	explain_free(e);
}

static const char *const kernels[] = {"v5.7", "v5.10", "v6.1", "v6.12", "v7.3"};

static u64 counted(const struct explain_rule *rules)
{
	u64 n = 0;

	for (int i = 0; i < NR_REASONS; i++)
		n += rules[i].count;
	return n;
}

/* every wake-up, fork and pull of the run is told, once */
static void complete(void **state)
{
	struct setting s;

	setting_new(&s, "pack:2 l3:2 core:4 pu:2", "hackbench:groups=2,loops=30");
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct result r;
		struct heard h;

		run(&s, kernels[i], &h, &r);
		assert_false(h.out_of_order || h.no_kind || h.early);
		assert_int_equal(h.unknown, 0);
		assert_int_equal(h.last_nr, r.counter[CNT_wakeups]);
		assert_int_equal(h.spins, r.counter[CNT_wakeups_spun]);
		assert_int_equal(h.nr[STEP_FORK], r.counter[CNT_forks]);
		assert_int_equal(h.nr[STEP_PULL], r.counter[CNT_balance_moved]);
		/* who waits for a CPU when the run ends never ran */
		assert_in_range(h.ran, r.counter[CNT_wakeups] + r.counter[CNT_forks] - 100,
				r.counter[CNT_wakeups] + r.counter[CNT_forks]);
		assert_int_equal(h.summary->nr_wakeups + h.spins, h.nr[STEP_WAKEUP]);
		assert_int_equal(counted(h.summary->wakeup), h.summary->nr_wakeups);
		assert_int_equal(counted(h.summary->fork), r.counter[CNT_forks]);
		explain_summary_free(h.summary);
	}
	setting_free(&s);
}

/* a run that is listened to comes out to the last digit as one that isn't */
static void listening_changes_nothing(void **state)
{
	struct setting s;

	setting_new(&s, "pack:2 l3:2 core:4 pu:2", "hackbench:groups=2,loops=30");
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct result a, b;
		struct heard h;

		run(&s, kernels[i], NULL, &a);
		run(&s, kernels[i], &h, &b);
		assert_int_equal(a.simulated_ns, b.simulated_ns);
		assert_memory_equal(a.counter, b.counter, sizeof(a.counter));
		assert_true(a.metric[0].value == b.metric[0].value);
		explain_summary_free(h.summary);
	}
	setting_free(&s);
}

/* ---- one decision in full ---- */

struct first {
	struct explain *e;
	int words, reason;
	struct explain_decision d;
	u64 masks[EXPLAIN_MAX_STEPS];
	bool found;
};

static void keep_first(void *ctx, const struct explain_decision *d)
{
	struct first *f = ctx;

	if (f->found || d->kind != STEP_WAKEUP || d->reason != f->reason)
		return;
	explain_copy(&f->d, d, f->masks, f->words);
	f->found = true;
	explain_stop(f->e);
}

static void first_of(const char *kernel, int reason, struct first *f)
{
	const struct explain_listener l = {.ctx = f, .decision = keep_first};
	struct sim_params p = {.seed = 1};
	struct sched_kernel k = kernel_of(kernel);
	struct setting s;
	struct result r;
	struct err err = {0};

	*f = (struct first){.words = 1, .reason = reason};
	setting_new(&s, "pack:1 l3:2 core:4 pu:2", "hackbench:groups=2,loops=50");
	f->e = explain_new(s.m->topo.nr_cpus, &l);
	explain_attach(f->e, &p);
	assert_int_equal(workload_run(s.w, s.m, &k, &p, &r, &err), -ECANCELED);
	assert_true(f->found && explain_stopped(f->e));
	explain_free(f->e);
	setting_free(&s);
}

static const struct explain_step *step_of(const struct explain_decision *d, int step)
{
	for (int i = 0; i < d->nr_steps; i++)
		if (d->step[i].step == step)
			return &d->step[i];
	return NULL;
}

/* the search tells which CPUs it read: as many as it says, the chosen one last */
static void search_in_full(void **state)
{
	static const char *const kernel[] = {"v6.1", "v6.12"};

	for (int i = 0; i < 2; i++) {
		const struct explain_step *limit, *search, *target;
		struct first f;

		first_of(kernel[i], REASON_IDLE_CPU, &f);
		target = step_of(&f.d, STEP_TARGET);
		limit = step_of(&f.d, STEP_LIMIT);
		search = step_of(&f.d, STEP_SEARCH);
		assert_non_null(step_of(&f.d, STEP_WAKE_WIDE));
		assert_non_null(target);
		assert_non_null(limit);
		assert_non_null(search);
		assert_false(target->taken || limit->taken);
		assert_true(search->taken && search->cpus);
		assert_int_equal(search->candidate, f.d.target);
		assert_int_equal(mask_weight(search->cpus, 1), search->value[0]);
		assert_true(mask_test(search->cpus, f.d.target));
		if (limit->value[2] >= 0)
			assert_true(search->value[0] <= limit->value[2]);
		assert_true(f.d.target_idle);
	}
}

static char *printed(const struct explain_decision *d, int nr_cpus)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	explain_print(d, nr_cpus, false, f);
	fclose(f);
	return text;
}

static void text_and_json(void **state)
{
	struct first f;
	json_t *j, *steps;
	char *text;

	first_of("v6.1", REASON_IDLE_CPU, &f);
	text = printed(&f.d, 16);
	assert_non_null(strstr(text, "select_idle_sibling: is the target free?"));
	assert_non_null(strstr(text, "IDLE_CPU"));
	assert_non_null(strstr(text, "an idle CPU of the LLC"));
	free(text);
	j = explain_json(&f.d, 16);
	assert_string_equal(json_string_value(json_object_get(j, "reason")), "IDLE_CPU");
	assert_int_equal(json_integer_value(json_object_get(j, "cpu")), f.d.target);
	steps = json_object_get(j, "steps");
	assert_int_equal(json_array_size(steps), f.d.nr_steps);
	json_decref(j);
}

static void words(void **state)
{
	u64 cpus[2] = {0x8f, 3};
	char buf[64], tiny[20];

	assert_string_equal(explain_cpu_list(cpus, 128, buf, sizeof(buf)), "0-3,7,64-65");
	cpus[0] = 0x5555555555555555;
	assert_non_null(strstr(explain_cpu_list(cpus, 128, tiny, sizeof(tiny)), "…"));
	assert_int_equal(explain_kind("pull"), STEP_PULL);
	assert_int_equal(explain_kind("SEARCH"), -1);
	assert_string_equal(explain_value_text(STEP_PASS, 0, 6, buf, sizeof(buf)), "moved");
	assert_string_equal(explain_value_text(STEP_LIMIT, 2, -1, buf, sizeof(buf)), "all");
	assert_string_equal(explain_value_text(STEP_LIMIT, 2, 5, buf, sizeof(buf)), "5");
	for (int i = 0; i < NR_STEPS; i++) {
		assert_string_not_equal(sched_step_name(i), "?");
		assert_true(strlen(sched_step_doc(i)) > 3);
	}
	assert_null(sched_step_value(STEP_PREV, 2));
	assert_null(sched_step_value(NR_STEPS, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(complete),
		cmocka_unit_test(listening_changes_nothing),
		cmocka_unit_test(search_in_full),
		cmocka_unit_test(text_and_json),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests_name("listen", tests, NULL, NULL);
}
