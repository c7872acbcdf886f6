/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rbtree.h - intrusive red-black trees with a cached leftmost node and an
 * optional value per subtree.
 *
 * The user descends by himself, links the node where it belongs and calls
 * rb_insert(). With an augment function every change keeps each node's subtree
 * value right: fn(node) recomputes it from the node and its two children and
 * returns whether it changed.
 */
#ifndef IDLEST_BASE_RBTREE_H
#define IDLEST_BASE_RBTREE_H

#include "base/types.h"

struct rb_node {
	struct rb_node *parent, *left, *right;
	bool red;
};

struct rb_root_cached {
	struct rb_node *root, *leftmost;
};

typedef bool (*rb_augment_fn)(struct rb_node *node);

/**
 * rb_insert() - link @node below @parent at *@link and rebalance
 * @parent: NULL for the first node
 * @link: &tree->root, &parent->left or &parent->right
 * @augment: NULL if the tree keeps no subtree values
 */
void rb_insert(struct rb_root_cached *tree, struct rb_node *node, struct rb_node *parent,
	       struct rb_node **link, rb_augment_fn augment);
void rb_erase(struct rb_root_cached *tree, struct rb_node *node, rb_augment_fn augment);
/** rb_update() - @node's own value changed without moving it */
void rb_update(struct rb_node *node, rb_augment_fn augment);
struct rb_node *rb_next(const struct rb_node *node);
struct rb_node *rb_prev(const struct rb_node *node);
/** rb_check() - a valid red-black tree, leftmost right; Return: number of nodes, -1 if broken */
int rb_check(const struct rb_root_cached *tree);

/* The common small cases, without a call: the first node of a tree, and the last one left. */

static inline void rb_insert_first(struct rb_root_cached *tree, struct rb_node *node)
{
	*node = (struct rb_node){ 0 };
	tree->root = tree->leftmost = node;
}

/** rb_erase_only() - take @node out if there is no other one; Return: there was none */
static inline bool rb_erase_only(struct rb_root_cached *tree, struct rb_node *node)
{
	if (tree->root != node || node->left || node->right)
		return false;
	tree->root = tree->leftmost = NULL;
	return true;
}

static inline struct rb_node *rb_first(const struct rb_root_cached *tree)
{
	return tree->leftmost;
}

#endif
