// SPDX-License-Identifier: BSD-2-Clause
/*
 * The search of an LLC by words against the walk that the rules describe (spec
 * 04 §6, §8): same CPU, same number of CPUs read, same effects, on random states.
 */
#include "../core/rig.h"
#include "sched/place/place.h"

struct answer {
	enum scan_result res;
	int cpu;
	int visited;
	bool clear_idle_cores;
};

/* ---- the walk, candidate by candidate ---- */

struct walk {
	const struct wake_ctx *c;
	int target;
	bool cand[512];
	int nr, visited, remembered;
	bool util;
};

static bool walk_core(struct walk *w, int cpu)
{
	const struct sched *s = w->c->s;
	int core = s->topo->cpu[cpu].core;
	bool idle = true;

	for (int t = 0; t < s->nr_cpus; t++) {
		if (s->topo->cpu[t].core != core)
			continue;
		w->visited++;
		if (!idle_cpu(s, t))
			idle = false;
	}
	if (idle)
		return true;
	for (int t = 0; t < s->nr_cpus; t++)
		if (s->topo->cpu[t].core == core && w->cand[t] && w->remembered < 0 &&
		    cpu_is_free(w->c, t))
			w->remembered = t;
	for (int t = 0; t < s->nr_cpus; t++)
		if (s->topo->cpu[t].core == core)
			w->cand[t] = false;
	return false;
}

static enum scan_result walk_mask(struct walk *w, const u64 *span, int start, bool has_core,
				  int *cpu)
{
	const struct sched *s = w->c->s;

	for (int i = 0; i < s->nr_cpus; i++) {
		int c = (start + i) % s->nr_cpus;

		if (!mask_test(span, c) || !w->cand[c])
			continue;
		if (has_core) {
			if (walk_core(w, c)) {
				*cpu = c;
				return SCAN_FOUND;
			}
			continue;
		}
		if (--w->nr <= 0)
			return SCAN_GAVE_UP;
		w->visited++;
		if (cpu_is_free(w->c, c)) {
			*cpu = c;
			return SCAN_FOUND;
		}
	}
	return SCAN_NOTHING;
}

static enum scan_result walk_llc(struct walk *w, bool has_core, struct answer *a)
{
	const struct sched *s = w->c->s;
	const struct sched_rules *rules = &s->k.rules;
	const struct rq *rq = &s->rq[w->target];
	int start = rules->scan_start == SCAN_AFTER_TARGET ? w->target + 1 : w->target;
	const u64 *cluster = NULL;
	enum scan_result res;

	if (rules->idle_core_first && s->smt_active && rq->llc->has_idle_cores) {
		bool cand[512];

		memcpy(cand, w->cand, sizeof(cand));
		res = walk_mask(w, rq->sd_llc->span, start, true, &a->cpu);
		if (res == SCAN_FOUND)
			return res;
		memcpy(w->cand, cand, sizeof(cand));
		w->remembered = -1;
		a->clear_idle_cores = true;
	}
	w->nr = INT_MAX;
	if (feat(s, FEAT_SIS_PROP) && !has_core) {
		const struct rq *this = &s->rq[w->c->q->cpu];
		u64 avg = rules->scan_limit == SCAN_PROP_OLD ? this->avg_idle / 512
							     : this->wake_avg_idle;
		u64 cost = this->avg_scan_cost + 1;

		if (rules->scan_limit == SCAN_PROP_NEW)
			for (u64 j = this->wake_stamp / s->tick_ns; j < w->c->now / s->tick_ns; j++)
				avg /= 2;
		w->nr = rq->sd_llc->weight * avg > 4 * cost ? rq->sd_llc->weight * avg / cost : 4;
	}
	if (feat(s, FEAT_SIS_UTIL)) {
		w->nr = rq->llc->nr_idle_scan + 1;
		if (w->nr == 1)
			return SCAN_GAVE_UP;
	}
	if (s->cluster_active && rules->cluster == CLUSTER_V7 && rq->sd_cluster)
		cluster = rq->sd_cluster->span;
	if (s->cluster_active && rules->cluster == CLUSTER_MERGED &&
	    rq->sd_llc->groups->flags & SD_CLUSTER)
		cluster = rq->sd_llc->groups->span;
	if (cluster) {
		res = walk_mask(w, cluster, w->target + 1, has_core, &a->cpu);
		if (res != SCAN_NOTHING)
			return res;
		for (int c = 0; c < s->nr_cpus; c++)
			if (mask_test(cluster, c))
				w->cand[c] = false;
	}
	res = walk_mask(w, rq->sd_llc->span, start, has_core, &a->cpu);
	if (!has_core || res == SCAN_FOUND)
		return res;
	a->clear_idle_cores = true;
	if (w->remembered < 0)
		return SCAN_NOTHING;
	a->cpu = w->remembered;
	return SCAN_FOUND;
}

