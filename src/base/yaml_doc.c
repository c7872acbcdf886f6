// SPDX-License-Identifier: BSD-2-Clause
/*
 * Two passes: libyaml's events give syntax errors, repeated keys and the place
 * of each value; libcyaml then fills the structs. libcyaml tells what it
 * refuses through its log only: the first line is the complaint, the lines
 * after "Backtrace" lead from the place outwards.
 */
#include "base/yaml_doc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/arena.h"
#include "base/nearest.h"

#define MAX_DEPTH 16
#define MAX_PATH  256
#define MAX_KEYS  64

#define NR_CHAINS 4096

struct mark {
	const char *path;
	size_t next;		  /* of the same chain, + 1; 0: none */
	int line, column;	  /* of the value */
	int key_line, key_column; /* of its key; of the value where it has none */
};

struct yaml_doc {
	struct arena *arena;
	const char *name;
	struct mark *mark;
	size_t nr_marks, max_marks;
	size_t chain[NR_CHAINS]; /* marks by path, the last one first: + 1; 0: none */
	const cyaml_schema_value_t *schema;
	void *root;
};

/* ---- places ---- */

static size_t chain_of(const char *path)
{
	unsigned int h = 2166136261u;

	for (; *path; path++)
		h = (h ^ (unsigned char)*path) * 16777619u;
	return h % NR_CHAINS;
}

/* The first mark of that path from @from on. */
static const struct mark *find_mark(const struct yaml_doc *doc, const char *path, size_t from)
{
	const struct mark *found = NULL;

	for (size_t i = doc->chain[chain_of(path)]; i > from; i = doc->mark[i - 1].next)
		if (!strcmp(doc->mark[i - 1].path, path))
			found = &doc->mark[i - 1];
	return found;
}

static int add_mark(struct yaml_doc *doc, const char *path, const yaml_mark_t *at,
		    const yaml_mark_t *key)
{
	struct mark *m;

	if (doc->nr_marks == doc->max_marks) {
		size_t n = doc->max_marks ? doc->max_marks * 2 : 256;

		m = realloc(doc->mark, n * sizeof(*m));
		if (!m)
			return -ENOMEM;
		doc->mark = m;
		doc->max_marks = n;
	}
	m = &doc->mark[doc->nr_marks];
	m->path = arena_strdup(doc->arena, path);
	if (!m->path)
		return -ENOMEM;
	m->line = at->line + 1;
	m->column = at->column + 1;
	m->key_line = key->line + 1;
	m->key_column = key->column + 1;
	m->next = doc->chain[chain_of(path)];
	doc->chain[chain_of(path)] = ++doc->nr_marks;
	return 0;
}

/* A collection that is open while the events are walked. */
struct level {
	bool sequence;
	bool have_key;	   /* mapping: a key was read, its value comes next */
	yaml_mark_t key;   /* where that key stands */
	int index;	   /* sequence: of the next entry */
	size_t path_len;   /* of the path of the collection itself */
	size_t first_mark; /* its keys are among the marks from here on */
};

struct walk {
	struct yaml_doc *doc;
	struct level level[MAX_DEPTH];
	int depth; /* open collections */
	char path[MAX_PATH];
};

/* the same key twice in one mapping: the marks since its beginning tell */
static bool key_seen(const struct walk *w, const struct level *l, const char *path)
{
	return find_mark(w->doc, path, l->first_mark);
}

/* A key of a mapping: from here on the path is that of its value. */
static int walk_key(struct walk *w, struct level *l, const yaml_event_t *e, struct err *err)
{
	const char *key = (const char *)e->data.scalar.value;

	w->path[l->path_len] = '\0';
	snprintf(w->path + l->path_len, sizeof(w->path) - l->path_len, "%s%s",
		 l->path_len ? "." : "", key);
	l->have_key = true;
	l->key = e->start_mark;
	if (key_seen(w, l, w->path))
		return err_set(err, -EINVAL, "%s:%zu:%zu: key '%s' stands twice in one mapping",
			       w->doc->name, e->start_mark.line + 1, e->start_mark.column + 1, key);
	return 0;
}

