/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rbtree.c - red-black trees; missing children count as black.
 *
 * Subtree values: a change below a node is carried up by augment_up() until a
 * node keeps its value. A rotation recomputes its two nodes, lower one first;
 * the upper one covers the same nodes as before, so nothing above changes.
 */
#include "base/rbtree.h"

static inline bool is_red(const struct rb_node *n)
{
	return n && n->red;
}

static void augment_up(struct rb_node *n, rb_augment_fn augment)
{
	while (n && augment(n))
		n = n->parent;
}

/* put @new where @old hangs below @parent */
static void replace_child(struct rb_root_cached *tree, struct rb_node *parent, struct rb_node *old,
			  struct rb_node *new)
{
	if (!parent)
		tree->root = new;
	else if (parent->left == old)
		parent->left = new;
	else
		parent->right = new;
}

static void rotate_left(struct rb_root_cached *tree, struct rb_node *n, rb_augment_fn augment)
{
	struct rb_node *up = n->right;

	n->right = up->left;
	if (up->left)
		up->left->parent = n;
	up->parent = n->parent;
	replace_child(tree, n->parent, n, up);
	up->left = n;
	n->parent = up;
	if (augment) {
		augment(n);
		augment(up);
	}
}

static void rotate_right(struct rb_root_cached *tree, struct rb_node *n, rb_augment_fn augment)
{
	struct rb_node *up = n->left;

	n->left = up->right;
	if (up->right)
		up->right->parent = n;
	up->parent = n->parent;
	replace_child(tree, n->parent, n, up);
	up->right = n;
	n->parent = up;
	if (augment) {
		augment(n);
		augment(up);
	}
}

/* a red node may hang below a red one: at @n */
static void fix_red_pair(struct rb_root_cached *tree, struct rb_node *n, rb_augment_fn augment)
{
	struct rb_node *parent, *grand, *uncle;

	while ((parent = n->parent) && parent->red) {
		grand = parent->parent;
		uncle = parent == grand->left ? grand->right : grand->left;
		if (is_red(uncle)) {
			parent->red = uncle->red = false;
			grand->red = true;
			n = grand;
			continue;
		}
		if (parent == grand->left) {
			if (n == parent->right) {
				rotate_left(tree, parent, augment);
				parent = n;
			}
			parent->red = false;
			grand->red = true;
			rotate_right(tree, grand, augment);
		} else {
			if (n == parent->left) {
				rotate_right(tree, parent, augment);
				parent = n;
			}
			parent->red = false;
			grand->red = true;
			rotate_left(tree, grand, augment);
		}
		break;
	}
	tree->root->red = false;
}

void rb_insert(struct rb_root_cached *tree, struct rb_node *node, struct rb_node *parent,
	       struct rb_node **link, rb_augment_fn augment)
{
	node->parent = parent;
	node->left = node->right = NULL;
	if (augment)
		augment(node); /* a leaf's: while the compiler knows that it is one */
	*link = node;
	if (!parent) {
		node->red = false;
		tree->leftmost = node;
		return;
	}
	node->red = true;
	if (parent == tree->leftmost && link == &parent->left)
		tree->leftmost = node;
	if (augment)
		augment_up(parent, augment);
	if (parent->red)
		fix_red_pair(tree, node, augment);
}

