// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/run_outputs.h"
#include "report/heatmap.h"
#include "trace/cgroup_stat.h"
#include "trace/collect.h"
#include "trace/newfile.h"
#include "trace/pressure.h"
#include "trace/schedstat.h"
#include "trace/write.h"

struct run_outputs {
	const struct machine *m;
	const struct sched_kernel *k;
	struct trace_writer *trace;
	struct trace_collector *collector;
	struct new_file schedstat; /* .f NULL: not asked for */
	struct new_file heatmap;   /* likewise */
	struct heatmap *map;
	const char *title;
	struct new_file pressure[NR_PSI_RESOURCES]; /* .f NULL: this kernel has none */
	const char *pressure_dir;  /* NULL: not asked for */
	bool made_dir;		   /* … and it wasn't there */
	const char *cgroup_dir;	   /* NULL: not asked for */
	bool made_cgroup_dir;
	int ret;		   /* what went wrong at the end of the run */
	struct err err;
};

static int commit(struct new_file *n, int ret, struct err *err)
{
	if (n->f && !ret) {
		ret = new_file_commit(n);
		if (ret)
			err_set(err, ret, "%s: can't be written: %s", n->path, strerror(-ret));
	}
	new_file_drop(n);
	return ret;
}

/* ---- the trace ---- */

static void write_load(void *writer, const struct trace_load *l)
{
	trace_write_load(writer, l);
}

static void write_event(void *writer, const struct trace *t, const struct trace_event *e)
{
	trace_write_event(writer, t, e);
}

static int open_trace(struct run_outputs *o, const struct run_files *files, const char *kernel,
		      struct sim_params *params, struct err *err)
{
	struct trace_writing how = { .nr_cpus = o->m->topo.nr_cpus, .kernel = kernel };
	int ret = trace_format_find(files->trace_format, files->trace, &how.format, err);

	if (!ret)
		ret = trace_writer_open(files->trace, &how, &o->trace, err);
	if (ret)
		return ret;
	o->collector = trace_collector_new(o->m->topo.nr_cpus, write_event, o->trace);
	if (!o->collector)
		return err_set(err, -ENOMEM, "out of memory");
	trace_on_load(o->collector, write_load);
	params->trace = trace_collect;
	params->trace_load = trace_collect_load;
	params->trace_ctx = o->collector;
	return 0;
}

static int close_trace(struct run_outputs *o, int ret, struct err *err)
{
	if (o->collector && trace_collector_end(o->collector, NULL) && !ret)
		ret = err_set(err, -ENOMEM, "out of memory");
	if (o->trace && ret)
		trace_writer_drop(o->trace);
	else if (o->trace)
		ret = trace_writer_close(o->trace, err);
	return ret;
}

/* ---- /proc/schedstat ---- */

static int write_schedstat(struct run_outputs *o, struct sim *sim)
{
	struct schedstat *s;
	int ret = schedstat_count(sim_sched(sim), o->k, o->m->topo.nr_cpus, o->m->hz,
				  sim_uptime(sim), &s, &o->err);

	if (ret)
		return ret;
	schedstat_write(o->schedstat.f, s);
	schedstat_free(s);
	return 0;
}

/* ---- /proc/pressure ---- */

/* Every kernel has the first three. */
static int open_pressure(struct run_outputs *o, const char *dir, struct err *err)
{
	int ret = 0;

	o->pressure_dir = dir;
	o->made_dir = !mkdir(dir, 0777);
	if (!o->made_dir && errno != EEXIST)
		return err_set(err, -errno, "%s: can't be made: %s", dir, strerror(errno));
	for (int i = 0; !ret && i < NR_PSI_RESOURCES; i++) {
		char *path;

		if (i == PSI_IRQ && !o->k->rules.psi_irq)
			continue;
		if (asprintf(&path, "%s/%s", dir, pressure_name(i)) < 0)
			return err_set(err, -ENOMEM, "out of memory");
		ret = new_file_open(&o->pressure[i], path, err);
		free(path);
	}
	return ret;
}

static int write_pressure(struct run_outputs *o, struct sim *sim)
{
	struct sched_psi psi;
	int ret = 0;

	for (int i = 0; !ret && i < NR_PSI_RESOURCES; i++) {
		if (!o->pressure[i].f)
			continue;
		ret = sched_psi_read(sim_sched(sim), sim_uptime(sim), NULL, i, &psi);
		if (ret)
			err_set(&o->err, ret, "%s can't be read", pressure_name(i));
		else
			pressure_write(o->pressure[i].f, &psi);
	}
	return ret;
}