/* A value begins: give it its path and place. */
static int walk_value(struct walk *w, const yaml_event_t *e)
{
	struct level *l = w->depth ? &w->level[w->depth - 1] : NULL;

	if (l && l->sequence) {
		w->path[l->path_len] = '\0';
		snprintf(w->path + l->path_len, sizeof(w->path) - l->path_len, "[%d]", l->index++);
	} else if (l) {
		l->have_key = false;
	}
	return add_mark(w->doc, w->path, &e->start_mark,
			l && !l->sequence ? &l->key : &e->start_mark);
}

static int walk_open(struct walk *w, const yaml_event_t *e, bool sequence, struct err *err)
{
	struct level *l;

	if (w->depth == MAX_DEPTH)
		return err_set(err, -EINVAL, "%s:%zu:%zu: nested too deep", w->doc->name,
			       e->start_mark.line + 1, e->start_mark.column + 1);
	l = &w->level[w->depth++];
	*l = (struct level){
		.sequence = sequence, .path_len = strlen(w->path), .first_mark = w->doc->nr_marks};
	return 0;
}

static int walk_event(struct walk *w, const yaml_event_t *e, struct err *err)
{
	struct level *l = w->depth ? &w->level[w->depth - 1] : NULL;
	int ret;

	switch (e->type) {
	case YAML_SCALAR_EVENT:
		if (l && !l->sequence && !l->have_key)
			return walk_key(w, l, e, err);
		return walk_value(w, e);
	case YAML_ALIAS_EVENT:
		return walk_value(w, e);
	case YAML_MAPPING_START_EVENT:
	case YAML_SEQUENCE_START_EVENT:
		if (l && !l->sequence && !l->have_key)
			return err_set(err, -EINVAL, "%s:%zu:%zu: a key must be a word",
				       w->doc->name, e->start_mark.line + 1,
				       e->start_mark.column + 1);
		ret = walk_value(w, e);
		return ret ? ret : walk_open(w, e, e->type == YAML_SEQUENCE_START_EVENT, err);
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		w->path[l->path_len] = '\0';
		w->depth--;
		return 0;
	default:
		return 0;
	}
}

static int syntax_error(const struct yaml_doc *doc, const yaml_parser_t *parser, const char *text,
			struct err *err)
{
	size_t line = parser->problem_mark.line + 1, column = parser->problem_mark.column + 1;

	/* for bytes that are no characters libyaml tells the offset only */
	if (parser->error == YAML_READER_ERROR) {
		line = column = 1;
		for (size_t i = 0; i < parser->problem_offset; i++) {
			column = text[i] == '\n' ? 1 : column + 1;
			line += text[i] == '\n';
		}
	}
	return err_set(err, -EINVAL, "%s:%zu:%zu: not YAML: %s%s%s", doc->name, line, column,
		       parser->context ? parser->context : "", parser->context ? ", " : "",
		       parser->problem ? parser->problem : "unknown error");
}

static int find_places(struct yaml_doc *doc, const char *text, size_t len, struct err *err)
{
	struct walk w = {.doc = doc};
	yaml_parser_t parser;
	yaml_event_t e;
	int ret = 0, type = YAML_NO_EVENT, nr_docs = 0;

	if (!yaml_parser_initialize(&parser))
		return err_set(err, -ENOMEM, "%s: out of memory", doc->name);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	while (!ret && type != YAML_STREAM_END_EVENT) {
		if (!yaml_parser_parse(&parser, &e)) {
			ret = syntax_error(doc, &parser, text, err);
			break;
		}
		type = e.type;
		if (type == YAML_DOCUMENT_START_EVENT && nr_docs++)
			ret = err_set(err, -EINVAL, "%s:%zu:1: a second document; one file is one",
				      doc->name, e.start_mark.line + 1);
		else
			ret = walk_event(&w, &e, err);
		yaml_event_delete(&e);
	}
	yaml_parser_delete(&parser);
	if (ret == -ENOMEM)
		return err_set(err, ret, "%s: out of memory", doc->name);
	if (!ret && !nr_docs)
		return err_set(err, -EINVAL, "%s:1:1: the file is empty", doc->name);
	return ret;
}

