// SPDX-License-Identifier: BSD-2-Clause
/*
 * A shape out of hwloc: an XML file, a synthetic string, or this machine.
 *
 * CPUs are hwloc's PUs in the order of their OS numbers, numbered densely: a
 * container may see 3 of 64. A CPU's last level cache is the outermost cache
 * above it, its cluster what shares the L2 (x86) or a cluster object.
 */
#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <hwloc/cpukinds.h>
#include <hwloc/distances.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/nearest.h"
#include "machine/shape.h"

/* ---- one CPU ---- */

/* The nearest ancestor of @type, or NULL. */
static hwloc_obj_t above(hwloc_topology_t t, hwloc_obj_t o, hwloc_obj_type_t type)
{
	return hwloc_get_ancestor_obj_by_type(t, type, o);
}

static hwloc_obj_t last_cache(hwloc_obj_t o)
{
	hwloc_obj_t last = NULL;

	for (; o; o = o->parent)
		if (hwloc_obj_type_is_dcache(o->type))
			last = o;
	return last;
}

/* Cores that the hardware groups inside a cache: an object that says so, or one between. */
static hwloc_obj_t cluster_of(hwloc_topology_t t, hwloc_obj_t pu, bool x86)
{
	hwloc_obj_t llc = last_cache(pu), core = above(t, pu, HWLOC_OBJ_CORE);

	for (hwloc_obj_t o = pu->parent; o; o = o->parent) {
		if (o->type != HWLOC_OBJ_GROUP)
			continue;
		if (o->subtype && !strcmp(o->subtype, "Cluster"))
			return o;
		if (llc && core && hwloc_bitmap_isincluded(o->cpuset, llc->cpuset) &&
		    !hwloc_bitmap_isequal(o->cpuset, llc->cpuset) &&
		    !hwloc_bitmap_isincluded(o->cpuset, core->cpuset))
			return o;
	}
	return x86 ? above(t, pu, HWLOC_OBJ_L2CACHE) : NULL;
}

/*
 * Objects have ids of their own; as group numbers only equality counts, and
 * shape_finish() wants them small: the first CPU of the group.
 */
static int group_id(const int *dense, hwloc_obj_t o)
{
	return dense[hwloc_bitmap_first(o->cpuset)];
}

static void take_cpu(hwloc_topology_t t, hwloc_obj_t pu, const int *dense, struct shape *s, int cpu)
{
	hwloc_obj_t core = above(t, pu, HWLOC_OBJ_CORE), llc = last_cache(pu);
	hwloc_obj_t package = above(t, pu, HWLOC_OBJ_PACKAGE), cluster = cluster_of(t, pu, s->x86);

	s->core[cpu] = group_id(dense, core ? core : pu);
	s->package[cpu] = package ? group_id(dense, package) : 0;
	s->llc[cpu] = llc ? group_id(dense, llc) : s->package[cpu];
	s->cluster[cpu] = cluster ? group_id(dense, cluster) : -1;
}

/* ---- all CPUs ---- */

static int by_os_index(const void *a, const void *b)
{
	const hwloc_obj_t x = *(const hwloc_obj_t *)a, y = *(const hwloc_obj_t *)b;

	return (x->os_index > y->os_index) - (x->os_index < y->os_index);
}

/* @dense[os index] = CPU number; the PUs in that order in @pu. */
static int number_cpus(hwloc_topology_t t, struct arena *a, int n, hwloc_obj_t *pu, int **dense,
		       struct err *err)
{
	for (int i = 0; i < n; i++)
		pu[i] = hwloc_get_obj_by_type(t, HWLOC_OBJ_PU, i);
	qsort(pu, n, sizeof(*pu), by_os_index);
	if (pu[n - 1]->os_index > 1 << 20)
		return err_set(err, -EINVAL, "CPU number %u is too large", pu[n - 1]->os_index);
	*dense = arena_array(a, pu[n - 1]->os_index + 1, sizeof(int));
	if (!*dense)
		return err_set(err, -ENOMEM, "out of memory");
	for (int i = 0; i < n; i++)
		(*dense)[pu[i]->os_index] = i;
	return 0;
}

/* Only CPUs that are there are numbered; a damaged file names others. */
static int check_objects(hwloc_topology_t t, int depth, hwloc_const_bitmap_t cpus, struct err *err)
{
	int n = hwloc_get_nbobjs_by_depth(t, depth);

	for (int i = 0; i < n; i++) {
		hwloc_obj_t o = hwloc_get_obj_by_depth(t, depth, i);
		bool memory = o && o->type == HWLOC_OBJ_NUMANODE; /* may be far from all CPUs */

		if (!o || !o->cpuset || !hwloc_bitmap_isincluded(o->cpuset, cpus) ||
		    (!memory && hwloc_bitmap_iszero(o->cpuset)))
			return err_set(err, -EINVAL,
				       "the %s %d of it has CPUs that aren't there, or none",
				       o ? hwloc_obj_type_string(o->type) : "object", i);
	}
	return 0;
}