static struct answer walk(const struct wake_ctx *c, int target, bool has_core)
{
	struct walk w = {.c = c, .target = target, .remembered = -1};
	struct answer a = {.cpu = -1};

	for (int i = 0; i < c->s->nr_cpus; i++)
		w.cand[i] =
			mask_test(c->s->rq[target].sd_llc->span, i) && mask_test(c->p->allowed, i);
	a.res = walk_llc(&w, has_core, &a);
	a.visited = w.visited;
	return a;
}

/* ---- random states ---- */

static const struct rig_machine machines[] = {
	RIG_MACHINE(1, 1, 2, 1, 8, 2),			  /* LLCs of two runs of numbers */
	RIG_MACHINE(1, 1, 1, 1, 48, 2, .adjacent = true), /* an LLC of two words */
	RIG_MACHINE(1, 1, 1, 1, 40, 4),			  /* four threads a core, three words */
	RIG_MACHINE(1, 2, 1, 8, 4, 1, .arm = true),	  /* clusters of four */
	RIG_MACHINE(1, 1, 1, 4, 2, 2),			  /* clusters of two cores with SMT */
	RIG_MACHINE(1, 1, 3, 1, 5, 1),
};

static const char *const kernels[] = {
	"v5.7",
	"v5.10",
	"v5.17",
	"v5.18",
	"v5.19-tip",
	"v5.19-tip,+CLUSTER_V7",
	"v6.1",
	"v6.1,SIS_PROP,NO_SIS_UTIL",
	"v6.1,NO_SIS_UTIL",
	"v6.6",
	"v6.12",
	"v6.12,NO_SIS_UTIL",
	"v7.3",
};

static void random_state(struct rig *r, struct rng *rng)
{
	int idle_permille = (int)rng_below(rng, 1001);
	struct sched *s = r->s;

	for (int c = 0; c < s->nr_cpus; c++) {
		int v = (int)rng_below(rng, 1000);

		rig_set(r, c,
			v < idle_permille ? RIG_IDLE
			: (v & 15) == 0	  ? RIG_SCHED_IDLE
			: (v & 15) == 1	  ? RIG_PENDING
					  : RIG_BUSY);
	}
	for (int i = 0; i < s->nr_llcs; i++) {
		s->llc[i].has_idle_cores = s->smt_active && rng_below(rng, 2);
		s->llc[i].nr_idle_scan = rng_below(rng, 3)
						 ? (int)rng_below(rng, s->llc[i].nr_cpus + 1)
						 : (int)rng_below(rng, 4);
	}
	for (int c = 0; c < s->nr_cpus; c++) {
		s->rq[c].avg_idle = rng_below(rng, 1000000);
		s->rq[c].wake_avg_idle = rng_below(rng, 500000);
		s->rq[c].wake_stamp = r->now - rng_below(rng, 40 * NSEC_PER_MSEC);
		s->rq[c].avg_scan_cost = rng_below(rng, 20000);
	}
}

static void random_affinity(struct rig *r, struct rng *rng, struct task *p)
{
	int permille = rng_below(rng, 3) ? (int)rng_below(rng, 1001) : 1001;
	struct sched *s = r->s;

	for (int c = 0; c < s->nr_cpus; c++)
		mask_assign(p->allowed, c, (int)rng_below(rng, 1001) < permille);
	p->nr_allowed = mask_weight(p->allowed, s->words);
	p->allowed_all = p->nr_allowed == s->nr_cpus;
	p->policy = rng_below(rng, 4) ? POLICY_NORMAL : POLICY_IDLE;
}

static void compare(struct rig *r, struct rng *rng, struct task *p, const char *kernel, int round)
{
	const struct sched *s = r->s;
	int target = (int)rng_below(rng, s->nr_cpus), cpu = -1, read = 0;
	struct wake_query q = {.cpu = (int)rng_below(rng, s->nr_cpus), .p = p};
	bool has_core =
		s->smt_active && !s->k.rules.idle_core_first && s->rq[target].llc->has_idle_cores;
	struct wake_decision d = {0};
	struct sched_work w = {.kind = WORK_SELECT};
	struct wake_ctx c = {
		.s = s,
		.now = r->now,
		.q = &q,
		.d = &d,
		.w = &w,
		.p = p,
		.prev = target,
		.sched_idle_free = s->k.rules.sched_idle_free_for_idle || p->policy != POLICY_IDLE,
	};
	struct answer want = walk(&c, target, has_core);
	enum scan_result res = select_idle_cpu(&c, target, has_core, &cpu);

	for (int i = 0; i < NR_DISTANCES; i++)
		read += w.cpus[i];
	if (res != want.res || (res == SCAN_FOUND && cpu != want.cpu) || read != want.visited ||
	    d.clear_idle_cores != want.clear_idle_cores)
		fail_msg("%s, %d CPUs, round %d, target %d, idle core %d: expected result %d, CPU "
			 "%d, "
			 "%d read, clear %d; came %d, %d, %d, %d",
			 kernel, s->nr_cpus, round, target, has_core, want.res, want.cpu,
			 want.visited, want.clear_idle_cores, res, cpu, read, d.clear_idle_cores);
	if (d.prop_scan)
		assert_int_equal(d.scan_ns % RIG_PRICE, 0);
}

