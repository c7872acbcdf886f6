// SPDX-License-Identifier: BSD-2-Clause
/*
 * story_bind.c - who bound itself to a CPU.
 *
 * Traces don't tell affinities. A task that woke the stopper to be taken elsewhere
 * and from then on was nowhere else, may run there only.
 */
#include <stdlib.h>

#include "replay/story_link.h"

/* where a task is from some act on */
struct whereabouts {
	int cpu;	/* -1: not seen */
	bool elsewhere;
};

static void seen(struct whereabouts *w, u32 task, int cpu)
{
	if (task == STORY_NONE)
		return;
	w[task].elsewhere |= w[task].cpu >= 0 && w[task].cpu != cpu;
	w[task].cpu = cpu;
}

int story_find_binding_moves(struct story *s)
{
	struct whereabouts *w = malloc(((size_t)s->nr_tasks + 1) * sizeof(*w));

	if (!w)
		return -1;
	for (u32 i = 0; i < s->nr_tasks; i++)
		w[i] = (struct whereabouts){ .cpu = -1 };
	for (u32 i = s->nr_acts; i-- > 0;) {
		struct story_act *a = &s->act[i];

		switch (a->kind) {
		case STORY_MOVE:
			seen(w, a->task, a->to);
			if (a->move != MOVE_SELF)
				break;
			a->binds = !w[a->task].elsewhere;
			w[a->task] = (struct whereabouts){ .cpu = a->from };
			break;
		case STORY_SWITCH:
			seen(w, a->other, a->cpu);
			seen(w, a->task, a->cpu);
			break;
		case STORY_ENQUEUE:
		case STORY_START:
			seen(w, a->task, a->to);
			break;
		default:
			break;
		}
	}
	free(w);
	return 0;
}
