// SPDX-License-Identifier: BSD-2-Clause
/*
 * What can be said of an rt-app file before it is run: whether it ends, who
 * meets at a barrier, whether mutexes are used in order.
 */
#include <errno.h>
#include <string.h>

#include "workload/rtapp_parse.h"

/* Tasks that run at all: those with instances, and what these fork. */
static int find_used(struct rtapp_parser *p, bool *used)
{
	struct rtapp *app = p->app;
	bool more = true;

	for (int i = 0; i < app->nr_tasks; i++)
		used[i] = app->task[i].instances;
	while (more) {
		more = false;
		for (int i = 0; i < app->nr_tasks; i++) {
			if (!used[i])
				continue;
			for (struct rtapp_phase *ph = app->task[i].phase; ph; ph = ph->next)
				for (struct rtapp_event *e = ph->event; e; e = e->next)
					if (e->type == RT_FORK && !used[e->object])
						used[e->object] = more = true;
		}
	}
	return 0;
}

static bool runs_for_ever(const struct rtapp_task *t)
{
	if (t->loop < 0)
		return true;
	for (const struct rtapp_phase *ph = t->phase; ph && t->loop; ph = ph->next)
		if (ph->loop <= 0)
			return true;
	return false;
}

static int check_end(struct rtapp_parser *p, const bool *used)
{
	struct rtapp *app = p->app;

	if (app->duration_s > 0 || app->opt.endless)
		return 0;
	for (int i = 0; i < app->nr_tasks; i++) {
		struct rtapp_task *t = &app->task[i];

		if (used[i] && runs_for_ever(t))
			return rtapp_fail(
				p, -EINVAL, t->line, t->col,
				"task \"%s\" loops for ever and the file has no duration: "
				"add one, as in rtapp:%s,duration=2s",
				t->name, app->file);
	}
	return 0;
}

/* Users of a barrier are uses in the file times instances (spec 15 §5). */
static void count_users(struct rtapp *app, const struct rtapp_task *t, bool forked, int *uses)
{
	for (struct rtapp_phase *ph = t->phase; ph; ph = ph->next)
		for (struct rtapp_event *e = ph->event; e; e = e->next) {
			struct rtapp_resource *b;

			if (e->type != RT_BARRIER)
				continue;
			b = &app->resource[RTAPP_BARRIER][e->object];
			b->users += t->instances;
			if (++uses[e->object] == 2)
				rtapp_warn(
					app, e->line, e->col,
					"barrier \"%s\" is used more than once by \"%s\": each use "
					"counts as one that must arrive",
					b->name, t->name);
			if (forked && uses[e->object] == 1)
				rtapp_warn(
					app, e->line, e->col,
					"barrier \"%s\" doesn't count the forked threads of \"%s\"",
					b->name, t->name);
		}
}

static int check_barriers(struct rtapp_parser *p)
{
	struct rtapp *app = p->app;
	int n = app->nr_resources[RTAPP_BARRIER];
	int *uses = arena_array(app->arena, max(n, 1), sizeof(*uses));
	bool *forked = arena_array(app->arena, app->nr_tasks, sizeof(*forked));

	if (!uses || !forked)
		return -ENOMEM;
	for (int i = 0; i < app->nr_tasks; i++)
		for (struct rtapp_phase *ph = app->task[i].phase; ph; ph = ph->next)
			for (struct rtapp_event *e = ph->event; e; e = e->next)
				if (e->type == RT_FORK)
					forked[e->object] = true;
	for (int i = 0; i < app->nr_tasks; i++) {
		memset(uses, 0, n * sizeof(*uses));
		count_users(app, &app->task[i], forked[i], uses);
	}
	return 0;
}

static int check_mutex(struct rtapp_parser *p, const struct rtapp_event *e, bool *held)
{
	int m = e->type == RT_LOCK || e->type == RT_UNLOCK ? e->object : e->mutex;
	const char *name;

	if (m < 0)
		return 0;
	name = p->app->resource[RTAPP_MUTEX][m].name;
	if (e->type == RT_LOCK && held[m])
		return rtapp_fail(
			p, -EINVAL, e->line, e->col,
			"\"%s\": the thread holds \"%s\" already and would wait for itself "
			"for ever",
			e->key, name);
	if (e->type != RT_LOCK && !held[m])
		return rtapp_fail(p, -EINVAL, e->line, e->col,
				  "\"%s\": \"%s\" must have been locked by a lock event before",
				  e->key, name);
	if (e->type == RT_LOCK || e->type == RT_UNLOCK)
		held[m] = e->type == RT_LOCK;
	return 0;
}

/*
 * Follows one thread through its phases. What a phase leaves locked depends only
 * on its last event for each mutex, so that two passes see all there is.
 */
static int check_thread(struct rtapp_parser *p, const struct rtapp_task *t, bool *held)
{
	int passes = t->loop < 0 ? 2 : min(t->loop, 2), rc;

	memset(held, 0, p->app->nr_resources[RTAPP_MUTEX] * sizeof(*held));
	for (int i = 0; i < passes; i++)
		for (struct rtapp_phase *ph = t->phase; ph; ph = ph->next) {
			int loops = ph->loop <= 0 ? 2 : min(ph->loop, 2);

			for (int j = 0; j < loops; j++)
				for (struct rtapp_event *e = ph->event; e; e = e->next) {
					rc = check_mutex(p, e, held);
					if (rc)
						return rc;
				}
			if (ph->loop <= 0)
				return 0;
		}
	return 0;
}

static int check_mutexes(struct rtapp_parser *p)
{
	bool *held = arena_array(p->app->arena, max(p->app->nr_resources[RTAPP_MUTEX], 1),
				 sizeof(*held));
	int rc = held ? 0 : -ENOMEM;

	for (int i = 0; i < p->app->nr_tasks && !rc; i++)
		rc = check_thread(p, &p->app->task[i], held);
	return rc;
}

int rtapp_check(struct rtapp_parser *p)
{
	struct rtapp *app = p->app;
	bool *used = arena_array(app->arena, app->nr_tasks, sizeof(*used));
	int rc = used ? find_used(p, used) : -ENOMEM;

	for (int i = 0; i < app->nr_tasks && !rc; i++)
		if (!used[i])
			rtapp_warn(app, app->task[i].line, app->task[i].col,
				   "task \"%s\" has no instance and nobody forks it",
				   app->task[i].name);
	if (!rc && !app->nr_threads)
		rc = rtapp_fail(p, -EINVAL, app->task[0].line, app->task[0].col,
				"no task has an instance: nothing would run");
	if (!rc)
		rc = check_end(p, used);
	if (!rc)
		rc = check_barriers(p);
	if (!rc)
		rc = check_mutexes(p);
	return rc;
}
