// SPDX-License-Identifier: BSD-2-Clause
/*
 * scan.c - select_idle_cpu: searching the target's LLC for an idle CPU or core
 * (spec 04 §6, §8).
 *
 * The kernel walks candidate by candidate; here the same answer comes from the
 * LLC's sets, a word at a time: the candidates that a walk would have passed are
 * counted, for the limit and for the price.
 */
#include "sched/place/place.h"

#define UNLIMITED INT_MAX

/* A search of one LLC. Positions are local: index into llc->cpus. */
struct scan {
	struct wake_ctx *c;
	const struct llc *llc;
	int target;
	int start;	/* position inspected first */
	bool all;	/* every CPU of the LLC is a candidate */
	u64 *cand;	/* local set of candidates, unless all */
	int left;	/* candidates that may still be inspected without idle core */
	int visited;	/* CPUs a kernel would have read */
	int remembered; /* position of an idle thread met while looking for a core, -1 */
};

static u64 valid_bits(const struct llc *llc, int word)
{
	int n = llc->nr_cpus - word * 64;

	return n >= 64 ? ~0ULL : (1ULL << n) - 1;
}

static u64 cand_word(const struct scan *sc, int word)
{
	return sc->all ? valid_bits(sc->llc, word) : sc->cand[word];
}

static u64 free_word(const struct scan *sc, int word)
{
	u64 f = sc->llc->idle[word];

	if (unlikely(sc->llc->nr_sched_idle) && sc->c->sched_idle_free)
		f |= sc->llc->sched_idle[word];
	if (unlikely(sis_cache_on(sc->c->s)))
		f = sis_cache_unreserved(sc->c, sc->llc, word, f, false);
	return f;
}

/* bits of @word that lie in the positions [lo, hi) */
static u64 range_bits(int word, int lo, int hi)
{
	u64 m = ~0ULL;

	if (word == lo >> 6)
		m &= ~0ULL << (lo & 63);
	if (word == (hi - 1) >> 6)
		m &= ~0ULL >> (63 - ((hi - 1) & 63));
	return m;
}

/* the first free candidate of [lo, hi), as far as the limit reaches */
static enum scan_result scan_range(struct scan *sc, int lo, int hi, int *pos)
{
	if (lo >= hi)
		return SCAN_NOTHING;
	for (int i = lo >> 6; i <= (hi - 1) >> 6; i++) {
		u64 cand = cand_word(sc, i) & range_bits(i, lo, hi);
		u64 hit = cand & free_word(sc, i);
		int passed;

		if (hit)
			cand &= (hit & -hit) - 1;
		passed = __builtin_popcountll(cand) + (hit ? 1 : 0);
		if (passed > sc->left) {
			sc->visited += sc->left;
			sc->left = 0;
			return SCAN_GAVE_UP;
		}
		sc->visited += passed;
		sc->left -= passed;
		if (hit) {
			*pos = i * 64 + __builtin_ctzll(hit);
			return SCAN_FOUND;
		}
	}
	return SCAN_NOTHING;
}

/* both ranges of a whole turn, where all positions fit one word */
static enum scan_result scan_word(struct scan *sc, int *pos)
{
	u64 cand = cand_word(sc, 0), hits = cand & free_word(sc, 0);
	u64 upper = ~0ULL << sc->start, read = cand;
	int passed;

	if (hits) {
		u64 hit = hits & upper ? hits & upper : hits;

		hit &= -hit;
		*pos = __builtin_ctzll(hit);
		read &= hits & upper ? upper & (hit | (hit - 1)) : upper | hit | (hit - 1);
	}
	passed = __builtin_popcountll(read);
	if (passed > sc->left) {
		sc->visited += sc->left;
		sc->left = 0;
		return SCAN_GAVE_UP;
	}
	sc->visited += passed;
	sc->left -= passed;
	return hits ? SCAN_FOUND : SCAN_NOTHING;
}

static enum scan_result scan_cpus(struct scan *sc, int *pos)
{
	enum scan_result res;

	if (likely(sc->llc->words == 1))
		return scan_word(sc, pos);
	res = scan_range(sc, sc->start, sc->llc->nr_cpus, pos);
	return res == SCAN_NOTHING ? scan_range(sc, 0, sc->start, pos) : res;
}

/* ---- idle cores ---- */

static bool is_cand(const struct scan *sc, int pos)
{
	return sc->all || mask_test(sc->cand, pos);
}

/* how late the walk comes to @pos */
static int scan_order(const struct scan *sc, int pos)
{
	return pos >= sc->start ? pos - sc->start : pos + sc->llc->nr_cpus - sc->start;
}

