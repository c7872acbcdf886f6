// SPDX-License-Identifier: BSD-2-Clause
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/cpumask.h"
#include "dump.h"

#define WORDS (DUMP_CPUS / 64)

const char *dump_attribute(const char *attributes, const char *key, char *buf, int len)
{
	int klen = strlen(key), n = 0;
	const char *s = attributes;

	while (strncmp(s, key, klen) || s[klen] != '=') {
		s = strchr(s, ' ');
		if (!s)
			return NULL;
		s++;
	}
	s += klen + 1;
	/* the value may have spaces: it ends before the next word with a '=' */
	while (*s && n < len - 1) {
		if (*s == ' ' && s[1 + strcspn(s + 1, " =")] == '=')
			break;
		buf[n++] = *s++;
	}
	buf[n] = '\0';
	return buf;
}

/* ids from lists of CPUs that share something: equal first CPU, equal id */
static int first_of(const char *attributes, const char *key)
{
	char buf[256];
	u64 set[WORDS];

	if (!dump_attribute(attributes, key, buf, sizeof(buf)))
		return -1;
	if (mask_parse(buf, set, DUMP_CPUS, NULL))
		fail_msg("dump: bad list %s=%s", key, buf);
	return mask_first(set, WORDS);
}

static void read_cpu(struct dump *d, int cpu, const char *attributes)
{
	struct topo_cpu *c = &d->topo.cpu[cpu];

	if (cpu >= d->topo.nr_cpus)
		d->topo.nr_cpus = cpu + 1;
	c->core = first_of(attributes, "smt");
	c->cluster = first_of(attributes, "L2");
	c->llc = first_of(attributes, "L3");
	if (c->llc < 0)
		c->llc = c->cluster;
	c->package = first_of(attributes, "package");
	c->capacity = 1024;
}

/* first CPUs as ids become 0 … n - 1; @offset: member of struct topo_cpu. Return: n */
static int make_dense(struct sched_topology *t, size_t offset)
{
	int id[DUMP_CPUS], n = 0;

	for (int c = 0; c < t->nr_cpus; c++) {
		int *member = (int *)((char *)&t->cpu[c] + offset);

		if (*member == c)
			id[c] = n++;
		*member = *member < 0 ? -1 : id[*member];
	}
	return n;
}

static void read_node(struct dump *d, int node, const char *attributes)
{
	char buf[512];
	u64 set[WORDS];
	char *s = buf, *end;
	int c, n = 0;

	if (!dump_attribute(attributes, "cpus", buf, sizeof(buf)) ||
	    mask_parse(buf, set, DUMP_CPUS, NULL))
		fail_msg("dump: node%d: bad CPU list", node);
	for_each_cpu(c, set, WORDS)
		d->topo.cpu[c].node = node;
	if (!dump_attribute(attributes, "distance", buf, sizeof(buf)))
		fail_msg("dump: node%d: no distances", node);
	while (*s && n < DUMP_NODES) {
		long v = strtol(s, &end, 10);

		if (end == s)
			break;
		d->topo.distance[node * DUMP_NODES + n++] = v;
		s = end;
	}
	d->topo.nr_nodes = n;
}

/* rows were read DUMP_NODES wide */
static void pack_distances(struct sched_topology *t)
{
	for (int i = 0; i < t->nr_nodes; i++)
		for (int j = 0; j < t->nr_nodes; j++)
			t->distance[i * t->nr_nodes + j] = t->distance[i * DUMP_NODES + j];
}

static void read_domain(struct dump *d, const char *line)
{
	char cpus[256], *slash = strchr(line, '/');
	const char *attributes;
	u64 set[WORDS];
	int level, c;

	snprintf(cpus, sizeof(cpus), "%.*s", (int)(slash - line - 3), line + 3);
	if (mask_parse(cpus, set, DUMP_CPUS, NULL) || sscanf(slash, "/domain%d", &level) != 1 ||
	    level >= DUMP_DOMAINS)
		fail_msg("dump: bad line: %s", line);
	attributes = strchr(slash, ' ') + 1;
	for_each_cpu(c, set, WORDS) {
		d->domain[c][level].attributes = strdup(attributes);
		d->nr_domains[c] = max(d->nr_domains[c], level + 1);
	}
}

