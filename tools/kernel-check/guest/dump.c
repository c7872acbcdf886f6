// SPDX-License-Identifier: BSD-2-Clause
/* dump.c - what the kernel says of the machine, its domains, features and tunables. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest.h"

#define CPU "/sys/devices/system/cpu"
#define NODE "/sys/devices/system/node"

static void dump_topology(FILE *to)
{
	static const char *const ids[] = {"physical_package_id", "die_id", "cluster_id", "core_id"};
	static const struct {
		const char *label, *file;
	} lists[] = {
		{"smt", "topology/core_cpus_list"},	    {"cluster", "topology/cluster_cpus_list"},
		{"die", "topology/die_cpus_list"},	    {"package", "topology/package_cpus_list"},
		{"L1d", "cache/index0/shared_cpu_list"}, {"L2", "cache/index2/shared_cpu_list"},
		{"L3", "cache/index3/shared_cpu_list"},
	};
	long nr = sysconf(_SC_NPROCESSORS_ONLN);
	char buf[512];

	for (long c = 0; c < nr; c++) {
		fprintf(to, "cpu%ld", c);
		for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
			fprintf(to, " %s=%s", ids[i],
				read_line(buf, sizeof(buf), CPU "/cpu%ld/topology/%s", c, ids[i]));
		for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
			fprintf(to, " %s=%s", lists[i].label,
				read_line(buf, sizeof(buf), CPU "/cpu%ld/%s", c, lists[i].file));
		fputc('\n', to);
	}
	for (int n = 0; *read_line(buf, sizeof(buf), NODE "/node%d/cpulist", n) != '-'; n++) {
		fprintf(to, "node%d cpus=%s", n, buf);
		fprintf(to, " distance=%s\n",
			read_line(buf, sizeof(buf), NODE "/node%d/distance", n));
	}
}

static void dump_domains(FILE *to)
{
	static const char *const fields[] = {
		"name",		"flags",	   "min_interval",     "max_interval",
		"busy_factor",	"imbalance_pct",   "cache_nice_tries", "level",
		"newidle_call", "newidle_success", "newidle_ratio",    "max_newidle_lb_cost",
	};
	char dir[128], value[512];
	struct stat st;

	for (int c = 0; c < sysconf(_SC_NPROCESSORS_ONLN); c++)
		for (int d = 0;; d++) {
			snprintf(dir, sizeof(dir), SCHED_DEBUG "/domains/cpu%d/domain%d", c, d);
			if (stat(dir, &st))
				break;
			fprintf(to, "cpu%d/domain%d", c, d);
			for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
				read_line(value, sizeof(value), "%s/%s", dir, fields[i]);
				if (strcmp(value, "-"))
					fprintf(to, " %s=%s", fields[i], value);
			}
			fputc('\n', to);
		}
}

/* The groups stand in the boot log only (kernel parameter sched_verbose). */
static void dump_boot_log(FILE *to)
{
	int size = klogctl(10 /* size of the buffer */, NULL, 0), len;
	char *log = size > 0 ? malloc(size + 1) : NULL, *line, *save = NULL;

	if (!log)
		return;
	len = klogctl(3 /* read all */, log, size);
	log[len > 0 ? len : 0] = '\0';
	for (line = strtok_r(log, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *text = strstr(line, "] ");

		text = text ? text + 2 : line;
		if (strstr(text, "attaching sched-domain") || strstr(text, "domain-") ||
		    strstr(text, "groups:") || strstr(text, "root domain span"))
			fprintf(to, "%s\n", text);
	}
	free(log);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* "name: first line" of every plain file below @dir that begins with @prefix, not deeper than @depth */
static void dump_values(FILE *to, const char *dir, const char *prefix, const char *shown, int depth)
{
	struct dirent **entry;
	int nr = scandir(dir, &entry, NULL, by_name);

	for (int i = 0; i < nr; i++) {
		const char *name = entry[i]->d_name;
		char path[512], label[512], value[512];
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s", dir, name);
		snprintf(label, sizeof(label), "%s%s", shown, name);
		if (name[0] != '.' && !strncmp(name, prefix, strlen(prefix)) &&
		    strcmp(name, "debug") && strcmp(name, "features") && strcmp(name, "domains") &&
		    !stat(path, &st)) {
			if (S_ISREG(st.st_mode)) {
				fprintf(to, "%s: %s\n", label, read_line(value, sizeof(value), "%s", path));
			} else if (S_ISDIR(st.st_mode) && depth) {
				strncat(label, "/", sizeof(label) - strlen(label) - 1);
				dump_values(to, path, "", label, depth - 1);
			}
		}
		free(entry[i]);
	}
	if (nr >= 0)
		free(entry);
}

static void dump_formats(FILE *to)
{
	char path[256];

	for (const char *const *e = guest_events; *e; e++) {
		snprintf(path, sizeof(path), TRACING "/events/sched/%s/format", *e);
		copy_file(to, path);
	}
}

void dump_machine(FILE *to)
{
	fputs("# kernel\n", to);
	copy_file(to, "/proc/version");
	copy_file(to, "/proc/cmdline");
	fputs("# topology\n", to);
	dump_topology(to);
	fputs("# domains\n", to);
	dump_domains(to);
	fputs("# domain building (sched_verbose)\n", to);
	dump_boot_log(to);
	fputs("# features\n", to);
	copy_file(to, SCHED_DEBUG "/features");
	fputs("# tunables (debugfs)\n", to);
	dump_values(to, SCHED_DEBUG, "", "", 1);
	fputs("# tunables (sysctl)\n", to);
	dump_values(to, "/proc/sys/kernel", "sched_", "kernel/", 0);
	dump_values(to, "/proc/sys/kernel", "numa_balancing", "kernel/", 0);
	fputs("# formats\n", to);
	dump_formats(to);
}
