// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/cgroup_stat.h"
#include "trace/newfile.h"
#include "trace/pressure.h"

struct writing {
	const char *dir;
	struct sim *sim;
	const struct sched_kernel *k;
	struct err *err;
};

static int open_in(const struct writing *w, const struct sim_cgroup *cg, const char *name,
		   struct new_file *n)
{
	const char *group = cg ? sim_cgroup_path(cg) : "";
	char *path;
	int ret;

	if (asprintf(&path, "%s%s/%s", w->dir, group, name) < 0)
		return err_set(w->err, -ENOMEM, "out of memory");
	ret = new_file_open(n, path, w->err);
	free(path);
	return ret;
}

static int commit(const struct writing *w, struct new_file *n)
{
	int ret = new_file_commit(n);

	if (ret)
		err_set(w->err, ret, "%s: can't be written: %s", n->path, strerror(-ret));
	new_file_drop(n);
	return ret;
}

static void line(FILE *f, const char *name, u64 value)
{
	fprintf(f, "%s %llu\n", name, (unsigned long long)value);
}

/* ---- cpu.stat ---- */

/* user and system time are sampled by the tick; run time is exact and shared out by them */
static void write_times(FILE *f, const struct sched_kernel *k, const struct sim_cgroup_times *t)
{
	u64 user = t->user_ticks + t->nice_ticks, all = user + t->system_ticks;
	u64 system = all ? (u64)((u128)t->usage_ns * t->system_ticks / all) : 0;

	line(f, "usage_usec", t->usage_ns / 1000);
	line(f, "user_usec", t->usage_ns / 1000 - system / 1000);
	line(f, "system_usec", system / 1000);
	if (k->rules.stat_nice)
		line(f, "nice_usec", t->nice_ticks * t->tick_ns / 1000);
}

static int write_cpu_stat(const struct writing *w, const struct sim_cgroup *cg)
{
	struct sched_bandwidth_stat st;
	struct sim_cgroup_times times;
	struct new_file n = {0};
	int ret = open_in(w, cg, "cpu.stat", &n);

	if (ret)
		return ret;
	sim_cgroup_times(w->sim, cg, &times);
	write_times(n.f, w->k, &times);
	if (cg) {
		sched_group_bandwidth_stat(sim_sched(w->sim), sim_cgroup_sched(cg), &st);
		line(n.f, "nr_periods", st.nr_periods);
		line(n.f, "nr_throttled", st.nr_throttled);
		line(n.f, "throttled_usec", st.throttled_time / 1000);
		if (w->k->rules.bandwidth_burst) {
			line(n.f, "nr_bursts", st.nr_bursts);
			line(n.f, "burst_usec", st.burst_time / 1000);
		}
	}
	return commit(w, &n);
}

/* ---- pressure ---- */

static int write_pressure(const struct writing *w, const struct sim_cgroup *cg, enum psi_res res)
{
	struct task_group *tg = cg ? sim_cgroup_sched(cg) : NULL;
	struct new_file n = {0};
	struct sched_psi psi;
	char name[32];
	int ret;

	if (sched_psi_read(sim_sched(w->sim), sim_uptime(w->sim), tg, res, &psi))
		return 0; /* this kernel has no such file */
	snprintf(name, sizeof(name), "%s.pressure", pressure_name(res));
	ret = open_in(w, cg, name, &n);
	if (ret)
		return ret;
	pressure_write(n.f, &psi);
	return commit(w, &n);
}

/* ---- all ---- */

static int make_dir(const struct writing *w, const struct sim_cgroup *cg)
{
	char *path;
	int ret = 0;

	if (asprintf(&path, "%s%s", w->dir, sim_cgroup_path(cg)) < 0)
		return err_set(w->err, -ENOMEM, "out of memory");
	if (mkdir(path, 0777) && errno != EEXIST)
		ret = err_set(w->err, -errno, "%s: can't be made: %s", path, strerror(errno));
	free(path);
	return ret;
}

static int write_group(const struct writing *w, const struct sim_cgroup *cg)
{
	int ret = cg ? make_dir(w, cg) : 0;

	if (!ret)
		ret = write_cpu_stat(w, cg);
	for (int res = 0; !ret && res < NR_PSI_RESOURCES; res++)
		ret = write_pressure(w, cg, res);
	return ret;
}

static void write_task(void *f, const struct sim_task_account *a)
{
	fprintf(f, "%d (%s) %llu %llu %llu\n", a->pid, a->comm, (unsigned long long)a->run_ns,
		(unsigned long long)a->wait_ns, (unsigned long long)a->slices);
}

static int write_tasks(const struct writing *w)
{
	struct new_file n = {0};
	int ret = open_in(w, NULL, "tasks.schedstat", &n);

	if (ret)
		return ret;
	sim_task_accounts(w->sim, write_task, n.f);
	return commit(w, &n);
}

int cgroup_stat_write(const char *dir, struct sim *sim, const struct sched_kernel *k,
		      struct err *err)
{
	const struct writing w = {.dir = dir, .sim = sim, .k = k, .err = err};
	struct sim_cgroup *cg = NULL;
	int ret = write_group(&w, NULL);

	while (!ret && (cg = sim_cgroup_next(sim, cg)))
		ret = write_group(&w, cg);
	return ret ? ret : write_tasks(&w);
}
