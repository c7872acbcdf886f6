/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dump.h - a recorded dump of a real kernel, read as a topology and what the kernel made of it.
 *
 * Serves full dumps and the distilled ones of tests/data/domains.
 */
#ifndef IDLEST_TEST_DUMP_H
#define IDLEST_TEST_DUMP_H

#include "sched/topology.h"

#define DUMP_CPUS    512
#define DUMP_NODES   64
#define DUMP_DOMAINS 12

struct dump_domain {
	char *attributes;   /* name=MC flags=… min_interval=… */
	char *span, *level; /* of the boot log */
	char *groups;	    /* 0:{ span=0-1 cap=2048 }, … */
};

struct dump {
	char kernel[64];
	const char *profile; /* of the registry */
	struct sched_topology topo;
	int nr_domains[DUMP_CPUS];
	int nr_logged[DUMP_CPUS];
	struct dump_domain domain[DUMP_CPUS][DUMP_DOMAINS];
};

/* fails the test on anything unexpected */
struct dump *dump_read(const char *path);
void dump_free(struct dump *d);
/* Return: the value of @key in "a=1 b=2 3 c=4" up to the next key, in @buf; NULL: not there */
const char *dump_attribute(const char *attributes, const char *key, char *buf, int len);

#endif
