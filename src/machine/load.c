// SPDX-License-Identifier: BSD-2-Clause
/* From what the user names to a whole machine. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "machine/layers.h"
#include "machine/quantity.h"

/* The machine and what it stands on; users see the first member. */
struct loaded {
	struct machine m;
	struct arena *arena;
};

/* What is known while a machine is being put together. */
struct loader {
	struct arena *arena; /* of the result */
	struct machine *m;
	const char *where;    /* file or text that the user named */
	struct layers layers; /* its arena is given back at the end */
	struct shape shape;
};

/* ---- putting it together ---- */

/* hwloc's cache and memory sizes, where it knows them. */
static void take_sizes(struct loader *ld)
{
	const struct shape *s = &ld->shape;
	u64 most = 0;

	if (s->l2_bytes)
		ld->m->l2_bytes = s->l2_bytes;
	if (s->llc_bytes)
		ld->m->llc_bytes = s->llc_bytes;
	for (int i = 0; s->node_bytes && i < s->nr_nodes; i++)
		most = max(most, s->node_bytes[i]);
	if (most)
		ld->m->node_bytes = most;
}

static int finish_topology(struct loader *ld, const struct shape_spec *spec, struct err *err)
{
	struct sched_topology *t = &ld->m->topo;
	u64 reclaim;
	int ret;

	ret = spec_overlay(spec, ld->arena, &ld->shape, err);
	if (ret)
		return ret;
	ret = shape_finish(ld->arena, &ld->shape, t, err);
	if (ret) {
		err_prefix(err, "%s: ", ld->where);
		return ret;
	}
	if (!spec->text[TOPO_RECLAIM] ||
	    quantity_parse(spec->text[TOPO_RECLAIM], Q_COUNT, 10, 255, &reclaim, err))
		return spec_fail(spec, err, -EINVAL, TOPO_RECLAIM, -1, "missing");
	t->node_reclaim_distance = (int)reclaim;
	ld->m->speed = ld->shape.speed;
	return 0;
}

static int check_frequencies(const struct machine *m, struct err *err)
{
	if (m->base_mhz > m->max_mhz)
		return err_set(err, -EINVAL,
			       "%s: base frequency %u MHz is above the maximum, %u MHz", m->name,
			       m->base_mhz, m->max_mhz);
	if (m->nr_boost && m->boost[0].mhz > m->max_mhz)
		return err_set(err, -EINVAL, "%s: boost of %u MHz is above the maximum, %u MHz",
			       m->name, m->boost[0].mhz, m->max_mhz);
	return 0;
}

/* Every kernel path costs kernel_scale percent (spec 13 §7; emulated machines). */
static void scale_costs(struct machine *m)
{
	u64 *cost = (u64 *)&m->cost;

	for (size_t i = 0; i < sizeof(m->cost) / sizeof(u64); i++)
		cost[i] = cost[i] * m->kernel_scale / 100;
}

/* Memory of each node: what hwloc says, unless a machine file gives its own figure. */
static int take_memory(struct loader *ld, struct err *err)
{
	const struct layers *l = &ld->layers;
	struct machine *m = ld->m;
	const u64 *known = ld->shape.node_bytes;

	for (int k = 1; k < l->nr; k++)
		if (l->layer[k].body->memory && l->layer[k].body->memory->per_node)
			known = NULL;
	m->node_mem = arena_array(ld->arena, m->topo.nr_nodes, sizeof(u64));
	if (!m->node_mem)
		return err_set(err, -ENOMEM, "out of memory");
	for (int i = 0; i < m->topo.nr_nodes; i++)
		m->node_mem[i] = known ? known[i] : m->node_bytes;
	return 0;
}

/* What "hwloc:" of a machine file says: a synthetic string, or an XML file beside it. */
static int shape_of_spec(struct loader *ld, const struct shape_spec *spec, struct err *err)
{
	const char *what = spec->text[TOPO_HWLOC], *text;
	const char *by = yaml_doc_name(spec->from[TOPO_HWLOC].doc), *slash = strrchr(by, '/');
	char path[1024];
	size_t len;
	int ret;

	if (!strchr(what, '/') && !strstr(what, ".xml")) {
		ret = shape_from_hwloc(ld->arena, SHAPE_SYNTHETIC, by, what, strlen(what),
				       &ld->shape, err);
	} else {
		snprintf(path, sizeof(path), "%.*s%s",
			 what[0] == '/' || !slash ? 0 : (int)(slash + 1 - by), by, what);
		ret = read_whole_file(ld->layers.arena, path, &text, &len, err);
		if (!ret)
			ret = shape_from_hwloc(ld->arena, SHAPE_XML, path, text, len, &ld->shape,
					       err);
	}
	return ret ? spec_fail(spec, err, ret, TOPO_HWLOC, -1, "%s", "") : 0;
}

