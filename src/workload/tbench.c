// SPDX-License-Identifier: BSD-2-Clause
/*
 * tbench - the network part of a file server's work: clients that ask, each a
 * server process of its own, over TCP loopback (dbench's tbench; spec 12 §3).
 *
 * A client goes through a load: what it sends and what comes back is as long as
 * the file operation on that line needs; the server does nothing with it. The
 * bytes that the operations read and write count, not those around them.
 *
 * The load is a line for each thousandth of the shares below, the operations
 * spread evenly over it; all clients go through the same one, again and again.
 */
#include "workload/models.h"
#include "workload/sessions.h"

#define HEADER 64 /* of a request or a reply, roughly */
#define LINES  1000

/*
 * Shares (m): of the operations in dbench's summaries of runs with its client.txt,
 * as recalled. Sizes (i): data of 4 to 60 KiB (spec 12 §3), in the mean 15 KiB:
 * what the MB/s of such a summary come to for each read and write.
 */
/* clang-format off */
static const struct tbench_op {
	const char *name;
	u32 lines;
	u32 request, reply;	/* bytes beside the header */
	u32 counted;
} ops[] = {
	{ "NTCreateX", 173, 60, 24, 0 },
	{ "Close", 127, 0, 0, 0 },
	{ "Rename", 7, 80, 0, 0 },
	{ "Unlink", 35, 40, 0, 0 },
	{ "Qpathinfo", 157, 40, 40, 0 },
	{ "Qfileinfo", 27, 10, 60, 0 },
	{ "Qfsinfo", 29, 10, 40, 0 },
	{ "Sfileinfo", 14, 40, 0, 0 },
	{ "Find", 61, 40, 1000, 0 },
	{ "WriteX", 52, 4096, 0, 4096 },
	{ "WriteX", 21, 16384, 0, 16384 },
	{ "WriteX", 13, 61440, 0, 61440 },
	{ "ReadX", 163, 0, 4096, 4096 },
	{ "ReadX", 68, 0, 16384, 16384 },
	{ "ReadX", 40, 0, 61440, 61440 },
	{ "Flush", 12, 0, 0, 0 },
	{ "LockX, UnlockX", 1, 10, 0, 0 },
};

static const struct workload_param params[] = {
	{ .name = "clients", .kind = PARAM_INT, .def = 1, .min = 1, .max = 10000,
	  .doc = "clients, each with a server of its own" },
	{ .name = "line", .kind = PARAM_TIME_NS, .def = NSEC_PER_USEC, .min = 0,
	  .max = NSEC_PER_SEC,
	  .doc = "what a client computes before an operation, at nominal speed" },
	{ .name = "lead", .kind = PARAM_TIME_NS, .def = 200 * NSEC_PER_MSEC, .min = 0,
	  .max = 3600 * NSEC_PER_SEC,
	  .doc = "warm-up: time from when all are connected to the timed part" },
	{ .name = "duration", .kind = PARAM_TIME_NS, .def = NSEC_PER_SEC, .min = NSEC_PER_MSEC,
	  .max = 86400 * NSEC_PER_SEC, .doc = "length of the timed part" },
	{ .name = NULL },
};
/* clang-format on */

struct tbench_session {
	enum { TBENCH_THINK, TBENCH_SEND, TBENCH_ASKED, TBENCH_READ } state;
	int line;
	u64 missing;	   /* of the reply */
	u64 counted, done; /* bytes, operations of the timed part */
	u64 asked_at;
	/* server */
	u64 server_missing;
	enum { TBENCH_LISTEN, TBENCH_HEAR } server_state;
	int server_line;
};

struct tbench_run {
	struct sessions all;
	u64 line_ns;
	const struct tbench_op *line[LINES];
	struct tbench_session *session;
	struct hist latency;
};

static struct tbench_run *run_of(struct session *s)
{
	return container_of(s->all, struct tbench_run, all);
}

/* Each line is the operation that is furthest behind its share. */
static void write_load(struct tbench_run *run)
{
	int behind[ARRAY_SIZE(ops)] = { 0 };

	for (int i = 0; i < LINES; i++) {
		size_t most = 0;

		for (size_t k = 0; k < ARRAY_SIZE(ops); k++) {
			behind[k] += ops[k].lines;
			if (behind[k] > behind[most])
				most = k;
		}
		behind[most] -= LINES;
		run->line[i] = &ops[most];
	}
}

static void message(struct sim_step *step, enum sim_op op, struct sim_pipe *pipe, u64 bytes)
{
	step->op = op;
	step->pipe = pipe;
	step->bytes = bytes;
}

static void count_op(struct session *s, struct sim *sim, const struct tbench_op *op)
{
	struct tbench_session *me = s->priv;

	if (!sessions_timed(s->all, sim))
		return;
	me->counted += op->counted;
	me->done++;
	hist_add(&run_of(s)->latency, sim_now(sim) - me->asked_at);
}

