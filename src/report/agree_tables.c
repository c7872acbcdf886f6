// SPDX-License-Identifier: BSD-2-Clause
#include "base/stats.h"
#include "report/agree_tables.h"
#include "report/escape.h"
#include "report/json.h"

static double percent(u64 part, u64 of)
{
	return of ? 100.0 * (double)part / (double)of : 0;
}

/* contested wake-ups whose answer is right to within @near */
static u64 within(const u64 near[NR_AGREE_NEAR], enum agree_near most)
{
	u64 sum = 0;

	for (int i = 0; i <= (int)most; i++)
		sum += near[i];
	return sum;
}

/* ---- for people ---- */

static void print_share(FILE *f, const char *name, u64 part, u64 of)
{
	double lo, hi;

	stats_wilson(part, of, &lo, &hi);
	fprintf(f, "  %-34s %8llu", name, (unsigned long long)part);
	if (of)
		fprintf(f, "  %5.1f %%  (%.1f to %.1f)", percent(part, of), 100 * lo, 100 * hi);
	fputs("\n", f);
}

static void print_number(FILE *f, const char *name, u64 n)
{
	fprintf(f, "%-36s %8llu\n", name, (unsigned long long)n);
}

static void print_rules(FILE *f, const struct agree_rule rule[NR_REASONS])
{
	for (int r = 0; r < NR_REASONS; r++) {
		const struct agree_rule *x = &rule[r];

		if (!x->contested)
			continue;
		fprintf(f, "    %-32s %8llu of %llu\n", sched_reason_name(r),
			(unsigned long long)x->contested_same, (unsigned long long)x->contested);
	}
}

static void print_wakes(FILE *f, const char *who, const struct agree_wakes *w)
{
	print_number(f, who, w->n);
	print_share(f, "same CPU", w->same_cpu, w->n);
	print_share(f, "contested", w->contested, w->n);
	for (int i = NEAR_CPU; i <= NEAR_NODE; i++) {
		char name[64];

		snprintf(name, sizeof(name), "contested, %s", agree_near_name(i));
		print_share(f, name, within(w->contested_near, i), w->contested);
	}
	print_share(f, "contested, previous CPU is right", w->naive, w->contested);
	print_share(f, "undetermined", w->undetermined, w->n);
	print_share(f, "contested, undetermined", w->contested_undetermined, w->contested);
	print_share(f, "contested, same CPU, strict",
		    w->contested_near[NEAR_CPU] - w->contested_undetermined_same[0], w->contested);
	print_share(f, "contested, same LLC, strict",
		    within(w->contested_near, NEAR_LLC) - w->contested_undetermined_same[1],
		    w->contested);
	fputs("  contested ones, by the rule that decided:\n", f);
	print_rules(f, w->rule);
}

static void print_pulls(FILE *f, const struct agree_pulls *p)
{
	print_number(f, "pulls", p->n);
	print_share(f, "same source", p->same_source, p->n);
	print_share(f, "same or equally good source", p->equal_source, p->n);
	print_share(f, "same task", p->same_task, p->n);
	print_share(f, "undetermined", p->undetermined, p->n);
	print_share(f, "same source, strict", p->same_source - p->undetermined_same_source, p->n);
	print_share(f, "same task, strict", p->same_task - p->undetermined_same_task, p->n);
	for (int i = 0; i < NR_AGREE_MOVES; i++)
		if (p->by_move[i].n)
			fprintf(f, "    %-32s %8llu of %llu, same task %llu, no pull %llu\n",
				story_move_name(i), (unsigned long long)p->by_move[i].same_source,
				(unsigned long long)p->by_move[i].n,
				(unsigned long long)p->by_move[i].same_task,
				(unsigned long long)p->by_move[i].asked_nothing);
}

static const char *const walk_names[] = {
	[WALK_NEWIDLE] = "newidle",
	[WALK_PERIODIC] = "periodic",
	[WALK_NOHZ] = "nohz",
};

/* the core's own passes on the way, and how many wanted more than the kernel did */
static void print_passes(FILE *f, const struct agree_pulls *p)
{
	fputs("  passes that would have pulled where none did:\n", f);
	for (size_t i = 0; i < ARRAY_SIZE(walk_names); i++)
		if (p->passes[i])
			fprintf(f, "    %-32s %8llu of %llu\n", walk_names[i],
				(unsigned long long)p->unmade[i], (unsigned long long)p->passes[i]);
}