/* ---- what libcyaml says ---- */

struct step {
	bool entry;
	char key[64];
};

struct complaint {
	char text[256];
	bool backtrace;		     /* past the line that announces it */
	int line, column;	     /* innermost */
	struct step step[MAX_DEPTH]; /* innermost first */
	int nr_steps;
};

static void take_log(cyaml_log_t level, void *ctx, const char *fmt, va_list args)
{
	struct complaint *c = ctx;
	char line[512], *quote, *end, *at;
	struct step *s;

	(void)level;
	vsnprintf(line, sizeof(line), fmt, args);
	line[strcspn(line, "\n")] = '\0';
	if (!c->backtrace) {
		if (strstr(line, "Backtrace:"))
			c->backtrace = true;
		else if (!c->text[0])
			snprintf(c->text, sizeof(c->text), "%.250s",
				 strncmp(line, "Load: ", 6) ? line : line + 6);
		return;
	}
	at = strrchr(line, '(');
	if (at && !c->line)
		sscanf(at, "(line: %d, column: %d)", &c->line, &c->column);
	quote = strchr(line, '\'');
	end = quote ? strrchr(line, '\'') : NULL;
	if (!end || end == quote || c->nr_steps == MAX_DEPTH)
		return;
	*end = '\0';
	s = &c->step[c->nr_steps++];
	s->entry = strstr(line, "in sequence entry");
	snprintf(s->key, sizeof(s->key), "%s", quote + 1);
}

/* The mapping schema that the complaint's steps lead to. */
static const cyaml_schema_field_t *fields_at(const struct yaml_doc *doc, const struct complaint *c)
{
	const cyaml_schema_value_t *v = doc->schema;

	for (int i = c->nr_steps - 1; i >= 0; i--) {
		const cyaml_schema_field_t *f;

		if (c->step[i].entry) {
			if (v->type != CYAML_SEQUENCE)
				return NULL;
			v = v->sequence.entry;
			continue;
		}
		if (v->type != CYAML_MAPPING)
			return NULL;
		for (f = v->mapping.fields; f->key && strcmp(f->key, c->step[i].key); f++)
			;
		if (!f->key)
			return NULL;
		v = &f->value;
	}
	return v->type == CYAML_MAPPING ? v->mapping.fields : NULL;
}

/* Where the unknown key stands: libcyaml names its mapping only. */
static void find_key(const struct yaml_doc *doc, struct complaint *c, const char *key)
{
	char path[MAX_PATH] = "";
	const struct mark *m;
	size_t len = 0;

	for (int i = c->nr_steps - 1; i >= 0 && len < sizeof(path); i--)
		if (c->step[i].entry) /* libcyaml counts from 1 */
			len += snprintf(path + len, sizeof(path) - len, "[%d]",
					atoi(c->step[i].key) - 1);
		else
			len += snprintf(path + len, sizeof(path) - len, "%s%s", len ? "." : "",
					c->step[i].key);
	if (len < sizeof(path))
		snprintf(path + len, sizeof(path) - len, "%s%s", len ? "." : "", key);
	m = find_mark(doc, path, 0);
	if (m) {
		c->line = m->key_line;
		c->column = m->key_column;
	}
}

static void explain_key(const struct yaml_doc *doc, struct complaint *c, struct err *err)
{
	const cyaml_schema_field_t *f = fields_at(doc, c);
	const char *key = strchr(c->text, ':') + 2, *names[MAX_KEYS], *near;
	char list[768];
	size_t len = 0;
	int n = 0;

	list[0] = '\0';
	find_key(doc, c, key);
	for (; f && f->key && n < MAX_KEYS && len < sizeof(list); f++) {
		names[n] = f->key;
		len += snprintf(list + len, sizeof(list) - len, "%s%s", n++ ? ", " : "", f->key);
	}
	near = nearest_name(key, names, n);
	err_set(err, -EINVAL, "%s:%d:%d: unknown key '%.40s'%s%s%s, allowed are %s", doc->name,
		c->line, c->column, key, near ? " (did you mean '" : "", near ? near : "",
		near ? "'?)" : "", list);
}

