// SPDX-License-Identifier: BSD-2-Clause
/*
 * rates.c - progress of what CPUs do, in fixed point.
 *
 * A CPU is a record of one cache line: how much was left at `since`, at which
 * speed it goes, when it ends. Starting and stopping touch the record of the
 * CPU and the counters of its core; siblings only where one is computing and
 * the number of busy threads of the core changed.
 */
#include "sim/rates.h"

#include "base/cpumask.h"
#include "sim/bandwidth.h"

#define FRAC	 BW_SHIFT	/* fraction bits of work; speed is in units of work per ns */
#define ONE	 (1u << FRAC)
#define MAX_LEFT (1ULL << 43)	/* whole units that `left` holds; more goes to `beyond` */

#define ACT_NOTHING (ACT_STREAM + 1) /* between stop and start */

/* What rounding up gave away, by unit; taken back at the next start. */
enum { CARRY_NS, CARRY_BYTES, NR_CARRY };

struct rcpu {
	u64 left;	/* 2^-FRAC units as of `since`; not of ACT_WALL */
	u64 beyond;	/* whole units that don't fit there */
	u64 since;
	u64 end;
	u64 told;	/* end as of the last settle */
	u32 speed;	/* 2^-FRAC units per ns */
	u32 carry[NR_CARRY];
	u32 core;
	u16 capacity;
	u8 kind;
	bool dirty;	/* on the list of moved CPUs */
	bool restarted;	/* since the last settle: told even if the end is the same */
};

struct rcore {
	int package;
	int nr_busy;	/* threads that don't sleep */
	int nr_threads;
	const int *thread; /* the CPUs */
};

struct rpackage {
	u32 scale;	/* frequency, 1024 = max_mhz */
	int nr_active;	/* cores with a busy thread */
	int nr_cpus;
	const int *cpu;
	u64 next_look;	/* not before this tick */
};

struct rates {
	const struct machine *m;
	struct rcpu *cpu;
	struct rcore *core;
	struct rpackage *package;
	u32 *smt_share;	/* [threads busy], 2^-FRAC */
	int *moved;	/* what the last settle reported */
	int *dirty;	/* CPUs whose end may have moved */
	int nr_dirty;
	bool streams;	/* flows came or went */
	bool disturbed;	/* an end moved that nobody was told */
	struct bandwidth *bw;
};

/*
 * Two busy siblings go at smt_permille each (spec 13 §1). A core with more
 * threads gains from the n-th what it gained from the second, divided by n - 1.
 */
static bool init_smt(struct rates *r, struct arena *arena, int most)
{
	s64 gain = 2 * (s64)r->m->smt_permille - 1000, total = 1000;

	r->smt_share = arena_array(arena, most + 1, sizeof(*r->smt_share));
	if (!r->smt_share)
		return false;
	r->smt_share[0] = ONE;
	for (int n = 1; n <= most; n++) {
		if (n > 1)
			total += gain / (n - 1);
		r->smt_share[n] = max(total, (s64)1) * ONE / (1000 * n);
	}
	return true;
}

/* CPUs grouped by @key (core or package): one array, and where each group begins. */
static int *group_cpus(struct arena *arena, const struct sched_topology *t, bool by_core,
		       int nr_groups, int **startp)
{
	int *start = arena_array(arena, nr_groups + 1, sizeof(*start));
	int *fill = arena_array(arena, nr_groups, sizeof(*fill));
	int *list = arena_array(arena, t->nr_cpus, sizeof(*list));

	if (!start || !fill || !list)
		return NULL;
	for (int c = 0; c < t->nr_cpus; c++)
		start[(by_core ? t->cpu[c].core : t->cpu[c].package) + 1]++;
	for (int g = 0; g < nr_groups; g++)
		start[g + 1] += start[g];
	for (int c = 0; c < t->nr_cpus; c++) {
		int g = by_core ? t->cpu[c].core : t->cpu[c].package;

		list[start[g] + fill[g]++] = c;
	}
	*startp = start;
	return list;
}

