// SPDX-License-Identifier: BSD-2-Clause
/*
 * Objects that tasks block on: buffer sizes, who is woken when, what is left
 * when nobody can go on.
 */
#include <errno.h>

#include "world.h"

/*
 * Messages of 100 bytes are written until the writer blocks, then @reads are
 * read, long after. Return: how many could be written in all.
 */
static int fill(const struct machine *m, enum sim_pipe_kind kind, int reads)
{
	struct sim_step w = { .op = SIM_WRITE, .bytes = 100 };
	struct sim_step r[2] = { { .op = SIM_SLEEP_UNTIL, .ns = 20 * MS },
				 { .op = SIM_READ, .bytes = 100 } };
	struct script writer = { .step = &w, .nr = 1, .loops = 100000 };
	struct script reader = { .step = r, .nr = reads ? 2 : 1, .loops = reads };
	struct sim *sim = world_new(
		m, "v6.1",
		&(struct sim_params){ .no_noise = true, .check = true, .max_ns = 40 * MS });
	struct err err = { 0 };
	int rc;

	w.pipe = r[1].pipe = sim_pipe_new(sim, kind);
	world_spawn(sim, &writer, NULL);
	world_spawn(sim, &reader, NULL);
	rc = sim_run(sim, &err);
	assert_int_equal(rc, -EDEADLK); /* the writer waits for ever */
	assert_true(sim_now(sim) > 20 * MS);
	sim_free(sim);
	return writer.done;
}

/* 16 pages of 40 messages; small writes share a page (spec 12 §1). */
static void pipe_holds_640_messages(void **state)
{
	struct machine *m = world_machine("core:2 pu:1");
	assert_int_equal(fill(m, PIPE_PIPE, 0), 640);
	machine_free(m);
}

/* A full pipe's writer goes on when a whole page is free: 40 messages later. */
static void writer_waits_for_a_page(void **state)
{
	struct machine *m = world_machine("core:2 pu:1");
	assert_int_equal(fill(m, PIPE_PIPE, 39), 640);
	assert_int_equal(fill(m, PIPE_PIPE, 40), 680);
	assert_int_equal(fill(m, PIPE_PIPE, 79), 680);
	machine_free(m);
}

/* 212992 bytes of buffers of 768 (spec 12 §1); woken when a quarter or less is left. */
static void socket_holds_277_messages(void **state)
{
	struct machine *m = world_machine("core:2 pu:1");
	int quarter = 212992 / 4 / 768; /* messages left when the sender is woken */

	assert_int_equal(fill(m, PIPE_SOCKET, 0), 277);
	assert_int_equal(fill(m, PIPE_SOCKET, 277 - quarter - 1), 277);
	assert_int_equal(fill(m, PIPE_SOCKET, 277 - quarter), 277 + 277 - quarter);
	machine_free(m);
}

/* A message through an empty pipe costs its two ends, the wake-up and a switch. */
static void pipe_round_trip(void **state)
{
	struct machine *m = world_machine("core:1 pu:1");
	struct sim_step a[2] = { { .op = SIM_WRITE, .bytes = 100 },
				 { .op = SIM_READ, .bytes = 100 } };
	struct sim_step b[2] = { { .op = SIM_READ, .bytes = 100 },
				 { .op = SIM_WRITE, .bytes = 100 } };
	struct script pa = { .step = a, .nr = 2, .loops = 20 },
		      pb = { .step = b, .nr = 2, .loops = 20 };
	struct sim *sim = world_quiet(m, "v6.1,NO_WAKEUP_PREEMPTION");

	m->cost.switch_other_mm = m->cost.switch_same_mm;
	a[0].pipe = b[0].pipe = sim_pipe_new(sim, PIPE_PIPE);
	a[1].pipe = b[1].pipe = sim_pipe_new(sim, PIPE_PIPE);
	world_spawn(sim, &pa, NULL);
	world_spawn(sim, &pb, NULL);
	world_run(sim);
	/* one CPU: each of the two writes, wakes, blocks on its read (the last time b exits
	 * instead) and is switched out */
	assert_int_equal(pa.at[2] - pa.at[0], 2 * (m->cost.pipe_write + m->cost.wake_local +
						   m->cost.switch_same_mm + m->cost.pipe_read) +
						      m->cost.block + m->cost.exit);
	assert_int_equal(pa.ret[2], 100);
	sim_free(sim);
	machine_free(m);
}