static void tbench_client(struct session *s, struct sim *sim, struct sim_task *t,
			  struct sim_step *step)
{
	struct tbench_session *me = s->priv;
	struct tbench_run *run = run_of(s);
	const struct tbench_op *op = run->line[me->line];

	if (me->state == TBENCH_READ) {
		me->missing -= sim_task_ret(t);
		if (me->missing) {
			message(step, SIM_READ, s->reply, me->missing);
			return;
		}
		count_op(s, sim, op);
		me->line = (me->line + 1) % LINES;
		op = run->line[me->line];
		me->state = TBENCH_THINK;
	}
	switch (me->state) {
	case TBENCH_THINK:
		me->state = TBENCH_SEND;
		step->op = SIM_RUN;
		step->ns = run->line_ns;
		return;
	case TBENCH_SEND:
		me->state = TBENCH_ASKED;
		me->asked_at = sim_now(sim);
		message(step, SIM_WRITE, s->request, HEADER + op->request);
		return;
	default:
		me->state = TBENCH_READ;
		me->missing = HEADER + op->reply;
		message(step, SIM_READ, s->reply, me->missing);
		return;
	}
}

static void tbench_server(struct session *s, struct sim *sim, struct sim_task *t,
			  struct sim_step *step)
{
	struct tbench_session *me = s->priv;
	const struct tbench_op *op = run_of(s)->line[me->server_line];

	if (me->server_state == TBENCH_HEAR) {
		me->server_missing -= sim_task_ret(t);
		if (!me->server_missing) {
			me->server_state = TBENCH_LISTEN;
			me->server_line = (me->server_line + 1) % LINES;
			message(step, SIM_WRITE, s->reply, HEADER + op->reply);
			return;
		}
	} else {
		me->server_state = TBENCH_HEAR;
		me->server_missing = HEADER + op->request;
	}
	message(step, SIM_READ, s->request, me->server_missing);
}

static int tbench_setup(const struct workload *w, struct sim *sim, void **state, struct err *err)
{
	static const struct sim_tcp opt = { .sndbuf = SIM_TCP_SNDBUF,
					    .rcvbuf = SIM_TCP_RCVBUF,
					    .nodelay = true };
	struct tbench_run *run = arena_alloc(sim_arena(sim), sizeof(*run));
	int rc;

	if (!run)
		return model_nomem(err);
	run->line_ns = workload_int(w, "line");
	run->all = (struct sessions){
		.main_comm = "tbench",
		.client_comm = "tbench",
		.daemon_comm = "tbench_srv",
		.server_comm = "tbench_srv",
		.together = true,
		.client_next = tbench_client,
		.server_next = tbench_server,
		.nr = workload_int(w, "clients"),
		.lead = workload_int(w, "lead"),
		.duration = workload_int(w, "duration"),
	};
	write_load(run);
	run->session = arena_array(sim_arena(sim), run->all.nr, sizeof(*run->session));
	if (!run->session)
		return model_nomem(err);
	rc = sessions_setup(&run->all, sim, err);
	if (rc)
		return rc;
	for (int i = 0; i < run->all.nr; i++) {
		struct session *s = &run->all.session[i];
		struct sim_pipe *pair[2];

		if (sim_tcp_new(sim, &opt, pair))
			return model_nomem(err);
		s->request = pair[0];
		s->reply = pair[1];
		s->priv = &run->session[i];
	}
	*state = run;
	return 0;
}

static int tbench_finish(const struct workload *w, struct sim *sim, void *state, struct result *r,
			 struct err *err)
{
	struct tbench_run *run = state;
	u64 counted = 0, done = 0, least = UINT64_MAX;
	double mb = 1e3 / run->all.duration; /* bytes to 10^6 bytes a second */
	int rc;

	for (int i = 0; i < run->all.nr; i++) {
		counted += run->session[i].counted;
		done += run->session[i].done;
		least = min(least, run->session[i].counted);
	}
	rc = sessions_over(&run->all, w, sim, done, err);
	if (rc)
		return rc;
	rc = result_add(r, "throughput", "MB/s", true, counted * mb);
	if (!rc)
		rc = result_add(r, "slowest client", "MB/s", true, least * mb);
	if (!rc)
		rc = result_add(r, "operations", "1/s", true, done * 1e9 / run->all.duration);
	return rc ? rc : model_latencies(r, "latency", &run->latency);
}

const struct workload_model tbench_model = {
	.name = "tbench",
	.doc = "clients of a file server without the files, over TCP loopback",
	.metric_doc = "throughput of all clients in MB/s (10^6 bytes read and written)",
	.params = params,
	.setup = tbench_setup,
	.finish = tbench_finish,
};