static int check_sets(hwloc_topology_t t, int n, hwloc_obj_t *pu, struct err *err)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	int ret = 0;

	if (!cpus)
		return err_set(err, -ENOMEM, "out of memory");
	for (int i = 0; !ret && i < n; i++) {
		if (hwloc_bitmap_isset(cpus, pu[i]->os_index))
			ret = err_set(err, -EINVAL, "its CPU %u stands twice", pu[i]->os_index);
		hwloc_bitmap_set(cpus, pu[i]->os_index);
	}
	for (int depth = 0; !ret && depth < hwloc_topology_get_depth(t); depth++)
		ret = check_objects(t, depth, cpus, err);
	if (!ret)
		ret = check_objects(t, HWLOC_TYPE_DEPTH_NUMANODE, cpus, err);
	if (!ret && !hwloc_bitmap_isincluded(hwloc_topology_get_topology_cpuset(t), cpus))
		ret = err_set(err, -EINVAL, "it names CPUs that aren't there");
	hwloc_bitmap_free(cpus);
	return ret;
}

/* Nodes that have CPUs, in the order of their OS numbers; @node[i] is hwloc's object. */
static int take_nodes(hwloc_topology_t t, struct arena *a, struct shape *s, const int *dense,
		      hwloc_obj_t **nodes, bool trust_memory, struct err *err)
{
	int n = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE), k = 0;
	hwloc_obj_t *node = arena_array(a, max(n, 1), sizeof(*node));
	bool memory_known = false;
	unsigned int os;

	s->node_bytes = arena_array(a, max(n, 1), sizeof(u64));
	if (!node || !s->node_bytes)
		return err_set(err, -ENOMEM, "out of memory");
	for (int c = 0; c < s->nr_cpus; c++)
		s->node[c] = -1;
	for (int i = 0; i < n; i++)
		node[i] = hwloc_get_obj_by_type(t, HWLOC_OBJ_NUMANODE, i);
	qsort(node, n, sizeof(*node), by_os_index);
	for (int i = 0; i < n; i++) {
		bool used = false;

		hwloc_bitmap_foreach_begin(os, node[i]->cpuset)
		{
			/* two kinds of memory can be near one CPU: the first is its node */
			if (s->node[dense[os]] < 0) {
				s->node[dense[os]] = k;
				used = true;
			}
		}
		hwloc_bitmap_foreach_end();
		if (!used)
			continue;
		s->node_bytes[k] = node[i]->attr->numanode.local_memory;
		memory_known |= s->node_bytes[k] > 0;
		node[k++] = node[i];
	}
	for (int c = 0; c < s->nr_cpus; c++)
		s->node[c] = max(s->node[c], 0);
	s->nr_nodes = max(k, 1);
	if (!memory_known || !trust_memory)
		s->node_bytes = NULL;
	*nodes = node;
	return 0;
}

/* ---- distances ---- */

/* Only a matrix of latencies between nodes with 10 for a node itself is a SLIT. */
static bool is_slit(const struct hwloc_distances_s *d)
{
	if (!(d->kind & HWLOC_DISTANCES_KIND_MEANS_LATENCY))
		return false;
	for (unsigned int i = 0; i < d->nbobjs; i++)
		for (unsigned int j = 0; j < d->nbobjs; j++) {
			u64 v = d->values[i * d->nbobjs + j];

			if (i == j ? v != 10 : v <= 10 || v > 255)
				return false;
		}
	return true;
}

static struct hwloc_distances_s *find_slit(hwloc_topology_t t)
{
	struct hwloc_distances_s *d[16], *slit = NULL;
	unsigned int n = ARRAY_SIZE(d);

	if (hwloc_distances_get_by_type(t, HWLOC_OBJ_NUMANODE, &n, d, 0, 0))
		return NULL;
	n = min(n, (unsigned int)ARRAY_SIZE(d));
	for (unsigned int i = 0; i < n; i++) {
		const char *name = hwloc_distances_get_name(t, d[i]);
		bool named = name && !strcmp(name, "NUMALatency");

		if (is_slit(d[i]) && (!slit || named)) {
			if (slit)
				hwloc_distances_release(t, slit);
			slit = d[i];
		} else {
			hwloc_distances_release(t, d[i]);
		}
	}
	return slit;
}

static int take_distances(hwloc_topology_t t, struct arena *a, struct shape *s, hwloc_obj_t *node,
			  struct err *err)
{
	struct hwloc_distances_s *d = find_slit(t);
	int n = s->nr_nodes, *m = d ? arena_array(a, (size_t)n * n, sizeof(int)) : NULL;
	bool whole = true;