/* @cpu's core was met earlier by way of another of its threads */
static bool core_met_before(const struct scan *sc, const struct rq *rq)
{
	for (int i = 0; i < rq->nr_siblings; i++) {
		const struct rq *sibling = &sc->c->s->rq[rq->siblings[i]];
		int pos = sibling->llc_pos;

		if (sibling->llc == sc->llc && is_cand(sc, pos) &&
		    scan_order(sc, pos) < scan_order(sc, rq->llc_pos))
			return true;
	}
	return false;
}

static bool is_free(const struct scan *sc, const struct rq *rq)
{
	return rq->llc == sc->llc && is_cand(sc, rq->llc_pos) && cpu_is_free(sc->c, rq->cpu) &&
	       !(unlikely(sis_cache_on(sc->c->s)) && sis_cache_reserved(sc->c, rq->cpu));
}

/* the lowest free thread of @rq's core that is a candidate, -1 */
static int free_thread(const struct scan *sc, const struct rq *rq)
{
	const struct sched *s = sc->c->s;
	int best = -1;

	if (is_free(sc, rq))
		best = rq->llc_pos;
	for (int i = 0; i < rq->nr_siblings; i++) {
		const struct rq *sib = cpu_rq(s, rq->siblings[i]);

		if ((best < 0 || sib->llc_pos < best) && is_free(sc, sib))
			best = sib->llc_pos;
	}
	return best;
}

/* cores without luck between @lo and @hi: read in full, their first idle thread kept */
static void pass_cores(struct scan *sc, int lo, int hi, bool remember)
{
	const struct llc *llc = sc->llc;

	if (lo >= hi)
		return;
	for (int i = lo >> 6; i <= (hi - 1) >> 6; i++) {
		u64 cand = cand_word(sc, i) & range_bits(i, lo, hi);

		for (; cand; cand &= cand - 1) {
			int pos = i * 64 + __builtin_ctzll(cand);
			const struct rq *rq = cpu_rq(sc->c->s, llc->cpus[pos]);

			if (core_met_before(sc, rq))
				continue;
			sc->visited += 1 + rq->nr_siblings;
			if (remember && sc->remembered < 0)
				sc->remembered = free_thread(sc, rq);
		}
	}
}

static int first_idle_core(const struct scan *sc, int lo, int hi)
{
	if (lo >= hi)
		return -1;
	for (int i = lo >> 6; i <= (hi - 1) >> 6; i++) {
		u64 hit = cand_word(sc, i) & range_bits(i, lo, hi) & sc->llc->idle_core[i];

		if (unlikely(sis_cache_on(sc->c->s)))
			hit = sis_cache_unreserved(sc->c, sc->llc, i, hit, true);
		if (hit)
			return i * 64 + __builtin_ctzll(hit);
	}
	return -1;
}

/*
 * The first core all of whose threads are idle, by its first candidate thread.
 * Otherwise sc->remembered is the first free thread met, if @remember.
 */
static bool scan_cores(struct scan *sc, bool remember, int *pos)
{
	int n = sc->llc->nr_cpus, found;

	found = first_idle_core(sc, sc->start, n);
	if (found >= 0) {
		pass_cores(sc, sc->start, found, false);
	} else {
		found = first_idle_core(sc, 0, sc->start);
		pass_cores(sc, sc->start, n, remember && found < 0);
		pass_cores(sc, 0, found >= 0 ? found : sc->start, remember && found < 0);
	}
	if (found < 0)
		return false;
	sc->visited += 1 + cpu_rq(sc->c->s, sc->llc->cpus[found])->nr_siblings;
	*pos = found;
	return true;
}

/* ---- for who listens ---- */

/* the CPUs that a walk from the start, of @read CPUs, has read; cores in full if @cores */
static const u64 *cpus_read(const struct scan *sc, int read, bool cores)
{
	const struct sched *s = sc->c->s;
	u64 *cpus = s->scratch[2];

	mask_zero(cpus, s->words);
	for (int i = 0, pos = sc->start; i < sc->llc->nr_cpus && read > 0; i++, pos++) {
		const struct rq *rq;

		if (pos == sc->llc->nr_cpus)
			pos = 0;
		rq = cpu_rq(s, sc->llc->cpus[pos]);
		if (!is_cand(sc, pos) || mask_test(cpus, rq->cpu))
			continue;
		mask_set(cpus, rq->cpu);
		read--;
		for (int k = 0; cores && k < rq->nr_siblings; k++, read--)
			mask_set(cpus, rq->siblings[k]);
	}
	return cpus;
}

