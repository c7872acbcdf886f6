/* SPDX-License-Identifier: BSD-2-Clause */
/* weights.c - what a nice level is worth (spec 02 §2). */
#include "sched/fair/fair.h"

/* One nice level is a factor of about 1.25: 10 % more or less of a CPU shared by two. */
const int sched_prio_to_weight[40] = {
	88761, 71755, 56483, 46273, 36291, /* -20 … */
	29154, 23254, 18705, 14949, 11916, /* -15 … */
	9548, 7620, 6100, 4904, 3906,	   /* -10 … */
	3121, 2501, 1991, 1586, 1277,	   /* -5 … */
	1024, 820, 655, 526, 423,	   /* 0 … */
	335, 272, 215, 172, 137,	   /* 5 … */
	110, 87, 70, 56, 45,		   /* 10 … */
	36, 29, 23, 18, 15,		   /* 15 … */
};

/* 2^32 / weight */
const u32 sched_prio_to_wmult[40] = {
	48388, 59856, 76040, 92818, 118348,		    /* -20 … */
	147320, 184698, 229616, 287308, 360437,		    /* -15 … */
	449829, 563644, 704093, 875809, 1099582,	    /* -10 … */
	1376151, 1717300, 2157191, 2708050, 3363326,	    /* -5 … */
	4194304, 5237765, 6557202, 8165337, 10153587,	    /* 0 … */
	12820798, 15790321, 19976592, 24970740, 31350126,   /* 5 … */
	39045157, 49367440, 61356676, 76695844, 95443717,   /* 10 … */
	119304647, 148102320, 186737708, 238609294, 286331153, /* 15 … */
};

/* a group's inverse; floor, unlike the table's */
u32 weight_inverse(const struct load_weight *lw)
{
	u64 w = load_down(lw);

	if (w > UINT32_MAX)
		return 1;
	return w ? UINT32_MAX / (u32)w : UINT32_MAX;
}

struct load_weight task_weight(const struct task *p)
{
	int i = clamp(p->nice, -20, 19) + 20;

	if (p->policy == POLICY_IDLE)
		return (struct load_weight){ WEIGHT_IDLEPRIO << WEIGHT_SHIFT, 1431655765, false };
	return (struct load_weight){ (u64)sched_prio_to_weight[i] << WEIGHT_SHIFT,
				     sched_prio_to_wmult[i], false };
}

void set_entity_load(const struct sched *s, struct sched_entity *se, struct load_weight lw)
{
	se->load = lw;
	if (is_flat(s))
		return;
	se->vload = lw;
	se->key_weight = load_down(&lw);
}

u64 vtime_slow(u64 delta, const struct sched_entity *se)
{
	if (se->vload.inv_weight)
		return scaled_delta(delta, NICE_0_WEIGHT, se->vload.inv_weight);
	return (u64)((u128)delta * NICE_0_LOAD / max(se->vload.weight, (u64)1));
}
