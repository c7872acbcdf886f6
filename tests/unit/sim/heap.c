// SPDX-License-Identifier: BSD-2-Clause
/*
 * The heap of timers against a plain list, with equal times among them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/heap.h"
#include "base/rng.h"

#define IDS 200

static u32 first_of(const u64 *time)
{
	u32 best = IDS;

	for (u32 i = 0; i < IDS; i++)
		if (time[i] != HEAP_NEVER && (best == IDS || time[i] < time[best]))
			best = i;
	return best;
}

static void random_changes(void **state)
{
	u128 key[IDS];
	u32 pos[IDS] = { 0 };
	u64 time[IDS];
	struct heap h;
	struct rng rng;

	rng_init(&rng, 1, 1);
	heap_init(&h, key, pos, IDS);
	for (u32 i = 0; i < IDS; i++)
		time[i] = HEAP_NEVER;
	for (int n = 0; n < 200000; n++) {
		u32 id = (u32)rng_below(&rng, IDS), first;

		if (rng_below(&rng, 3)) {
			time[id] = rng_below(&rng, 1000);
			heap_set(&h, id, time[id]);
		} else {
			time[id] = HEAP_NEVER;
			heap_remove(&h, id);
		}
		first = first_of(time);
		if (first == IDS) {
			assert_int_equal(heap_time(&h), HEAP_NEVER);
			continue;
		}
		assert_int_equal(heap_id(&h), first);
		assert_int_equal(heap_time(&h), time[first]);
	}
}

/* Equal times come in the order of ids; the set may be as large as its room. */
static void drains_in_order(void **state)
{
	u128 key[IDS];
	u32 pos[IDS] = { 0 };
	struct heap h;

	heap_init(&h, key, pos, IDS);
	for (u32 i = 0; i < IDS; i++)
		heap_set(&h, IDS - 1 - i, 7 + (IDS - 1 - i) / 50);
	for (u32 i = 0; i < IDS; i++) {
		assert_int_equal(heap_id(&h), i);
		heap_set(&h, i, HEAP_NEVER);
	}
	assert_int_equal(h.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_changes),
		cmocka_unit_test(drains_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