static __attribute__((noinline, cold)) void explain_search(const struct scan *sc, int step,
							   enum scan_result res, int reason,
							   int pos, int read, bool cores)
{
	const struct wake_ctx *c = sc->c;

	EXPLAIN(c->s, .now = c->now, .cpu = c->q->cpu, .p = c->p, .step = step,
		.reason = res == SCAN_FOUND	? reason
			  : res == SCAN_GAVE_UP ? REASON_SCAN_GIVEN_UP
						: REASON_NO_IDLE,
		.candidate = res == SCAN_FOUND ? sc->llc->cpus[pos] : -1, .taken = res == SCAN_FOUND,
		.value = {read, cores}, .cpus = cpus_read(sc, read, cores));
}

/* ---- the target's cluster first (spec 04 §8) ---- */

static const u64 *cluster_span(const struct sched *s, int target)
{
	const struct rq *rq = cpu_rq(s, target);
	const struct sched_group *sg;

	if (!s->cluster_active)
		return NULL;
	switch (s->k.rules.cluster) {
	case CLUSTER_NONE:
		return NULL;
	case CLUSTER_V7:
		return rq->sd_cluster ? rq->sd_cluster->span : NULL;
	case CLUSTER_MERGED:
		sg = rq->sd_llc->groups;
		return sg->flags & SD_CLUSTER ? sg->span : NULL;
	}
	return NULL;
}

/* a copy of the candidates that can be cut down */
static void own_candidates(struct scan *sc)
{
	if (!sc->all)
		return;
	for (int i = 0; i < sc->llc->words; i++)
		sc->cand[i] = valid_bits(sc->llc, i);
	sc->all = false;
}

/*
 * A cluster is a handful of CPUs, so it is walked: the search is narrowed to its
 * positions, done with the same code, and the cluster then leaves the candidates.
 */
static enum scan_result scan_cluster(struct scan *sc, const u64 *span, bool has_core, int *pos)
{
	const struct sched *s = sc->c->s;
	const struct llc *llc = sc->llc;
	u64 *whole = s->scratch[1];
	int before = sc->visited;
	enum scan_result res;

	own_candidates(sc);
	mask_copy(whole, sc->cand, llc->words);
	for (int i = 0; i < llc->nr_cpus; i++)
		if (!mask_test(span, llc->cpus[i]))
			mask_clear(sc->cand, i);
	if (has_core)
		res = scan_cores(sc, true, pos) ? SCAN_FOUND : SCAN_NOTHING;
	else
		res = scan_cpus(sc, pos);
	if (unlikely(s->sink))
		explain_search(sc, STEP_CLUSTER, res, REASON_CLUSTER_IDLE, *pos,
			       sc->visited - before, has_core);
	for (int i = 0; i < llc->words; i++)
		sc->cand[i] = whole[i] & ~sc->cand[i];
	return res;
}

/* ---- limits ---- */

/* §6.1, §6.2. Return: false if no scan is allowed at all */
static bool scan_limit(struct scan *sc, bool has_core, bool *prop)
{
	const struct wake_ctx *c = sc->c;
	const struct sched *s = c->s;
	const struct rq *rq = cpu_rq(s, c->q->cpu);
	int nr = UNLIMITED;

	*prop = false;
	if (feat(s, FEAT_SIS_PROP) && !has_core) {
		if (!rq->sd_llc)
			return false;
		*prop = true;
		nr = sis_prop_nr(c, rq, s->rq[sc->target].sd_llc->weight);
	}
	if (feat(s, FEAT_SIS_UTIL)) {
		nr = sc->llc->nr_idle_scan + 1;
		if (nr == 1)
			return false;
	}
	sc->left = has_core || nr == UNLIMITED ? UNLIMITED : nr - 1;
	return true;
}

static void explain_limit(const struct scan *sc, bool has_core, bool prop, bool may)
{
	const struct wake_ctx *c = sc->c;
	const struct sched *s = c->s;
	int nr = prop ? sis_prop_nr(c, cpu_rq(s, c->q->cpu), s->rq[sc->target].sd_llc->weight) : -1;

	EXPLAIN(s, .now = c->now, .cpu = c->q->cpu, .p = c->p, .step = STEP_LIMIT,
		.reason = may ? REASON_NONE : REASON_SCAN_GIVEN_UP, .candidate = sc->target,
		.taken = !may,
		.value = {feat(s, FEAT_SIS_UTIL) ? sc->llc->nr_idle_scan : -1, nr,
			  !may			  ? 0
			  : sc->left == UNLIMITED ? -1
						  : sc->left,
			  has_core});
}

static void local_candidates(struct scan *sc)
{
	const struct llc *llc = sc->llc;
	const u64 *allowed = sc->c->p->allowed;

	mask_zero(sc->cand, llc->words);
	for (int i = 0; i < llc->nr_cpus; i++)
		sc->cand[i >> 6] |= (u64)mask_test(allowed, llc->cpus[i]) << (i & 63);
}

