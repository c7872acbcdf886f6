/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rules.h - where kernels differ and no feature bit says so: the rule variants.
 *
 * One enum per row of the table of profiles (spec 16 §17). A profile is one
 * struct sched_rules, given in profiles.def; the code of a rule asks for its
 * variant and never for a version.
 */
#ifndef IDLEST_SCHED_RULES_H
#define IDLEST_SCHED_RULES_H

#include "base/types.h"

enum fair_class_rule { FAIR_CFS, FAIR_EEVDF, FAIR_EEVDF_FLAT };
enum protection_rule { PROTECT_NONE, PROTECT_DEADLINE, PROTECT_VPROT, PROTECT_VPROT_SHORT };
enum lag_limit_rule { LAG_NONE, LAG_TWO_SLICES, LAG_MAX_SLICE_TICK };
enum delay_rule { DELAY_NONE, DELAY_ENTITIES, DELAY_TASKS };
enum yield_rule { YIELD_SKIP, YIELD_DEADLINE, YIELD_FORFEIT };
enum fork_preempt_rule { FORK_PREEMPTS, FORK_PREEMPTS_SHORT_IDLE };
enum resched_rule { RESCHED_NOW, RESCHED_LAZY };
enum recent_used_rule { RECENT_ON_HIT, RECENT_ALWAYS };
enum scan_start_rule { SCAN_FROM_TARGET, SCAN_AFTER_TARGET };
enum scan_limit_rule { SCAN_PROP_OLD, SCAN_PROP_NEW };	/* form of SIS_PROP; SIS_UTIL is a feature */
enum smt_step_rule { SMT_TARGET_LAST, SMT_NONE, SMT_PREV };
enum cluster_rule { CLUSTER_NONE, CLUSTER_V7, CLUSTER_MERGED };
enum wake_list_rule { WAKE_LIST_REMOTE, WAKE_LIST_LAST_TASK, WAKE_LIST_EMPTY_CPU };
enum idle_stamp_rule { STAMP_UNTIL_WAKE, STAMP_UNTIL_IDLE_EXIT };
enum fork_stats_rule { FORK_STATS_SPAN, FORK_STATS_MASKED };
enum numa_allow_rule { NUMA_ALLOW_IDLE, NUMA_ALLOW_QUARTER, NUMA_ALLOW_PER_LLC, NUMA_ALLOW_PER_LLC_MIN2 };
enum imb_numa_nr_rule { IMB_NUMA_NONE, IMB_NUMA_QUARTER, IMB_NUMA_EIGHTH };	/* spec 01 §7, variants B and C */
enum numa_group_rule { NUMA_GROUPS_OF_OWN_CPU, NUMA_GROUPS_OF_FIRST_CPU };
enum busiest_rule { BUSIEST_BY_TYPE, BUSIEST_BY_AVERAGE_LOAD, BUSIEST_BY_LEAST_LOAD };
enum newidle_entry_rule { NEWIDLE_FIXED_COST, NEWIDLE_DOMAIN_COST };
enum serialize_rule { SERIALIZE_PERIODIC, SERIALIZE_ALL };
enum prefer_sibling_rule { SIBLING_OF_CHILD, SIBLING_OF_BUSIEST };
enum numa_hot_rule { NUMA_HOT_THREE_WAY, NUMA_HOT_DIFFERENCE };
enum push_rule { PUSH_COUNTS_AS_FAILED, PUSH_EXEMPT };	/* ≤5.12, newer */
enum drain_rule { DRAIN_AT_ONCE, DRAIN_BY_PUSH };	/* ≤5.10, newer */
enum rt_guard_rule { RT_GUARD_THROTTLE, RT_GUARD_SERVER, RT_GUARD_SERVER_FULL };
enum bandwidth_rule { BANDWIDTH_GROUP, BANDWIDTH_TASK };
enum scale_down_rule { SCALE_DOWN_MIN2, SCALE_DOWN_TRUNCATES };
enum share_rule { SHARE_SMP, SHARE_CONCUR };
enum new_util_rule { NEW_UTIL_SCALED_WEIGHT, NEW_UTIL_PLAIN_WEIGHT };
enum util_est_rule { UTIL_EST_TWO, UTIL_EST_ONE, UTIL_EST_ONE_NO_CAP };
/* utilisation clamps: not built in, always counted (before 5.8), counted once somebody uses them */
enum uclamp_rule { UCLAMP_NONE, UCLAMP_ALWAYS, UCLAMP_SWITCHED };
enum uclamp_group_rule { UCLAMP_GROUP_LIMITS, UCLAMP_GROUP_CLAMPS };
enum uclamp_fit_rule { UCLAMP_FIT_CLAMPED, UCLAMP_FIT_HINTS };
enum delayed_count_rule { DELAYED_COUNTED, DELAYED_NOT_COUNTED };
enum asym_flag_rule { ASYM_ONE_LEVEL, ASYM_CLASSIFIED };	/* spec 01 §8; the first is ≤5.13 */
/* patch series that never were, or not yet, in a release (spec 04 §9-10, 07) */
enum sis_short_rule { SIS_SHORT_NONE, SIS_SHORT_V1, SIS_SHORT_V2, SIS_SHORT_V3, SIS_SHORT_V4,
		      SIS_SHORT_V5 };
