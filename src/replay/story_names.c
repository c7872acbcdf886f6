// SPDX-License-Identifier: BSD-2-Clause
/*
 * story_names.c - what names say: kernel threads, and our own words.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "replay/story.h"

/* with the number of their only CPU behind the slash */
static const char *const bound[] = {
	"migration", "ksoftirqd", "cpuhp", "idle_inject", "rcuc", "watchdog", "kworker", "ktimers",
	"irq_work",
};

/* by how they begin */
static const char *const kernel_names[] = {
	"kworker/", "rcu_", "rcuop/", "rcuos/", "rcuog/", "rcub/", "kthreadd", "kswapd",
	"kcompactd", "khugepaged", "ksmd", "kauditd", "khungtaskd", "oom_reaper", "kdamond",
	"writeback", "kblockd", "kdevtmpfs", "jbd2/", "irq/", "scsi_eh_", "md", "xfs", "nvme",
	"kstrp", "pool_workqueue", "psimon", "hwrng", "netns", "inet_frag_wq", "slub_flushwq",
	"kintegrityd", "ata_sff", "edac-poller", "devfreq_wq", "mm_percpu_wq", "pr/",
};

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* "kworker/3:1" and "ksoftirqd/3" are CPU 3's, "kworker/u8:1" is nobody's */
static int bound_cpu(const char *comm, size_t len)
{
	const char *p = comm + len;
	char *end;
	long cpu;

	if (*p != '/' || !isdigit((unsigned char)p[1]))
		return -1;
	cpu = strtol(p + 1, &end, 10);
	return cpu < UINT16_MAX && (!*end || *end == ':') ? (int)cpu : -1;
}

bool story_kthread_name(const char *comm, int *cpu)
{
	*cpu = -1;
	for (size_t i = 0; i < ARRAY_SIZE(bound); i++) {
		if (!begins(comm, bound[i]))
			continue;
		*cpu = bound_cpu(comm, strlen(bound[i]));
		if (*cpu >= 0)
			return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kernel_names); i++) {
		size_t len = strlen(kernel_names[i]);

		if (!begins(comm, kernel_names[i]))
			continue;
		/* "md" and "xfs" might begin anything: they go on with no letter of a word */
		if (len > 3 || !isalpha((unsigned char)comm[len]))
			return true;
	}
	return false;
}

const char *story_kind_name(enum story_kind kind)
{
	static const char *const names[] = {
		[STORY_SWITCH] = "switch", [STORY_BLOCK] = "block", [STORY_WAKE] = "wake",
		[STORY_ENQUEUE] = "enqueue", [STORY_FORK] = "fork", [STORY_START] = "start",
		[STORY_MOVE] = "move", [STORY_EXEC] = "exec", [STORY_EXIT] = "exit",
		[STORY_PRIO] = "prio",
	};

	return names[kind];
}

const char *story_move_name(enum story_move move)
{
	static const char *const names[] = {
		[MOVE_NEWIDLE] = "newidle", [MOVE_PERIODIC] = "periodic", [MOVE_NOHZ] = "nohz",
		[MOVE_ACTIVE] = "active", [MOVE_EXEC] = "exec", [MOVE_SELF] = "self",
		[MOVE_CLASS] = "class", [MOVE_UNKNOWN] = "unknown",
	};

	return names[move];
}