/* Big writes go through in pieces; nothing is lost. */
static void bytes_are_kept(void **state)
{
	struct machine *m = world_machine("core:2 pu:1");

	for (int kind = PIPE_PIPE; kind <= PIPE_SOCKET; kind++) {
		struct sim_step w = { .op = SIM_WRITE, .bytes = 300001 };
		struct sim_step r = { .op = SIM_READ, .bytes = 7001 };
		struct script pw = { .step = &w, .nr = 1, .loops = 3 };
		struct script pr = { .step = &r, .nr = 1, .loops = 1 << 20 };
		struct sim *sim = world_new(
			m, "v6.1", &(struct sim_params){ .no_noise = true, .check = true });
		struct err err = { 0 };

		w.pipe = r.pipe = sim_pipe_new(sim, kind);
		world_spawn(sim, &pw, NULL);
		world_spawn(sim, &pr, NULL);
		assert_int_equal(sim_run(sim, &err), -EDEADLK); /* the reader waits for more */
		assert_non_null(strstr(err.msg, "waits for data in a"));
		assert_int_equal(pw.done, 3);
		assert_true(pr.done >= 3 * 300001 / 7001);
		sim_free(sim);
	}
	machine_free(m);
}

/* The last arriver lets the others go: spinners at once, sleepers one after the other. */
static void barrier_opens(void **state)
{
	struct machine *m = world_machine("core:4 pu:1");

	for (int spins = 0; spins < 2; spins++) {
		struct sim_step st[3][2];
		struct script s[3];
		struct sim *sim = world_quiet(m, "v6.1");
		struct sim_barrier *b = sim_barrier_new(sim, 3, spins ? 50 * MS : 0);
		u64 opened;

		for (int i = 0; i < 3; i++) {
			st[i][0] = (struct sim_step){ .op = SIM_SLEEP_UNTIL, .ns = (10 + i) * MS };
			st[i][1] = (struct sim_step){ .op = SIM_BARRIER, .barrier = b };
			s[i] = (struct script){ .step = st[i], .nr = 2 };
			world_spawn(sim, &s[i], NULL);
		}
		world_run(sim);
		opened = s[2].at[1];
		if (spins) {
			assert_int_equal(s[0].exit_ns, opened + m->line_ns[DIST_LLC]);
			assert_int_equal(s[1].exit_ns, opened + m->line_ns[DIST_LLC]);
			assert_int_equal(s[2].exit_ns, opened);
		} else {
			assert_true(s[0].exit_ns < s[1].exit_ns);
			assert_in_range(s[0].exit_ns - opened, 1 * US, 4 * US);
			assert_in_range(s[2].exit_ns - opened, m->cost.futex_wake, 3 * US);
		}
		sim_free(sim);
	}
	machine_free(m);
}

/* An early arriver spins for its time and sleeps then; its CPU time shows it. */
static void barrier_spins_then_sleeps(void **state)
{
	struct machine *m = world_machine("core:2 pu:1");
	struct sim_step st[2][2];
	struct script s[2];
	struct sim *sim = world_quiet(m, "v6.1");
	struct sim_barrier *b = sim_barrier_new(sim, 2, 1 * MS);

	for (int i = 0; i < 2; i++) {
		st[i][0] = (struct sim_step){ .op = SIM_SLEEP_UNTIL, .ns = (10 + 10 * i) * MS };
		st[i][1] = (struct sim_step){ .op = SIM_BARRIER, .barrier = b };
		s[i] = (struct script){ .step = st[i], .nr = 2 };
		world_spawn(sim, &s[i], NULL);
	}
	world_run(sim);
	assert_in_range(s[0].cpu_ns, 1 * MS, 1 * MS + 20 * US);
	sim_free(sim);
	machine_free(m);
}

/* One at a time inside, and everybody comes through. */
static void mutex_excludes(void **state)
{
	struct machine *m = world_machine("core:4 pu:1");
	struct sim_step st[3] = { { .op = SIM_LOCK },
				  { .op = SIM_RUN, .ns = 100 * US },
				  { .op = SIM_UNLOCK } };
	struct script s[6];
	struct sim *sim = world_quiet(m, "v6.1");
	u64 last = 0;

	st[0].mutex = st[2].mutex = sim_mutex_new(sim);
	for (int i = 0; i < 6; i++) {
		s[i] = (struct script){ .step = st, .nr = 3, .loops = 10 };
		world_spawn(sim, &s[i], NULL);
	}
	world_run(sim);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(s[i].done, 10);
		last = max(last, s[i].exit_ns);
	}
	assert_true(last >= 60 * 100 * US);
	sim_free(sim);
	machine_free(m);
}