	if (!d)
		return 0;
	for (int i = 0; m && whole && i < n; i++)
		for (int j = 0; whole && j < n; j++) {
			int x = hwloc_distances_obj_index(d, node[i]);
			int y = hwloc_distances_obj_index(d, node[j]);

			whole = x >= 0 && y >= 0;
			m[i * n + j] = whole ? (int)d->values[x * (int)d->nbobjs + y] : 0;
		}
	hwloc_distances_release(t, d);
	if (!m)
		return err_set(err, -ENOMEM, "out of memory");
	s->distance = whole ? m : NULL;
	return 0;
}

/* ---- what else it knows ---- */

static void take_processor(hwloc_topology_t t, enum shape_source source, struct shape *s)
{
	hwloc_obj_t root = hwloc_get_root_obj(t), package;
	const char *arch = hwloc_obj_get_info_by_name(root, "Architecture"), *v, *family;
	struct utsname u;

	package = hwloc_get_obj_by_type(t, HWLOC_OBJ_PACKAGE, 0);
	if (!package)
		package = root;
	if (!arch && source == SHAPE_THIS && !uname(&u))
		arch = u.machine;
	v = hwloc_obj_get_info_by_name(package, "CPUVendor");
	if (v)
		snprintf(s->vendor, sizeof(s->vendor), "%s", v);
	family = hwloc_obj_get_info_by_name(package, "CPUFamilyNumber");
	s->family = family ? atoi(family) : 0;
	s->arch_known = arch || v;
	s->x86 = arch ? !strncmp(arch, "x86", 3) || (arch[0] == 'i' && !strcmp(arch + 2, "86"))
		      : true; /* CPUID told the vendor, or nothing is known */
}

static void take_caches(hwloc_topology_t t, hwloc_obj_t pu, struct shape *s)
{
	hwloc_obj_t l2 = above(t, pu, HWLOC_OBJ_L2CACHE), llc = last_cache(pu);

	s->l2_bytes = l2 ? l2->attr->cache.size : 0;
	s->llc_bytes = llc ? llc->attr->cache.size : 0;
}

/* Capacities that a Linux kernel states, if every kind of core has one. */
static void take_capacities(hwloc_topology_t t, const int *dense, struct shape *s)
{
	int n = hwloc_cpukinds_get_nr(t, 0);
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	unsigned int os;

	for (int i = 0; set && i < n; i++) {
		struct hwloc_info_s *info;
		unsigned int nr_infos;
		int capacity = 0;

		if (hwloc_cpukinds_get_info(t, i, set, NULL, &nr_infos, &info, 0))
			continue;
		for (unsigned int k = 0; k < nr_infos; k++)
			if (!strcmp(info[k].name, "LinuxCapacity"))
				capacity = atoi(info[k].value);
		if (capacity < 1 || capacity > 1024)
			continue;
		hwloc_bitmap_and(set, set, hwloc_topology_get_topology_cpuset(t));
		hwloc_bitmap_foreach_begin(os, set)
		{
			s->capacity[dense[os]] = capacity;
		}
		hwloc_bitmap_foreach_end();
	}
	hwloc_bitmap_free(set);
}

static int take_shape(hwloc_topology_t t, struct arena *a, enum shape_source source,
		      const char *text, struct shape *s, struct err *err)
{
	int n = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU), *dense, ret;
	bool synthetic = source == SHAPE_SYNTHETIC;
	hwloc_obj_t *pu, *node = NULL;

	if (n < 1)
		return err_set(err, -EINVAL, "it has no CPU");
	if (n > MAX_CPUS)
		return err_set(err, -EINVAL, "it has %d CPUs, at most %d are possible", n,
			       MAX_CPUS);
	pu = arena_array(a, n, sizeof(*pu));
	if (!pu)
		return err_set(err, -ENOMEM, "out of memory");
	if ((ret = number_cpus(t, a, n, pu, &dense, err)) || (ret = check_sets(t, n, pu, err)) ||
	    (ret = shape_alloc(a, s, n, err)))
		return ret;
	take_processor(t, source, s);
	for (int c = 0; c < n; c++)
		take_cpu(t, pu[c], dense, s, c);
	/* hwloc invents sizes that a synthetic string doesn't name */
	if (!synthetic || strstr(text, "size="))
		take_caches(t, pu[0], s);
	take_capacities(t, dense, s);
	ret = take_nodes(t, a, s, dense, &node, !synthetic || strstr(text, "memory="), err);
	return ret ? ret : take_distances(t, a, s, node, err);
}

/* ---- sources ---- */