static u32 boost_scale(const struct machine *m, int active)
{
	u32 mhz = m->nr_boost ? m->boost[m->nr_boost - 1].mhz : m->base_mhz;

	for (int i = 0; i < m->nr_boost; i++) {
		if (active <= m->boost[i].cores) {
			mhz = m->boost[i].mhz;
			break;
		}
	}
	if (!mhz || !m->max_mhz || mhz > m->max_mhz)
		return 1024;
	return max(1024 * mhz / m->max_mhz, 1u);
}

static bool init_groups(struct rates *r, struct arena *arena)
{
	const struct sched_topology *t = &r->m->topo;
	int *cs, *ps, *cl, *pl, most = 1;

	cl = group_cpus(arena, t, true, t->nr_cores, &cs);
	pl = group_cpus(arena, t, false, t->nr_packages, &ps);
	if (!cl || !pl)
		return false;
	for (int i = 0; i < t->nr_cores; i++) {
		struct rcore *c = &r->core[i];

		c->thread = cl + cs[i];
		c->nr_threads = cs[i + 1] - cs[i];
		c->package = c->nr_threads ? t->cpu[c->thread[0]].package : 0;
		most = max(most, c->nr_threads);
	}
	for (int i = 0; i < t->nr_packages; i++) {
		struct rpackage *p = &r->package[i];

		p->cpu = pl + ps[i];
		p->nr_cpus = ps[i + 1] - ps[i];
		p->scale = boost_scale(r->m, 1);
	}
	return init_smt(r, arena, most);
}

struct rates *rates_new(struct arena *arena, const struct machine *m)
{
	const struct sched_topology *t = &m->topo;
	struct rates *r = arena_alloc(arena, sizeof(*r));

	if (!r)
		return NULL;
	r->m = m;
	r->cpu = arena_array(arena, t->nr_cpus, sizeof(*r->cpu));
	r->core = arena_array(arena, t->nr_cores, sizeof(*r->core));
	r->package = arena_array(arena, t->nr_packages, sizeof(*r->package));
	r->moved = arena_array(arena, t->nr_cpus, sizeof(*r->moved));
	r->dirty = arena_array(arena, t->nr_cpus, sizeof(*r->dirty));
	r->bw = bandwidth_new(arena, m);
	if (!r->cpu || !r->core || !r->package || !r->moved || !r->dirty || !r->bw)
		return NULL;
	for (int c = 0; c < t->nr_cpus; c++) {
		r->cpu[c].end = r->cpu[c].told = RATES_NEVER;
		r->cpu[c].core = t->cpu[c].core;
		r->cpu[c].capacity = min(m->speed ? m->speed[c] : t->cpu[c].capacity, 1024u);
	}
	return init_groups(r, arena) ? r : NULL;
}

static void mark_dirty(struct rates *r, int cpu)
{
	struct rcpu *c = &r->cpu[cpu];

	if (!c->dirty) {
		c->dirty = true;
		r->dirty[r->nr_dirty++] = cpu;
	}
}

static u64 add_sat(u64 a, u64 b)
{
	return a + b < a ? RATES_NEVER : a + b;
}

static void set_end(struct rcpu *c)
{
	if (likely(!c->beyond)) {
		if (c->speed == ONE)
			c->end = c->since + ((c->left + ONE - 1) >> FRAC);
		else if (c->speed)
			c->end = add_sat(c->since, (c->left + c->speed - 1) / c->speed);
		else
			c->end = c->left ? RATES_NEVER : c->since;
	} else if (c->speed) {
		u128 ns = (((u128)c->beyond << FRAC) + c->left + c->speed - 1) / c->speed;

		c->end = ns > RATES_NEVER ? RATES_NEVER : add_sat(c->since, (u64)ns);
	} else {
		c->end = RATES_NEVER;
	}
}

