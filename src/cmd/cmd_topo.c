// SPDX-License-Identifier: BSD-2-Clause
/*
 * idlest topo: a machine, and the scheduling domains that kernels build on it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpumask.h"
#include "cmd/cmd.h"
#include "experiment/kernel_dump.h"
#include "machine/machine.h"
#include "machine/qemu.h"
#include "report/json.h"
#include "sched/domains.h"

#define MAX_KERNELS 32
#define MAX_LEVELS  16

enum { OPT_JSON = 256, OPT_CPU, OPT_QEMU };

struct options {
	const char *machine;
	const char *kernel[MAX_KERNELS];
	int nr_kernels;
	const char *cpus;
	bool json, qemu;
};

static const struct argp_option option_table[] = {
	{"kernel", 'k', "KERNEL", 0, "Whose domains (repeatable; default " CMD_DEFAULT_KERNEL ")",
	 0},
	{"cpu", OPT_CPU, "LIST", 0, "These CPUs only, each on its own", 0},
	{"qemu", OPT_QEMU, NULL, 0, "Print the arguments that make QEMU emulate such a machine", 0},
	{"json", OPT_JSON, NULL, 0, "Print the domains of every CPU as JSON", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'k':
		if (o->nr_kernels == MAX_KERNELS)
			argp_error(state, "more than %d kernels", MAX_KERNELS);
		o->kernel[o->nr_kernels++] = arg;
		break;
	case OPT_CPU:
		o->cpus = arg;
		break;
	case OPT_JSON:
		o->json = true;
		break;
	case OPT_QEMU:
		o->qemu = true;
		break;
	case ARGP_KEY_ARG:
		if (o->machine)
			argp_error(state, "'%s': one machine at a time", arg);
		o->machine = arg;
		break;
	case ARGP_KEY_END:
		if (!o->machine)
			argp_error(state, "no machine named (idlest machines lists the presets)");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* a CPU list in memory of its own */
static char *list_of(const u64 *set, int words)
{
	size_t len = (size_t)words * 64 * 6 + 1;
	char *buf = malloc(len);

	return buf ? mask_format(set, words, buf, len) : NULL;
}

/* ---- the machine ---- */

/* CPUs with an equal @member, one line a set: "LLC     0-7,128-135  8-15,136-143 …" */
static void print_partition(const struct sched_topology *t, const char *title, int nr,
			    size_t member)
{
	int words = mask_words(t->nr_cpus), shown = 0;
	u64 set[words];

	if (nr == t->nr_cpus || nr < 1)
		return;
	printf("  %-9s", title);
	for (int id = 0; id < nr && shown < 16; id++) {
		char *list;

		mask_zero(set, words);
		for (int c = 0; c < t->nr_cpus; c++)
			if (*(const int *)((const char *)&t->cpu[c] + member) == id)
				mask_set(set, c);
		list = list_of(set, words);
		printf(" %s", list && *list ? list : "-");
		free(list);
		shown++;
	}
	if (shown < nr)
		printf(" … %d in all", nr);
	putchar('\n');
}

static void print_distances(const struct sched_topology *t)
{
	if (t->nr_nodes < 2)
		return;
	puts("  node distances");
	for (int i = 0; i < t->nr_nodes; i++) {
		printf("    %3d:", i);
		for (int j = 0; j < t->nr_nodes; j++)
			printf(" %3d", t->distance[i * t->nr_nodes + j]);
		putchar('\n');
	}
}

static void print_capacities(const struct sched_topology *t)
{
	bool mixed = false;

	for (int c = 1; c < t->nr_cpus; c++)
		mixed |= t->cpu[c].capacity != t->cpu[0].capacity;
	if (!mixed)
		return;
	printf("  capacity ");
	for (int c = 0; c < t->nr_cpus; c++)
		if (!c || t->cpu[c].capacity != t->cpu[c - 1].capacity)
			printf(" %u from CPU %d", t->cpu[c].capacity, c);
	putchar('\n');
}

static void print_machine(const struct machine *m)
{
	const struct sched_topology *t = &m->topo;

	printf("%s%s%s%s%s\n", m->name, m->option[0] ? ":" : "", m->option,
	       m->description ? ": " : "", m->description ?: "");
	printf("  %d CPUs, %d cores, %d LLCs, %d nodes, %d packages\n", t->nr_cpus, t->nr_cores,
	       t->nr_llcs, t->nr_nodes, t->nr_packages);
	print_partition(t, "packages", t->nr_packages, offsetof(struct topo_cpu, package));
	print_partition(t, "nodes", t->nr_nodes, offsetof(struct topo_cpu, node));
	print_partition(t, "LLCs", t->nr_llcs, offsetof(struct topo_cpu, llc));
	if (t->nr_clusters != t->nr_cores)
		print_partition(t, "clusters", t->nr_clusters, offsetof(struct topo_cpu, cluster));
	print_partition(t, "cores", t->nr_cores, offsetof(struct topo_cpu, core));
	print_distances(t);
	print_capacities(t);
}

