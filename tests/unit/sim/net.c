// SPDX-License-Identifier: BSD-2-Clause
/*
 * The loopback network: what a packet costs, what is lost, what is kept back,
 * who wakes whom and from where; and that no byte gets lost on the way.
 */
#include <errno.h>

#include "base/rng.h"
#include "world.h"

#define ONE_CPU "core:1 pu:1"
#define TWO_CPUS "core:2 pu:1"
/* a waker goes on until it sleeps */
#define TURNS "v6.1,NO_WAKEUP_PREEMPTION"

static struct sim *quiet_until(const struct machine *m, const char *kernel, u64 ns)
{
	return world_new(m, kernel,
			 &(struct sim_params){ .no_noise = true, .check = true, .max_ns = ns });
}

static void assert_conserved(const struct sim_pipe *p)
{
	struct sim_net_stats st = sim_net_stats(p);

	assert_int_equal(st.sent, st.received + st.dropped + st.queued);
}

/* ---- UDP ---- */

static void datagram_costs(void **state)
{
	struct machine *m = world_machine(ONE_CPU);
	struct sim *sim = world_quiet(m, TURNS);
	struct sim_step w = { .op = SIM_WRITE, .bytes = 2048 }, r = { .op = SIM_READ, .bytes = 9000 };
	struct script sender = { .step = &w, .nr = 1, .loops = 5 },
		      reader = { .step = &r, .nr = 1, .loops = 5 };
	u64 send = m->cost.udp_send + m->cost.udp_rx + 2 * m->cost.net_kib;

	w.pipe = r.pipe = sim_udp_new(sim, SIM_UDP_RCVBUF);
	world_spawn(sim, &sender, NULL);
	world_spawn(sim, &reader, NULL);
	world_run(sim);
	/* the sender is first: its datagrams wait for the reader */
	assert_int_equal(sender.exit_ns - sender.at[0], send);
	assert_int_equal(reader.exit_ns - reader.at[0], m->cost.udp_read);
	assert_int_equal(reader.ret[1], 2048);
	assert_int_equal(sim_net_stats(w.pipe).received, 5 * 2048);
	assert_conserved(w.pipe);
	sim_free(sim);
	machine_free(m);
}

