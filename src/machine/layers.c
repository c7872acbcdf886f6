// SPDX-License-Identifier: BSD-2-Clause
#include "machine/layers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "machine/quantity.h"

/* ---- files ---- */

const struct preset *preset_find(const char *name, size_t len)
{
	for (int i = 0; i < machine_nr_embedded; i++)
		if (strlen(machine_presets[i].name) == len &&
		    !strncmp(machine_presets[i].name, name, len))
			return &machine_presets[i];
	return NULL;
}

/* ---- collecting ---- */

static int push(struct layers *l, struct yaml_doc *doc, const struct file_body *body,
		const char *prefix, struct err *err)
{
	if (l->nr == MAX_LAYERS)
		return err_set(err, -EINVAL, "%s: inherits from too many files",
			       yaml_doc_name(doc));
	l->layer[l->nr++] = (struct layer){doc, body, prefix};
	return 0;
}

static int find_option(const struct yaml_doc *doc, const struct machine_file *f, const char *option,
		       struct err *err)
{
	const char *names[64], *near;
	char list[256] = "";
	size_t len = 0;
	int n = 0;

	for (u32 i = 0; i < f->nr_options; i++) {
		if (!strcmp(f->options[i].name, option))
			return (int)i;
		if (n < (int)ARRAY_SIZE(names))
			names[n++] = f->options[i].name;
		if (len < sizeof(list))
			len += snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "",
					f->options[i].name);
	}
	if (!n)
		return err_set(err, -EINVAL, "%s: there is no option '%.40s', it has none at all",
			       yaml_doc_name(doc), option);
	near = nearest_name(option, names, n);
	return err_set(err, -EINVAL, "%s: there is no option '%.40s'%s%s%s, allowed are %s",
		       yaml_doc_name(doc), option, near ? " (did you mean '" : "", near ? near : "",
		       near ? "'?)" : "", list);
}

static int add_option(struct layers *l, struct yaml_doc *doc, const struct machine_file *f,
		      const char *option, struct err *err)
{
	char prefix[32];
	const char *p;
	int i = find_option(doc, f, option, err);

	if (i < 0)
		return i;
	snprintf(prefix, sizeof(prefix), "options[%d].", i);
	p = arena_strdup(l->arena, prefix);
	if (!p)
		return err_set(err, -ENOMEM, "out of memory");
	snprintf(l->option, sizeof(l->option), "%s", option);
	return push(l, doc, &f->options[i].body, p, err);
}

static int add_text(struct layers *l, const char *name, const char *text, size_t len,
		    const char *option, int depth, struct err *err);

static int unknown_base(const struct yaml_doc *by, const char *path, const char *what,
			struct err *err)
{
	const char *names[128], *near;
	int n = 0;