static void read_log(struct dump *d, const char *line, int *cpu, int *level)
{
	char span[256], name[16];

	while (isspace((unsigned char)*line))
		line++;
	if (sscanf(line, "CPU%d attaching", cpu) == 1)
		return;
	if (sscanf(line, "domain-%d: span=%255s level=%15s", level, span, name) == 3) {
		d->domain[*cpu][*level].span = strdup(span);
		d->domain[*cpu][*level].level = strdup(name);
		d->nr_logged[*cpu] = *level + 1;
	} else if (!strncmp(line, "groups: ", 8)) {
		d->domain[*cpu][*level].groups = strdup(line + 8);
	}
}

struct dump *dump_read(const char *path)
{
	enum { OTHER, KERNEL, TOPOLOGY, DOMAINS, LOG } section = OTHER;
	struct dump *d = calloc(1, sizeof(*d));
	FILE *f = fopen(path, "r");
	int cpu = 0, level = 0, n;
	size_t size = 0;
	char *line = NULL;

	if (!f || !d)
		fail_msg("%s can't be read", path);
	d->topo.cpu = calloc(DUMP_CPUS, sizeof(*d->topo.cpu));
	d->topo.distance = calloc(DUMP_NODES * DUMP_NODES, sizeof(int));
	while (getline(&line, &size, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "# ", 2)) {
			section = !strcmp(line, "# kernel")		    ? KERNEL
				  : !strcmp(line, "# topology")		    ? TOPOLOGY
				  : !strcmp(line, "# domains")		    ? DOMAINS
				  : !strncmp(line, "# domain building", 17) ? LOG
									    : OTHER;
			continue;
		}
		if (section == KERNEL)
			sscanf(line, "Linux version %63s", d->kernel);
		else if (section == TOPOLOGY && sscanf(line, "cpu%d %n", &cpu, &n) == 1)
			read_cpu(d, cpu, line + n);
		else if (section == TOPOLOGY && sscanf(line, "node%d %n", &cpu, &n) == 1)
			read_node(d, cpu, line + n);
		else if (section == DOMAINS)
			read_domain(d, line);
		else if (section == LOG)
			read_log(d, line, &cpu, &level);
	}
	free(line);
	fclose(f);
	d->profile = !strncmp(d->kernel, "6.1.", 4)    ? "v6.1.192"
		     : !strncmp(d->kernel, "6.12.", 5) ? "v6.12.95"
		     : !strncmp(d->kernel, "7.3.", 4)  ? "v7.3"
						       : NULL;
	if (!d->profile)
		fail_msg("%s: no profile for kernel '%s'", path, d->kernel);
	pack_distances(&d->topo);
	d->topo.nr_cores = make_dense(&d->topo, offsetof(struct topo_cpu, core));
	d->topo.nr_clusters = make_dense(&d->topo, offsetof(struct topo_cpu, cluster));
	d->topo.nr_llcs = make_dense(&d->topo, offsetof(struct topo_cpu, llc));
	d->topo.nr_packages = make_dense(&d->topo, offsetof(struct topo_cpu, package));
	d->topo.node_reclaim_distance = 30;
	d->topo.x86 = true;
	return d;
}

void dump_free(struct dump *d)
{
	for (int c = 0; c < DUMP_CPUS; c++) {
		for (int i = 0; i < DUMP_DOMAINS; i++) {
			free(d->domain[c][i].attributes);
			free(d->domain[c][i].span);
			free(d->domain[c][i].level);
			free(d->domain[c][i].groups);
		}
	}
	free(d->topo.cpu);
	free(d->topo.distance);
	free(d);
}
