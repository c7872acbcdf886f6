// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>

#include "workload/models.h"
#include "workload/sessions.h"

#define LOOK_NS NSEC_PER_MSEC /* how often the main task looks whether all are ready */

bool sessions_timed(const struct sessions *all, const struct sim *sim)
{
	u64 now = sim_now(sim);

	return now >= all->begin && now < all->end;
}

/* ---- the main task ---- */

static void main_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct sessions *all = sim_task_arg(t);

	if (all->forked < all->nr) {
		step->op = SIM_FORK;
		step->spawn = &all->session[all->forked++].client;
		return;
	}
	if (all->gate && !all->waited) {
		all->waited = true;
		step->op = SIM_BARRIER;
		step->barrier = all->gate;
		return;
	}
	if (all->nr_up < all->nr) {
		step->op = SIM_SLEEP;
		step->ns = LOOK_NS;
		return;
	}
	if (all->begin == UINT64_MAX) {
		all->begin = sim_now(sim) + all->lead;
		all->end = all->begin + all->duration;
		step->op = SIM_SLEEP_UNTIL;
		step->ns = all->end;
		return;
	}
	sim_stop(sim);
}

/* ---- the daemon ---- */

static void daemon_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct sessions *all = sim_task_arg(t);

	if (all->daemon_read) {
		step->op = SIM_FORK;
		step->spawn = &all->session[all->asked[all->nr_served++]].server;
	} else {
		step->op = SIM_READ;
		step->pipe = all->listener;
		step->bytes = 1;
	}
	all->daemon_read = !all->daemon_read;
}

/* ---- clients and servers ---- */

static void client_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct session *s = sim_task_arg(t);
	struct sessions *all = s->all;

	switch (s->state) {
	case SESSION_NEW:
		s->state = SESSION_ASKED;
		step->op = all->exec ? SIM_EXEC : SIM_NOP;
		return;
	case SESSION_ASKED:
		s->state = SESSION_WAITING;
		all->asked[all->nr_asked++] = s->index;
		step->op = SIM_WRITE;
		step->pipe = all->listener;
		step->bytes = 1;
		return;
	case SESSION_WAITING:
		s->state = SESSION_CONNECTED;
		step->op = SIM_READ;
		step->pipe = s->control;
		step->bytes = 1;
		return;
	case SESSION_CONNECTED:
		s->state = SESSION_UP;
		step->op = all->gate ? SIM_BARRIER : SIM_NOP;
		step->barrier = all->gate;
		return;
	case SESSION_UP:
		all->client_next(s, sim, t, step);
		return;
	}
}

static void server_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct session *s = sim_task_arg(t);

	if (s->server_up) {
		s->all->server_next(s, sim, t, step);
		return;
	}
	s->server_up = true;
	s->all->nr_up++;
	step->op = SIM_WRITE;
	step->pipe = s->control;
	step->bytes = 1;
}

static const struct sim_program main_program = { "main", main_next };
static const struct sim_program daemon_program = { "daemon", daemon_next };
static const struct sim_program client_program = { "client", client_next };
static const struct sim_program server_program = { "server", server_next };

/* ---- making ---- */

/* What is said to establish a connection goes over one, too; nobody answers there. */
static struct sim_pipe *one_way(struct sim *sim)
{
	static const struct sim_tcp opt = { .sndbuf = SIM_TCP_SNDBUF,
					    .rcvbuf = SIM_TCP_RCVBUF,
					    .nodelay = true };
	struct sim_pipe *pair[2];

	return sim_tcp_new(sim, &opt, pair) ? NULL : pair[0];
}

static int session_init(struct sessions *all, struct sim *sim, int i)
{
	struct session *s = &all->session[i];

	s->all = all;
	s->index = i;
	s->control = one_way(sim);
	s->client = (struct sim_spawn){
		.comm = all->client_comm,
		.program = &client_program,
		.arg = s,
		.process = true,
	};
	s->server = (struct sim_spawn){
		.comm = all->server_comm,
		.program = &server_program,
		.arg = s,
		.process = true,
	};
	return s->control ? 0 : -ENOMEM;
}

int sessions_setup(struct sessions *all, struct sim *sim, struct err *err)
{
	struct sim_spawn main = {
		.comm = all->main_comm,
		.program = &main_program,
		.arg = all,
		.process = true,
	};
	struct sim_spawn daemon = {
		.comm = all->daemon_comm,
		.program = &daemon_program,
		.arg = all,
		.process = true,
	};

	all->begin = all->end = UINT64_MAX;
	all->session = arena_array(sim_arena(sim), all->nr, sizeof(*all->session));
	all->asked = arena_array(sim_arena(sim), all->nr, sizeof(*all->asked));
	all->listener = one_way(sim);
	if (all->together)
		all->gate = sim_barrier_new(sim, all->nr + 1, 0);
	if (!all->session || !all->asked || !all->listener || (all->together && !all->gate))
		return model_nomem(err);
	for (int i = 0; i < all->nr; i++)
		if (session_init(all, sim, i))
			return model_nomem(err);
	if (!sim_spawn(sim, &daemon, err) || !sim_spawn(sim, &main, err))
		return err->code;
	return 0;
}

int sessions_over(const struct sessions *all, const struct workload *w, const struct sim *sim,
		  u64 done, struct err *err)
{
	const char *name = workload_model(w)->name;

	if (sim_now(sim) < all->end)
		return err_set(
			err, -ETIME,
			"%s wasn't done when the run was stopped after %.3f s; use a shorter "
			"duration",
			name, sim_now(sim) / 1e9);
	if (!done)
		return err_set(err, -ETIME,
			       "%s: nothing was done in the timed part; use a longer duration",
			       name);
	return 0;
}
