/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sessions.h - clients that each talk to a server process of their own over loopback: how
 * netperf and tbench come to be.
 *
 * A main task forks the clients. Each asks a daemon for a connection; the daemon
 * forks a server for it, which says when it is ready. From then on, or together
 * with all others, client and server do what the model says. When all are ready
 * the main task lets `lead' pass and then the timed part, and ends the run.
 */
#ifndef IDLEST_WORKLOAD_SESSIONS_H
#define IDLEST_WORKLOAD_SESSIONS_H

#include "sim/sim.h"
#include "workload/workload.h"

struct sessions;

/* One client and its server. */
struct session {
	struct sessions *all;
	int index;
	struct sim_pipe *request, *reply; /* made by the model: to the server, to the client */
	void *priv;			  /* the model's own */
	/* of sessions.c */
	struct sim_pipe *control;
	struct sim_spawn client, server;
	enum { SESSION_NEW, SESSION_ASKED, SESSION_WAITING, SESSION_CONNECTED, SESSION_UP } state;
	bool server_up;
};

struct sessions {
	/* to be filled in */
	const char *main_comm, *client_comm, *daemon_comm, *server_comm;
	bool exec;     /* a client is a program of its own, which the main task starts */
	bool together; /* clients wait for each other before they begin */
	/* what both do once they are connected */
	void (*client_next)(struct session *s, struct sim *sim, struct sim_task *t,
			    struct sim_step *step);
	void (*server_next)(struct session *s, struct sim *sim, struct sim_task *t,
			    struct sim_step *step);
	int nr;
	u64 lead, duration;
	/* result */
	struct session *session; /* [nr] */
	u64 begin, end;		 /* the timed part; UINT64_MAX: it hasn't begun */
	/* of sessions.c */
	int forked, nr_up;
	int *asked; /* sessions in the order in which they asked */
	int nr_asked, nr_served;
	bool daemon_read, waited;
	struct sim_barrier *gate; /* NULL: none */
	struct sim_pipe *listener;
};

/**
 * sessions_setup() - the tasks and the sessions; afterwards the model makes request and reply
 * of each
 *
 * Return: 0 or -ENOMEM.
 */
int sessions_setup(struct sessions *all, struct sim *sim, struct err *err);

/** sessions_timed() - whether the timed part is now */
bool sessions_timed(const struct sessions *all, const struct sim *sim);

/**
 * sessions_over() - whether there is a result
 * @done: what was done in the timed part
 *
 * Return: 0; -ETIME if the run ended before the timed part did, or nothing was done in it.
 */
int sessions_over(const struct sessions *all, const struct workload *w, const struct sim *sim,
		  u64 done, struct err *err);

#endif