enum sched_cache_rule { SCHED_CACHE_NONE, SCHED_CACHE_V1, SCHED_CACHE_V2, SCHED_CACHE_MERGED };

struct sched_rules {
	enum fair_class_rule fair_class;
	enum protection_rule protection;
	enum lag_limit_rule lag_limit;
	enum delay_rule delay;
	bool custom_slice;
	enum yield_rule yield;
	enum fork_preempt_rule fork_preempt;
	enum resched_rule resched;
	bool long_sleepers;		/* spec 02 §4.5: re-placed after 2^63/1024 ns */
	bool wa_idle_prev;		/* spec 04 §4.1c */
	bool wa_sync_minus_delayed;
	enum recent_used_rule recent_used;
	enum scan_limit_rule scan_limit;
	enum scan_start_rule scan_start;
	bool kthread_stack;		/* a per-CPU kernel thread's wakee may stack on it (spec 04 §5.3) */
	bool idle_core_first;		/* ≤5.11: the idle-core search is a scan of its own */
	enum smt_step_rule smt_step;
	bool sched_idle_free_for_idle;	/* a sched-idle CPU is free for SCHED_IDLE tasks too */
	bool wake_longest_idle;		/* in no kernel: a wakee goes to the CPU that is idle longest */
	bool asym_idle_cores;		/* mixed capacities: idle cores first, SIS_UTIL's limit (spec 16 §9.3) */
	enum cluster_rule cluster;
	enum wake_list_rule wake_list;
	bool wake_list_on_cpu;		/* … also of a wakee that is still on its CPU, in another LLC */
	enum idle_stamp_rule idle_stamp;
	enum fork_stats_rule fork_stats;
	bool fork_util;			/* 5.9+: equally idle groups: the less utilised one (spec 05 §3) */
	enum numa_allow_rule fork_numa;
	enum numa_allow_rule balance_numa;
	enum imb_numa_nr_rule imb_numa_nr;
	bool numa_levels_kept;		/* domains above the node are built also after CPUs came or went */
	enum numa_group_rule numa_groups; /* from whose point of view overlapping groups are built */
	enum busiest_rule busiest;	/* how two groups are compared: by type since 5.5 */
	int pkg_imbalance_pct;		/* of DIE/PKG and NUMA: 125 or 117 */
	int busy_factor;		/* 32 or 16 */
	bool smt_balance;		/* smt_balance group type, idle-core rule, sibling imbalance */
	bool asym_idle_core;		/* 6.5+: packing goes to idle cores, threads rank alike */
	bool llc_balance;
	enum newidle_entry_rule newidle_entry;
	bool newidle_failed_costs;
	bool newidle_checks_pending;	/* 6.0+: a new-idle pass only while nothing is pending */
	bool newidle_refusal_ends;	/* a pass that wasn't allowed ends the walk */
	enum serialize_rule serialize;
	bool refuse_delayed;		/* delayed and ineligible tasks refused when balancing */
	enum delayed_count_rule delayed_count;
	bool misfit_not_failed;		/* misfit passes don't count as failed */
	bool misfit_equal_replaces;	/* ≤6.6: of two equal misfit groups the later one is busiest */
	bool misfit_idle_core;		/* mixed capacity: dst core idle, min-capacity test first */
	enum prefer_sibling_rule prefer_sibling;
	enum numa_hot_rule numa_hot;
	enum push_rule push;
	bool push_needs_queued;		/* no active push if the task is off its queue already */
	bool nohz_next_kick;		/* 5.15+: a CPU that joins the idle mask may bring the next pass forward */
	bool nohz_idle_core;		/* a kick prefers an idle CPU whose whole core is idle (7.3) */
	enum drain_rule drain;
	enum rt_guard_rule rt_guard;
	bool rt_group;			/* RT_GROUP_SCHED: run time for groups of realtime tasks */
	bool preempt_next_class;	/* 7.3: spec 16 §5.10 */
	bool dl_timer_pushes;		/* a replenished task that has to wait goes elsewhere at once */
	bool dl_capacity;		/* 5.8+: spec 08 §3 */
	enum uclamp_rule uclamp;	/* none: realtime tasks fit everywhere (spec 08 §2.5) */
	enum uclamp_group_rule uclamp_group; /* what a group's values do to a task's */
	enum uclamp_fit_rule uclamp_fit;
	bool uclamp_reset;		/* 5.11+: -1 takes a request back */
	bool psi_cpu_full;		/* 5.13+: pressure files say full of CPUs, too */
	bool psi_irq;			/* 6.1+: irq.pressure, with interrupt time accounting */
	bool psi_per_group;		/* 6.1+: cgroup.pressure */
	enum bandwidth_rule bandwidth;
	enum share_rule share;
	enum scale_down_rule scale_down; /* of a group's small share (spec 09 §1) */
	bool bandwidth_burst;		/* 5.14+: cpu.max.burst */
	bool bandwidth_cap;		/* 5.8+: quotas have an upper limit */
	bool period_phase;		/* the first period of a quota ends anywhere in it */
	bool hotplug_unthrottle;	/* a CPU that goes or comes un-throttles all */
	bool slice_expiry;		/* before 5.4: run time handed to a CPU expires with the period */
	bool stat_nice;			/* cpu.stat has nice_usec */
	bool group_idle;		/* 5.15+: cpu.idle */
	enum new_util_rule new_util;
	enum util_est_rule util_est;
	bool missed_decay;		/* 5.19+: decay missed by an idle CPU is estimated (spec 03 §5.2) */
	bool tg_load_rate_limit;	/* 6.7+: tg.load_avg at most once per ms and CPU */
	bool util_boost;		/* 6.5+: runnable_avg counts as utilisation where boosted */
	bool h_nr_runnable;		/* PELT runnable and PREEMPT_SHORT era counts leave delayed tasks out */
	enum sis_short_rule sis_short;
	bool sis_current;		/* spec 04 §10 */
	bool sis_cache;
	enum sched_cache_rule sched_cache;
	enum asym_flag_rule asym_flag;
	bool group_flags_follow;	/* 6.7+: a removed domain's child gives the groups above their flags */
	bool smt_level_if_smt;		/* 7.3: no SMT level where every core has one thread */
	bool cluster_level;		/* CLS level is built (5.16+) */
	bool cluster_flag;		/* …and carries CLUSTER (6.7+ or the patches) */
	bool pkg_names;			/* PKG instead of DIE (6.7+) */
	bool share_llc_name;		/* SHARE_LLC instead of SHARE_PKG_RESOURCES (6.9+) */
	bool overlap_flag;		/* OVERLAP exists (gone in 7.3) */
	int schedstat_version;
};

#endif
