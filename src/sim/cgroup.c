/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cgroup.c - control groups of a run, and the CPUs their tasks may use.
 *
 * The core knows groups as weights and limits; paths and cpusets are the engine's. What a task
 * asked for is kept beside what it gets: it counts again in another group (spec 09 §4).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine.h"

#define MAX_PATH_BYTES 4095

struct sim_cgroup {
	struct sim_cgroup *parent, *next; /* next: in the order they were made */
	struct task_group *tg;		  /* NULL: the root's */
	const char *path;
	size_t len;
	u64 *cpus; /* effective cpuset; NULL: all */
	bool cut;  /* it asked for more than its parent has */
	enum cgroup_partition partition;
	u64 user_ticks, nice_ticks, system_ticks; /* of its own tasks */
};

/* ---- the tree ---- */

int cgroups_init(struct sim *sim)
{
	sim->cgroups = arena_alloc(sim->arena, sizeof(*sim->cgroups));
	if (!sim->cgroups)
		return -ENOMEM;
	sim->cgroups->path = "/";
	sim->cgroups->len = 1;
	return 0;
}

static struct sim_cgroup *find(const struct sim *sim, const char *path, size_t len)
{
	struct sim_cgroup *cg = sim->cgroups;

	while (cg && (cg->len != len || memcmp(cg->path, path, len)))
		cg = cg->next;
	return cg;
}

static struct sim_cgroup *make(struct sim *sim, struct sim_cgroup *parent, const char *path,
			       size_t len, struct err *err)
{
	struct sim_cgroup *cg = arena_alloc(sim->arena, sizeof(*cg)), *last = parent;
	char *copy = arena_alloc(sim->arena, len + 1);

	if (!cg || !copy) {
		err_set(err, -ENOMEM, "no memory for group %s", path);
		return NULL;
	}
	cg->tg = sched_group_new(sim->sched, parent->tg, SCHED_SHARES_DEFAULT, err);
	if (!cg->tg)
		return NULL;
	cg->parent = parent;
	cg->cpus = parent->cpus;
	memcpy(copy, path, len);
	cg->path = copy;
	cg->len = len;
	while (last->next)
		last = last->next;
	last->next = cg;
	return cg;
}

static bool valid_path(const char *path)
{
	size_t len = strlen(path);

	return path[0] == '/' && len <= MAX_PATH_BYTES && !strstr(path, "//") &&
	       (len == 1 || path[len - 1] != '/') && !strstr(path, "/.");
}

struct sim_cgroup *sim_cgroup_get(struct sim *sim, const char *path, struct err *err)
{
	struct sim_cgroup *cg = sim->cgroups, *parent;
	const char *end = path;

	if (!valid_path(path)) {
		err_set(err, -EINVAL, "\"%s\" is no group: expected a path such as /build/jobs",
			path);
		return NULL;
	}
	while (cg && end && path[1]) {
		size_t len;

		parent = cg;
		end = strchr(end + 1, '/');
		len = end ? (size_t)(end - path) : strlen(path);
		cg = find(sim, path, len);
		if (!cg)
			cg = make(sim, parent, path, len, err);
	}
	return cg;
}

struct sim_cgroup *sim_cgroup_next(const struct sim *sim, const struct sim_cgroup *cg)
{
	return cg ? cg->next : sim->cgroups->next;
}

const char *sim_cgroup_path(const struct sim_cgroup *cg)
{
	return cg->path;
}

u64 sim_cgroup_usage(const struct sim *sim, const struct sim_cgroup *cg)
{
	return sched_group_usage(sim->sched, sim->now, cg->tg);
}

static bool is_below(const struct sim_cgroup *cg, const struct sim_cgroup *top)
{
	for (; cg; cg = cg->parent)
		if (cg == top)
			return true;
	return false;
}

void sim_cgroup_times(const struct sim *sim, const struct sim_cgroup *cg,
		      struct sim_cgroup_times *t)
{
	*t = (struct sim_cgroup_times){ .tick_ns = sim->tick_ns };
	for (const struct sim_cgroup *one = sim->cgroups; one; one = one->next) {
		if (cg && !is_below(one, cg))
			continue;
		t->user_ticks += one->user_ticks;
		t->nice_ticks += one->nice_ticks;
		t->system_ticks += one->system_ticks;
	}
	if (cg) {
		t->usage_ns = sim_cgroup_usage(sim, cg);
		return;
	}
	t->usage_ns = sim->counter[CNT_busy_ns];
	for (int cpu = 0; cpu < sim->nr_cpus; cpu++)
		if (sim->cpu[cpu].curr)
			t->usage_ns += sim->now - sim->cpu[cpu].curr->switched_in;
}