	for (; n < machine_nr_embedded && n < (int)ARRAY_SIZE(names); n++)
		names[n] = machine_presets[n].name;
	near = nearest_name(what, names, n);
	return yaml_fail(by, err, -ENOENT, path, "no preset is called '%.60s'%s%s%s", what,
			 near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

/* "zen", "zen3-2s:nps4", or a path as seen from the file that inherits. */
static int add_base(struct layers *l, const struct yaml_doc *by, const char *at, const char *what,
		    int depth, struct err *err)
{
	const char *colon = strrchr(what, ':'), *slash = strrchr(yaml_doc_name(by), '/'), *text;
	size_t n = colon ? (size_t)(colon - what) : strlen(what), len;
	const struct preset *p = preset_find(what, n);
	char path[1024];
	int ret;

	if (depth > MAX_LAYERS / 2)
		return yaml_fail(by, err, -EINVAL, at, "inherits from itself");
	if (p && !strcmp(p->name, GENERIC))
		return 0; /* below everything already */
	if (p)
		return add_text(l, p->name, p->text, p->len, colon ? colon + 1 : NULL, depth, err);
	if (!strchr(what, '/') && !strstr(what, ".yaml") && !strstr(what, ".yml"))
		return unknown_base(by, at, what, err);
	snprintf(path, sizeof(path), "%.*s%s",
		 what[0] == '/' || !slash ? 0 : (int)(slash + 1 - yaml_doc_name(by)),
		 yaml_doc_name(by), what);
	ret = read_whole_file(l->arena, path, &text, &len, err);
	if (ret)
		return yaml_fail(by, err, ret, at, "%s", "");
	return add_text(l, path, text, len, NULL, depth, err);
}

static int add_text(struct layers *l, const char *name, const char *text, size_t len,
		    const char *option, int depth, struct err *err)
{
	const struct machine_file *f;
	struct yaml_doc *doc;
	int ret;

	ret = yaml_doc_load(name, text, len, &machine_file_schema, &doc, err);
	if (ret)
		return ret;
	if (l->nr_docs == MAX_LAYERS) {
		yaml_doc_free(doc);
		return err_set(err, -EINVAL, "%s: inherits from too many files", name);
	}
	l->doc[l->nr_docs++] = doc;
	f = yaml_doc_root(doc);
	if (f->inherits) {
		ret = add_base(l, doc, "inherits", f->inherits, depth + 1, err);
		if (ret)
			return ret;
	}
	/* of all files, the last one read to its end is the machine's own */
	l->top = f;
	l->option[0] = '\0';
	ret = push(l, doc, &f->body, "", err);
	if (!ret && !option)
		option = f->default_option;
	return ret || !option ? ret : add_option(l, doc, f, option, err);
}

int layers_generic(struct layers *l, struct err *err)
{
	const struct preset *p = preset_find(GENERIC, strlen(GENERIC));

	return p ? add_text(l, p->name, p->text, p->len, NULL, 0, err)
		 : err_set(err, -ENOENT, "no preset '%s' in this build", GENERIC);
}

int layers_vendor(struct layers *l, const char *vendor, int family, struct err *err)
{
	const struct yaml_doc *doc = l->layer[0].doc;
	const struct machine_file *f = yaml_doc_root(doc);
	char at[48];
	u64 from;

	for (u32 i = 0; i < f->nr_vendors; i++) {
		snprintf(at, sizeof(at), "vendors[%u]", i);
		if (quantity_parse(f->vendors[i].family, Q_COUNT, 0, 4096, &from, err))
			return yaml_fail(doc, err, -EINVAL, at, "%s", "");
		if (!strcmp(f->vendors[i].vendor, vendor) && family >= (int)from)
			return add_base(l, doc, at, f->vendors[i].inherits, 1, err);
	}
	return 0;
}

int layers_text(struct layers *l, const char *name, const char *text, size_t len,
		const char *option, struct err *err)
{
	return add_text(l, name, text, len, option, 0, err);
}

void layers_free(struct layers *l)
{
	while (l->nr_docs)
		yaml_doc_free(l->doc[--l->nr_docs]);
}

/* ---- plain values ---- */

static const void *section_of(const struct file_body *body, const struct machine_field *f)
{
	return *(void *const *)((const char *)body + f->section_offset);
}

/* The text of a field at distance @d (0 where it has no distances), or NULL. */
static const char *field_text(const struct file_body *body, const struct machine_field *f, int d)
{
	const char *section = section_of(body, f);
	const struct file_distances *by;

	if (!section)
		return NULL;
	if (!f->by_distance)
		return *(char *const *)(section + f->key_offset);
	by = *(struct file_distances *const *)(section + f->key_offset);
	return by ? ((char *const *)by)[d] : NULL;
}

static void store(struct machine *m, const struct machine_field *f, int d, u64 v)
{
	char *p = (char *)m + f->member_offset + (size_t)d * f->member_size;

	switch (f->member_size) {
	case 1:
		*(bool *)p = v;
		break;
	case 4:
		*(u32 *)p = (u32)v;
		break;
	default:
		*(u64 *)p = v;
	}
}

static int apply_field(const struct layer *l, const struct machine_field *f, struct machine *m,
		       struct err *err)
{
	char path[128];
	u64 v;

	for (int d = 0; d < (f->by_distance ? NR_DISTANCES : 1); d++) {
		const char *text = field_text(l->body, f, d);

		if (!text)
			continue;
		if (quantity_parse(text, f->unit, f->lo, f->hi, &v, err)) {
			err_prefix(err, "%s: ", f->by_distance ? distance_keys[d] : f->key);
			snprintf(path, sizeof(path), "%s%s.%s%s%s", l->prefix, f->section, f->key,
				 f->by_distance ? "." : "", f->by_distance ? distance_keys[d] : "");
			return yaml_fail(l->doc, err, -EINVAL, path, "%s", "");
		}
		store(m, f, d, v);
	}
	return 0;
}

const char *layers_missing(const struct layers *l, char *buf, size_t len)
{
	for (int i = 0; i < nr_machine_fields; i++) {
		const struct machine_field *f = &machine_fields[i];

		for (int d = 0; d < (f->by_distance ? NR_DISTANCES : 1); d++) {
			int k = 0;

			while (k < l->nr && !field_text(l->layer[k].body, f, d))
				k++;
			if (k < l->nr)
				continue;
			snprintf(buf, len, "%s.%s%s%s", f->section, f->key,
				 f->by_distance ? "." : "", f->by_distance ? distance_keys[d] : "");
			return buf;
		}
	}
	return NULL;
}

/* ---- C-states and boost ---- */

/* A value of entry @i of list @list; 0 or yaml_fail(). */
static int entry_value(const struct layer *l, const char *list, int i, const char *key,
		       const char *text, enum quantity q, u64 lo, u64 hi, u64 *v, struct err *err)
{
	char path[96];

	if (!text || !quantity_parse(text, q, lo, hi, v, err))
		return 0;
	snprintf(path, sizeof(path), "%s%s[%d].%s", l->prefix, list, i, key);
	err_prefix(err, "%s: ", key);
	return yaml_fail(l->doc, err, -EINVAL, path, "%s", "");
}

static int list_too_long(const struct layer *l, const char *list, int most, struct err *err)
{
	char path[64];

	snprintf(path, sizeof(path), "%s%s[%d]", l->prefix, list, most);
	return yaml_fail(l->doc, err, -EINVAL, path, "%s: at most %d entries are possible", list,
			 most);
}

static int apply_cstates(const struct layer *l, struct machine *m, struct err *err)
{
	const struct file_body *b = l->body;
	char path[64];

	if (b->nr_cstates > MAX_CSTATES)
		return list_too_long(l, "cstates", MAX_CSTATES, err);
	for (int i = 0; i < (int)b->nr_cstates; i++) {
		const struct file_cstate *f = &b->cstates[i];
		struct machine_cstate *c = &m->cstate[i];
		u64 polling = 0;
		int ret;

		if ((ret = entry_value(l, "cstates", i, "exit", f->exit, Q_TIME, 0, TIME_MAX,
				       &c->exit_ns, err)) ||
		    (ret = entry_value(l, "cstates", i, "table_exit", f->table_exit, Q_TIME, 0,
				       TIME_MAX, &c->table_exit_ns, err)) ||
		    (ret = entry_value(l, "cstates", i, "residency", f->residency, Q_TIME, 0,
				       TIME_MAX, &c->residency_ns, err)) ||
		    (ret = entry_value(l, "cstates", i, "polling", f->polling, Q_BOOL, 0, 1,
				       &polling, err)))
			return ret;
		snprintf(c->name, sizeof(c->name), "%s", f->name);
		c->polling = polling;
		if (i && c->residency_ns < m->cstate[i - 1].residency_ns) {
			snprintf(path, sizeof(path), "%scstates[%d].residency", l->prefix, i);
			return yaml_fail(l->doc, err, -EINVAL, path,
					 "residency: shorter than that of the state before; list "
					 "them from shallow to deep");
		}
	}
	if (b->nr_cstates)
		m->nr_cstates = (int)b->nr_cstates;
	return 0;
}

static int apply_boost(const struct layer *l, struct machine *m, struct err *err)
{
	const struct file_body *b = l->body;
	char path[64];

	if (b->nr_boost > MAX_BOOST)
		return list_too_long(l, "boost", MAX_BOOST, err);
	for (int i = 0; i < (int)b->nr_boost; i++) {
		u64 cores = 0, mhz = 0;
		int ret;

		if ((ret = entry_value(l, "boost", i, "cores", b->boost[i].cores, Q_COUNT, 1,
				       MAX_CPUS, &cores, err)) ||
		    (ret = entry_value(l, "boost", i, "frequency", b->boost[i].frequency, Q_FREQ, 1,
				       100000, &mhz, err)))
			return ret;
		m->boost[i].cores = (int)cores;
		m->boost[i].mhz = (u32)mhz;
		if (i && (m->boost[i].cores <= m->boost[i - 1].cores ||
			  m->boost[i].mhz > m->boost[i - 1].mhz)) {
			snprintf(path, sizeof(path), "%sboost[%d]", l->prefix, i);
			return yaml_fail(
				l->doc, err, -EINVAL, path,
				"boost: list more and more cores with less and less frequency");
		}
	}
	if (b->nr_boost)
		m->nr_boost = (int)b->nr_boost;
	return 0;
}

int layers_apply(const struct layers *l, int from, int to, struct machine *m, struct err *err)
{
	int ret = 0;

	for (int k = from; !ret && k < to; k++) {
		for (int i = 0; !ret && i < nr_machine_fields; i++)
			ret = apply_field(&l->layer[k], &machine_fields[i], m, err);
		if (!ret)
			ret = apply_cstates(&l->layer[k], m, err);
		if (!ret)
			ret = apply_boost(&l->layer[k], m, err);
	}
	return ret;
}