/* the walk of a kernel that looks for cores and CPUs at once, cluster first */
static enum scan_result scan_llc(struct scan *sc, bool has_core, int *pos, int *reason)
{
	const u64 *cluster = cluster_span(sc->c->s, sc->target);
	enum scan_result res = SCAN_NOTHING;
	int before;

	if (unlikely(sis_short_on(sc->c->s)) && !has_core &&
	    sis_short_stays(sc->c, sc->target, true)) {
		*reason = REASON_SHORT_TASK;
		*pos = sc->c->s->rq[sc->target].llc_pos;
		return SCAN_FOUND;
	}
	if (unlikely(cluster)) {
		res = scan_cluster(sc, cluster, has_core, pos);
		if (res == SCAN_FOUND)
			*reason = REASON_CLUSTER_IDLE;
		if (res != SCAN_NOTHING)
			return res;
	}
	before = sc->visited;
	if (!has_core) {
		*reason = REASON_IDLE_CPU;
		res = scan_cpus(sc, pos);
		if (unlikely(sc->c->s->sink))
			explain_search(sc, STEP_SEARCH, res, *reason, *pos, sc->visited - before,
				       false);
		return res;
	}
	*reason = REASON_IDLE_CORE;
	if (scan_cores(sc, true, pos)) {
		res = SCAN_FOUND;
	} else {
		sc->c->d->clear_idle_cores = true;
		sc->c->d->idle_cores_llc = sc->llc->index;
		res = sc->remembered < 0 ? SCAN_NOTHING : SCAN_FOUND;
		*reason = REASON_IDLE_CPU;
		*pos = sc->remembered;
	}
	if (unlikely(sc->c->s->sink))
		explain_search(sc, STEP_SEARCH, res, *reason, *pos, sc->visited - before, true);
	return res;
}

/* until 5.11 idle cores were searched before, by themselves (§6.1) */
static bool scan_cores_first(struct scan *sc, int *pos)
{
	struct wake_decision *d = sc->c->d;
	bool found;

	if (!sc->c->s->smt_active || !sc->llc->has_idle_cores)
		return false;
	found = scan_cores(sc, false, pos);
	if (unlikely(sc->c->s->sink))
		explain_search(sc, STEP_CORES, found ? SCAN_FOUND : SCAN_NOTHING, REASON_IDLE_CORE,
			       *pos, sc->visited, true);
	if (found)
		return true;
	d->clear_idle_cores = true;
	d->idle_cores_llc = sc->llc->index;
	return false;
}

/* note what the scan read in the decision's work */
static void charge(struct scan *sc)
{
	const struct wake_ctx *c = sc->c;
	int dist;

	if (!sc->visited)
		return;
	dist = topo_distance(c->s->topo, c->q->cpu, sc->target);
	c->w->cpus[max(dist, (int)DIST_LLC)] += sc->visited;
	sc->visited = 0;
}

/* SIS_PROP measures its scan by the clock: here by the price of what it read (§6.6) */
static void measure(struct scan *sc)
{
	const struct wake_ctx *c = sc->c;
	u64 before = work_price(c->s, c->q->cpu, c->w);

	charge(sc);
	c->d->prop_scan = true;
	c->d->scan_ns = work_price(c->s, c->q->cpu, c->w) - before;
}

enum scan_result select_idle_cpu(struct wake_ctx *c, int target, bool has_core, int *cpu)
{
	const struct sched *s = c->s;
	struct scan sc = {
		.c = c,
		.llc = s->rq[target].llc,
		.target = target,
		.all = c->p->allowed_all,
		.cand = s->scratch[0],
		.start = s->rq[target].llc_pos,
		.remembered = -1,
	};
	int pos = -1, reason = REASON_IDLE_CORE;
	enum scan_result res = SCAN_FOUND;
	bool prop = false;

	if (s->k.rules.scan_start == SCAN_AFTER_TARGET && ++sc.start == sc.llc->nr_cpus)
		sc.start = 0;
	if (!sc.all)
		local_candidates(&sc);
	if (!s->k.rules.idle_core_first || !scan_cores_first(&sc, &pos)) {
		bool may;

		charge(&sc);
		may = scan_limit(&sc, has_core, &prop);
		if (unlikely(s->sink))
			explain_limit(&sc, has_core, prop, may);
		res = may ? scan_llc(&sc, has_core, &pos, &reason) : SCAN_GAVE_UP;
	}
	/* a scan that ran out measures nothing, nor does none at all */
	if (prop && res != SCAN_GAVE_UP && reason != REASON_SHORT_TASK)
		measure(&sc);
	else
		charge(&sc);
	if (res == SCAN_FOUND) {
		*cpu = sc.llc->cpus[pos];
		c->d->reason = reason;
	}
	return res;
}
