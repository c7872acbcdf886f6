/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpumask.h"
#include "workload/prefix.h"

enum prefix_kind { PREFIX_CGEXEC, PREFIX_TASKSET, PREFIX_SESSION, NR_PREFIXES };

static const char *const names[NR_PREFIXES] = {
	[PREFIX_CGEXEC] = "cgexec:",
	[PREFIX_TASKSET] = "taskset:",
	[PREFIX_SESSION] = "session/",
};

static int find(const char *expr)
{
	for (int i = 0; i < NR_PREFIXES; i++)
		if (!strncmp(expr, names[i], strlen(names[i])))
			return i;
	return -1;
}

bool prefix_begins(const char *expr)
{
	return find(expr) >= 0;
}

/* The slash that ends a prefix's value; NULL: nothing follows that could be a workload. */
static const char *value_end(const char *value, bool (*is_workload)(const char *expr))
{
	const char *slash = value;

	while ((slash = strchr(slash, '/')) && !is_workload(slash + 1) &&
	       !prefix_begins(slash + 1))
		slash++;
	return slash;
}

static int keep(char **to, const char *value, size_t len)
{
	free(*to);
	*to = strndup(value, len);
	return *to ? 0 : -ENOMEM;
}

const char *prefixes_read(const char *expr, bool (*is_workload)(const char *expr),
			  struct prefixes *p, struct err *err)
{
	int kind;

	*p = (struct prefixes){0};
	while ((kind = find(expr)) >= 0) {
		const char *value = expr + strlen(names[kind]), *end;

		if (kind == PREFIX_SESSION) {
			p->session = true;
			expr = value;
			continue;
		}
		end = value_end(value, is_workload);
		if (!end || end == value) {
			err_set(err, -EINVAL,
				"%s: expected %s and a workload, such as %s%shog:n=4", expr,
				kind == PREFIX_CGEXEC ? "a group's path" : "a list of CPUs",
				names[kind], kind == PREFIX_CGEXEC ? "/build/" : "0-3/");
			return NULL;
		}
		if (keep(kind == PREFIX_CGEXEC ? &p->cgroup : &p->cpus, value, end - value)) {
			err_set(err, -ENOMEM, "out of memory");
			return NULL;
		}
		expr = end + 1;
	}
	return expr;
}

void prefixes_free(struct prefixes *p)
{
	free(p->cgroup);
	free(p->cpus);
	*p = (struct prefixes){0};
}

int prefixes_place(const struct prefixes *p, struct sim *sim, struct sim_place *place,
		   struct err *err)
{
	int nr_cpus = sim_machine(sim)->topo.nr_cpus;

	*place = (struct sim_place){0};
	if (p->cgroup) {
		place->cgroup = sim_cgroup_get(sim, p->cgroup, err);
		if (!place->cgroup)
			return err->code;
	}
	if (p->session) {
		place->session = sim_session_new(sim, err);
		if (!place->session)
			return err->code;
	}
	if (p->cpus) {
		u64 *cpus = arena_array(sim_arena(sim), mask_words(nr_cpus), sizeof(u64));

		if (!cpus)
			return err_set(err, -ENOMEM, "out of memory for a list of CPUs");
		place->allowed = cpus;
		if (mask_parse(p->cpus, cpus, nr_cpus, err)) {
			err_prefix(err, "taskset: ");
			return err->code;
		}
	}
	return 0;
}