/* the paths through @n (maybe missing, child of @parent) are one black node short */
static void fix_short_path(struct rb_root_cached *tree, struct rb_node *n, struct rb_node *parent,
			   rb_augment_fn augment)
{
	struct rb_node *sibling;

	while (parent && !is_red(n)) {
		bool left = n == parent->left;

		sibling = left ? parent->right : parent->left;
		if (sibling->red) {
			sibling->red = false;
			parent->red = true;
			if (left)
				rotate_left(tree, parent, augment);
			else
				rotate_right(tree, parent, augment);
			sibling = left ? parent->right : parent->left;
		}
		if (!is_red(sibling->left) && !is_red(sibling->right)) {
			sibling->red = true;
			n = parent;
			parent = n->parent;
			continue;
		}
		if (left) {
			if (!is_red(sibling->right)) {
				sibling->left->red = false;
				sibling->red = true;
				rotate_right(tree, sibling, augment);
				sibling = parent->right;
			}
			sibling->red = parent->red;
			parent->red = sibling->right->red = false;
			rotate_left(tree, parent, augment);
		} else {
			if (!is_red(sibling->left)) {
				sibling->right->red = false;
				sibling->red = true;
				rotate_left(tree, sibling, augment);
				sibling = parent->left;
			}
			sibling->red = parent->red;
			parent->red = sibling->left->red = false;
			rotate_right(tree, parent, augment);
		}
		return;
	}
	if (n)
		n->red = false;
}

void rb_erase(struct rb_root_cached *tree, struct rb_node *node, rb_augment_fn augment)
{
	struct rb_node *child, *parent;
	bool lost_black;

	if (tree->leftmost == node)
		tree->leftmost = rb_next(node);

	if (!node->left || !node->right) {
		child = node->left ? node->left : node->right;
		parent = node->parent;
		lost_black = !node->red;
		replace_child(tree, parent, node, child);
		if (child)
			child->parent = parent;
	} else {
		/* the successor, which has no left child, takes the node's place */
		struct rb_node *next = node->right;

		while (next->left)
			next = next->left;
		child = next->right;
		lost_black = !next->red;
		if (next->parent == node) {
			parent = next;
		} else {
			parent = next->parent;
			parent->left = child;
			if (child)
				child->parent = parent;
			next->right = node->right;
			next->right->parent = next;
		}
		next->left = node->left;
		next->left->parent = next;
		next->parent = node->parent;
		next->red = node->red;
		replace_child(tree, node->parent, node, next);
		if (augment) {
			/* from the gap to the successor's new place, whatever is found there */
			for (struct rb_node *n = parent; n != next; n = n->parent)
				augment(n);
			augment(next);
			augment_up(next->parent, augment);
		}
		if (lost_black)
			fix_short_path(tree, child, parent, augment);
		return;
	}
	if (!parent) {
		if (child)
			child->red = false;
		return;
	}
	if (augment)
		augment_up(parent, augment);
	if (lost_black)
		fix_short_path(tree, child, parent, augment);
}

void rb_update(struct rb_node *node, rb_augment_fn augment)
{
	augment_up(node, augment);
}

struct rb_node *rb_next(const struct rb_node *node)
{
	struct rb_node *n = node->right;

	if (n) {
		while (n->left)
			n = n->left;
		return n;
	}
	for (n = node->parent; n && node == n->right; n = n->parent)
		node = n;
	return n;
}

struct rb_node *rb_prev(const struct rb_node *node)
{
	struct rb_node *n = node->left;

	if (n) {
		while (n->right)
			n = n->right;
		return n;
	}
	for (n = node->parent; n && node == n->left; n = n->parent)
		node = n;
	return n;
}

/* black nodes on every path below @n, or -1 */
static int black_height(const struct rb_node *n, int *count)
{
	int l, r;

	if (!n)
		return 0;
	++*count;
	if ((n->left && n->left->parent != n) || (n->right && n->right->parent != n))
		return -1;
	if (n->red && (is_red(n->left) || is_red(n->right)))
		return -1;
	l = black_height(n->left, count);
	r = black_height(n->right, count);
	return l < 0 || l != r ? -1 : l + !n->red;
}

int rb_check(const struct rb_root_cached *tree)
{
	const struct rb_node *n = tree->root;
	int count = 0;

	if (!n)
		return tree->leftmost ? -1 : 0;
	if (n->parent || n->red || black_height(n, &count) < 0)
		return -1;
	while (n->left)
		n = n->left;
	return n == tree->leftmost ? count : -1;
}