static void print_class_moves(FILE *f, const struct agree_class_moves *c)
{
	if (c->pushes + c->pulls == 0)
		return;
	print_number(f, "pushes of realtime, deadline tasks", c->pushes);
	print_share(f, "same task", c->pushes_same_task, c->pushes);
	print_share(f, "same task, same CPU", c->pushes_near[NEAR_CPU], c->pushes);
	print_share(f, "same task, same LLC", within(c->pushes_near, NEAR_LLC), c->pushes);
	print_number(f, "pulls of realtime, deadline tasks", c->pulls);
	print_share(f, "same task", c->pulls_same_task, c->pulls);
}

void agree_print(const struct agree *a, FILE *f)
{
	print_wakes(f, "wake-ups", &a->wakes);
	print_number(f, "forks", a->forks.n);
	print_share(f, "same CPU", a->forks.same_cpu, a->forks.n);
	print_share(f, "same or equally good", a->forks.same_or_equal, a->forks.n);
	print_rules(f, a->forks.rule);
	print_number(f, "picks", a->picks.n);
	print_share(f, "contested", a->picks.contested, a->picks.n);
	print_share(f, "contested, same task", a->picks.contested_same_task, a->picks.contested);
	print_rules(f, a->picks.rule);
	print_pulls(f, &a->pulls);
	print_passes(f, &a->pulls);
	print_class_moves(f, &a->class_moves);
	print_wakes(f, "wake-ups of kernel threads", &a->kthread_wakes);
	fputs("no choice of a CPU\n", f);
	fprintf(f, "  awake already %llu, still switching out %llu, of other classes %llu, end not seen %llu\n",
		(unsigned long long)a->wakes_awake, (unsigned long long)a->wakes_on_cpu,
		(unsigned long long)a->wakes_other_class, (unsigned long long)a->wakes_lost);
	fprintf(f,
		"state corrected after the fact: still queued %llu, not queued any more %llu, what placing "
		"goes by %llu, affinity %llu, throttled %llu; not carried out %llu\n",
		(unsigned long long)a->fixed_delayed, (unsigned long long)a->fixed_left,
		(unsigned long long)a->fixed_placing,
		(unsigned long long)a->fixed_affinity, (unsigned long long)a->held,
		(unsigned long long)a->refused);
	fprintf(f, "tick: every %llu us at %llu us (%s: %u of %u events near it); acts %llu, made up %llu\n",
		(unsigned long long)(a->tick.period_ns / 1000),
		(unsigned long long)(a->tick.phase_ns / 1000), a->tick.sure ? "found" : "assumed",
		a->tick.hits, a->tick.all, (unsigned long long)a->acts,
		(unsigned long long)a->made_up);
	if (a->nr_why)
		fputs("\nthe worst disagreements:\n", f);
	for (int i = 0; i < a->nr_why; i++)
		escape_lines(f, a->why[i].text);
}

/* ---- JSON ---- */

static json_t *number(u64 n)
{
	return json_integer((json_int_t)n);
}

static json_t *interval(u64 part, u64 of)
{
	double lo, hi;

	stats_wilson(part, of, &lo, &hi);
	return json_pack("[f, f]", 100 * lo, 100 * hi);
}

static json_t *rules_json(const struct agree_rule rule[NR_REASONS])
{
	json_t *j = json_object();

	for (int r = 0; r < NR_REASONS; r++) {
		const struct agree_rule *x = &rule[r];

		if (x->n)
			json_object_set_new(j, sched_reason_name(r),
					    json_pack("{s:o, s:o, s:o}", "n", number(x->n), "contested",
						      number(x->contested), "contested_same",
						      number(x->contested_same)));
	}
	return j;
}

static json_t *wakes_json(const struct agree_wakes *w)
{
	u64 cpu = w->contested_near[NEAR_CPU], llc = within(w->contested_near, NEAR_LLC);
	u64 strict = cpu - w->contested_undetermined_same[0];
	u64 strict_llc = llc - w->contested_undetermined_same[1];

	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "n",
		number(w->n), "same_cpu", number(w->same_cpu), "contested", number(w->contested),
		"contested_same_cpu", number(cpu), "contested_same_core",
		number(within(w->contested_near, NEAR_CORE)), "contested_same_cluster",
		number(within(w->contested_near, NEAR_CLUSTER)), "contested_same_llc", number(llc),
		"contested_same_node", number(within(w->contested_near, NEAR_NODE)),
		"naive_contested_same_cpu", number(w->naive), "undetermined", number(w->undetermined),
		"contested_undetermined", number(w->contested_undetermined),
		"strict_contested_same_cpu", number(strict), "strict_contested_same_llc",
		number(strict_llc), "interval_contested_same_cpu", interval(cpu, w->contested),
		"interval_contested_same_llc", interval(llc, w->contested), "rules",
		rules_json(w->rule));
}