static void words_equal_walk(void **state)
{
	for (size_t m = 0; m < ARRAY_SIZE(machines); m++) {
		for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
			struct rig r;
			struct rng rng;
			struct task *p;

			rig_new(&r, &machines[m], kernels[k]);
			rng_init(&rng, 7, m * 100 + k);
			p = rig_task(&r, NULL);
			for (int round = 0; round < 600; round++) {
				random_state(&r, &rng);
				random_affinity(&r, &rng, p);
				for (int i = 0; i < 4; i++)
					compare(&r, &rng, p, kernels[k], round);
			}
			rig_free(&r);
		}
	}
}

/* ---- the limits' own examples ---- */

/* one busy LLC of 16; how far does a scan get? */
static int read_until_limit(struct rig *r)
{
	struct task *p = rig_task(r, NULL);
	struct wake_query q = {.cpu = 0, .p = p};
	struct wake_decision d = {0};
	struct sched_work w = {.kind = WORK_SELECT};
	struct wake_ctx c = {.s = r->s, .now = r->now, .q = &q, .d = &d, .w = &w, .p = p};
	int cpu, read = 0;

	rig_set_all(r, RIG_BUSY);
	select_idle_cpu(&c, 0, false, &cpu);
	for (int i = 0; i < NR_DISTANCES; i++)
		read += w.cpus[i];
	return read;
}

/* SIS_PROP, 16 CPUs: wake_avg_idle 5000, avg_scan_cost 2000 gives 39; 1000/5000 gives 4 */
static void prop_examples(void **state)
{
	static const struct rig_machine m = RIG_MACHINE(1, 1, 1, 1, 48, 1);
	struct rig r;

	rig_new(&r, &machines[0], "v5.17");
	r.s->rq[0].wake_stamp = r.now;
	r.s->rq[0].wake_avg_idle = 1000;
	r.s->rq[0].avg_scan_cost = 5000;
	assert_int_equal(read_until_limit(&r), 3); /* nr 4 */
	r.s->rq[0].wake_avg_idle = 5000;
	r.s->rq[0].avg_scan_cost = 2000;
	assert_int_equal(read_until_limit(&r), 16); /* nr 39: all of them */
	rig_free(&r);
	rig_new(&r, &m, "v5.17"); /* 48 CPUs show the 39: 48·5000/6003 */
	r.s->rq[0].wake_stamp = r.now;
	r.s->rq[0].wake_avg_idle = 5000;
	r.s->rq[0].avg_scan_cost = 6002;
	assert_int_equal(read_until_limit(&r), 38);
	r.s->rq[0].wake_stamp = r.now - 8 * NSEC_PER_MSEC; /* two jiffies: 1250 left */
	assert_int_equal(read_until_limit(&r), 48 * 1250 / 6003 - 1);
	rig_free(&r);
}

static void prop_accounting(void **state)
{
	struct rig r;
	struct rq *rq;

	rig_new(&r, &machines[0], "v5.17");
	rq = &r.s->rq[0];
	rq->wake_stamp = r.now;
	rq->wake_avg_idle = 5000;
	rq->avg_scan_cost = 2000;
	sis_prop_account(r.s, r.now, rq, 1200);
	assert_int_equal(rq->wake_avg_idle, 3800);
	assert_int_equal(rq->avg_scan_cost, 1900);
	sis_prop_account(r.s, r.now, rq, 9900);
	assert_int_equal(rq->wake_avg_idle, 0);
	assert_int_equal(rq->avg_scan_cost, 2900);
	rig_free(&r);
	rig_new(&r, &machines[0], "v5.10"); /* avg_idle/512 is not used up */
	rq = &r.s->rq[0];
	rq->avg_scan_cost = 2000;
	sis_prop_account(r.s, r.now, rq, 1200);
	assert_int_equal(rq->avg_scan_cost, 1900);
	assert_int_equal(rq->avg_idle, NSEC_PER_MSEC);
	rig_free(&r);
}

/* nr_idle_scan + 1 = 1 gives up at once; otherwise nr_idle_scan CPUs are read */
static void util_examples(void **state)
{
	struct rig r;

	rig_new(&r, &machines[0], "v6.1");
	for (int n = 0; n <= 16; n++) {
		r.s->llc[0].nr_idle_scan = n;
		assert_int_equal(read_until_limit(&r), n);
	}
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_equal_walk),
		cmocka_unit_test(prop_examples),
		cmocka_unit_test(prop_accounting),
		cmocka_unit_test(util_examples),
	};

	return cmocka_run_group_tests_name("scan", tests, NULL, NULL);
}