/* ---- domains for people ---- */

static void print_groups(struct sched_domain_view *v, int words)
{
	struct sched_group_view g;

	while (sched_domains_next_group(v, &g)) {
		char *span = list_of(g.span, words);

		printf(" {%s}", span ?: "");
		if (!mask_equal(g.span, g.balance_mask, words)) {
			char *mask = list_of(g.balance_mask, words);

			printf("(balanced by %s)", mask ?: "");
			free(mask);
		}
		free(span);
	}
}

static void print_domain(const char *cpus, int i, struct sched_domain_view *v, int words)
{
	char *span = list_of(v->span, words);

	printf("cpu%s/domain%d\n", cpus, i);
	printf("  name              %s\n", v->name);
	printf("  flags             %s\n", v->flags);
	printf("  span              %s\n", span ?: "");
	printf("  groups           ");
	print_groups(v, words);
	printf("\n  min_interval      %llu\n", (unsigned long long)v->min_interval);
	printf("  max_interval      %llu\n", (unsigned long long)v->max_interval);
	printf("  busy_factor       %d\n", v->busy_factor);
	printf("  imbalance_pct     %d\n", v->imbalance_pct);
	printf("  cache_nice_tries  %d\n", v->cache_nice_tries);
	printf("  imb_numa_nr       %d\n", v->imb_numa_nr);
	printf("  level             %d\n", v->level);
	free(span);
}

/* whether two CPUs' domains are alike but for which CPUs are in them */
static bool alike(const struct sched_domains *d, int a, int b)
{
	struct sched_domain_view x, y;
	int n = sched_domains_count(d, a);

	if (sched_domains_count(d, b) != n)
		return false;
	for (int i = 0; i < n; i++) {
		sched_domains_get(d, a, i, &x);
		sched_domains_get(d, b, i, &y);
		if (strcmp(x.name, y.name) || strcmp(x.flags, y.flags) || x.weight != y.weight ||
		    x.nr_groups != y.nr_groups || x.imb_numa_nr != y.imb_numa_nr)
			return false;
	}
	return true;
}

/* the different spans of one level, 16 at most */
static void print_spans(const struct sched_domains *d, const u64 *cpus, int nr_cpus, int level)
{
	int words = mask_words(nr_cpus), shown = 0, nr = 0, c;
	struct sched_domain_view v;
	u64 seen[words];

	mask_zero(seen, words);
	for_each_cpu(c, cpus, words) {
		char *span;

		/* overlapping spans are told by the CPUs that have them */
		if (mask_test(seen, c) || !sched_domains_get(d, c, level, &v))
			continue;
		for (int other = c; other >= 0;
		     other = mask_next_and(v.span, cpus, other + 1, words)) {
			struct sched_domain_view w;

			if (sched_domains_get(d, other, level, &w) &&
			    mask_equal(v.span, w.span, words))
				mask_set(seen, other);
		}
		nr++;
		if (nr == 1 || shown == 16)
			continue;
		if (!shown++)
			printf("  other %s spans", v.name);
		span = list_of(v.span, words);
		printf(" %s", span ?: "");
		free(span);
	}
	if (nr - 1 > shown)
		printf(" … %d in all", nr);
	if (shown)
		putchar('\n');
}

/* one block for CPUs whose domains are alike: the first one's in full, then the other spans */
static void print_alike(const struct sched_domains *d, int first, const u64 *cpus, int nr_cpus)
{
	int words = mask_words(nr_cpus);
	struct sched_domain_view v;
	char name[16], *list;

	snprintf(name, sizeof(name), "%d", first);
	if (mask_weight(cpus, words) > 1) {
		list = list_of(cpus, words);
		printf("\nCPUs %s have domains alike; those of CPU %d:\n", list ?: "", first);
		free(list);
	} else {
		putchar('\n');
	}
	if (!sched_domains_count(d, first))
		printf("cpu%d has no domain\n", first);
	for (int i = 0; sched_domains_get(d, first, i, &v); i++) {
		print_domain(name, i, &v, words);
		print_spans(d, cpus, nr_cpus, i);
	}
}

static void print_domains(const struct sched_domains *d, int nr_cpus, const u64 *wanted, bool each)
{
	int words = mask_words(nr_cpus), first, c;
	u64 left[words], group[words];

	mask_copy(left, wanted, words);
	while ((first = mask_first(left, words)) >= 0) {
		mask_zero(group, words);
		for_each_cpu(c, left, words)
			if (c == first || (!each && alike(d, first, c)))
				mask_set(group, c);
		mask_andnot(left, left, group, words);
		print_alike(d, first, group, nr_cpus);
	}
}

/* ---- JSON ---- */

