// SPDX-License-Identifier: BSD-2-Clause
#include "experiment/published.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/read_file.h"

#define MAX_COLUMNS 64
#define MAX_ROWS    100000

enum column {
	COL_EXPERIMENT,
	COL_BENCHMARK,
	COL_MACHINE,
	COL_PARAM,
	COL_BASE,
	COL_BASE_VALUE,
	COL_VARIANT,
	COL_GAIN,
	COL_BETTER,
	COL_UNIT,
	COL_NOTE,
	NR_COLUMNS,
	NR_NEEDED = COL_UNIT,
};

static const char *const column_names[NR_COLUMNS] = {
	"experiment", "benchmark", "machine", "param", "base", "base_value",
	"variant",    "gain_pct",  "better",  "unit",  "note",
};

struct field {
	const char *text;
	int line, column; /* where it begins */
};

struct csv {
	struct arena *a;
	const char *path;
	const char *at, *end;
	int line;
	const char *line_start;
	struct err *err;
	int nr;			       /* fields of this record */
	struct field field[MAX_COLUMNS];
	int index[NR_COLUMNS];	       /* field of each column, -1: none */
};

#define FAIL(c, f, fmt, ...)                                                                       \
	err_set((c)->err, -EINVAL, "%s:%d:%d: " fmt, (c)->path, (f)->line,                         \
		(f)->column __VA_OPT__(, ) __VA_ARGS__)

/* ---- records ---- */

static void next_line(struct csv *c)
{
	c->line++;
	c->line_start = c->at;
}

/* Behind the opening quote, up to behind the closing one. Return: length, or a negative errno. */
static int quoted(struct csv *c, const struct field *f, char *out)
{
	int n = 0;

	while (c->at < c->end) {
		char ch = *c->at++;

		if (ch == '"' && (c->at == c->end || *c->at != '"'))
			return n;
		if (ch == '"')
			c->at++;
		out[n++] = ch;
		if (ch == '\n')
			next_line(c);
	}
	return FAIL(c, f, "a quoted field has no end; close it with \"");
}

static int plain(struct csv *c, char **out)
{
	const char *from = c->at;

	while (c->at < c->end && *c->at != ',' && *c->at != '\n' && *c->at != '\r')
		c->at++;
	*out = arena_alloc(c->a, c->at - from + 1);
	if (!*out)
		return -ENOMEM;
	memcpy(*out, from, c->at - from);
	return (int)(c->at - from);
}

static int read_field(struct csv *c)
{
	struct field *f = &c->field[c->nr];
	char *out;
	int n;

	f->line = c->line;
	f->column = (int)(c->at - c->line_start) + 1;
	if (c->nr == MAX_COLUMNS)
		return err_set(c->err, -EINVAL, "%s:%d: more than %d fields in a line", c->path,
			       c->line, MAX_COLUMNS);
	if (c->at < c->end && *c->at == '"') {
		const char *close = memchr(c->at + 1, '"', c->end - c->at - 1);

		/* doubled quotes go on: room for the longest that it can become */
		while (close && close + 1 < c->end && close[1] == '"')
			close = memchr(close + 2, '"', c->end - close - 2);
		c->at++;
		out = arena_alloc(c->a, (close ? close : c->end) - c->at + 1);
		n = out ? quoted(c, f, out) : -ENOMEM;
	} else {
		n = plain(c, &out);
	}
	if (n == -ENOMEM)
		return err_set(c->err, n, "%s: out of memory", c->path);
	if (n < 0)
		return n;
	f->text = out;
	if (strlen(out) != (size_t)n)
		return FAIL(c, f, "a zero byte; this is no CSV file");
	c->nr++;
	return 0;
}

/* Return: 1, 0 at the end of the file, or a negative errno */
static int read_record(struct csv *c)
{
	int ret;

	while (c->at < c->end && (*c->at == '\n' || *c->at == '\r'))
		if (*c->at++ == '\n')
			next_line(c);
	if (c->at == c->end)
		return 0;
	c->nr = 0;
	for (;;) {
		struct field here;

		ret = read_field(c);
		if (ret)
			return ret;
		if (c->at == c->end)
			return 1;
		here = (struct field){ NULL, c->line, (int)(c->at - c->line_start) + 1 };
		switch (*c->at++) {
		case ',':
			break;
		case '\r':
			if (c->at < c->end && *c->at == '\n')
				c->at++;
			next_line(c);
			return 1;
		case '\n':
			next_line(c);
			return 1;
		default:
			return FAIL(c, &here, "text behind a quoted field; a comma has to come here");
		}
	}
}

/* ---- rows ---- */