static const char *kind_name(const char *event)
{
	if (strstr(event, "MAPPING"))
		return "a mapping (key: value)";
	if (strstr(event, "SEQUENCE"))
		return "a list";
	return "a single value";
}

static int explain(const struct yaml_doc *doc, struct complaint *c, struct err *err)
{
	char wanted[32], got[32], what[96] = "the file";

	if (c->nr_steps)
		snprintf(what, sizeof(what), "%s%.60s%s", c->step[0].entry ? "entry " : "'",
			 c->step[0].key, c->step[0].entry ? " of the list" : "'");
	if (!strncmp(c->text, "Unexpected key: ", 16))
		explain_key(doc, c, err);
	else if (sscanf(c->text, "Expecting %31[A-Z_], got event: %31s", wanted, got) == 2)
		err_set(err, -EINVAL, "%s:%d:%d: %s must be %s, it is %s", doc->name,
			max(c->line, 1), max(c->column, 1), what, kind_name(wanted),
			kind_name(got));
	else if (!strncmp(c->text, "Missing required mapping field: ", 32))
		err_set(err, -EINVAL, "%s:%d:%d: key '%s' is missing", doc->name, c->line,
			c->column, c->text + 32);
	else
		err_set(err, -EINVAL, "%s:%d:%d: %s: %s", doc->name, max(c->line, 1),
			max(c->column, 1), what, c->text);
	return -EINVAL;
}

/* ---- interface ---- */

int yaml_doc_load(const char *name, const char *text, size_t len,
		  const cyaml_schema_value_t *schema, struct yaml_doc **docp, struct err *err)
{
	struct complaint c = {0};
	const cyaml_config_t config = {.log_fn = take_log,
				       .log_ctx = &c,
				       .mem_fn = cyaml_mem,
				       .log_level = CYAML_LOG_ERROR};
	struct arena *arena = arena_new();
	struct yaml_doc *doc = arena ? arena_alloc(arena, sizeof(*doc)) : NULL;
	cyaml_err_t r;
	int ret;

	if (!doc) {
		if (arena)
			arena_free(arena);
		return err_set(err, -ENOMEM, "%s: out of memory", name);
	}
	doc->arena = arena;
	doc->name = arena_strdup(arena, name);
	doc->schema = schema;
	ret = find_places(doc, text, len, err);
	if (ret)
		goto fail;
	r = cyaml_load_data((const uint8_t *)text, len, &config, schema, &doc->root, NULL);
	if (r != CYAML_OK || !doc->root) {
		if (!c.text[0])
			snprintf(c.text, sizeof(c.text), "%s",
				 r == CYAML_OK ? "nothing in it" : cyaml_strerror(r));
		ret = explain(doc, &c, err);
		goto fail;
	}
	*docp = doc;
	return 0;
fail:
	yaml_doc_free(doc);
	return ret;
}

void yaml_doc_free(struct yaml_doc *doc)
{
	const cyaml_config_t config = {.mem_fn = cyaml_mem};

	if (!doc)
		return;
	cyaml_free(&config, doc->schema, doc->root, 0);
	free(doc->mark);
	arena_free(doc->arena);
}

const void *yaml_doc_root(const struct yaml_doc *doc)
{
	return doc->root;
}

const char *yaml_doc_name(const struct yaml_doc *doc)
{
	return doc->name;
}

int yaml_fail(const struct yaml_doc *doc, struct err *err, int code, const char *path,
	      const char *fmt, ...)
{
	const struct mark *m;
	char p[MAX_PATH];
	char *cut;
	va_list ap;

	va_start(ap, fmt);
	err_vset(err, code, fmt, ap);
	va_end(ap);
	if (err)
		err->code = code;
	snprintf(p, sizeof(p), "%s", path);
	while (!(m = find_mark(doc, p, 0)) && p[0]) {
		cut = strrchr(p, '.');
		if (!cut || (strrchr(p, '[') && strrchr(p, '[') > cut))
			cut = strrchr(p, '[');
		*(cut ? cut : p) = '\0';
	}
	err_prefix(err, "%s:%d:%d: ", doc->name, m ? m->line : 1, m ? m->column : 1);
	return code;
}