/* Why didn't hwloc read this XML? It says "invalid argument" only. */
static int explain_xml(const char *name, const char *text, size_t len, struct err *err)
{
	const char *topology = strstr(text, "<topology"), *version;
	int major = 0, minor = 0, lines = 1;

	version = topology ? strstr(topology, "version=\"") : NULL;
	if (version && version < strchrnul(topology, '>') &&
	    sscanf(version, "version=\"%d.%d", &major, &minor) == 2 && major > HWLOC_VERSION_MAJOR)
		return err_set(
			err, -ENOTSUP,
			"%s: written by hwloc %d.%d, the hwloc %d.%d of this build cannot read it; "
			"export it again with lstopo --export-xml-flags v2",
			name, major, minor, HWLOC_VERSION_MAJOR, HWLOC_VERSION_MINOR);
	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	if (!topology)
		return err_set(err, -EINVAL, "%s:1:1: not an hwloc XML file: no <topology> in it",
			       name);
	if (!strstr(topology, "</topology>"))
		return err_set(err, -EINVAL,
			       "%s:%d: the file ends without </topology>: its end is missing", name,
			       lines);
	return err_set(
		err, -EINVAL,
		"%s: hwloc %d.%d cannot make a topology of this XML; 'lstopo -i FILE' tells more",
		name, HWLOC_VERSION_MAJOR, HWLOC_VERSION_MINOR);
}

/*
 * hwloc takes some damaged files for granted and dies of them. So a child reads
 * the file first, and the parent only what the child survived.
 *
 * Return: 0, -EINVAL (refused), -EFAULT (it would have crashed), -ECHILD (no child).
 */
static int rehearse_xml(const char *text, size_t len)
{
	pid_t pid = fork(), got;
	int status, null;

	if (pid < 0)
		return -ECHILD;
	if (!pid) {
		hwloc_topology_t t;

		signal(SIGSEGV, SIG_DFL);
		signal(SIGABRT, SIG_DFL);
		null = open("/dev/null", O_WRONLY);
		if (null >= 0)
			dup2(null, STDERR_FILENO);
		_exit(hwloc_topology_init(&t) ||
		      hwloc_topology_set_xmlbuffer(t, text, (int)len + 1) ||
		      hwloc_topology_load(t));
	}
	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	if (got != pid)
		return -ECHILD;
	if (WIFSIGNALED(status))
		return -EFAULT;
	return WEXITSTATUS(status) ? -EINVAL : 0;
}

static int load_xml(hwloc_topology_t t, const char *name, const char *text, size_t len,
		    struct err *err)
{
	int ret = rehearse_xml(text, len);

	if (ret == -EFAULT)
		return err_set(err, -EINVAL,
			       "%s: damaged: hwloc %d.%d crashes on it; export the topology again",
			       name, HWLOC_VERSION_MAJOR, HWLOC_VERSION_MINOR);
	/* hwloc wants the zero byte counted */
	if (ret == -EINVAL || hwloc_topology_set_xmlbuffer(t, text, (int)len + 1) ||
	    hwloc_topology_load(t))
		return explain_xml(name, text, len, err);
	return 0;
}

static int load_source(hwloc_topology_t t, enum shape_source source, const char *name,
		       const char *text, size_t len, struct err *err)
{
	int ret;

	switch (source) {
	case SHAPE_XML:
		return load_xml(t, name, text, len, err);
	case SHAPE_SYNTHETIC:
		ret = synthetic_check(text, err);
		if (ret)
			return ret;
		if (hwloc_topology_set_synthetic(t, text) || hwloc_topology_load(t))
			return err_set(
				err, -EINVAL,
				"synthetic topology '%.200s': hwloc does not accept it; levels "
				"go from large to small and each stands once, like "
				"'pack:2 l3:8 core:8 pu:2'",
				text);
		return 0;
	default:
		if (hwloc_topology_load(t))
			return err_set(err, -ENOTSUP, "this: hwloc cannot tell the topology: %s",
				       strerror(errno));
		return 0;
	}
}

int shape_from_hwloc(struct arena *a, enum shape_source source, const char *name, const char *text,
		     size_t len, struct shape *s, struct err *err)
{
	hwloc_topology_t t;
	int ret;

	/* hwloc would print to stderr; what is wrong leaves by @err alone */
	setenv("HWLOC_HIDE_ERRORS", "2", 0);
	if (len >= INT32_MAX)
		return err_set(err, -EINVAL, "%s: too large", name);
	if (hwloc_topology_init(&t))
		return err_set(err, -ENOMEM, "%s: out of memory", name);
	ret = load_source(t, source, name, text, len, err);
	if (!ret) {
		ret = take_shape(t, a, source, text, s, err);
		if (ret)
			err_prefix(err, "%s: ", name);
	}
	hwloc_topology_destroy(t);
	return ret;
}
