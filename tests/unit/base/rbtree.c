/* SPDX-License-Identifier: BSD-2-Clause */
/* rbtree.c - random inserts, erases and value changes against a plain array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rbtree.h"
#include "base/rng.h"

#define ITEMS 300

struct item {
	struct rb_node node;
	u64 key, value;
	u64 min_value; /* of the subtree */
	u64 order;     /* of insertion: equal keys stay in it */
	bool in;
};

#define item_of(n) container_of(n, struct item, node)

static u64 subtree_min(const struct item *it)
{
	u64 m = it->value;

	if (it->node.left)
		m = min(m, item_of(it->node.left)->min_value);
	if (it->node.right)
		m = min(m, item_of(it->node.right)->min_value);
	return m;
}

static bool item_augment(struct rb_node *n)
{
	struct item *it = item_of(n);
	u64 m = subtree_min(it);
	bool changed = m != it->min_value;

	it->min_value = m;
	return changed;
}

static void item_insert(struct rb_root_cached *tree, struct item *it, rb_augment_fn augment)
{
	struct rb_node **link = &tree->root, *parent = NULL;

	while (*link) {
		parent = *link;
		link = it->key < item_of(parent)->key ? &parent->left : &parent->right;
	}
	rb_insert(tree, &it->node, parent, link, augment);
}

static void check_tree(const struct rb_root_cached *tree, int want, bool augmented)
{
	const struct item *last = NULL;
	int n = 0;

	assert_int_equal(rb_check(tree), want);
	for (struct rb_node *node = rb_first(tree); node; node = rb_next(node)) {
		const struct item *it = item_of(node);

		assert_true(it->in);
		if (last) {
			assert_true(last->key < it->key ||
				    (last->key == it->key && last->order < it->order));
			assert_ptr_equal(rb_prev(node), &last->node);
		}
		if (augmented)
			assert_int_equal(it->min_value, subtree_min(it));
		last = it;
		n++;
	}
	assert_int_equal(n, want);
}

static void random_walk(u64 seed, rb_augment_fn augment)
{
	static struct item items[ITEMS];
	struct rb_root_cached tree = { NULL, NULL };
	struct rng rng;
	int in = 0;

	rng_init(&rng, seed, 0);
	for (int i = 0; i < ITEMS; i++)
		items[i] = (struct item){ 0 };
	for (u64 step = 0; step < 4000; step++) {
		struct item *it = &items[rng_below(&rng, ITEMS)];

		if (!it->in) {
			it->key = rng_below(&rng, 60);
			it->value = rng_below(&rng, 1000);
			it->order = step;
			it->in = true;
			item_insert(&tree, it, augment);
			in++;
		} else if (augment && rng_below(&rng, 3) == 0) {
			it->value = rng_below(&rng, 1000);
			rb_update(&it->node, augment);
		} else {
			rb_erase(&tree, &it->node, augment);
			it->in = false;
			in--;
		}
		if (step % 7 == 0)
			check_tree(&tree, in, augment != NULL);
	}
	check_tree(&tree, in, augment != NULL);
	for (int i = 0; i < ITEMS; i++)
		if (items[i].in) {
			rb_erase(&tree, &items[i].node, augment);
			items[i].in = false;
			check_tree(&tree, --in, augment != NULL);
		}
	assert_null(tree.root);
	assert_null(rb_first(&tree));
}

static void test_plain(void **state)
{
	for (u64 seed = 1; seed <= 5; seed++)
		random_walk(seed, NULL);
}

static void test_augmented(void **state)
{
	for (u64 seed = 11; seed <= 15; seed++)
		random_walk(seed, item_augment);
}

/* the checker itself must notice */
static void test_check_notices(void **state)
{
	struct rb_root_cached tree = { NULL, NULL };
	struct item items[7] = { 0 };

	for (int i = 0; i < 7; i++) {
		items[i].key = i;
		item_insert(&tree, &items[i], NULL);
	}
	assert_int_equal(rb_check(&tree), 7);
	tree.leftmost = tree.root;
	assert_int_equal(rb_check(&tree), -1);
	tree.leftmost = &items[0].node;
	tree.root->left->red ^= true;
	assert_int_equal(rb_check(&tree), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_augmented),
		cmocka_unit_test(test_check_notices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
