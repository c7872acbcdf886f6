// SPDX-License-Identifier: BSD-2-Clause
/*
 * pids.c - dense numbers for the pids of a trace, in the order they are met.
 */
#include <stdlib.h>

#include "trace/pids.h"

static u32 find(const struct pid_map *m, s32 pid)
{
	/* the upper half is where all bits of the pid had their say */
	u32 i = (u32)(((u32)pid * 0x9e3779b97f4a7c15ull) >> 32) & (m->slots - 1);

	while (m->index[i] && m->pid[i] != pid)
		i = (i + 1) & (m->slots - 1);
	return i;
}

static bool grow(struct pid_map *m)
{
	struct pid_map old = *m;

	m->slots = old.slots ? old.slots * 2 : 256;
	m->pid = malloc(m->slots * sizeof(*m->pid));
	m->index = calloc(m->slots, sizeof(*m->index));
	if (!m->pid || !m->index) {
		free(m->pid);
		free(m->index);
		*m = old;
		return false;
	}
	for (u32 i = 0; i < old.slots; i++) {
		if (old.index[i]) {
			u32 to = find(m, old.pid[i]);

			m->pid[to] = old.pid[i];
			m->index[to] = old.index[i];
		}
	}
	free(old.pid);
	free(old.index);
	return true;
}

u32 pid_index(struct pid_map *m, s32 pid)
{
	u32 i;

	if (m->nr * 2 >= m->slots && !grow(m))
		return UINT32_MAX;
	i = find(m, pid);
	if (!m->index[i]) {
		m->pid[i] = pid;
		m->index[i] = ++m->nr;
	}
	return m->index[i] - 1;
}

void pid_map_free(struct pid_map *m)
{
	free(m->pid);
	free(m->index);
	*m = (struct pid_map){0};
}
