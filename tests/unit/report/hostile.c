// SPDX-License-Identifier: BSD-2-Clause
/*
 * Task names of the worst kind in every form that is printed: the form stays
 * what it is, a terminal obeys nothing, and where a form can say it all, the
 * name comes back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/comparison.h"
#include "report/json.h"
#include "report/trace_tables.h"
#include "trace/collect.h"
#include "trace/write.h"

/* the first one is harmless: the others must give as many lines */
static const char *const names[] = {
	"fifteen-letters",
	"<script>alert(1",
	"</td>\"'&amp;<b>",
	"a\"b\\c",
	"\x1b[2J\x1b[31mred",
	"\x1b]0;title\x07",
	"two\nlines",
	"\r\n[000] 1.0: x:",
	"tab\tand\vmore\f",
	"%s%n%d%99999d",
	"\xff\xfe\xc3(\x80",
	"cut in an \xe2\x82",
	"\xe2\x80\xaewards",
	"a,b;c|d",
	"==> next_pid=1",
	"x prio=1 pid=2",
	"{\"json\":[1,2]}",
	"\\u0000\\x41",
	" lead and tail ",
	"\x7f\x01\x02\x1e\x1f",
};

static char path[] = "/tmp/idlest-hostile-XXXXXX";

/* A task of that name is woken, runs, and sleeps. */
static struct trace *trace_of(const char *name)
{
	struct trace_collector *c = trace_collector_new(2, NULL, NULL);
	struct sim_trace_event e[] = {
		{ .kind = TRACE_WAKING, .now = 1000000, .pid = 7, .prio = 120, .comm = name },
		{ .kind = TRACE_WAKEUP, .now = 1001000, .pid = 7, .prio = 120, .comm = name },
		{ .kind = TRACE_SWITCH, .now = 1005000, .comm = "", .next_comm = name, .next_pid = 7,
		  .prio = 120, .next_prio = 120, .prev_state = 'R' },
		{ .kind = TRACE_FORK, .now = 1100000, .pid = 7, .prio = 120, .comm = name,
		  .next_pid = 8, .next_comm = name, .next_prio = 120 },
		{ .kind = TRACE_SWITCH, .now = 2000000, .pid = 7, .prio = 120, .comm = name,
		  .next_comm = "", .next_prio = 120, .prev_state = 'S' },
	};
	struct trace *t;

	assert_non_null(c);
	for (size_t i = 0; i < ARRAY_SIZE(e); i++)
		trace_collect(c, &e[i]);
	assert_int_equal(trace_collector_end(c, &t), 0);
	return t;
}

static int lines_of(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* Nothing that a terminal obeys. JSON writes it all as escapes or in UTF-8. */
static void check_quiet(const char *text, const char *what)
{
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if ((*p < ' ' && *p != '\n') || *p == 0x7f ||
		    (p[0] == 0xe2 && p[1] == 0x80 && p[2] >= 0xa8))
			fail_msg("%s has the byte %02x in:\n%s", what, *p, text);
}

enum form { LATENCY, LATENCY_JSON, TIMEHIST, TIMEHIST_JSON, NR_FORMS };

static char *print_form(const struct trace *t, enum form form)
{
	struct latency l;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_int_equal(trace_latency(t, true, &l), 0);
	switch (form) {
	case LATENCY:
		latency_print(t, &l, f);
		break;
	case LATENCY_JSON:
		json_print(latency_json(t, &l), f);
		break;
	default:
		assert_int_equal(timehist_print(t, form == TIMEHIST_JSON, f), 0);
	}
	latency_free(&l);
	fclose(f);
	return text;
}

/* The name itself where it is UTF-8, else with its bytes as \xNN. */
static void check_name(const json_t *j, const char *name)
{
	json_t *want = escape_json(name);

	if (!json_equal(json_object_get(j, "comm"), want))
		fail_msg("'%s' isn't '%s'", json_string_value(json_object_get(j, "comm")),
			 json_string_value(want));
	json_decref(want);
}

static void tables_of_traces(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct trace *t = trace_of(names[i]), *plain = trace_of(names[0]);

		for (int form = 0; form < NR_FORMS; form++) {
			char *text = print_form(t, (enum form)form);
			char *harmless = print_form(plain, (enum form)form);

			assert_int_equal(lines_of(text), lines_of(harmless));
			if (form == LATENCY || form == TIMEHIST)
				check_quiet(text, names[i]);
			free(harmless);
			free(text);
		}
		trace_free(plain);
		trace_free(t);
	}
}

static void json_of_traces(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct trace *t = trace_of(names[i]);
		char *text = print_form(t, LATENCY_JSON);
		json_t *j = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

		assert_non_null(j);
		check_name(json_array_get(json_object_get(j, "tasks"), 0), names[i]);
		json_decref(j);
		free(text);
		text = print_form(t, TIMEHIST_JSON);
		j = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
		assert_non_null(j);
		check_name(json_array_get(j, json_array_size(j) - 1), names[i]);
		json_decref(j);
		free(text);
		trace_free(t);
	}
}

/* ---- traces ---- */