/* Nobody reads: 768 bytes of buffer for each of 100; the one that fills it is taken yet. */
static void datagrams_are_lost(void **state)
{
	struct machine *m = world_machine(ONE_CPU);
	static const struct {
		u64 rcvbuf, bytes;
		int taken;
	} rows[] = { { 212992, 100, 278 }, { 212992, 1024, 139 }, { 767, 1, 1 }, { 768, 1, 2 },
		     { 768, 65507, 1 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sim *sim = world_quiet(m, "v6.1");
		struct sim_step w = { .op = SIM_WRITE, .bytes = rows[i].bytes };
		struct script sender = { .step = &w, .nr = 1, .loops = 1000 };
		struct sim_net_stats st;

		w.pipe = sim_udp_new(sim, rows[i].rcvbuf);
		world_spawn(sim, &sender, NULL);
		world_run(sim); /* it never blocks */
		st = sim_net_stats(w.pipe);
		assert_int_equal(st.sent, 1000 * rows[i].bytes);
		assert_int_equal(st.queued, rows[i].taken * rows[i].bytes);
		assert_int_equal(st.dropped, (1000 - rows[i].taken) * rows[i].bytes);
		sim_free(sim);
	}
	machine_free(m);
}

/* A read is a datagram, whatever it has room for. */
static void datagrams_keep_their_borders(void **state)
{
	struct machine *m = world_machine(ONE_CPU);
	struct sim *sim = world_quiet(m, TURNS);
	struct sim_step w[2] = { { .op = SIM_WRITE, .bytes = 700 }, { .op = SIM_WRITE, .bytes = 30 } };
	struct sim_step r[2] = { { .op = SIM_READ, .bytes = 100 }, { .op = SIM_READ, .bytes = 100 } };
	struct script sender = { .step = w, .nr = 2 }, reader = { .step = r, .nr = 2 };

	w[0].pipe = w[1].pipe = r[0].pipe = r[1].pipe = sim_udp_new(sim, SIM_UDP_RCVBUF);
	world_spawn(sim, &sender, NULL);
	world_spawn(sim, &reader, NULL);
	world_run(sim);
	assert_int_equal(reader.ret[1], 100);
	assert_int_equal(reader.ret[2], 30);
	assert_int_equal(sim_net_stats(w[0].pipe).received, 730);
	sim_free(sim);
	machine_free(m);
}

static void datagram_too_long(void **state)
{
	struct machine *m = world_machine(ONE_CPU);
	struct sim *sim = world_quiet(m, "v6.1");
	struct sim_step w = { .op = SIM_WRITE, .bytes = 65508 };
	struct script sender = { .step = &w, .nr = 1 };
	struct err err = { 0 };

	w.pipe = sim_udp_new(sim, SIM_UDP_RCVBUF);
	world_spawn(sim, &sender, NULL);
	assert_int_equal(sim_run(sim, &err), -EMSGSIZE);
	assert_non_null(strstr(err.msg, "65508"));
	sim_free(sim);
	machine_free(m);
}

/* ---- TCP ---- */

static const struct sim_tcp usual = { .sndbuf = SIM_TCP_SNDBUF, .rcvbuf = SIM_TCP_RCVBUF };

/* One CPU: a transaction is two messages, each written, sent, received, read, and a switch. */
static void request_and_reply(void **state)
{
	struct machine *m = world_machine(ONE_CPU);
	struct sim *sim = world_quiet(m, TURNS);
	struct sim_pipe *pair[2];
	struct sim_step a[2] = { { .op = SIM_WRITE, .bytes = 1 }, { .op = SIM_READ, .bytes = 1 } };
	struct sim_step b[2] = { { .op = SIM_READ, .bytes = 1 }, { .op = SIM_WRITE, .bytes = 1 } };
	struct script client = { .step = a, .nr = 2, .loops = 20 },
		      server = { .step = b, .nr = 2, .loops = 21 };
	struct machine_costs *cost = &m->cost;
	struct err err = { 0 };

	cost->switch_other_mm = cost->switch_same_mm;
	assert_int_equal(sim_tcp_new(sim, &usual, pair), 0);
	a[0].pipe = b[0].pipe = pair[0];
	a[1].pipe = b[1].pipe = pair[1];
	world_spawn(sim, &client, NULL);
	world_spawn(sim, &server, NULL);
	assert_int_equal(sim_run(sim, &err), -EDEADLK); /* the server waits for one more */
	assert_int_equal(client.at[2] - client.at[0],
			 2 * (cost->tcp_write + cost->tcp_xmit + cost->tcp_rx + cost->tcp_read +
			      cost->wake_local + cost->switch_same_mm + cost->block));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(sim_net_stats(pair[i]).sent, 20);
		assert_conserved(pair[i]);
	}
	sim_free(sim);
	machine_free(m);
}

/* Nobody reads: the window fills, then the send buffer, then the writer sleeps. */
static void writer_is_held(void **state)
{
	struct machine *m = world_machine(ONE_CPU);
	struct sim_tcp opt = { .sndbuf = 100000, .rcvbuf = 200000, .nodelay = true };
	struct sim *sim = world_quiet(m, "v6.1");
	struct sim_pipe *pair[2];
	struct sim_step w = { .op = SIM_WRITE, .bytes = 1000 };
	struct script writer = { .step = &w, .nr = 1, .loops = 1 << 20 };
	struct sim_net_stats st;
	struct err err = { 0 };

	assert_int_equal(sim_tcp_new(sim, &opt, pair), 0);
	w.pipe = pair[0];
	world_spawn(sim, &writer, NULL);
	assert_int_equal(sim_run(sim, &err), -EDEADLK);
	assert_non_null(strstr(err.msg, "waits for room in a TCP socket"));
	st = sim_net_stats(pair[0]);
	/* every second segment was acknowledged: 200 went through, 100 more wait */
	assert_int_equal(st.sent, 300000);
	assert_int_equal(st.queued, 300000);
	sim_free(sim);
	machine_free(m);
}

