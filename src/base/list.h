/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * list.h - circular doubly linked lists whose links live in the elements.
 */
#ifndef IDLEST_BASE_LIST_H
#define IDLEST_BASE_LIST_H

#include "base/types.h"

struct list_head {
	struct list_head *next, *prev;
};

static inline void list_init(struct list_head *h)
{
	h->next = h->prev = h;
}

static inline bool list_empty(const struct list_head *h)
{
	return h->next == h;
}

static inline void list_link(struct list_head *e, struct list_head *prev, struct list_head *next)
{
	next->prev = e;
	e->next = next;
	e->prev = prev;
	prev->next = e;
}

/** list_add() - put @e at the head of @h */
static inline void list_add(struct list_head *e, struct list_head *h)
{
	list_link(e, h, h->next);
}

/** list_add_tail() - put @e at the tail of @h */
static inline void list_add_tail(struct list_head *e, struct list_head *h)
{
	list_link(e, h->prev, h);
}

/** list_del() - take @e out; it is left as a list of its own */
static inline void list_del(struct list_head *e)
{
	e->prev->next = e->next;
	e->next->prev = e->prev;
	list_init(e);
}

static inline void list_move(struct list_head *e, struct list_head *h)
{
	list_del(e);
	list_add(e, h);
}

static inline void list_move_tail(struct list_head *e, struct list_head *h)
{
	list_del(e);
	list_add_tail(e, h);
}

#define list_entry(ptr, type, member) container_of(ptr, type, member)
#define list_first_entry(h, type, member) list_entry((h)->next, type, member)
#define list_last_entry(h, type, member)  list_entry((h)->prev, type, member)
#define list_for_each_entry(pos, h, member)                                                        \
	for ((pos) = list_entry((h)->next, __typeof__(*(pos)), member); &(pos)->member != (h);     \
	     (pos) = list_entry((pos)->member.next, __typeof__(*(pos)), member))
#define list_for_each_entry_safe(pos, n, h, member)                                                \
	for ((pos) = list_entry((h)->next, __typeof__(*(pos)), member),                            \
	    (n) = list_entry((pos)->member.next, __typeof__(*(pos)), member);                      \
	     &(pos)->member != (h);                                                                \
	     (pos) = (n), (n) = list_entry((n)->member.next, __typeof__(*(n)), member))

#endif