static void cond_and_sem(void **state)
{
	struct machine *m = world_machine("core:4 pu:1");
	struct sim_step wait[3] = { { .op = SIM_LOCK },
				    { .op = SIM_COND_WAIT },
				    { .op = SIM_UNLOCK } };
	struct sim_step sig[6] = {
		{ .op = SIM_SLEEP, .ns = 5 * MS }, { .op = SIM_LOCK },
		{ .op = SIM_COND_SIGNAL },	   { .op = SIM_UNLOCK },
		{ .op = SIM_SLEEP, .ns = 5 * MS }, { .op = SIM_COND_BROADCAST }
	};
	struct sim_step post[2] = { { .op = SIM_SLEEP, .ns = 20 * MS }, { .op = SIM_SEM_POST } };
	struct sim_step down = { .op = SIM_SEM_WAIT };
	struct script w[3], s, p, d;
	struct sim *sim = world_quiet(m, "v6.1");

	wait[0].mutex = wait[1].cond_mutex = wait[2].mutex = sig[1].mutex = sig[3].mutex =
		sim_mutex_new(sim);
	wait[1].cond = sig[2].cond = sig[5].cond = sim_cond_new(sim);
	post[1].sem = down.sem = sim_sem_new(sim, 1);
	s = (struct script){ .step = sig, .nr = 6 };
	p = (struct script){ .step = post, .nr = 2 };
	d = (struct script){ .step = &down, .nr = 1, .loops = 2 };
	for (int i = 0; i < 3; i++) {
		w[i] = (struct script){ .step = wait, .nr = 3 };
		world_spawn(sim, &w[i], NULL);
	}
	world_spawn(sim, &s, NULL);
	world_spawn(sim, &p, NULL);
	world_spawn(sim, &d, NULL);
	world_run(sim);
	assert_in_range(w[0].exit_ns, s.at[2], s.at[2] + 10 * US);
	assert_in_range(w[1].exit_ns, s.at[5], s.at[5] + 10 * US);
	assert_in_range(w[2].exit_ns, s.at[5], s.at[5] + 15 * US);
	assert_in_range(d.exit_ns, p.at[1], p.at[1] + 10 * US);
	sim_free(sim);
	machine_free(m);
}

/* Nobody can ever go on: who waits for what. */
static void deadlock_is_named(void **state)
{
	struct machine *m = world_machine("core:2 pu:1");
	struct script a =
		SCRIPT({ .op = SIM_LOCK }, { .op = SIM_SLEEP, .ns = MS }, { .op = SIM_LOCK });
	struct sim_step sa[3], sb[3];
	struct script b = a;
	struct sim_mutex *x, *y;
	struct err err = { 0 };
	/* background tasks go on, but they don't count */
	struct sim *sim = world_new(m, "v6.1", &(struct sim_params){ .seed = 3, .check = true });

	x = sim_mutex_new(sim);
	y = sim_mutex_new(sim);
	memcpy(sa, a.step, sizeof(sa));
	memcpy(sb, a.step, sizeof(sb));
	sa[0].mutex = sb[2].mutex = x;
	sa[2].mutex = sb[0].mutex = y;
	a.step = sa;
	b.step = sb;
	world_spawn(sim, &a, NULL);
	world_spawn(sim, &b, NULL);
	assert_int_equal(sim_run(sim, &err), -EDEADLK);
	assert_non_null(strstr(err.msg, "nothing can ever run again: script-10"));
	assert_non_null(strstr(err.msg, "waits for a mutex"));
	sim_free(sim);
	machine_free(m);
}

/* What is copied is what is there, however large the reader's buffer. */
static void a_read_copies_what_is_there(void **state)
{
	for (enum sim_pipe_kind kind = PIPE_PIPE; kind <= PIPE_SOCKET; kind++) {
		struct machine *m = world_machine("core:1 pu:1");
		u64 took[2];

		m->bw.core_llc = NSEC_PER_SEC; /* a byte a nanosecond */
		for (int large = 0; large < 2; large++) {
			struct sim *sim = world_quiet(m, "v6.1");
			struct sim_step st[2] = {
				{ .op = SIM_WRITE, .bytes = 100 },
				{ .op = SIM_READ, .bytes = large ? 1 << 20 : 100 },
			};
			struct script s = { .step = st, .nr = 2 };

			st[0].pipe = st[1].pipe = sim_pipe_new(sim, kind);
			world_spawn(sim, &s, NULL);
			world_run(sim);
			assert_int_equal(s.ret[2], 100);
			took[large] = s.at[2] - s.at[1];
			sim_free(sim);
		}
		assert_int_equal(took[0], took[1]);
		assert_int_equal(took[0], 100 + (kind == PIPE_PIPE ? m->cost.pipe_read :
								     m->cost.sock_read));
		machine_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pipe_holds_640_messages),
		cmocka_unit_test(writer_waits_for_a_page),
		cmocka_unit_test(socket_holds_277_messages),
		cmocka_unit_test(pipe_round_trip),
		cmocka_unit_test(bytes_are_kept),
		cmocka_unit_test(barrier_opens),
		cmocka_unit_test(barrier_spins_then_sleeps),
		cmocka_unit_test(mutex_excludes),
		cmocka_unit_test(cond_and_sem),
		cmocka_unit_test(deadlock_is_named),
		cmocka_unit_test(a_read_copies_what_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