static json_t *set_json(const u64 *set, int words)
{
	char *list = list_of(set, words);
	json_t *j = json_string(list ?: "");

	free(list);
	return j;
}

static json_t *domain_json(struct sched_domain_view *v, int words)
{
	json_t *flags = json_array(), *groups = json_array();
	struct sched_group_view g;
	char *save = NULL;

	for (char *f = strtok_r(v->flags, " ", &save); f; f = strtok_r(NULL, " ", &save))
		json_array_append_new(flags, json_string(f));
	while (sched_domains_next_group(v, &g))
		json_array_append_new(groups, set_json(g.span, words));
	return json_pack("{s:s, s:o, s:o, s:o, s:I, s:I, s:i, s:i, s:i, s:i}", "name", v->name,
			 "flags", flags, "span", set_json(v->span, words), "groups", groups,
			 "min_interval", (json_int_t)v->min_interval, "max_interval",
			 (json_int_t)v->max_interval, "busy_factor", v->busy_factor,
			 "imbalance_pct", v->imbalance_pct, "cache_nice_tries", v->cache_nice_tries,
			 "imb_numa_nr", v->imb_numa_nr);
}

static json_t *domains_json(const struct sched_domains *d, int nr_cpus, const u64 *wanted)
{
	int words = mask_words(nr_cpus), c;
	json_t *cpus = json_array();

	for_each_cpu(c, wanted, words) {
		json_t *list = json_array();
		struct sched_domain_view v;

		for (int i = 0; sched_domains_get(d, c, i, &v); i++)
			json_array_append_new(list, domain_json(&v, words));
		json_array_append_new(cpus, json_pack("{s:i, s:o}", "cpu", c, "domains", list));
	}
	return json_pack("{s:o}", "cpus", cpus);
}

/* ---- the command ---- */

/* one kernel: its object; several: a list of them with their names */
static json_t *kernels_domains_json(const struct options *o, struct sched_domains **d, int nr_cpus,
				    const u64 *wanted)
{
	json_t *list;

	if (o->nr_kernels == 1)
		return domains_json(d[0], nr_cpus, wanted);
	list = json_array();
	for (int i = 0; i < o->nr_kernels; i++) {
		json_t *j = json_pack("{s:o}", "kernel", json_text(o->kernel[i]));
		json_t *domains = domains_json(d[i], nr_cpus, wanted);

		json_object_update(j, domains);
		json_decref(domains);
		json_array_append_new(list, j);
	}
	return json_pack("{s:o}", "kernels", list);
}

static int show(const struct options *o, const struct machine *m, struct err *err)
{
	int nr_cpus = m->topo.nr_cpus, words = mask_words(nr_cpus), ret = 0;
	struct sched_domains *d[MAX_KERNELS] = {NULL};
	struct sched_kernel k;
	u64 wanted[words];

	mask_fill(wanted, nr_cpus);
	if (o->cpus)
		ret = mask_parse(o->cpus, wanted, nr_cpus, err);
	for (int i = 0; i < o->nr_kernels && !ret; i++) {
		ret = kernel_load(o->kernel[i], &k, err);
		if (ret)
			break;
		d[i] = sched_domains_new(&m->topo, &k, err);
		if (!d[i])
			ret = err->code;
	}
	if (!ret && o->json) {
		ret = json_print(kernels_domains_json(o, d, nr_cpus, wanted), stdout);
		if (ret)
			err_set(err, ret, "can't write to standard output");
	} else if (!ret) {
		print_machine(m);
		for (int i = 0; i < o->nr_kernels; i++) {
			printf("\n%s\n", o->kernel[i]);
			print_domains(d[i], nr_cpus, wanted, o->cpus != NULL);
		}
	}
	for (int i = 0; i < o->nr_kernels; i++)
		sched_domains_free(d[i]);
	return ret;
}

static int show_qemu(const struct machine *m, struct err *err)
{
	char *args = NULL;
	int ret = machine_qemu(m, &args, err);

	if (!ret)
		puts(args);
	free(args);
	return ret;
}

int cmd_topo(int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_table,
		.parser = parse,
		.args_doc = "MACHINE",
		.doc = "Show a machine, and the scheduling domains that a kernel builds on it.\v"
		       "MACHINE is a preset with options (zen3-2s:nps4), a machine file, an hwloc "
		       "XML file, "
		       "an hwloc synthetic string, or 'this'.",
	};
	struct options o = {0};
	struct machine *m = NULL;
	struct err err = {0};
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (!o.nr_kernels)
		o.kernel[o.nr_kernels++] = CMD_DEFAULT_KERNEL;
	ret = machine_load(o.machine, &m, &err);
	if (!ret)
		ret = o.qemu ? show_qemu(m, &err) : show(&o, m, &err);
	machine_free(m);
	return ret ? cmd_fail("topo", &err) : 0;
}