/*
 * Once the writer sleeps @reads messages of 1000 bytes are read. Return: messages written in all.
 */
static int written_after(const struct machine *m, int reads)
{
	struct sim_tcp opt = { .sndbuf = 30000, .rcvbuf = 40000, .nodelay = true };
	struct sim *sim = world_new(m, "v6.1",
				    &(struct sim_params){ .no_noise = true, .check = true,
							  .max_ns = 100 * MS });
	struct sim_pipe *pair[2];
	struct sim_step w = { .op = SIM_WRITE, .bytes = 1000 };
	struct sim_step r[2] = { { .op = SIM_SLEEP_UNTIL, .ns = 50 * MS },
				 { .op = SIM_READ, .bytes = 1000 } };
	struct script writer = { .step = &w, .nr = 1, .loops = 1 << 20 },
		      reader = { .step = r, .nr = 2, .loops = reads };
	struct err err = { 0 };
	int sent;

	assert_int_equal(sim_tcp_new(sim, &opt, pair), 0);
	w.pipe = r[1].pipe = pair[0];
	world_spawn(sim, &writer, NULL);
	world_spawn(sim, &reader, NULL);
	assert_int_equal(sim_run(sim, &err), -EDEADLK);
	assert_conserved(pair[0]);
	sent = writer.done;
	sim_free(sim);
	return sent;
}

/* A window that was shut opens by half of it; the writer goes on when a third has room. */
static void writer_is_let_go(void **state)
{
	struct machine *m = world_machine(TWO_CPUS);

	assert_int_equal(written_after(m, 0), 70);
	/*
	 * When 20 are read the window is open by half, and 20 of the 30 in the send queue go; 20
	 * more, and they are acknowledged: there is room. 40 are read then, 40 fill the window
	 * again, and with one that waits for its acknowledgement 29 fill the send buffer.
	 */
	assert_int_equal(written_after(m, 39), 70);
	assert_int_equal(written_after(m, 40), 109);
	machine_free(m);
}

/* Little writes of a stream join while the reader hasn't read what came before. */
static void nagle_joins(void **state)
{
	struct machine *m = world_machine(ONE_CPU);

	for (int nodelay = 0; nodelay < 2; nodelay++) {
		struct sim_tcp opt = usual;
		struct sim *sim = world_quiet(m, TURNS);
		struct sim_pipe *pair[2];
		struct sim_step w = { .op = SIM_WRITE, .bytes = 1024 };
		struct script writer = { .step = &w, .nr = 1, .loops = 3 };
		struct machine_costs *c = &m->cost;
		u64 join = c->tcp_write + c->net_kib, segment = c->tcp_xmit + c->tcp_rx;

		opt.nodelay = nodelay;
		assert_int_equal(sim_tcp_new(sim, &opt, pair), 0);
		w.pipe = pair[0];
		world_spawn(sim, &writer, NULL);
		world_run(sim);
		/* the last of three: an acknowledgement was due at the second */
		assert_int_equal(writer.exit_ns - writer.at[0], join + (nodelay ? segment : 0));
		sim_free(sim);
	}
	machine_free(m);
}