/* @below: layers under it speak where hwloc is silent, those from it on in any case. */
static int collect_spec(const struct layers *l, int below, struct shape_spec *spec, struct err *err)
{
	int ret = 0;

	for (int k = 0; !ret && k < l->nr; k++)
		if (l->layer[k].body->topology)
			ret = spec_add(spec, l->layer[k].doc, l->layer[k].prefix, k < below,
				       l->layer[k].body->topology, err);
	return ret;
}

/*
 * All values, and the shape unless @have_shape. What hwloc knows of sizes goes
 * before the generic file, but a machine file that uses hwloc has the last word.
 */
static int assemble(struct loader *ld, bool have_shape, const char *name, struct err *err)
{
	const struct layers *l = &ld->layers;
	int below = have_shape ? l->nr : 1, ret;
	struct shape_spec spec = {0};
	char missing[64];

	snprintf(ld->m->name, sizeof(ld->m->name), "%s", name);
	snprintf(ld->m->option, sizeof(ld->m->option), "%s", l->option);
	if (layers_missing(l, missing, sizeof(missing)))
		return err_set(err, -EINVAL, "%s: no file gives %s", ld->where, missing);
	if ((ret = collect_spec(l, below, &spec, err)) ||
	    (ret = layers_apply(l, 0, below, ld->m, err)))
		return ret;
	if (!have_shape && !spec.text[TOPO_HWLOC] && !spec.text[TOPO_CORES] &&
	    !spec.text[TOPO_CPUS])
		return err_set(err, -EINVAL,
			       "%s: no file gives topology.cores, topology.cpus or topology.hwloc",
			       ld->where);
	if (!have_shape)
		ret = spec.text[TOPO_HWLOC] ? shape_of_spec(ld, &spec, err)
					    : spec_shape(&spec, ld->arena, &ld->shape, err);
	if (ret)
		return ret;
	take_sizes(ld);
	if ((ret = layers_apply(l, below, l->nr, ld->m, err)) ||
	    (ret = finish_topology(ld, &spec, err)) || (ret = take_memory(ld, err)))
		return ret;
	scale_costs(ld->m);
	return check_frequencies(ld->m, err);
}

/* ---- what the user may name ---- */

/* A file's name without folders and ending. */
static const char *base_name(struct loader *ld, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = arena_strdup(ld->arena, slash ? slash + 1 : path);
	char *dot = name ? strrchr(name, '.') : NULL;

	if (dot && dot > name)
		*dot = '\0';
	return name ? name : path;
}

static int load_hwloc(struct loader *ld, enum shape_source source, const char *name,
		      const char *text, size_t len, struct err *err)
{
	int ret;

	ret = shape_from_hwloc(ld->arena, source, name, text, len, &ld->shape, err);
	if (!ret)
		ret = layers_vendor(&ld->layers, ld->shape.vendor, ld->shape.family, err);
	ld->layers.option[0] = '\0';
	return ret ? ret
		   : assemble(ld, true, source == SHAPE_XML ? base_name(ld, name) : name, err);
}

static int load_file(struct loader *ld, const char *path, const char *option, struct err *err)
{
	const char *text, *p;
	size_t len;
	int ret = read_whole_file(ld->layers.arena, path, &text, &len, err);

	if (ret)
		return ret;
	for (p = text; isspace((unsigned char)*p); p++)
		;
	if (*p == '<') {
		if (option)
			return err_set(err, -EINVAL, "%s: an hwloc XML file has no options", path);
		return load_hwloc(ld, SHAPE_XML, path, text, len, err);
	}
	if (len > 11 && !strncmp(p, "available: ", 11) && memmem(text, len, "node distances", 14))
		return err_set(err, -EINVAL,
			       "%s: the output of numactl -H, which tells neither cores nor caches: export "
			       "the machine with lstopo --of xml, or write a machine file", path);
	ret = layers_text(&ld->layers, path, text, len, option, err);
	if (ret)
		return ret;
	return assemble(ld, false,
			ld->layers.top->name ? ld->layers.top->name : base_name(ld, path), err);
}

