/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quantity.h - the values of machine files: a number and its unit.
 *
 * A unit is always written ("1.2 us", "22 GB/s", "512 KiB"), so that a figure
 * can't be taken for a thousandth of itself. Only a zero may go without.
 */
#ifndef IDLEST_MACHINE_QUANTITY_H
#define IDLEST_MACHINE_QUANTITY_H

#include "base/err.h"
#include "base/types.h"

enum quantity {
	Q_COUNT,    /* no unit */
	Q_TIME,	    /* ns, us, ms, s; in ns */
	Q_BYTES,    /* B, KiB, MiB, GiB, TiB */
	Q_RATE,	    /* MB/s, GB/s (powers of ten); in bytes per second */
	Q_FREQ,	    /* MHz, GHz; in MHz */
	Q_PERCENT,  /* %; in percent */
	Q_PERMILLE, /* %; in a tenth of a percent */
	Q_BOOL,	    /* yes, no; 1, 0 */
	NR_QUANTITIES
};

/**
 * quantity_parse() - read @text
 * @q: what it must be
 * @lo, @hi: allowed, ends included
 * @v: result in the unit named above; digits below it are cut off
 *
 * Return: 0, -EINVAL (not a value of that kind) or -ERANGE; @err tells what is allowed.
 */
int quantity_parse(const char *text, enum quantity q, u64 lo, u64 hi, u64 *v, struct err *err);

/** quantity_format() - @v as quantity_parse() reads it, in the largest unit that keeps it whole */
const char *quantity_format(u64 v, enum quantity q, char *buf, size_t len);

#endif