static void set_left(struct rcpu *c, u64 work, u32 *carry)
{
	c->beyond = 0;
	if (unlikely(work > MAX_LEFT)) {
		c->beyond = work - MAX_LEFT;
		work = MAX_LEFT;
	}
	c->left = work << FRAC;
	if (c->left) {
		c->left -= *carry;
		*carry = 0;
	}
}

/* Bring `left` up to @now; COMPUTE and STREAM only. */
static void progress(struct rcpu *c, u64 now)
{
	u64 dt = now - c->since;

	c->since = now;
	if (likely(!c->beyond)) {
		/* The end was found with the same numbers: before it the product fits. */
		c->left = now >= c->end ? 0 : c->left - dt * c->speed;
	} else {
		u128 all = ((u128)c->beyond << FRAC) + c->left, done = (u128)dt * c->speed;

		all = done < all ? all - done : 0;
		c->beyond = all >> FRAC > MAX_LEFT ? (u64)(all >> FRAC) - MAX_LEFT : 0;
		c->left = all - ((u128)c->beyond << FRAC);
	}
}

static u32 compute_speed(const struct rates *r, const struct rcpu *c)
{
	const struct rcore *core = &r->core[c->core];
	u64 s = (u64)c->capacity * r->package[core->package].scale; /* 2^-20: a whole core */

	if (core->nr_busy > 1)
		s = (s * r->smt_share[core->nr_busy]) >> FRAC;
	return max(s, (u64)1);
}

u64 rates_call_ns(const struct rates *r, int cpu, u64 ns)
{
	const struct rcpu *c = &r->cpu[cpu];
	int busy = r->core[c->core].nr_busy;

	if (busy > 1)
		ns = (ns << FRAC) / r->smt_share[busy];
	if (unlikely(c->capacity != 1024))
		ns = ns * 1024 / c->capacity;
	return ns;
}

static void set_speed(struct rates *r, int cpu, u64 now, u32 speed)
{
	struct rcpu *c = &r->cpu[cpu];

	if (c->speed == speed)
		return;
	progress(c, now);
	c->speed = speed;
	set_end(c);
	mark_dirty(r, cpu);
	r->disturbed = true;
}

/* A thread of @cpu's core became busy (@by = 1) or idle (-1). */
static void core_busy(struct rates *r, u64 now, int cpu, int by)
{
	struct rcore *core = &r->core[r->cpu[cpu].core];
	int was = core->nr_busy;

	core->nr_busy += by;
	if (!was)
		r->package[core->package].nr_active++;
	else if (!core->nr_busy)
		r->package[core->package].nr_active--;
	else
		for (int i = 0; i < core->nr_threads; i++) {
			int sib = core->thread[i];

			if (sib != cpu && r->cpu[sib].kind == ACT_COMPUTE)
				set_speed(r, sib, now, compute_speed(r, &r->cpu[sib]));
		}
}

/* Take @cpu out of what it does, without looking what is left. */
static void end_activity(struct rates *r, int cpu)
{
	if (r->cpu[cpu].kind == ACT_STREAM) {
		bandwidth_del(r->bw, cpu);
		r->streams = true;
	}
}

static void start_stream(struct rates *r, struct rcpu *c, int cpu, const struct traffic *t)
{
	set_left(c, t->read_bytes + t->write_bytes, &c->carry[CARRY_BYTES]);
	c->speed = 0;
	if (c->left && bandwidth_add(r->bw, cpu, t))
		c->speed = BW_UNLIMITED; /* no memory for a flow: don't hang */
	else if (c->left)
		r->streams = true;
	else
		c->kind = ACT_NOTHING;
	set_end(c);
}

