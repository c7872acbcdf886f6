// SPDX-License-Identifier: BSD-2-Clause
/*
 * text.c - one decision for people.
 */
#include <string.h>

#include "explain/summary.h"
#include "report/escape.h"

static void print_values(int step, const s64 *value, FILE *f)
{
	const char *name, *sep = "  ";
	char buf[32];

	for (int i = 0; (name = sched_step_value(step, i)); i++) {
		fprintf(f, "%s%s %s", sep, name,
			explain_value_text(step, i, value[i], buf, sizeof(buf)));
		sep = ", ";
	}
}

static void print_step(const struct explain_step *st, int nr_cpus, bool narrow, FILE *f)
{
	char outcome[32], cpus[160];

	if (st->step == STEP_LIMIT)
		snprintf(outcome, sizeof(outcome), st->taken ? "give up" : "-");
	else if (st->taken && st->candidate >= 0)
		snprintf(outcome, sizeof(outcome), "yes: CPU %d", st->candidate);
	else if (st->candidate >= 0)
		snprintf(outcome, sizeof(outcome), "no: CPU %d", st->candidate);
	else
		snprintf(outcome, sizeof(outcome), st->taken ? "yes" : "no");
	if (narrow)
		fprintf(f, "  %s: %s", sched_step_doc(st->step), outcome);
	else
		fprintf(f, "  %-52s %-13s", sched_step_doc(st->step), outcome);
	if (st->taken && st->reason != REASON_NONE)
		fprintf(f, " %s", sched_reason_name(st->reason));
	print_values(st->step, st->value, f);
	if (st->cpus)
		fprintf(f, ": %s", explain_cpu_list(st->cpus, nr_cpus, cpus, sizeof(cpus)));
	fputc('\n', f);
}

static void print_task(int pid, const char *comm, FILE *f)
{
	if (!pid) {
		fputs("the idle task", f);
		return;
	}
	escape_pad(f, comm, 0);
	fprintf(f, "-%d", pid);
}

static void print_head(const struct explain_decision *d, FILE *f)
{
	fprintf(f, "%s %llu at %.9f s: ", explain_kind_name(d->kind), (unsigned long long)d->nr,
		(double)d->now / NSEC_PER_SEC);
	switch (d->kind) {
	case STEP_WAKEUP:
		print_task(d->pid, d->comm, f);
		fprintf(f, ", which ran on CPU %lld, is woken on CPU %d by ",
			(long long)d->value[2], d->cpu);
		if (!d->value[4])
			fputs("an interrupt over ", f);
		print_task(d->by_pid, d->by_comm, f);
		fprintf(f, "%s%s\n", d->value[3] ? ", sync" : "", d->again ? ", decided anew" : "");
		break;
	case STEP_FORK:
		print_task(d->pid, d->comm, f);
		fprintf(f, " is forked on CPU %d by ", d->cpu);
		print_task(d->by_pid, d->by_comm, f);
		fputc('\n', f);
		break;
	case STEP_PASS:
		fprintf(f, "on CPU %d\n", d->cpu);
		break;
	default:
		print_task(d->pid, d->comm, f);
		fprintf(f, " on CPU %d\n", d->cpu);
	}
}

static void print_end(const struct explain_decision *d, FILE *f)
{
	bool placed = d->kind == STEP_WAKEUP || d->kind == STEP_FORK || d->kind == STEP_EXEC;

	if (placed) {
		fprintf(f, "  => CPU %d, %s (%s): %s\n", d->target,
			d->target_idle ? "idle" : "busy", sched_reason_name(d->reason),
			sched_reason_doc(d->reason));
		if (d->kind == STEP_WAKEUP)
			fprintf(f, "     %s\n", explain_path_name((int)d->value[0]));
		if (d->value[1])
			fprintf(f, "     choosing took %lld ns\n", (long long)d->value[1]);
		return;
	}
	fprintf(f, "  => ");
	if (d->kind == STEP_PULL || d->kind == STEP_PUSH)
		fprintf(f, "CPU %d ", d->target);
	fprintf(f, "(%s): %s\n    ", sched_reason_name(d->reason), sched_reason_doc(d->reason));
	print_values(d->kind, d->value, f);
	fputc('\n', f);
}

void explain_print(const struct explain_decision *d, int nr_cpus, bool narrow, FILE *f)
{
	print_head(d, f);
	for (int i = 0; i < d->nr_steps; i++)
		print_step(&d->step[i], nr_cpus, narrow, f);
	if (d->left_out)
		fprintf(f, "  … and %d steps more\n", d->left_out);
	print_end(d, f);
}

void explain_print_ran(const struct explain_ran *r, FILE *f)
{
	fprintf(f, "     %s %llu: ran on CPU %d %.3f us later", explain_kind_name(r->kind),
		(unsigned long long)r->nr, r->cpu, (double)(r->ran_at - r->decided_at) / 1000);
	if (r->cpu != r->target)
		fprintf(f, " (taken there meanwhile)");
	fputc('\n', f);
}