static struct trace *there_and_back(const struct trace *t, enum trace_format format)
{
	struct trace_writing how = { .format = format, .nr_cpus = t->nr_cpus, .kernel = "v6.12" };
	struct trace_writer *w;
	struct trace *back;
	struct err err = { 0 };
	char note[256];

	assert_int_equal(trace_writer_open(path, &how, &w, &err), 0);
	for (size_t i = 0; i < t->nr; i++)
		trace_write_event(w, t, &t->event[i]);
	assert_int_equal(trace_writer_close(w, &err), 0);
	if (trace_read(path, &back, &err))
		fail_msg("%s", err.msg);
	if (trace_note(back, 0, note, sizeof(note)))
		fail_msg("%s", note);
	return back;
}

static void names_of(const struct trace *t, const struct trace_event *e, const char *name)
{
	const char *comm = trace_string(t, e->comm), *curr = trace_string(t, e->curr_comm);

	if (e->pid == 7 && strcmp(comm, name))
		fail_msg("'%s' became '%s'", name, comm);
	/* a head's name is set to the right, so blanks before it don't count */
	if (e->curr_pid == 7 && (e->kind == EV_SWITCH || e->kind == EV_FORK) && strcmp(curr, name))
		fail_msg("'%s' became '%s'", name, curr);
}

static void packets(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct trace *t = trace_of(names[i]), *back = there_and_back(t, TRACE_PERFETTO);

		assert_int_equal(back->nr, t->nr);
		for (size_t k = 0; k < t->nr; k++) {
			assert_int_equal(back->event[k].kind, t->event[k].kind);
			names_of(back, &back->event[k], names[i]);
		}
		trace_free(back);
		trace_free(t);
	}
}

/* the one byte that text can't have in a name */
static void without_breaks(const char *name, char *out)
{
	for (; *name; name++)
		out += *name == '\n' ? sprintf(out, "\\x0a") : sprintf(out, "%c", *name);
	*out = '\0';
}

static void text(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct trace *t = trace_of(names[i]), *back = there_and_back(t, TRACE_FTRACE);
		char expected[128];

		without_breaks(names[i], expected);
		assert_int_equal(back->nr, t->nr);
		for (size_t k = 0; k < t->nr; k++) {
			assert_int_equal(back->event[k].kind, t->event[k].kind);
			assert_int_equal(back->event[k].pid, t->event[k].pid);
			names_of(back, &back->event[k], expected);
		}
		trace_free(back);
		trace_free(t);
	}
}

/* ---- comparisons: a metric may be named after a task of an rt-app file ---- */

#define NR_SEEDS 4

static const char *const machines[] = { "uma-8c" }, *const workloads[] = { "f.json" },
	*const kernels[] = { "v5.17", "v5.18" };

static struct compare compare_of(const char *name, struct result *results)
{
	struct compare c = { .spec = { .nr_machines = 1,
				       .nr_workloads = 1,
				       .nr_kernels = 2,
				       .machine_expr = machines,
				       .workload_expr = workloads,
				       .kernel_expr = kernels,
				       .nr_seeds = NR_SEEDS,
				       .first_seed = 1 },
			     .result = results };

	for (int i = 0; i < 2 * NR_SEEDS; i++) {
		results[i].nr_metrics = 1;
		snprintf(results[i].metric[0].name, sizeof(results[i].metric[0].name), "%s", name);
		strcpy(results[i].metric[0].unit, "s");
		results[i].metric[0].value = 1 + i / 100.0;
	}
	return c;
}

static int fields_of(const char *row)
{
	bool quoted = false;
	int n = 1;

	for (; *row && *row != '\n'; row++) {
		quoted ^= *row == '"';
		n += *row == ',' && !quoted;
	}
	assert_false(quoted);
	return n;
}

static void print_comparison(const char *name, void (*print)(const struct comparison *, FILE *),
			     char **text)
{
	struct result *results = calloc(2 * NR_SEEDS, sizeof(*results));
	struct compare c = compare_of(name, results);
	struct comparison *t = comparison_new(&c);
	size_t len;
	FILE *f = open_memstream(text, &len);

	assert_non_null(t);
	print(t, f);
	fclose(f);
	comparison_free(t);
	free(results);
}

static void print_json(const struct comparison *t, FILE *f)
{
	json_print(comparison_json(t), f);
}

static void comparisons(void **state)
{
	void (*const print[])(const struct comparison *, FILE *) = {
		comparison_print_list, comparison_print_mmtests, comparison_print_csv
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *text;
		json_t *j;

		for (size_t k = 0; k < ARRAY_SIZE(print); k++) {
			char *harmless;

			print_comparison(names[0], print[k], &harmless);
			print_comparison(names[i], print[k], &text);
			check_quiet(text, names[i]);
			assert_int_equal(lines_of(text), lines_of(harmless));
			if (print[k] == comparison_print_csv)
				assert_int_equal(fields_of(strchr(text, '\n') + 1), fields_of(text));
			free(harmless);
			free(text);
		}
		print_comparison(names[i], print_json, &text);
		j = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
		assert_non_null(j);
		json_decref(j);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_of_traces), cmocka_unit_test(json_of_traces),
		cmocka_unit_test(packets),	    cmocka_unit_test(text),
		cmocka_unit_test(comparisons),
	};
	int fd = mkstemp(path), failed;

	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
