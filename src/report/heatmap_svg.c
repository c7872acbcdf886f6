// SPDX-License-Identifier: BSD-2-Clause
/*
 * heatmap_svg.c - the map as a picture: a row a CPU, a line between LLCs, a thicker one between nodes.
 *
 * The colours are fixed, so that two pictures can be compared.
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "report/escape.h"
#include "report/heatmap_map.h"
#include "report/png.h"

/* the plot, in units of the picture */
#define LEFT	  108
#define TOP	  40
#define WIDTH	  960
#define MIN_ROWS  120 /* height of the plot: at least, at most */
#define MAX_ROWS  960
#define ROW	  12
#define RIGHT	  100
#define BOTTOM	  48
#define TEXT	  11 /* height of a line of text */

/* What colours stand for; between them they blend. The last one is "so many, or more". */
static const struct stop {
	double nr, at; /* tasks; place on the scale, 0 to 1 */
	u8 rgb[3];
} scale[] = {
	{0, 0.00, {255, 255, 255}}, {1, 0.22, {158, 202, 225}},	 {2, 0.38, {254, 217, 118}},
	{4, 0.54, {253, 141, 60}},  {8, 0.70, {227, 26, 28}},	 {16, 0.85, {128, 0, 38}},
	{32, 1.00, {0, 0, 0}},
};

#define NR_STOPS ((int)ARRAY_SIZE(scale))

struct picture {
	const struct heatmap *h;
	int *order; /* CPUs from top to bottom */
	int nr_cpus;
	double height;
};

/* ---- colours ---- */

static u8 colour_of(double nr)
{
	for (int i = 1; i < NR_STOPS; i++) {
		const struct stop *a = &scale[i - 1], *b = &scale[i];

		if (nr < b->nr)
			return (u8)((a->at + (b->at - a->at) * (nr - a->nr) / (b->nr - a->nr)) * 255 +
				    0.5);
	}
	return 255;
}

static void fill_palette(u8 *palette)
{
	int i = 1;

	for (int c = 0; c < 256; c++) {
		double at = c / 255.0, part;

		while (i < NR_STOPS - 1 && at > scale[i].at)
			i++;
		part = (at - scale[i - 1].at) / (scale[i].at - scale[i - 1].at);
		for (int k = 0; k < 3; k++)
			palette[3 * c + k] = (u8)(scale[i - 1].rgb[k] +
						  part * (scale[i].rgb[k] - scale[i - 1].rgb[k]) + 0.5);
	}
}

static void row_colours(const void *ctx, int y, u8 *colours)
{
	const struct picture *p = ctx;

	for (int x = 0; x < p->h->columns; x++)
		colours[x] = colour_of(heatmap_mean(p->h, p->order[y], x));
}

/* ---- text ---- */

/* what XML wants escaped, in text that has no control characters and is UTF-8 */
static void put_xml(FILE *f, const char *s)
{
	for (; *s; s++) {
		if (*s == '<')
			fputs("&lt;", f);
		else if (*s == '>')
			fputs("&gt;", f);
		else if (*s == '&')
			fputs("&amp;", f);
		else if (!strncmp(s, "\xef\xbf\xbe", 3) || !strncmp(s, "\xef\xbf\xbf", 3))
			fputs("\xef\xbf\xbd", f), s += 2; /* no characters of XML */
		else
			fputc(*s, f);
	}
}

static void put_title(FILE *f, const char *title)
{
	char *text = malloc(ESCAPED_SIZE(strlen(title)));

	if (!text)
		return;
	escape_text(title, text);
	fprintf(f, "<title>");
	put_xml(f, text);
	fprintf(f, "</title>\n<text x=\"%d\" y=\"%d\" font-size=\"13\">", LEFT, TOP - 16);
	put_xml(f, text);
	fprintf(f, "</text>\n");
	free(text);
}

static void put_text(FILE *f, double x, double y, const char *anchor, const char *text)
{
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, text);
}

static void put_line(FILE *f, double x1, double y1, double x2, double y2, double width)
{
	fprintf(f, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke-width=\"%.1f\"/>\n",
		x1, y1, x2, y2, width);
}

/* ---- time ---- */

static void put_time(FILE *f, const struct picture *p)
{
	double end = (double)heatmap_column_ns(p->h) * p->h->columns / NSEC_PER_SEC;
	double step = pow(10, floor(log10(end)));
	int decimals;

	if (end / step < 2)
		step /= 5;
	else if (end / step < 5)
		step /= 2;
	decimals = max(0, -(int)floor(log10(step) + 1e-9));
	for (int i = 0; i * step <= end; i++) {
		double x = LEFT + WIDTH * (i * step / end);
		char text[32];

		snprintf(text, sizeof(text), "%.*f", decimals, i * step);
		put_line(f, x, TOP + p->height, x, TOP + p->height + 5, 1);
		put_text(f, x, TOP + p->height + 18, "middle", text);
	}
	put_text(f, LEFT + WIDTH / 2.0, TOP + p->height + 36, "middle", "time (s)");
}

/* ---- CPUs ---- */