static int read_header(struct csv *c)
{
	const char *names[MAX_COLUMNS], *near;

	for (int i = 0; i < c->nr; i++)
		names[i] = c->field[i].text;
	for (int k = 0; k < NR_COLUMNS; k++) {
		c->index[k] = -1;
		for (int i = 0; i < c->nr; i++) {
			if (strcmp(names[i], column_names[k]))
				continue;
			if (c->index[k] >= 0)
				return FAIL(c, &c->field[i], "the column %s is there twice",
					    column_names[k]);
			c->index[k] = i;
		}
		if (c->index[k] >= 0 || k >= NR_NEEDED)
			continue;
		near = nearest_name(column_names[k], names, c->nr);
		return FAIL(c, &c->field[0],
			    "the first line names no column %s%s%.40s%s; a table of published rows has "
			    "experiment,benchmark,machine,param,base,base_value,variant,gain_pct,better",
			    column_names[k], near ? " (is it '" : "", near ? near : "",
			    near ? "'?)" : "");
	}
	return 0;
}

static const struct field *field(const struct csv *c, enum column k)
{
	static const struct field none = { "", 0, 0 };

	return c->index[k] < 0 ? &none : &c->field[c->index[k]];
}

static int number(struct csv *c, enum column k, double *v)
{
	const struct field *f = field(c, k);
	char *end;

	*v = strtod(f->text, &end);
	if (end == f->text || *end || !isfinite(*v))
		return FAIL(c, f, "%s: expected a number, not '%.40s'", column_names[k], f->text);
	if (k == COL_BASE_VALUE && *v <= 0)
		return FAIL(c, f, "%s: expected a number above 0, not '%.40s'", column_names[k],
			    f->text);
	return 0;
}

static int read_row(struct csv *c, int columns, struct published_row *row)
{
	const char **text[NR_COLUMNS] = {
		[COL_EXPERIMENT] = &row->experiment, [COL_BENCHMARK] = &row->benchmark,
		[COL_MACHINE] = &row->machine,	     [COL_PARAM] = &row->param,
		[COL_BASE] = &row->base,	     [COL_VARIANT] = &row->variant,
		[COL_UNIT] = &row->unit,	     [COL_NOTE] = &row->note,
	};
	const struct field *better;

	row->line = c->field[0].line;
	if (c->nr != columns)
		return FAIL(c, &c->field[0],
			    "%d fields, the first line has %d; quote a field that has a comma in it",
			    c->nr, columns);
	for (int k = 0; k < NR_COLUMNS; k++) {
		if (!text[k])
			continue;
		*text[k] = field(c, k)->text;
		if (k < NR_NEEDED && k != COL_PARAM && !(*text[k])[0])
			return FAIL(c, field(c, k), "%s is empty", column_names[k]);
	}
	better = field(c, COL_BETTER);
	row->higher_is_better = !strcmp(better->text, "higher");
	if (!row->higher_is_better && strcmp(better->text, "lower"))
		return FAIL(c, better, "better: expected higher or lower, not '%.40s'",
			    better->text);
	row->figures = true;
	return number(c, COL_BASE_VALUE, &row->base_value) ?:
		       number(c, COL_GAIN, &row->gain_pct);
}

int published_parse(struct arena *a, const char *path, const char *text, size_t len,
		    struct published *p, struct err *err)
{
	struct csv c = { .a = a, .path = path, .at = text, .end = text + len, .line = 1,
			 .line_start = text, .err = err };
	int ret, columns, room = 1;

	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) /* a spreadsheet's byte order mark */
		c.at = c.line_start = text + 3;
	for (size_t i = 0; i < len; i++)
		room += text[i] == '\n' || text[i] == '\r';
	*p = (struct published){ .path = path };
	ret = read_record(&c);
	if (!ret)
		return err_set(err, -EINVAL,
			       "%s:1:1: the file is empty; its first line has to name the columns",
			       path);
	if (ret < 0 || (ret = read_header(&c)))
		return ret;
	columns = c.nr;
	p->row = arena_array(a, min(room, MAX_ROWS), sizeof(*p->row));
	if (!p->row)
		return err_set(err, -ENOMEM, "%s: out of memory", path);
	while ((ret = read_record(&c)) > 0) {
		if (p->nr_rows == min(room, MAX_ROWS))
			return FAIL(&c, &c.field[0], "more than %d rows; give the file in parts",
				    MAX_ROWS);
		ret = read_row(&c, columns, &p->row[p->nr_rows]);
		if (ret)
			return ret;
		p->nr_rows++;
	}
	if (!ret && !p->nr_rows)
		return err_set(err, -EINVAL, "%s:%d:1: no row below the line of column names", path,
			       c.line);
	return ret;
}

int published_load(struct arena *a, const char *path, struct published *p, struct err *err)
{
	const char *text;
	size_t len;
	int ret = read_whole_file(a, path, &text, &len, err);

	return ret ?: published_parse(a, path, text, len, p, err);
}
