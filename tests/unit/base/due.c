// SPDX-License-Identifier: BSD-2-Clause
/* A tournament of times against a plain search, for sizes around the powers of eight. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/due.h"
#include "base/rng.h"

static void search(const u64 *time, u32 n, u64 *first, u32 *id)
{
	*first = DUE_NEVER;
	for (u32 i = 0; i < n; i++) {
		if (time[i] < *first) {
			*first = time[i];
			*id = i;
		}
	}
}

static void against_search(void **state)
{
	static const u32 sizes[] = { 1, 2, 7, 8, 9, 63, 64, 65, 100, 511, 512, 513, 4096, 4097 };

	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		struct arena *arena = arena_new();
		u32 n = sizes[s], id = 0;
		u64 *time = malloc(n * sizeof(*time)), first;
		struct due d;
		struct rng rng;

		assert_true(due_init(&d, arena, n));
		assert_int_equal(due_time(&d), DUE_NEVER);
		for (u32 i = 0; i < n; i++)
			time[i] = DUE_NEVER;
		rng_init(&rng, n, 0);
		for (int step = 0; step < 3000; step++) {
			u32 i = rng_below(&rng, n);
			/* few different times, so that ties are common; a quarter leaves */
			u64 t = rng_below(&rng, 4) ? step + rng_below(&rng, 20) : DUE_NEVER;

			due_set(&d, i, t);
			time[i] = t;
			search(time, n, &first, &id);
			if (due_time(&d) != first || (first != DUE_NEVER && due_id(&d) != id))
				fail_msg("%u ids, step %d (seed %u): %u at %llu, not %u at %llu", n,
					 step, n, due_id(&d), (unsigned long long)due_time(&d), id,
					 (unsigned long long)first);
		}
		free(time);
		arena_free(arena);
	}
}

static void far_times(void **state)
{
	struct arena *arena = arena_new();
	struct due d;

	assert_true(due_init(&d, arena, 4096));
	due_set(&d, 4094, (1ULL << 52) - 1);
	assert_int_equal(due_time(&d), (1ULL << 52) - 1);
	assert_int_equal(due_id(&d), 4094);
	due_set(&d, 4094, 1ULL << 52);
	assert_int_equal(due_time(&d), DUE_NEVER);
	assert_true(due_init(&d, arena, 1));
	due_set(&d, 0, DUE_NEVER - 1);
	assert_int_equal(due_time(&d), DUE_NEVER - 1);
	assert_int_equal(due_id(&d), 0);
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_search),
		cmocka_unit_test(far_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