void rates_start(struct rates *r, u64 now, int cpu, enum activity_kind kind, u64 work,
		 const struct traffic *t)
{
	struct rcpu *c = &r->cpu[cpu];
	bool was_busy = c->kind != ACT_IDLE;

	end_activity(r, cpu);
	c->kind = kind;
	c->since = now;
	c->restarted = true;
	mark_dirty(r, cpu);
	if (was_busy != (kind != ACT_IDLE))
		core_busy(r, now, cpu, was_busy ? -1 : 1);
	switch (kind) {
	case ACT_IDLE:
		c->end = RATES_NEVER;
		break;
	case ACT_WALL:
		c->end = add_sat(now, work);
		break;
	case ACT_COMPUTE:
		set_left(c, work, &c->carry[CARRY_NS]);
		c->speed = compute_speed(r, c);
		set_end(c);
		break;
	case ACT_STREAM:
		start_stream(r, c, cpu, t);
		break;
	}
}

static u64 round_left(struct rcpu *c, u64 now, u32 *carry)
{
	u64 left;

	progress(c, now);
	left = (c->left + ONE - 1) >> FRAC;
	*carry += (u32)((left << FRAC) - c->left);
	if (*carry >= ONE && left) {
		*carry -= ONE;
		left--;
	}
	return left + c->beyond;
}

void rates_stop(struct rates *r, u64 now, int cpu, u64 *left)
{
	struct rcpu *c = &r->cpu[cpu];

	switch (c->kind) {
	case ACT_WALL:
		*left = c->end > now ? c->end - now : 0;
		break;
	case ACT_COMPUTE:
		*left = round_left(c, now, &c->carry[CARRY_NS]);
		break;
	case ACT_STREAM:
		*left = round_left(c, now, &c->carry[CARRY_BYTES]);
		break;
	default:
		*left = 0;
		break;
	}
	end_activity(r, cpu);
	if (c->kind == ACT_IDLE)
		core_busy(r, now, cpu, 1);
	c->kind = ACT_NOTHING;
	c->end = RATES_NEVER;
	mark_dirty(r, cpu);
}

u64 rates_end(const struct rates *r, int cpu)
{
	return r->cpu[cpu].end;
}

void rates_frequency(struct rates *r, u64 now, int cpu)
{
	struct rpackage *p = &r->package[r->core[r->cpu[cpu].core].package];
	u32 scale;

	if (now < p->next_look)
		return;
	/* Ticks of one period are late by different kernel paths: half a period tells them apart. */
	p->next_look = now + NSEC_PER_SEC / (2 * max(r->m->hz, 1));
	scale = boost_scale(r->m, p->nr_active);
	if (scale == p->scale)
		return;
	p->scale = scale;
	for (int i = 0; i < p->nr_cpus; i++) {
		const struct rcpu *c = &r->cpu[p->cpu[i]];

		if (c->kind == ACT_COMPUTE)
			set_speed(r, p->cpu[i], now, compute_speed(r, c));
	}
}

u32 rates_freq_scale(const struct rates *r, int cpu)
{
	return r->package[r->core[r->cpu[cpu].core].package].scale;
}

static void settle_streams(struct rates *r, u64 now)
{
	int n = bandwidth_solve(r->bw);
	const int *cpus = bandwidth_changed(r->bw);

	for (int i = 0; i < n; i++)
		set_speed(r, cpus[i], now, bandwidth_rate(r->bw, cpus[i]));
	r->streams = false;
}

bool rates_disturbed(const struct rates *r)
{
	return r->disturbed || r->streams;
}

int rates_settle(struct rates *r, u64 now)
{
	int n = 0;

	if (r->streams)
		settle_streams(r, now);
	for (int i = 0; i < r->nr_dirty; i++) {
		struct rcpu *c = &r->cpu[r->dirty[i]];

		if (c->end != c->told || (c->restarted && c->end != RATES_NEVER))
			r->moved[n++] = r->dirty[i];
		c->told = c->end;
		c->dirty = c->restarted = false;
	}
	r->nr_dirty = 0;
	r->disturbed = false;
	return n;
}

const int *rates_moved(const struct rates *r)
{
	return r->moved;
}