static json_t *passes_json(const struct agree_pulls *p)
{
	json_t *j = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(walk_names); i++)
		json_object_set_new(j, walk_names[i],
				    json_pack("{s:o, s:o}", "n", number(p->passes[i]),
					      "would_pull", number(p->unmade[i])));
	return j;
}

static json_t *pulls_json(const struct agree_pulls *p)
{
	json_t *moves = json_object();

	for (int i = 0; i < NR_AGREE_MOVES; i++)
		if (p->by_move[i].n)
			json_object_set_new(
				moves, story_move_name(i),
				json_pack("{s:o, s:o, s:o, s:o}", "n", number(p->by_move[i].n),
					  "same_source", number(p->by_move[i].same_source),
					  "same_task", number(p->by_move[i].same_task), "no_pull",
					  number(p->by_move[i].asked_nothing)));
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "n",
			 number(p->n), "undetermined", number(p->undetermined),
			 "strict_same_source", number(p->same_source - p->undetermined_same_source),
			 "strict_same_task", number(p->same_task - p->undetermined_same_task),
			 "same_source", number(p->same_source), "same_or_equal_source",
			 number(p->equal_source), "passes", passes_json(p), "same_task", number(p->same_task),
			 "interval_same_source", interval(p->same_source, p->n),
			 "interval_same_task", interval(p->same_task, p->n), "kinds", moves);
}

static json_t *class_moves_json(const struct agree_class_moves *c)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "pushes", number(c->pushes),
			 "pushes_same_task", number(c->pushes_same_task), "pushes_same_cpu",
			 number(c->pushes_near[NEAR_CPU]), "pushes_same_llc",
			 number(within(c->pushes_near, NEAR_LLC)), "pulls", number(c->pulls),
			 "pulls_same_task", number(c->pulls_same_task));
}

static json_t *why_json(const struct agree *a)
{
	json_t *j = json_array();

	for (int i = 0; i < a->nr_why; i++)
		json_array_append_new(j, json_text(a->why[i].text));
	return j;
}

json_t *agree_json(const struct agree *a)
{
	const struct agree_forks *f = &a->forks;
	const struct agree_picks *p = &a->picks;
	json_t *forks = json_pack("{s:o, s:o, s:o, s:o, s:o}", "n", number(f->n), "same_cpu",
				  number(f->same_cpu), "same_or_equal", number(f->same_or_equal),
				  "interval_same_or_equal", interval(f->same_or_equal, f->n), "rules",
				  rules_json(f->rule));
	json_t *picks = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "n", number(p->n), "same",
				  number(p->same), "contested", number(p->contested),
				  "contested_same_task", number(p->contested_same_task),
				  "interval_contested_same_task",
				  interval(p->contested_same_task, p->contested), "rules",
				  rules_json(p->rule));
	json_t *state = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "acts", number(a->acts),
				  "made_up", number(a->made_up), "still_queued",
				  number(a->fixed_delayed), "not_queued", number(a->fixed_left),
				  "placing", number(a->fixed_placing), "affinity",
				  number(a->fixed_affinity), "throttled", number(a->held),
				  "not_carried_out",
				  number(a->refused));
	json_t *none = json_pack("{s:o, s:o, s:o, s:o}", "awake", number(a->wakes_awake),
				 "switching_out", number(a->wakes_on_cpu), "other_class",
				 number(a->wakes_other_class), "end_not_seen",
				 number(a->wakes_lost));
	json_t *tick = json_pack("{s:o, s:o, s:b, s:i, s:i}", "period_ns",
				 number(a->tick.period_ns), "phase_ns", number(a->tick.phase_ns),
				 "found", a->tick.sure, "near", (int)a->tick.hits, "of",
				 (int)a->tick.all);

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "wakeups",
			 wakes_json(&a->wakes), "forks", forks, "picks", picks, "pulls",
			 pulls_json(&a->pulls), "class_moves", class_moves_json(&a->class_moves),
			 "kthread_wakeups", wakes_json(&a->kthread_wakes), "not_placed", none,
			 "corrected", state, "tick", tick, "why", why_json(a));
}
