// SPDX-License-Identifier: BSD-2-Clause
/*
 * netperf - clients and their servers over loopback (spec 12 §4).
 *
 * UDP_STREAM and TCP_STREAM: the client sends, one send after the other, and the
 * server receives. TCP holds the client back; UDP doesn't, and what the server
 * has no room for is lost. TCP_RR and UDP_RR: a request, a reply, the next
 * request.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "workload/models.h"
#include "workload/sessions.h"

enum { NETPERF_UDP_STREAM, NETPERF_TCP_STREAM, NETPERF_TCP_RR, NETPERF_UDP_RR };

/* clang-format off */
static const struct workload_param params[] = {
	{ .name = "test", .kind = PARAM_CHOICE, .def = NETPERF_UDP_STREAM,
	  .choices = "udp_stream|tcp_stream|tcp_rr|udp_rr", .doc = "what is sent" },
	{ .name = "clients", .kind = PARAM_INT, .def = 1, .min = 1, .max = 10000,
	  .doc = "clients at a time, each with a server of its own" },
	{ .name = "size", .kind = PARAM_BYTES, .def = 0, .min = 1, .max = 1 << 20,
	  .doc = "streams: bytes of a send; else 1K (UDP) or 16K (TCP)" },
	{ .name = "request", .kind = PARAM_BYTES, .def = 1, .min = 1, .max = 1 << 20,
	  .doc = "RR: bytes of a request" },
	{ .name = "reply", .kind = PARAM_BYTES, .def = 1, .min = 1, .max = 1 << 20,
	  .doc = "RR: bytes of a reply" },
	{ .name = "sndbuf", .kind = PARAM_BYTES, .def = 0, .min = 4096, .max = 16 << 20,
	  .doc = "send buffer of a TCP socket; else 4M" },
	{ .name = "rcvbuf", .kind = PARAM_BYTES, .def = 0, .min = 4096, .max = 16 << 20,
	  .doc = "receive buffer of a socket; else 208K (UDP) or 6M (TCP)" },
	{ .name = "lead", .kind = PARAM_TIME_NS, .def = 30 * NSEC_PER_MSEC, .min = 0,
	  .max = 3600 * NSEC_PER_SEC, .doc = "time from when all are connected to the timed part" },
	{ .name = "duration", .kind = PARAM_TIME_NS, .def = NSEC_PER_SEC, .min = NSEC_PER_MSEC,
	  .max = 86400 * NSEC_PER_SEC, .doc = "length of the timed part" },
	{ .name = NULL },
};
/* clang-format on */

#define TCP_READ (128 << 10) /* a server reads as much of a stream at a time */

struct netperf_session {
	u64 sent, received; /* bytes, or transactions received, of the timed part */
	u64 asked_at;	    /* RR: when the request was sent */
	u64 missing;	    /* RR: bytes of the request (server) or reply that didn't come yet */
	u64 server_missing;
	bool sending, reading; /* the last step of the client, of the server */
};

struct netperf_run {
	struct sessions all;
	bool rr, udp;
	u64 size, request, reply;
	struct netperf_session *session;
	struct hist latency;
};

static struct netperf_run *run_of(struct session *s)
{
	return container_of(s->all, struct netperf_run, all);
}

/* ---- streams ---- */

static void stream_client(struct session *s, struct sim *sim, struct sim_task *t,
			  struct sim_step *step)
{
	struct netperf_session *n = s->priv;

	if (n->sending && sessions_timed(s->all, sim))
		n->sent += sim_task_ret(t);
	n->sending = true;
	step->op = SIM_WRITE;
	step->pipe = s->request;
	step->bytes = run_of(s)->size;
}

static void stream_server(struct session *s, struct sim *sim, struct sim_task *t,
			  struct sim_step *step)
{
	struct netperf_session *n = s->priv;

	if (n->reading && sessions_timed(s->all, sim))
		n->received += sim_task_ret(t);
	n->reading = true;
	step->op = SIM_READ;
	step->pipe = s->request;
	step->bytes = run_of(s)->udp ? run_of(s)->size : TCP_READ;
}

