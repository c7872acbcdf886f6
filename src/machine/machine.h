/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine.h - what a machine is and what things cost on it.
 *
 * Topology comes from hwloc; everything hwloc cannot know comes from a machine
 * file (YAML; docs/machine-files.md), with the source of each figure beside it.
 * The presets are such files, shipped inside the binary. No machine constant
 * stands in C code, and nothing here is decided by a machine's name.
 */
#ifndef IDLEST_MACHINE_MACHINE_H
#define IDLEST_MACHINE_MACHINE_H

#include "base/err.h"
#include "sched/sched.h"
#include "sched/topology.h"

#define MAX_CSTATES 8
#define MAX_BOOST   16

/* Kernel paths in ns on this machine, kernel_scale already applied (spec 13 §7). */
struct machine_costs {
	u64 syscall;		/* entering and leaving the kernel */
	u64 switch_same_mm, switch_other_mm; /* context switch incl. pick */
	u64 wake_local;		/* try-to-wake-up, enqueue on the own CPU */
	u64 wake_remote[NR_DISTANCES]; /* … with the run-queue lock of a CPU at that distance */
	u64 wake_list_push;	/* putting a task on a remote wake list */
	u64 select_base;	/* choosing a CPU, before any is inspected */
	u64 inspect_cpu[NR_DISTANCES]; /* reading one CPU's state in an idle search */
	u64 balance_base;	/* a balancing pass, before any CPU is read */
	u64 balance_cpu;	/* … per CPU read */
	u64 balance_task;	/* … per task looked at or moved */
	u64 ipi[NR_DISTANCES];	/* sending to handler running */
	u64 poll_wake;		/* a polling idle CPU notices its flag */
	u64 tick;
	u64 block;		/* dequeue of a task that goes to sleep */
	u64 uclamp;		/* an enqueue or a dequeue takes longer once clamps are used */
	u64 yield;		/* what sched_yield() does until the next pick */
	u64 fork, exec, exit;
	u64 timer_irq;		/* timer interrupt that wakes a task */
	u64 futex_wake, futex_wait;
	u64 pipe_write, pipe_read; /* one pipe operation of few bytes, data local, without wake-up */
	u64 sock_write, sock_read;
	/* loopback network, data local: a datagram sent; received in the softirq; read */
	u64 udp_send, udp_rx, udp_read;
	/* a write into the send queue; a segment from there to the device; … to the receiver; a read */
	u64 tcp_write, tcp_xmit, tcp_rx, tcp_read;
	u64 tcp_ack;		/* an acknowledgement without data, both ends */
	u64 net_kib;		/* buffers for a KiB sent, beside the copying */
	u64 lock_handover[NR_DISTANCES]; /* contended lock from one CPU to another */
};

struct machine_cstate {
	char name[16];
	u64 exit_ns;		/* real time to leave it */
	u64 table_exit_ns;	/* exit latency the firmware states (what the kernel compares) */
	u64 residency_ns;	/* target residency */
	bool polling;		/* need-resched is seen without an IPI */
};

/* Bandwidths in bytes per second; 0: no limit known (spec 13 §4). */
struct machine_bandwidth {
	u64 core;		/* one core, to memory, reads and writes together */
	u64 core_write;		/* … what it writes: a copy without write-allocate is slower */
	u64 core_llc;		/* one core, data in its LLC */
	u64 llc_read, llc_write, llc_mixed; /* one LLC to memory; mixed: both together */
	u64 node;		/* the memory channels of one node */
	u64 link;		/* between two packages, per direction */
	u64 node_link;		/* between two nodes of one package, per direction */
};

struct machine {
	char name[64];
	char option[32];	/* variant chosen after the colon ("nps4"), or "" */
	char *description;
	struct sched_topology topo;
	u32 *speed;		/* [nr_cpus], 1024: the fastest; NULL: as topo's capacities */
	u64 l2_bytes, llc_bytes; /* per core, per LLC */
	u64 node_bytes;		/* memory per node; the most that one has where they differ */
	u64 *node_mem;		/* [nr_nodes]: memory of each; 0: a node without */
	u32 line_ns[NR_DISTANCES]; /* bouncing one cache line between two CPUs */
	u32 dram_ns[3];		/* local, same package, other package */
	u32 mlp;		/* lines fetched in parallel when refilling a cache */
	u32 smt_permille;	/* speed of each of two busy siblings */
	u32 base_mhz;
	int nr_boost;		/* frequency by active cores per package, ascending */
	struct { int cores; u32 mhz; } boost[MAX_BOOST];
	u32 max_mhz;		/* cpuinfo.max */
	u32 dhrystone;		/* cycles of the biggest core for a loop of Dhrystone 2 */
	int hz;
	bool cpuidle;		/* C-states are published (spec 05 §5) */
	int nr_cstates;
	struct machine_cstate cstate[MAX_CSTATES]; /* shallow to deep */
	struct { u32 fork, exec, exit; } locked; /* permille of it holding locks of its image */
	u64 timer_slack_ns;	/* spec 14 §1.5 */
	u64 irq_jitter_ns;
	u64 irq_turn_ns; /* mean wait of an interrupt while all CPUs are busy: they run in turn */
	u32 kernel_scale;	/* percent; emulated machines run kernel paths slower */
	u32 kernel_busy_scale;	/* percent of cost that each other busy CPU adds (emulated machines) */
	struct machine_costs cost;
	struct machine_bandwidth bw;
};

/**
 * machine_load() - a machine from what the user names
 * @what: preset[:option] ("zen3-2s:nps4"), path of a machine file or of an hwloc XML file,
 *	  hwloc synthetic string ("pack:2 l3:2 core:4 pu:2"), or "this"
 * @m: result, to be freed with machine_free()
 *
 * Return: 0, -ENOENT (no such preset or file; names the nearest), -EINVAL
 * (unknown key, bad value: file, line, column, what is allowed), -ENOTSUP.
 */
int machine_load(const char *what, struct machine **m, struct err *err);
void machine_free(struct machine *m);

/** machine_busy_costs() - @to: what @m's kernel paths take while @busy CPUs are busy */
void machine_busy_costs(const struct machine *m, int busy, struct machine_costs *to);

/** machine_price() - struct sched_host.price of this machine; @ctx is the struct machine */
u64 machine_price(void *ctx, int cpu, const struct sched_work *w);

/* The presets shipped inside the binary, for `idlest machines`. */
int machine_nr_presets(void);
const char *machine_preset_name(int i);
const char *machine_preset_doc(int i);	/* one line, options included */

#endif
