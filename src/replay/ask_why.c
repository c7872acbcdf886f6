// SPDX-License-Identifier: BSD-2-Clause
/*
 * ask_why.c - the worst disagreements, with what the core looked at.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "replay/ask.h"

static void keep(void *ctx, const struct sched_record *r)
{
	struct asker *k = ctx;

	if (k->nr_records < ASK_MAX_RECORDS)
		k->record[k->nr_records++] = *r;
}

void ask_listen_closely(struct asker *k)
{
	k->nr_records = 0;
	sched_set_sink(k->d.s, keep, k);
}

void ask_listen(struct asker *k)
{
	if (k->o->why)
		ask_listen_closely(k);
}

void ask_stop_listening(struct asker *k)
{
	sched_set_sink(k->d.s, NULL, NULL);
}

static void tell_records(const struct asker *k, FILE *f)
{
	for (int i = 0; i < k->nr_records; i++) {
		const struct sched_record *r = &k->record[i];

		fprintf(f, "    %-16s", sched_reason_name(r->reason));
		if (r->candidate >= 0)
			fprintf(f, " CPU %d", r->candidate);
		fprintf(f, "%s (%lld, %lld, %lld, %lld)\n", r->taken ? ", taken" : "",
			(long long)r->value[0], (long long)r->value[1], (long long)r->value[2],
			(long long)r->value[3]);
	}
}

/* who is where, CPU by CPU; idle ones without anybody are named together */
static void tell_cpus(const struct asker *k, FILE *f)
{
	const struct sched *s = k->d.s;

	fputs("    idle:", f);
	for (int c = 0; c < k->d.m->topo.nr_cpus; c++)
		if (sched_cpu_idle(s, c))
			fprintf(f, " %d", c);
	fputs("\n", f);
	for (int c = 0; c < k->d.m->topo.nr_cpus; c++) {
		const struct task *p = sched_current(s, c);

		if (sched_cpu_idle(s, c))
			continue;
		fprintf(f, "    CPU %d: %d running, now %s/%d\n", c, sched_nr_running(s, c),
			p ? sched_task_comm(p) : "-", p ? sched_task_id(p) : 0);
	}
}

/* Return: where in the list a case of @severity goes, -1: nowhere */
static int place_of(const struct asker *k, int severity)
{
	const struct agree *a = k->a;
	int at = a->nr_why;

	while (at > 0 && a->why[at - 1].severity < severity)
		at--;
	return at < k->o->why ? at : -1;
}

void ask_disagree(struct asker *k, const struct story_act *act, int severity, const char *fmt, ...)
{
	struct agree *a = k->a;
	int at = place_of(k, severity);
	struct agree_case c = { .act = (u32)(act - k->st->act), .severity = severity };
	size_t len;
	va_list ap;
	FILE *f;

	if (at < 0)
		return;
	if (!a->why)
		a->why = calloc((size_t)k->o->why, sizeof(*a->why));
	f = a->why ? open_memstream(&c.text, &len) : NULL;
	if (!f)
		return;
	fprintf(f, "%llu.%06llu ", (unsigned long long)(act->ns / NSEC_PER_SEC),
		(unsigned long long)(act->ns % NSEC_PER_SEC / 1000));
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fputs("\n", f);
	tell_records(k, f);
	tell_cpus(k, f);
	fclose(f);
	if (a->nr_why == k->o->why)
		free(a->why[--a->nr_why].text);
	for (int i = a->nr_why; i > at; i--)
		a->why[i] = a->why[i - 1];
	a->why[at] = c;
	a->nr_why++;
}