/* ---- request and reply ---- */

static void rr_write(struct sim_step *step, struct sim_pipe *pipe, u64 bytes)
{
	step->op = SIM_WRITE;
	step->pipe = pipe;
	step->bytes = bytes;
}

/* Return: whether the message has come as a whole; otherwise the rest is read */
static bool rr_read(u64 *missing, struct sim_task *t, struct sim_step *step, struct sim_pipe *pipe)
{
	*missing -= sim_task_ret(t);
	if (!*missing)
		return true;
	step->op = SIM_READ;
	step->pipe = pipe;
	step->bytes = *missing;
	return false;
}

static void rr_client(struct session *s, struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct netperf_session *n = s->priv;
	struct netperf_run *run = run_of(s);

	if (n->sending) {
		n->sending = false;
		n->missing = run->reply;
		step->op = SIM_READ;
		step->pipe = s->reply;
		step->bytes = run->reply;
		return;
	}
	if (n->asked_at) {
		if (!rr_read(&n->missing, t, step, s->reply))
			return;
		if (sessions_timed(s->all, sim)) {
			n->received++;
			hist_add(&run->latency, sim_now(sim) - n->asked_at);
		}
	}
	n->asked_at = sim_now(sim);
	n->sending = true;
	rr_write(step, s->request, run->request);
}

static void rr_server(struct session *s, struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct netperf_session *n = s->priv;
	struct netperf_run *run = run_of(s);

	if (n->reading) {
		if (!rr_read(&n->server_missing, t, step, s->request))
			return;
		n->reading = false;
		rr_write(step, s->reply, run->reply);
		return;
	}
	n->reading = true;
	n->server_missing = run->request;
	step->op = SIM_READ;
	step->pipe = s->request;
	step->bytes = run->request;
}

/* ---- making ---- */

static bool is_rr(s64 test)
{
	return test == NETPERF_TCP_RR || test == NETPERF_UDP_RR;
}

static bool is_udp(s64 test)
{
	return test == NETPERF_UDP_STREAM || test == NETPERF_UDP_RR;
}

/* Which sizes a test has, in words for messages. */
static int check_sizes(const struct workload *w, bool rr, bool udp, struct err *err)
{
	static const struct {
		const char *name;
		bool rr;
	} sizes[] = { { "size", false }, { "request", true }, { "reply", true } };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		const char *name = sizes[i].name;

		if (!workload_is_set(w, name))
			continue;
		if (sizes[i].rr != rr)
			return err_set(err, -EINVAL, "netperf: %s is of %s only; this test has %s",
				       name, rr ? "streams" : "TCP_RR and UDP_RR",
				       rr ? "request and reply" : "size");
		if (udp && workload_int(w, name) > SIM_UDP_LARGEST)
			return err_set(err, -EINVAL, "netperf: %s: a datagram has at most %d bytes",
				       name, SIM_UDP_LARGEST);
	}
	return 0;
}

static int netperf_check(const struct workload *w, void **parsed, struct err *err)
{
	s64 test = workload_int(w, "test");

	if (is_udp(test) && workload_is_set(w, "sndbuf"))
		return err_set(
			err, -EINVAL,
			"netperf: datagrams over loopback have no use for sndbuf; leave it out");
	return check_sizes(w, is_rr(test), is_udp(test), err);
}

