// SPDX-License-Identifier: BSD-2-Clause
/* The program of a task, a step a line: "run 2 ms", "fork child", "repeat". */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "experiment/scenario_file.h"
#include "machine/quantity.h"

#define MAX_NS (1000 * NSEC_PER_SEC)
#define MAX_N  1000000

enum operand { NOTHING, TIME, CPUS, TASK, CHILDREN, MAYBE_NUMBER };

static const struct word {
	const char *name;
	enum scenario_op op;
	enum operand operand;
	const char *like;
} words[] = {
	{ "run", SCENARIO_RUN, TIME, "run 2 ms" },
	{ "spin", SCENARIO_SPIN, TIME, "spin 2 ms" },
	{ "loop", SCENARIO_LOOP, NOTHING, "loop" },
	{ "sleep", SCENARIO_SLEEP, TIME, "sleep 2 ms" },
	{ "yield", SCENARIO_YIELD, NOTHING, "yield" },
	{ "exec", SCENARIO_EXEC, NOTHING, "exec" },
	{ "affinity", SCENARIO_AFFINITY, CPUS, "affinity 0-3" },
	{ "fork", SCENARIO_FORK, CHILDREN, "fork child, or fork 4 child" },
	{ "reap", SCENARIO_REAP, NOTHING, "reap" },
	{ "wake", SCENARIO_WAKE, TASK, "wake worker" },
	{ "await", SCENARIO_AWAIT, NOTHING, "await" },
	{ "repeat", SCENARIO_REPEAT, MAYBE_NUMBER, "repeat, or repeat 10" },
};

static int fail(const struct scenario_reader *r, const char *path, const struct word *w)
{
	return yaml_fail(r->doc, r->err, -EINVAL, path, "'%s' is written like '%s'", w->name,
			 w->like);
}

static int unknown_word(const struct scenario_reader *r, const char *path, const char *text)
{
	const char *names[ARRAY_SIZE(words)], *near;
	char list[160];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		names[i] = words[i].name;
		n += snprintf(list + n, sizeof(list) - n, "%s%s", i ? ", " : "", names[i]);
	}
	near = nearest_name(text, names, ARRAY_SIZE(words));
	return yaml_fail(r->doc, r->err, -EINVAL, path,
			 "no step '%.40s'%s%s%s; a step is one of %s", text,
			 near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "", list);
}

/* "4 child": a number first, then a name; or a name alone */
static int children(const struct scenario_reader *r, const char *path, const char *text,
		    struct scenario_step *step)
{
	char number[16];
	size_t digits = strspn(text, "0123456789");

	step->n = 1;
	if (digits && text[digits] == ' ') {
		snprintf(number, sizeof(number), "%.*s", (int)min(digits, (size_t)15), text);
		if (quantity_parse(number, Q_COUNT, 1, MAX_N, &step->n, r->err))
			return yaml_fail(r->doc, r->err, -EINVAL, path, "%s", "");
		text += digits + strspn(text + digits, " ");
	}
	step->task = scenario_find_task(r, path, text);
	if (step->task < 0)
		return -EINVAL;
	r->s->task[step->task].forked = true;
	return 0;
}

static int operand(const struct scenario_reader *r, const char *path, const struct word *w,
		   const char *text, struct scenario_step *step)
{
	int ret = 0;

	if (w->operand == NOTHING ? *text : w->operand != MAYBE_NUMBER && !*text)
		return fail(r, path, w);
	switch (w->operand) {
	case NOTHING:
		break;
	case TIME:
		ret = quantity_parse(text, Q_TIME, 1, MAX_NS, &step->ns, r->err);
		break;
	case MAYBE_NUMBER:
		if (*text)
			ret = quantity_parse(text, Q_COUNT, 1, MAX_N, &step->n, r->err);
		break;
	case CPUS:
		step->cpus = scenario_mask(r, path, text);
		return step->cpus ? 0 : -EINVAL;
	case TASK:
		step->task = scenario_find_task(r, path, text);
		return step->task < 0 ? -EINVAL : 0;
	case CHILDREN:
		return children(r, path, text, step);
	}
	return ret ? yaml_fail(r->doc, r->err, ret, path, "%s", "") : 0;
}

static int read_step(const struct scenario_reader *r, const char *path, const char *text,
		     struct scenario_step *step)
{
	size_t n = strcspn(text, " ");
	char name[24];

	snprintf(name, sizeof(name), "%.*s", (int)min(n, sizeof(name) - 1), text);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(words[i].name, name))
			continue;
		step->op = words[i].op;
		return operand(r, path, &words[i], text + n + strspn(text + n, " "), step);
	}
	return unknown_word(r, path, name);
}

static bool takes_time(const struct scenario_step *step)
{
	return step->op == SCENARIO_RUN || step->op == SCENARIO_SPIN || step->op == SCENARIO_SLEEP;
}

int scenario_read_program(const struct scenario_reader *r, int i)
{
	const struct scenario_file_task *f = &r->f->tasks[i];
	struct scenario_task *t = &r->s->task[i];
	bool passes = false;
	char path[64];

	t->step = arena_array(r->s->arena, f->nr_program, sizeof(*t->step));
	if (!t->step)
		return err_set(r->err, -ENOMEM, "out of memory");
	t->nr_steps = (int)f->nr_program;
	for (int k = 0; k < t->nr_steps; k++) {
		int ret;

		snprintf(path, sizeof(path), "tasks[%d].program[%d]", i, k);
		ret = read_step(r, path, f->program[k], &t->step[k]);
		if (ret)
			return ret;
		if ((t->step[k].op == SCENARIO_REPEAT || t->step[k].op == SCENARIO_LOOP) &&
		    k < t->nr_steps - 1)
			return yaml_fail(r->doc, r->err, -EINVAL, path,
					 "nothing can come after '%s'", f->program[k]);
		if (t->step[k].op == SCENARIO_REPEAT && !passes)
			return yaml_fail(
				r->doc, r->err, -EINVAL, path,
				"what is repeated must take time: add a run, spin or sleep");
		passes |= takes_time(&t->step[k]);
	}
	return 0;
}
