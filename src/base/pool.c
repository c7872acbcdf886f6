// SPDX-License-Identifier: BSD-2-Clause
#include "base/pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct pool {
	int (*fn)(void *ctx, int i, struct err *err);
	void *ctx;
	int nr;
	bool progress;
	atomic_int next, done, failed; /* failed: smallest that did, or nr */
	pthread_mutex_t lock;	       /* of err and progress */
	struct err *err;
};

static void show_progress(struct pool *pool, int done)
{
	pthread_mutex_lock(&pool->lock);
	fprintf(stderr, "\r%d of %d runs%s", done, pool->nr, done == pool->nr ? "\r\033[K" : "");
	fflush(stderr);
	pthread_mutex_unlock(&pool->lock);
}

static void note_failure(struct pool *pool, int i, const struct err *err)
{
	pthread_mutex_lock(&pool->lock);
	if (i < atomic_load(&pool->failed)) {
		atomic_store(&pool->failed, i);
		*pool->err = *err;
	}
	pthread_mutex_unlock(&pool->lock);
}

static void *worker(void *arg)
{
	struct pool *pool = arg;

	for (;;) {
		int i = atomic_fetch_add(&pool->next, 1);
		struct err err = { 0 };

		if (i >= pool->nr || i > atomic_load(&pool->failed))
			return NULL;
		if (pool->fn(pool->ctx, i, &err))
			note_failure(pool, i, &err);
		i = atomic_fetch_add(&pool->done, 1) + 1;
		if (pool->progress)
			show_progress(pool, i);
	}
}

int pool_run(int nr, int jobs, bool progress, int (*fn)(void *ctx, int i, struct err *err),
	     void *ctx, struct err *err)
{
	struct err first = { 0 };
	struct pool pool = { .fn = fn, .ctx = ctx, .nr = nr, .progress = progress, .err = &first };
	pthread_t *threads;
	int started = 0;

	jobs = clamp(jobs > 0 ? jobs : (int)sysconf(_SC_NPROCESSORS_ONLN), 1, max(nr, 1));
	threads = calloc(jobs, sizeof(*threads));
	if (!threads)
		return err_set(err, -ENOMEM, "out of memory");
	atomic_store(&pool.failed, nr);
	pthread_mutex_init(&pool.lock, NULL);
	while (started < jobs - 1 && !pthread_create(&threads[started], NULL, worker, &pool))
		started++;
	worker(&pool);
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&pool.lock);
	free(threads);
	if (first.code)
		return err_set(err, first.code, "%s", first.msg);
	return 0;
}