/* the tick met @t, in user mode or in the kernel */
void cgroup_tick(struct sim *sim, struct sim_task *t, bool user)
{
	struct sim_cgroup *cg = t->cgroup ? t->cgroup : sim->cgroups;

	if (!user)
		cg->system_ticks++;
	else if (t->nice > 0)
		cg->nice_ticks++;
	else
		cg->user_ticks++;
}

struct task_group *sim_cgroup_sched(const struct sim_cgroup *cg)
{
	return cg->tg;
}

/* ---- their files ---- */

static int write_cpus(struct sim *sim, struct sim_cgroup *cg, const char *list, struct err *err)
{
	u64 *cpus = arena_array(sim->arena, sim->words, sizeof(u64));
	int rc;

	if (!cpus)
		return err_set(err, -ENOMEM, "no memory for a cpuset");
	rc = mask_parse(list, cpus, sim->nr_cpus, err);
	if (rc)
		return rc;
	/* what a parent hasn't got its children can't give (effective cpuset) */
	cg->cut = cg->parent && cg->parent->cpus && !mask_subset(cpus, cg->parent->cpus, sim->words);
	if (cg->parent && cg->parent->cpus && !mask_and(cpus, cpus, cg->parent->cpus, sim->words))
		return err_set(err, -EINVAL, "none of the CPUs %s is in the cpuset of %s", list,
			       cg->parent->path);
	cg->cpus = cpus;
	sim->has_cpusets = true;
	return 0;
}

/* ---- partitions (cpuset.cpus.partition) ---- */

static bool is_partition(const struct sim_cgroup *cg)
{
	return !cg->parent || cg->partition != PARTITION_MEMBER;
}

/* the trees of domains: the root's, if it has CPUs left, and those of partitions that have some */
static int divide(struct sim *sim, struct err *err)
{
	const u64 *sets[sim->nr_cpus];
	int n = 0;

	for (const struct sim_cgroup *cg = sim->cgroups; cg; cg = cg->next)
		if (is_partition(cg) && cg->partition != PARTITION_ISOLATED &&
		    !mask_empty(cg->cpus, sim->words))
			sets[n++] = cg->cpus;
	return sched_set_partitions(sim->sched, sim->now, n, sets, err);
}

/* background tasks that are there already leave the CPUs that the root gives away */
static void leave_partition(struct sim *sim, const struct sim_cgroup *cg)
{
	int cpu;

	for_each_cpu(cpu, cg->cpus, sim->words) {
		struct sim_cpu *c = &sim->cpu[cpu];

		if (!c->isolated)
			idle_set_isolated(sim, c);
	}
	for (u32 i = 0; i < sim->nr_slots; i++) {
		struct sim_task *t = sim->slot[i];

		if (t->p && !t->home_cpu)
			sched_set_affinity(sim->sched, sim->now, t->p, sim->common_cpus);
	}
}

/* from all CPUs to those that aren't isolated since boot, of which partitions take some away */
static int limit_root(struct sim *sim)
{
	u64 *cpus = arena_array(sim->arena, sim->words, sizeof(u64));

	if (!cpus)
		return -ENOMEM;
	mask_copy(cpus, sim->common_cpus, sim->words);
	for (struct sim_cgroup *cg = sim->cgroups; cg; cg = cg->next)
		if (!cg->cpus)
			cg->cpus = cpus;
	return 0;
}

static int write_partition(struct sim *sim, struct sim_cgroup *cg, enum cgroup_partition type,
			   struct err *err)
{
	struct sim_cgroup *root = sim->cgroups, *parent = cg->parent;