static int netperf_connect(const struct workload *w, struct sim *sim, struct netperf_run *run)
{
	u64 rcvbuf = workload_int(w, "rcvbuf");
	struct sim_tcp opt = {
		.sndbuf = workload_is_set(w, "sndbuf") ? (u64)workload_int(w, "sndbuf")
						       : SIM_TCP_SNDBUF,
		.rcvbuf = workload_is_set(w, "rcvbuf") ? rcvbuf : SIM_TCP_RCVBUF,
	};

	if (!workload_is_set(w, "rcvbuf"))
		rcvbuf = SIM_UDP_RCVBUF;
	for (int i = 0; i < run->all.nr; i++) {
		struct session *s = &run->all.session[i];
		struct sim_pipe *pair[2] = { NULL, NULL };

		s->priv = &run->session[i];
		if (run->udp) {
			pair[0] = sim_udp_new(sim, rcvbuf);
			if (run->rr)
				pair[1] = sim_udp_new(sim, rcvbuf);
		} else if (sim_tcp_new(sim, &opt, pair)) {
			return -ENOMEM;
		}
		if (!pair[0] || (run->rr && !pair[1]))
			return -ENOMEM;
		s->request = pair[0];
		s->reply = pair[1];
	}
	return 0;
}

static int netperf_setup(const struct workload *w, struct sim *sim, void **state, struct err *err)
{
	struct netperf_run *run = arena_alloc(sim_arena(sim), sizeof(*run));
	s64 test = workload_int(w, "test");
	int rc;

	if (!run)
		return model_nomem(err);
	run->rr = is_rr(test);
	run->udp = is_udp(test);
	run->size = workload_is_set(w, "size") ? workload_int(w, "size") : run->udp ? 1024 : 16384;
	run->request = workload_int(w, "request");
	run->reply = workload_int(w, "reply");
	run->all = (struct sessions){
		.main_comm = "sh",
		.client_comm = "netperf",
		.daemon_comm = "netserver",
		.server_comm = "netserver",
		.exec = true,
		.client_next = run->rr ? rr_client : stream_client,
		.server_next = run->rr ? rr_server : stream_server,
		.nr = workload_int(w, "clients"),
		.lead = workload_int(w, "lead"),
		.duration = workload_int(w, "duration"),
	};
	run->session = arena_array(sim_arena(sim), run->all.nr, sizeof(*run->session));
	if (!run->session)
		return model_nomem(err);
	rc = sessions_setup(&run->all, sim, err);
	if (rc)
		return rc;
	*state = run;
	return netperf_connect(w, sim, run) ? model_nomem(err) : 0;
}

/* ---- results ---- */

static int stream_results(const struct netperf_run *run, u64 sent, u64 received, u64 least,
			  struct result *r)
{
	double mbit = 8e3 / run->all.duration; /* bytes to 10^6 bit/s */
	int rc = 0;

	if (run->udp) {
		rc = result_add(r, "send", "Mb/s", true, sent * mbit);
		if (!rc)
			rc = result_add(r, "receive", "Mb/s", true, received * mbit);
		if (!rc)
			rc = result_add(r, "lost", "%", false,
					sent > received ? 100.0 * (sent - received) / sent : 0);
	} else {
		rc = result_add(r, "throughput", "Mb/s", true, received * mbit);
	}
	return rc ? rc : result_add(r, "slowest client", "Mb/s", true, least * mbit);
}

static int netperf_finish(const struct workload *w, struct sim *sim, void *state, struct result *r,
			  struct err *err)
{
	struct netperf_run *run = state;
	u64 sent = 0, received = 0, least = UINT64_MAX;
	int rc;

	for (int i = 0; i < run->all.nr; i++) {
		sent += run->session[i].sent;
		received += run->session[i].received;
		least = min(least, run->session[i].received);
	}
	rc = sessions_over(&run->all, w, sim, received, err);
	if (rc)
		return rc;
	if (!run->rr)
		return stream_results(run, sent, received, least, r);
	rc = result_add(r, "transactions", "1/s", true, received * 1e9 / run->all.duration);
	if (!rc)
		rc = result_add(r, "slowest client", "1/s", true, least * 1e9 / run->all.duration);
	return rc ? rc : model_latencies(r, "latency", &run->latency);
}

const struct workload_model netperf_model = {
	.name = "netperf",
	.doc = "clients that send to a server of their own over loopback, or ask it",
	.metric_doc =
		"all clients together: streams Mb/s sent and received (10^6 bit), RR transactions "
		"per second",
	.params = params,
	.check = netperf_check,
	.setup = netperf_setup,
	.finish = netperf_finish,
};
