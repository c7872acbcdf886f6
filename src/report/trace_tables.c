// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "report/escape.h"
#include "report/trace_tables.h"
#include "trace/stays.h"

#define NAME_WIDTH     24
#define TIMEHIST_WIDTH 30
#define MAX_NAME       256

static double ms(u64 ns)
{
	return (double)ns / NSEC_PER_MSEC;
}

/* "sec.micro", cut as perf cuts it */
static const char *seconds(u64 ns, char buf[32])
{
	snprintf(buf, 32, "%llu.%06llu", (unsigned long long)(ns / NSEC_PER_SEC),
		 (unsigned long long)(ns % NSEC_PER_SEC / NSEC_PER_USEC));
	return buf;
}

static void line(FILE *f, int width)
{
	fputc(' ', f);
	for (int i = 0; i < width; i++)
		fputc('-', f);
	fputc('\n', f);
}

static const char *known(const char *comm)
{
	return *comm ? comm : "<...>";
}

/* @name escaped, then @tail, then blanks up to @width */
static void print_name(FILE *f, const char *name, const char *tail, int width)
{
	char text[ESCAPED_SIZE(MAX_NAME)];
	int columns = escape_text(name, text);

	columns += fprintf(f, "%s%s", text, tail) - (int)strlen(text);
	if (columns < width)
		fprintf(f, "%*s", width - columns, "");
}

/* ---- latency ---- */

static void latency_line(const struct trace *t, const struct latency_row *r, FILE *f)
{
	char who[32], start[32], end[32];

	if (r->nr_tasks > 1)
		snprintf(who, sizeof(who), ":(%d)", r->nr_tasks);
	else
		snprintf(who, sizeof(who), ":%d", r->pid);
	fputs("  ", f);
	print_name(f, known(trace_string(t, r->comm)), who, NAME_WIDTH - 2);
	fprintf(f,
		"|%11.3f ms |%9llu | avg:%8.3f ms | max:%8.3f ms | max start: %12s s | max end: "
		"%12s s\n",
		ms(r->runtime_ns), (unsigned long long)r->switches,
		ms(r->delay_ns) / (double)r->switches, ms(r->max_delay_ns),
		seconds(r->max_start_ns, start), seconds(r->max_end_ns, end));
}

void latency_print(const struct trace *t, const struct latency *l, FILE *f)
{
	static const int width = 137;

	line(f, width);
	fprintf(f,
		"  %-*s|   Runtime ms  | Switches |  Avg delay ms   |  Max delay ms   |      Max "
		"delay start       |      Max delay end       |\n",
		NAME_WIDTH - 2, "Task");
	line(f, width);
	for (size_t i = 0; i < l->nr; i++)
		latency_line(t, &l->row[i], f);
	line(f, width);
	fprintf(f, "  %-*s|%11.3f ms |%9llu |\n", NAME_WIDTH - 2, "TOTAL:", ms(l->runtime_ns),
		(unsigned long long)l->switches);
	fprintf(f, " %.*s\n\n", 51, "---------------------------------------------------");
}

json_t *latency_json(const struct trace *t, const struct latency *l)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < l->nr; i++) {
		const struct latency_row *r = &l->row[i];

		json_array_append_new(rows,
				      json_pack("{s:o, s:i, s:i, s:I, s:I, s:f, s:I, s:I, s:I}",
						"comm", escape_json(trace_string(t, r->comm)),
						"threads", r->nr_tasks, "pid", r->pid, "runtime_ns",
						(json_int_t)r->runtime_ns, "switches",
						(json_int_t)r->switches, "avg_delay_ns",
						(double)r->delay_ns / (double)r->switches,
						"max_delay_ns", (json_int_t)r->max_delay_ns,
						"max_delay_start_ns", (json_int_t)r->max_start_ns,
						"max_delay_end_ns", (json_int_t)r->max_end_ns));
	}
	return json_pack("{s:o, s:I, s:I}", "tasks", rows, "runtime_ns", (json_int_t)l->runtime_ns,
			 "switches", (json_int_t)l->switches);
}

/* ---- timehist ---- */

struct timehist {
	const struct trace *t;
	FILE *f;
	size_t printed;
	int error;
};

static void timehist_line(void *ctx, const struct trace_stay *s)
{
	struct timehist *h = ctx;
	char time[32], who[32] = "";

	if (s->open)
		return;
	fprintf(h->f, "%15s [%04d]  ", seconds(s->out_ns, time), s->cpu);
	if (s->pid)
		snprintf(who, sizeof(who), "[%d]", s->pid);
	print_name(h->f, s->pid ? known(trace_string(h->t, s->comm)) : "<idle>", who,
		   TIMEHIST_WIDTH);
	fprintf(h->f, "  %9.3f  %9.3f  %9.3f\n", ms(s->wait_ns), ms(trace_stay_delay(s)),
		ms(s->out_ns - s->in_ns));
}

static void timehist_object(void *ctx, const struct trace_stay *s)
{
	struct timehist *h = ctx;
	json_t *j;

	if (s->open)
		return;
	j = json_pack("{s:I, s:i, s:o, s:i, s:I, s:I, s:b, s:I}", "time_ns", (json_int_t)s->out_ns,
		      "cpu", s->cpu, "comm", escape_json(trace_string(h->t, s->comm)), "tid",
		      s->pid, "wait_ns", (json_int_t)s->wait_ns, "sch_delay_ns",
		      (json_int_t)trace_stay_delay(s), "preempted_before",
		      s->has_delay && s->was_preempted, "run_ns",
		      (json_int_t)(s->out_ns - s->in_ns));
	fputs(h->printed++ ? ",\n " : "[\n ", h->f);
	if (!j || json_dumpf(j, h->f, 0))
		h->error = -EIO;
	json_decref(j);
}

int timehist_print(const struct trace *t, bool json, FILE *f)
{
	struct timehist h = { .t = t, .f = f };
	int ret;

	if (!json) {
		fprintf(f, "%15s %6s  %-30s  %9s  %9s  %9s\n", "time", "cpu", "task name",
			"wait time", "sch delay", "run time");
		fprintf(f, "%15s %6s  %-30s  %9s  %9s  %9s\n", "", "", "[tid]", "(msec)", "(msec)",
			"(msec)");
		fprintf(f, "%.15s %.6s  %.30s  %.9s  %.9s  %.9s\n", "---------------", "------",
			"------------------------------", "---------", "---------", "---------");
		return trace_stays(t, timehist_line, &h);
	}
	ret = trace_stays(t, timehist_object, &h);
	fputs(h.printed ? "\n]\n" : "[]\n", f);
	return ret ? ret : h.error;
}