	if (!parent || !is_partition(parent) || parent->partition == PARTITION_ISOLATED)
		return err_set(err, -EINVAL, "only below the root, or a partition with domains");
	if (!cg->cpus || cg->cpus == parent->cpus)
		return err_set(err, -EINVAL, "a partition needs CPUs of its own: give cpuset.cpus");
	if (!root->cpus && limit_root(sim))
		return err_set(err, -ENOMEM, "no memory for a cpuset");
	if (cg->cut || !mask_subset(cg->cpus, parent->cpus, sim->words))
		return err_set(err, -EINVAL, "some of its CPUs belong to another partition, or are isolated");
	if (mask_equal(cg->cpus, root->cpus, sim->words))
		return err_set(err, -EINVAL, "nothing would be left for the root: leave it a CPU");
	for (struct sim_cgroup *other = root; other; other = other->next)
		if (other != cg && !is_partition(other) && other->cpus != parent->cpus &&
		    mask_intersects(other->cpus, cg->cpus, sim->words))
			return err_set(err, -EINVAL,
				       "group %s has some of its CPUs: list partitions first, give no CPU twice",
				       other->path);
	cg->partition = type;
	mask_andnot(parent->cpus, parent->cpus, cg->cpus, sim->words);
	mask_copy(sim->common_cpus, root->cpus, sim->words);
	sim->has_cpusets = sim->some_isolated = true;
	leave_partition(sim, cg);
	return divide(sim, err);
}

int sim_cgroup_write(struct sim *sim, struct sim_cgroup *cg, const struct cgroup_files *f,
		     struct err *err)
{
	int rc = 0;

	if (f->shares)
		rc = sched_group_set_shares(sim->sched, sim->now, cg->tg, f->shares, err);
	if (rc)
		return err_prefix(err, "cpu.weight: "), rc;
	if (f->idle)
		rc = sched_group_set_idle(sim->sched, sim->now, cg->tg, true, err);
	if (rc)
		return err_prefix(err, "cpu.idle: "), rc;
	if (f->bandwidth.period) {
		sim->has_quotas = true;
		rc = sched_group_set_bandwidth(sim->sched, sim->now, cg->tg, &f->bandwidth, err);
	}
	if (rc)
		return err_prefix(err, "cpu.max: "), rc;
	for (int i = 0; !rc && i < NR_UCLAMP; i++)
		if (f->clamps[i])
			rc = sched_group_set_uclamp(sim->sched, sim->now, cg->tg, i, f->clamp[i],
						    err);
	if (rc)
		return err_prefix(err, "cpu.uclamp: "), rc;
	if (f->cpus)
		rc = write_cpus(sim, cg, f->cpus, err);
	if (rc)
		return err_prefix(err, "cpuset.cpus: "), rc;
	if (f->partition)
		rc = write_partition(sim, cg, f->partition, err);
	if (rc)
		return err_prefix(err, "cpuset.cpus.partition: "), rc;
	handle_outs(sim);
	return 0;
}

int sim_cgroup_tree(struct sim *sim, const struct cgroup_tree *tree, struct err *err)
{
	int rc = 0;

	for (int i = 0; !rc && i < tree->nr; i++) {
		const struct cgroup_spec *spec = &tree->group[i];
		struct sim_cgroup *cg = sim_cgroup_get(sim, spec->path, err);

		rc = cg ? sim_cgroup_write(sim, cg, &spec->files, err) : err->code;
		if (rc)
			err_prefix(err, "%s: group %s: ", tree->name, spec->path);
	}
	return rc;
}

/* ---- where tasks are ---- */

struct sim_cgroup *sim_session_new(struct sim *sim, struct err *err)
{
	struct sim_cgroup *session = arena_alloc(sim->arena, sizeof(*session));

	if (!session) {
		err_set(err, -ENOMEM, "no memory for a session");
		return NULL;
	}
	if (!sched_autogroup_enabled(sim->sched))
		return session;
	session->tg = sched_autogroup_new(sim->sched, err);
	return session->tg ? session : NULL;
}

struct task_group *task_core_group(const struct sim_task *t)
{
	if (t->cgroup && t->cgroup->tg)
		return t->cgroup->tg;
	return t->session ? t->session->tg : NULL;
}

const u64 *task_inherited_cpus(const struct sim_task *t)
{
	if (t->cgroup ? t->cgroup->cpus : t->sim->cgroups->cpus)
		return t->asked;
	/* the kernel may have taken its mask away, when its CPUs went */
	return t->p ? sched_task_cpus(t->p) : t->allowed;
}

void sim_set_place(struct sim *sim, const struct sim_place *place)
{
	sim->place = place ? *place : (struct sim_place){0};
}

struct sim_cgroup *sim_task_cgroup(const struct sim_task *t)
{
	return t->cgroup;
}