static int close_pressure(struct run_outputs *o, int ret, struct err *err)
{
	for (int i = 0; i < NR_PSI_RESOURCES; i++)
		ret = commit(&o->pressure[i], ret, err);
	if (ret && o->made_dir)
		rmdir(o->pressure_dir);
	return ret;
}

/* ---- the heat map ---- */

static int open_heatmap(struct run_outputs *o, const char *path, struct sim_params *params,
			struct err *err)
{
	int ret = new_file_open(&o->heatmap, path, err);

	if (ret)
		return ret;
	o->map = heatmap_new(&o->m->topo);
	if (!o->map)
		return err_set(err, -ENOMEM, "no memory for a heat map of %d CPUs", o->m->topo.nr_cpus);
	params->nr_running = heatmap_note;
	params->nr_running_ctx = o->map;
	return 0;
}

static int write_heatmap(struct run_outputs *o, struct sim *sim)
{
	int ret;

	heatmap_end(o->map, sim_now(sim));
	ret = heatmap_write(o->heatmap.f, o->map, o->title);
	return ret ? err_set(&o->err, ret, "out of memory") : 0;
}

/* ---- control groups ---- */

static int open_cgroup_stat(struct run_outputs *o, const char *dir, struct err *err)
{
	struct stat st;

	o->cgroup_dir = dir;
	o->made_cgroup_dir = !mkdir(dir, 0777);
	if (o->made_cgroup_dir)
		return 0;
	if (errno != EEXIST)
		return err_set(err, -errno, "%s: can't be made: %s", dir, strerror(errno));
	if (stat(dir, &st) || !S_ISDIR(st.st_mode))
		return err_set(err, -ENOTDIR, "%s: is no directory", dir);
	return 0;
}

/* ---- all of them ---- */

static void at_end(void *outputs, struct sim *sim)
{
	struct run_outputs *o = outputs;

	if (o->schedstat.f)
		o->ret = write_schedstat(o, sim);
	if (o->pressure_dir && !o->ret)
		o->ret = write_pressure(o, sim);
	if (o->map && !o->ret)
		o->ret = write_heatmap(o, sim);
	if (o->cgroup_dir && !o->ret)
		o->ret = cgroup_stat_write(o->cgroup_dir, sim, o->k, &o->err);
}

int run_outputs_close(struct run_outputs *o, int ret, struct err *err)
{
	if (!o)
		return ret;
	if (!ret && o->ret) {
		ret = o->ret;
		*err = o->err;
	}
	ret = close_trace(o, ret, err);
	ret = commit(&o->schedstat, ret, err);
	ret = commit(&o->heatmap, ret, err);
	heatmap_free(o->map);
	if (o->pressure_dir)
		ret = close_pressure(o, ret, err);
	if (ret && o->made_cgroup_dir)
		rmdir(o->cgroup_dir);
	free(o);
	return ret;
}

int run_outputs_open(const struct run_files *files, const struct machine *m,
		     const struct sched_kernel *k, const char *kernel_name,
		     struct sim_params *params, struct run_outputs **out, struct err *err)
{
	struct run_outputs *o;
	int ret = 0;

	*out = NULL;
	if (!files->trace && !files->schedstat && !files->pressure &&
	    !files->heatmap && !files->cgroup_stat)
		return 0;
	o = calloc(1, sizeof(*o));
	if (!o)
		return err_set(err, -ENOMEM, "out of memory");
	o->m = m;
	o->k = k;
	o->title = files->title;
	if (files->schedstat)
		ret = new_file_open(&o->schedstat, files->schedstat, err);
	if (!ret && files->pressure)
		ret = open_pressure(o, files->pressure, err);
	if (!ret && files->heatmap)
		ret = open_heatmap(o, files->heatmap, params, err);
	if (!ret && files->cgroup_stat)
		ret = open_cgroup_stat(o, files->cgroup_stat, err);
	if (!ret && files->trace)
		ret = open_trace(o, files, kernel_name, params, err);
	if (ret) {
		run_outputs_close(o, ret, err);
		return ret;
	}
	params->pressure = files->pressure || files->cgroup_stat;
	params->accounts = files->cgroup_stat;
	params->end = at_end;
	params->end_ctx = o;
	*out = o;
	return 0;
}