static int by_place(const void *a, const void *b, void *topo)
{
	int c = *(const int *)a, d = *(const int *)b;
	const struct topo_cpu *cpu = ((const struct sched_topology *)topo)->cpu;
	const struct topo_cpu *x = &cpu[c], *y = &cpu[d];
	const int keys[][2] = {{x->package, y->package}, {x->node, y->node},
			       {x->llc, y->llc},	 {x->cluster, y->cluster},
			       {x->core, y->core},	 {c, d}};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

static double y_of(const struct picture *p, int row)
{
	return TOP + p->height * row / p->nr_cpus;
}

/* a border above @row between CPUs whose field at @offset differs, a label for those before it */
static void put_groups(FILE *f, const struct picture *p, size_t offset, const char *name,
		       double label_x, double width)
{
	const struct topo_cpu *cpu = p->h->topo->cpu;
	int begin = 0;

	for (int row = 1; row <= p->nr_cpus; row++) {
		const char *a = (const char *)&cpu[p->order[begin]] + offset;
		int id = *(const int *)a;
		double height;
		char text[48];

		if (row < p->nr_cpus &&
		    *(const int *)((const char *)&cpu[p->order[row]] + offset) == id)
			continue;
		height = y_of(p, row) - y_of(p, begin);
		if (row < p->nr_cpus && height >= 3)
			put_line(f, LEFT, y_of(p, row), LEFT + WIDTH, y_of(p, row), width);
		snprintf(text, sizeof(text), "%s %d", name, name[0] == 'C' ? p->order[begin] : id);
		if (height >= TEXT)
			put_text(f, label_x, y_of(p, begin) + TEXT - 1, "end", text);
		begin = row;
	}
}

/* ---- the scale ---- */

static void put_scale(FILE *f, const struct picture *p)
{
	double x = LEFT + WIDTH + 20, height = min(p->height - 20, 240.0), y = TOP + 16 + height;

	fputs("<defs><linearGradient id=\"scale\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">", f);
	for (int i = 0; i < NR_STOPS; i++)
		fprintf(f, "<stop offset=\"%.2f\" stop-color=\"#%02x%02x%02x\"/>", scale[i].at,
			scale[i].rgb[0], scale[i].rgb[1], scale[i].rgb[2]);
	fprintf(f, "</linearGradient></defs>\n");
	fprintf(f,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"16\" height=\"%.1f\" fill=\"url(#scale)\" stroke=\"#000000\" stroke-width=\"0.5\"/>\n",
		x, y - height, height);
	for (int i = 0; i < NR_STOPS; i++) {
		char text[16];

		snprintf(text, sizeof(text), "%.0f%s", scale[i].nr, i == NR_STOPS - 1 ? "+" : "");
		put_line(f, x + 16, y - height * scale[i].at, x + 20, y - height * scale[i].at, 1);
		put_text(f, x + 24, y - height * scale[i].at + 4, "start", text);
	}
	put_text(f, x, TOP + 6, "start", "nr_running");
}

/* ---- all of it ---- */

static void put_map(FILE *f, const struct picture *p, u8 *line)
{
	u8 palette[256 * 3];

	fill_palette(palette);
	fprintf(f,
		"<image x=\"%d\" y=\"%d\" width=\"%d\" height=\"%.1f\" preserveAspectRatio=\"none\" "
		"style=\"image-rendering:pixelated\" href=\"data:image/png;base64,",
		LEFT, TOP, WIDTH, p->height);
	png_base64(f, p->h->columns, p->nr_cpus, palette, row_colours, p, line);
	fputs("\"/>\n", f);
}

static void put_picture(FILE *f, const struct picture *p, const char *title, u8 *line)
{
	double width = LEFT + WIDTH + RIGHT, height = TOP + p->height + BOTTOM;

	fprintf(f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
		"height=\"%.0f\" font-family=\"sans-serif\" font-size=\"%d\">\n",
		width, height, width, height, TEXT - 1);
	fprintf(f, "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n");
	put_title(f, title);
	if (p->h->columns)
		put_map(f, p, line);
	fprintf(f,
		"<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%.1f\" fill=\"none\" stroke=\"#000000\"/>\n",
		LEFT, TOP, WIDTH, p->height);
	fputs("<style>line{stroke:#000}</style>\n<g class=\"llc\">\n", f);
	put_groups(f, p, offsetof(struct topo_cpu, llc), "CPU", LEFT - 4, 0.5);
	fputs("</g>\n<g class=\"node\">\n", f);
	put_groups(f, p, offsetof(struct topo_cpu, node), "node", LEFT - 62, 1.6);
	fputs("</g>\n", f);
	if (p->h->columns)
		put_time(f, p);
	put_scale(f, p);
	fputs("</svg>\n", f);
}

int heatmap_write(FILE *f, const struct heatmap *h, const char *title)
{
	struct picture p = {.h = h, .nr_cpus = h->topo->nr_cpus};
	u8 *line = malloc(HEATMAP_COLUMNS + 1);
	int ret = -ENOMEM;

	p.order = malloc(p.nr_cpus * sizeof(*p.order));
	if (line && p.order) {
		for (int c = 0; c < p.nr_cpus; c++)
			p.order[c] = c;
		qsort_r(p.order, p.nr_cpus, sizeof(*p.order), by_place, (void *)h->topo);
		p.height = clamp(p.nr_cpus * ROW, MIN_ROWS, MAX_ROWS);
		put_picture(f, &p, title, line);
		ret = 0;
	}
	free(line);
	free(p.order);
	return ret;
}
