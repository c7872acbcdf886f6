// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "explain/run_stream.h"

#define NR_ITEMS 64

struct item {
	enum stream_kind kind;
	struct explain_decision d;
	struct explain_ran ran;
	u64 *masks;
};

struct run_stream {
	const struct workload *w;
	const struct machine *m;
	struct sched_kernel k;
	struct sim_params params;
	struct explain *e;
	int words;
	pthread_t thread;
	bool started;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* items [taken, put) are there; the one before taken is being looked at */
	struct item *item; /* [NR_ITEMS] */
	u64 *masks;
	u64 put, taken;
	bool looking, over, cancelled;
	int rc;
	struct result result;
	struct err err;
};

/* ---- the run's side ---- */

/* room for one more; NULL: nobody wants to know any more */
static struct item *wait_for_room(struct run_stream *s)
{
	struct item *it = NULL;

	pthread_mutex_lock(&s->lock);
	while (s->put - s->taken >= NR_ITEMS - 1 && !s->cancelled)
		pthread_cond_wait(&s->changed, &s->lock);
	if (!s->cancelled)
		it = &s->item[s->put % NR_ITEMS];
	pthread_mutex_unlock(&s->lock);
	if (!it && !explain_stopped(s->e))
		explain_stop(s->e);
	return it;
}

/* told in batches: waking the other side for each item would cost more than the item */
static void publish(struct run_stream *s, bool now)
{
	pthread_mutex_lock(&s->lock);
	s->put++;
	if (now || s->put - s->taken >= NR_ITEMS / 2)
		pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

static void decided(void *ctx, const struct explain_decision *d)
{
	struct run_stream *s = ctx;
	struct item *it = wait_for_room(s);

	if (!it)
		return;
	it->kind = STREAM_DECISION;
	explain_copy(&it->d, d, it->masks, s->words);
	publish(s, false);
}

static void ran(void *ctx, const struct explain_ran *r)
{
	struct run_stream *s = ctx;
	struct item *it = wait_for_room(s);

	if (!it)
		return;
	it->kind = STREAM_RAN;
	it->ran = *r;
	publish(s, false);
}

static void *run(void *arg)
{
	struct run_stream *s = arg;

	s->rc = workload_run(s->w, s->m, &s->k, &s->params, &s->result, &s->err);
	if (!s->rc && explain_error(s->e))
		s->rc = err_set(&s->err, -ENOMEM, "out of memory");
	pthread_mutex_lock(&s->lock);
	s->over = true;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* ---- the other side ---- */

static bool allocate(struct run_stream *s)
{
	const struct explain_listener l = { .ctx = s, .decision = decided, .ran = ran };
	size_t masks = (size_t)EXPLAIN_MAX_STEPS * s->words;

	s->item = calloc(NR_ITEMS, sizeof(*s->item));
	s->masks = calloc(NR_ITEMS * masks, sizeof(u64));
	s->e = explain_new(s->m->topo.nr_cpus, &l);
	if (!s->item || !s->masks || !s->e)
		return false;
	for (int i = 0; i < NR_ITEMS; i++)
		s->item[i].masks = s->masks + i * masks;
	explain_attach(s->e, &s->params);
	return true;
}

struct run_stream *run_stream_start(const struct workload *w, const struct machine *m,
				    const struct sched_kernel *k, u64 seed, struct err *err)
{
	struct run_stream *s = calloc(1, sizeof(*s));

	if (!s) {
		err_set(err, -ENOMEM, "out of memory");
		return NULL;
	}
	s->w = w;
	s->m = m;
	s->k = *k;
	s->words = mask_words(m->topo.nr_cpus);
	s->params.seed = seed;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	s->started = allocate(s) && !pthread_create(&s->thread, NULL, run, s);
	if (!s->started) {
		err_set(err, -ENOMEM, "no memory for a run");
		run_stream_free(s);
		return NULL;
	}
	return s;
}

void run_stream_next(struct run_stream *s, struct stream_item *item)
{
	const struct item *it;

	pthread_mutex_lock(&s->lock);
	if (s->looking) {
		s->taken++;
		s->looking = false;
		if (s->put - s->taken <= NR_ITEMS / 2)
			pthread_cond_signal(&s->changed);
	}
	while (s->put == s->taken && !s->over)
		pthread_cond_wait(&s->changed, &s->lock);
	if (s->put == s->taken) {
		item->kind = STREAM_END;
	} else {
		it = &s->item[s->taken % NR_ITEMS];
		item->kind = it->kind;
		if (it->kind == STREAM_DECISION)
			item->d = &it->d;
		else
			item->ran = &it->ran;
		s->looking = true;
	}
	pthread_mutex_unlock(&s->lock);
}

const struct result *run_stream_result(struct run_stream *s, struct err *err)
{
	if (!s->rc)
		return &s->result;
	err_set(err, s->rc, "%s", s->err.msg);
	return NULL;
}

void run_stream_free(struct run_stream *s)
{
	if (!s)
		return;
	if (s->started) {
		pthread_mutex_lock(&s->lock);
		s->cancelled = true;
		pthread_cond_signal(&s->changed);
		pthread_mutex_unlock(&s->lock);
		pthread_join(s->thread, NULL);
	}
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->changed);
	explain_free(s->e);
	free(s->item);
	free(s->masks);
	free(s);
}
