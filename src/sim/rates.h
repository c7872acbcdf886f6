/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rates.h - how fast each CPU gets on with what it does.
 *
 * The engine says what a CPU starts and stops doing; this module keeps how
 * much is left, at which rate it goes, and so when it ends. Rates change when
 * an SMT sibling becomes busy or idle, when the frequency of a package
 * changes, and when the users of a shared memory resource change (max-min
 * fairness over core, LLC, node channels and links; spec 13 §4). Integers only.
 *
 * What changed is collected until rates_settle(), which solves again only the
 * resources whose users changed and reports the CPUs whose end moved. Call it
 * when time is about to advance rather than after every change: all that
 * happened in one instant is then solved once.
 *
 * Nominal speed: one ns of ACT_COMPUTE is what the machine's biggest core does
 * in a ns at max_mhz with no sibling busy. Speed is therefore
 *	capacity / 1024 x current frequency / max_mhz x SMT share
 * and a package with many busy cores is slower than nominal. Paths of the
 * scheduler (ACT_WALL) are priced in wall time and not scaled: they wait for
 * lines of other CPUs. What a task does in a system call is slowed down by a
 * busy sibling and a small core like what it does elsewhere: rates_call_ns().
 *
 * No work is lost or made by interrupting: progress is kept in 2^-20 ns (or
 * bytes). What rates_stop() rounds up is taken off the next activity of that
 * kind on the CPU, so that the sum stays right to less than one unit for ever.
 * An end that falls between two ns is the later one.
 */
#ifndef IDLEST_SIM_RATES_H
#define IDLEST_SIM_RATES_H

#include "base/arena.h"
#include "machine/machine.h"

#define RATES_NEVER UINT64_MAX

enum activity_kind {
	ACT_IDLE,	/* the CPU sleeps: an SMT sibling has the core for itself */
	ACT_WALL,	/* ns of wall time (kernel paths, spinning); the core is busy */
	ACT_COMPUTE,	/* ns of work at nominal speed (above) */
	ACT_STREAM,	/* bytes moved through the memory system */
};

/* Traffic of one ACT_STREAM: shares of its bytes by what they load. */
struct traffic {
	u64 read_bytes, write_bytes;	/* real bytes to move; their sum is the work */
	bool in_llc;			/* data is in the LLC: no node or link is loaded */
	const u32 *node_permille;	/* [nr_nodes]: where the pages are; sums to 1000 */
};

struct rates;

struct rates *rates_new(struct arena *arena, const struct machine *m);

/**
 * rates_start() - @cpu does something from @now on
 * @work: ns (WALL, COMPUTE) or ignored (STREAM: the traffic's bytes; IDLE)
 * @t: of ACT_STREAM; copied. After an interruption: what is left, in the same mix
 *
 * Replaces what it did before. rates_end() of WALL and COMPUTE is right at
 * once, that of STREAM after the next rates_settle().
 */
void rates_start(struct rates *r, u64 now, int cpu, enum activity_kind kind, u64 work,
		 const struct traffic *t);

/**
 * rates_stop() - interrupt what @cpu does
 * @left: what is left of the work in the unit of rates_start() (STREAM: bytes)
 *
 * The CPU counts as busy with nothing until the next rates_start().
 */
void rates_stop(struct rates *r, u64 now, int cpu, u64 *left);

/**
 * rates_end() - when what @cpu does will be done, as of the last settle
 *
 * Return: absolute ns; RATES_NEVER: idle, or busy with nothing.
 */
u64 rates_end(const struct rates *r, int cpu);

/**
 * rates_frequency() - re-evaluate the frequency of the package of @cpu (from its tick)
 *
 * Nothing else changes a frequency, so that a core that goes idle and busy
 * again between ticks costs nothing. The first tick of a package in a tick
 * period does it for all its CPUs. The frequency is that of the first boost
 * entry for at least as many cores as are busy now, else that of the last.
 */
void rates_frequency(struct rates *r, u64 now, int cpu);
/**
 * rates_call_ns() - what a system call takes that begins now on @cpu
 * @ns: alone on one of the biggest cores, at the frequency the machine has under load
 *
 * Calls are short: what the sibling does at the start is taken for all of it.
 */
u64 rates_call_ns(const struct rates *r, int cpu, u64 ns);
/** rates_freq_scale() - current frequency of @cpu, 1024 = the machine's maximum */
u32 rates_freq_scale(const struct rates *r, int cpu);

/**
 * rates_disturbed() - whether rates_settle() would tell anything but what rates_end() told at
 * the start: an end moved for somebody else, or a STREAM has no end yet
 */
bool rates_disturbed(const struct rates *r);

/**
 * rates_settle() - bring all rates in line with what changed since the last call
 *
 * Return: number of CPUs whose rates_end() moved, CPUs that started something
 * since the last call included; rates_moved() lists each once. Cheap when
 * nothing that is shared changed.
 */
int rates_settle(struct rates *r, u64 now);
const int *rates_moved(const struct rates *r);

#endif