/* A reader of a stream who has read all acknowledges; one who answers doesn't. */
static void who_acknowledges(void **state)
{
	struct machine *m = world_machine(ONE_CPU);
	struct sim_tcp opt = usual;
	struct sim *sim = world_quiet(m, TURNS);
	struct sim_pipe *pair[2];
	struct sim_step w = { .op = SIM_WRITE, .bytes = 1024 };
	struct sim_step r[2] = { { .op = SIM_SLEEP_UNTIL, .ns = 10 * MS },
				 { .op = SIM_READ, .bytes = 1 << 20 } };
	struct script writer = { .step = &w, .nr = 1, .loops = 3 },
		      reader = { .step = r, .nr = 2 };

	opt.nodelay = true;
	assert_int_equal(sim_tcp_new(sim, &opt, pair), 0);
	w.pipe = r[1].pipe = pair[0];
	world_spawn(sim, &writer, NULL);
	world_spawn(sim, &reader, NULL);
	world_run(sim);
	assert_int_equal(reader.ret[2], 3 * 1024);
	/* two were acknowledged as they came; the third is by who has read it */
	assert_int_equal(reader.exit_ns - reader.at[1], m->cost.tcp_read + m->cost.tcp_ack);
	sim_free(sim);
	machine_free(m);
}

/* ---- who wakes ---- */

struct seen {
	int readers, writers;
	int wrong;
};

static void look(void *ctx, const struct sim_trace_event *e)
{
	struct seen *seen = ctx;
	bool reader = !strcmp(e->comm, "reader");

	if (e->kind != TRACE_WAKING || e->irq || (!reader && strcmp(e->comm, "writer")))
		return;
	seen->readers += reader;
	seen->writers += !reader;
	seen->wrong += !e->softirq || e->sync != reader;
}

static void spawn_named(struct sim *sim, const char *comm, struct script *s)
{
	struct sim_spawn what = { .comm = comm, .program = &script_program, .arg = s };
	struct err err = { 0 };

	if (!sim_spawn(sim, &what, &err))
		fail_msg("%s", err.msg);
}

/* Data wakes from the sender's softirq with the sync hint, room from the reader's without. */
static void wakes_from_softirq(void **state)
{
	struct machine *m = world_machine(TWO_CPUS);
	struct sim_tcp opt = { .sndbuf = 20000, .rcvbuf = 20000 };

	for (int udp = 0; udp < 2; udp++) {
		struct seen seen = { 0 };
		struct sim *sim = world_new(m, "v6.1",
					    &(struct sim_params){ .no_noise = true, .check = true,
								  .trace = look, .trace_ctx = &seen });
		struct sim_pipe *pair[2];
		struct sim_step w[2] = { { .op = SIM_WRITE, .bytes = udp ? 50000 : 200000 },
					 { .op = SIM_RUN, .ns = 20 * US } };
		struct sim_step r[2] = { { .op = SIM_READ, .bytes = 50000 },
					 { .op = SIM_RUN, .ns = 5 * US } };
		struct script writer = { .step = w, .nr = 2, .loops = 20 },
			      reader = { .step = r, .nr = 2, .loops = 1 << 20 };
		struct err err = { 0 };

		assert_int_equal(sim_tcp_new(sim, &opt, pair), 0);
		w[0].pipe = r[0].pipe = udp ? sim_udp_new(sim, SIM_UDP_RCVBUF) : pair[0];
		spawn_named(sim, "writer", &writer);
		spawn_named(sim, "reader", &reader);
		assert_int_equal(sim_run(sim, &err), -EDEADLK); /* the reader wants more */
		assert_true(seen.readers > 5);
		if (udp)
			assert_int_equal(seen.writers, 0);
		else
			assert_true(seen.writers > 5);
		assert_int_equal(seen.wrong, 0);
		sim_free(sim);
	}
	machine_free(m);
}