static int no_such_machine(const char *what, struct err *err)
{
	const char *names[128], *near;
	char word[64], list[512] = "";
	size_t len = 0;
	int n = 0;

	for (int i = 0; i < machine_nr_presets() && n < (int)ARRAY_SIZE(names); i++) {
		names[n++] = machine_preset_name(i);
		if (len < sizeof(list))
			len += snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "",
					machine_preset_name(i));
	}
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(what, ":"), what);
	near = nearest_name(word, names, n);
	return err_set(err, -ENOENT,
		       "no machine '%.80s'%s%s%s: neither a preset (%s) nor a file, an hwloc "
		       "synthetic string like 'pack:2 core:4 pu:2', or 'this'",
		       what, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "",
		       list);
}

/* Is it meant as a synthetic string? Several words, or a first one that is (nearly) a level. */
static bool looks_synthetic(const char *what)
{
	const char *colon = strchr(what, ':'), *near;

	if (!colon || !isdigit((unsigned char)colon[1]))
		return strpbrk(what, " \t") && colon;
	return strpbrk(what, " \t") || synthetic_level(what, colon - what, &near) || near;
}

static int load_what(struct loader *ld, const char *what, struct err *err)
{
	const char *colon = strrchr(what, ':');
	size_t len = colon ? (size_t)(colon - what) : strlen(what);
	const struct preset *p = preset_find(what, len);
	char path[1024];
	int ret;

	if (!strcmp(what, "this"))
		return load_hwloc(ld, SHAPE_THIS, what, "", 0, err);
	if (p && p->doc) {
		ret = layers_text(&ld->layers, p->name, p->text, p->len, colon ? colon + 1 : NULL,
				  err);
		return ret ? ret : assemble(ld, false, p->name, err);
	}
	if (!access(what, F_OK))
		return load_file(ld, what, NULL, err);
	snprintf(path, sizeof(path), "%.*s", (int)len, what);
	if (colon && !access(path, F_OK))
		return load_file(ld, path, colon + 1, err);
	if (looks_synthetic(what))
		return load_hwloc(ld, SHAPE_SYNTHETIC, what, what, strlen(what), err);
	if (strchr(what, '/') || strstr(what, ".yaml") || strstr(what, ".yml") ||
	    strstr(what, ".xml"))
		return load_file(ld, what, NULL, err); /* says why it can't be opened */
	return no_such_machine(what, err);
}

int machine_load(const char *what, struct machine **mp, struct err *err)
{
	struct arena *arena = arena_new(), *scratch = arena_new();
	struct loaded *r = arena ? arena_alloc(arena, sizeof(*r)) : NULL;
	struct loader ld = {.arena = arena, .m = &r->m, .where = what, .layers.arena = scratch};
	const char *doc;
	int ret = -ENOMEM;

	if (!r || !scratch) {
		err_set(err, ret, "out of memory");
		goto out;
	}
	r->arena = arena;
	ret = layers_generic(&ld.layers, err);
	if (!ret)
		ret = load_what(&ld, what, err);
	if (!ret) {
		doc = ld.layers.top && ld.layers.top->description ? ld.layers.top->description : "";
		r->m.description = arena_strdup(arena, doc);
		if (!r->m.description)
			ret = err_set(err, -ENOMEM, "out of memory");
	}
	layers_free(&ld.layers);
out:
	if (scratch)
		arena_free(scratch);
	if (ret) {
		arena_free(arena);
		return ret;
	}
	*mp = &r->m;
	return 0;
}

void machine_free(struct machine *m)
{
	if (m)
		arena_free(container_of(m, struct loaded, m)->arena);
}

/* ---- presets ---- */

/* The @i-th embedded file that is a machine and not a base of others. */
static const struct preset *nth_machine(int i)
{
	for (int k = 0; k < machine_nr_embedded; k++)
		if (machine_presets[k].doc && !i--)
			return &machine_presets[k];
	return NULL;
}

int machine_nr_presets(void)
{
	int n = 0;

	while (nth_machine(n))
		n++;
	return n;
}

const char *machine_preset_name(int i)
{
	const struct preset *p = nth_machine(i);

	return p ? p->name : NULL;
}

const char *machine_preset_doc(int i)
{
	const struct preset *p = nth_machine(i);

	return p ? p->doc : NULL;
}