/* what @asked (NULL: any CPU) comes to in @cg; Return: NULL: every CPU */
static const u64 *cgroup_cpus(struct sim *sim, const struct sim_cgroup *cg, const u64 *asked)
{
	if (!cg)
		cg = sim->cgroups;
	if (!cg->cpus)
		return asked;
	/* a task whose CPUs aren't in the set runs on all of it */
	if (!asked || !mask_and(sim->cpuset_scratch, asked, cg->cpus, sim->words))
		return cg->cpus;
	return sim->cpuset_scratch;
}

int task_ask_cpus(struct sim *sim, struct sim_task *t, const u64 *asked)
{
	/* kernel threads are nobody's but the kernel's */
	if (unlikely(sim->has_cpusets) && t->mm) {
		if (asked && !t->asked_room)
			t->asked_room = arena_array(sim->arena, sim->words, sizeof(u64));
		if (asked && !t->asked_room)
			return -ENOMEM;
		if (asked && asked != t->asked_room)
			mask_copy(t->asked_room, asked, sim->words);
		t->asked = asked ? t->asked_room : NULL;
		asked = cgroup_cpus(sim, t->cgroup, asked);
	}
	return task_keep_allowed(sim, t, asked);
}

/* the system call of SIM_SET_AFFINITY: -EINVAL if the cpuset has none of the CPUs */
int task_set_affinity(struct sim *sim, struct sim_task *t, const u64 *asked)
{
	const struct sim_cgroup *cg = t->cgroup ? t->cgroup : sim->cgroups;
	const u64 *cpus = t->mm ? cgroup_cpus(sim, cg, asked) : asked;
	int rc;

	if (t->mm && cg->cpus && !mask_intersects(asked, cg->cpus, sim->words))
		return -EINVAL;
	rc = sched_set_affinity(sim->sched, sim->now, t->p, cpus);
	return rc ? rc : task_ask_cpus(sim, t, asked);
}

/* the system call of SIM_SET_GROUP: "0" written into cgroup.procs */
int task_set_cgroup(struct sim *sim, struct sim_task *t, struct sim_cgroup *cg)
{
	bool cpuset = (t->cgroup ? t->cgroup : sim->cgroups)->cpus != cg->cpus;
	int rc;

	t->cgroup = cg;
	rc = sched_set_group(sim->sched, sim->now, t->p, task_core_group(t));
	if (rc)
		return rc;
	if (likely(!cpuset))
		return 0;
	rc = task_ask_cpus(sim, t, t->asked);
	if (rc)
		return rc;
	return sched_set_affinity(sim->sched, sim->now, t->p,
				  t->allowed ? t->allowed : sim->common_cpus);
}

/* ---- what tasks used ---- */

static struct sim_task_account account_of(const struct sim_task *t)
{
	struct sim_task_account a = { .pid = t->pid, .run_ns = sim_task_cpu_ns(t) };

	memcpy(a.comm, t->comm, sizeof(a.comm));
	if (t->p)
		sched_task_waits(t->p, &a.wait_ns, &a.slices);
	return a;
}

/* @t is about to be forgotten; Return: 0 or -ENOMEM */
int keep_account(struct sim *sim, const struct sim_task *t)
{
	if (sim->nr_accounts == sim->cap_accounts) {
		int cap = sim->cap_accounts ? sim->cap_accounts * 2 : 64;
		struct sim_task_account *more = realloc(sim->account, cap * sizeof(*more));

		if (!more)
			return -ENOMEM;
		sim->account = more;
		sim->cap_accounts = cap;
	}
	sim->account[sim->nr_accounts++] = account_of(t);
	return 0;
}

static int by_pid(const void *a, const void *b)
{
	const struct sim_task_account *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

void sim_task_accounts(const struct sim *sim,
		       void (*fn)(void *ctx, const struct sim_task_account *a), void *ctx)
{
	int nr = sim->nr_accounts;
	struct sim_task_account *all = calloc(nr + sim->nr_slots + 1, sizeof(*all));

	if (!all)
		return;
	if (nr)
		memcpy(all, sim->account, nr * sizeof(*all));
	for (u32 i = 0; i < sim->nr_slots; i++) {
		const struct sim_task *t = sim->slot[i];

		if (t->stage != STAGE_DEAD && t->p && !t->background)
			all[nr++] = account_of(t);
	}
	qsort(all, nr, sizeof(*all), by_pid);
	for (int i = 0; i < nr; i++)
		fn(ctx, &all[i]);
	free(all);
}