static void pollers_are_woken(void **state)
{
	struct machine *m = world_machine(TWO_CPUS);
	struct sim *sim = world_quiet(m, "v6.1");
	struct sim_pipe *pair[2];
	struct sim_step w[3] = { { .op = SIM_SLEEP, .ns = MS }, { .op = SIM_WRITE, .bytes = 100 },
				 { .op = SIM_WRITE, .bytes = 100 } };
	struct sim_step r[4] = { { .op = SIM_POLL }, { .op = SIM_POLL },
				 { .op = SIM_READ, .bytes = 100 }, { .op = SIM_READ, .bytes = 100 } };
	struct script writer = { .step = w, .nr = 3 }, reader = { .step = r, .nr = 4 };

	assert_int_equal(sim_tcp_new(sim, &usual, pair), 0);
	w[1].pipe = r[0].pipe = r[2].pipe = sim_udp_new(sim, SIM_UDP_RCVBUF);
	w[2].pipe = r[1].pipe = r[3].pipe = pair[1];
	world_spawn(sim, &writer, NULL);
	world_spawn(sim, &reader, NULL);
	world_run(sim);
	assert_true(reader.at[1] >= MS);
	sim_free(sim);
	machine_free(m);
}

/* ---- nothing is lost ---- */

#define FLOWS 4
#define TASKS 12

/*
 * Writers and readers in any number on flows of any size, until all that can has been written:
 * what was sent is received, dropped or there.
 */
static void bytes_are_kept(void **state)
{
	struct machine *m = world_machine("pack:2 core:2 pu:2");
	struct rng rng;

	rng_init(&rng, 7, 0);
	for (int round = 0; round < 150; round++) {
		struct sim *sim = quiet_until(m, round % 2 ? "v6.1" : "v6.12", 100 * MS);
		struct sim_pipe *pipe[FLOWS];
		struct sim_step st[TASKS][3];
		struct script s[TASKS];
		struct err err = { 0 };
		int rc;

		for (int i = 0; i < FLOWS; i += 2) {
			struct sim_tcp opt = {
				.sndbuf = 1 + rng_below(&rng, 200000),
				.rcvbuf = 4096 + rng_below(&rng, 200000),
				.nodelay = rng_below(&rng, 2),
			};

			assert_int_equal(sim_tcp_new(sim, &opt, &pipe[i]), 0);
		}
		if (round % 3 == 0)
			pipe[0] = sim_udp_new(sim, rng_below(&rng, 100000));
		for (int i = 0; i < TASKS; i++) {
			bool writes = i < FLOWS || (i >= 2 * FLOWS && rng_below(&rng, 2));
			u64 most = rng_below(&rng, 3) ? 3000 : 64000;

			st[i][0] = (struct sim_step){ .op = SIM_RUN, .ns = 1 + rng_below(&rng, 20000) };
			st[i][1] = (struct sim_step){ .op = writes ? SIM_WRITE : SIM_READ,
						      .pipe = pipe[i % FLOWS],
						      .bytes = (writes ? 1 : 1000) +
							       rng_below(&rng, most) };
			s[i] = (struct script){ .step = st[i], .nr = 2, .loops = writes ? 20 : 1 << 20 };
			world_spawn(sim, &s[i], NULL);
		}
		rc = sim_run(sim, &err);
		if (rc != -EDEADLK) /* readers wait for more in the end */
			fail_msg("round %d: %d %s", round, rc, err.msg);
		for (int i = 0; i < FLOWS; i++) {
			struct sim_net_stats n = sim_net_stats(pipe[i]);

			assert_int_equal(n.sent, n.received + n.dropped + n.queued);
			assert_int_equal(n.queued, 0); /* each has a reader */
			assert_true(n.received > 0);
		}
		for (int i = 0; i < TASKS; i++)
			if (st[i][1].op == SIM_WRITE)
				assert_int_equal(s[i].done, 20);
		sim_free(sim);
	}
	machine_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(datagram_costs),
		cmocka_unit_test(datagrams_are_lost),
		cmocka_unit_test(datagrams_keep_their_borders),
		cmocka_unit_test(datagram_too_long),
		cmocka_unit_test(request_and_reply),
		cmocka_unit_test(writer_is_held),
		cmocka_unit_test(writer_is_let_go),
		cmocka_unit_test(nagle_joins),
		cmocka_unit_test(who_acknowledges),
		cmocka_unit_test(wakes_from_softirq),
		cmocka_unit_test(pollers_are_woken),
		cmocka_unit_test(bytes_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
