// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tasks: fork, exec, wait, attributes, memory streams, the trace, and that the
 * same seed gives the same run.
 */
#include <errno.h>

#include "sched/internal.h"
#include "sim/memory.h"
#include "world.h"

/* Children run where the fork put them and are waited for; ret is the pid. */
static void fork_and_wait(void **state)
{
	struct machine *m = world_machine("core:4 pu:1");
	struct script child = SCRIPT({ .op = SIM_RUN, .ns = 2 * MS });
	struct sim_spawn spawn = {
		.comm = "child", .program = &script_program, .arg = &child, .process = true
	};
	struct sim_step st[5] = { { .op = SIM_FORK, .spawn = &spawn },
				  { .op = SIM_WAIT_CHILD },
				  { .op = SIM_WAIT_CHILD },
				  { .op = SIM_NOP } };
	struct script parent = { .step = st, .nr = 4 };
	struct sim *sim = world_quiet(m, "v6.1");

	world_spawn(sim, &parent, NULL);
	world_run(sim);
	assert_true(parent.ret[1] > 0);
	assert_int_equal(parent.ret[2], parent.ret[1]); /* the pid that was waited for */
	assert_int_equal(parent.ret[3], -ECHILD);
	assert_true(parent.at[2] > child.exit_ns + m->cost.exit);
	assert_in_range(parent.at[1] - parent.at[0], m->cost.fork, m->cost.fork + 5 * US);
	assert_true(child.cpu != parent.cpu);
	assert_int_equal(world_counter(sim, CNT_forks), 3); /* init, parent, child */
	sim_free(sim);
	machine_free(m);
}

/* Memory follows the tasks that live, not those that lived. */
static void slots_are_recycled(void **state)
{
	struct machine *m = world_machine("core:2 pu:1");
	struct script child = SCRIPT({ .op = SIM_RUN, .ns = 1000 });
	struct sim_spawn spawn = { .comm = "child", .program = &script_program, .arg = &child };
	struct sim_step st[2] = { { .op = SIM_FORK, .spawn = &spawn }, { .op = SIM_WAIT_CHILD } };
	size_t bytes[2];

	for (int i = 0; i < 2; i++) {
		struct script parent = { .step = st, .nr = 2, .loops = i ? 3000 : 30 };
		struct sim *sim = world_new(m, "v6.1", &(struct sim_params){ .no_noise = true });

		child.pos = child.done = 0;
		child.loops = 1 << 30;
		child.nr = 0; /* exits at once */
		child.loops = 0;
		world_spawn(sim, &parent, NULL);
		world_run(sim);
		bytes[i] = arena_bytes(sim_arena(sim));
		sim_free(sim);
	}
	assert_int_equal(bytes[0], bytes[1]);
	machine_free(m);
}

/* Exec leaves for an idler place through the stopper, and costs its time there. */
static void exec_moves(void **state)
{
	struct machine *m = world_machine("core:4 pu:1");
	struct script hog = SCRIPT({ .op = SIM_RUN, .ns = 40 * MS });
	u64 cpu0[1] = { 1 }, all[1] = { 15 };
	struct sim_step st[4] = { { .op = SIM_SLEEP_UNTIL, .ns = 10 * MS },
				  { .op = SIM_SET_AFFINITY, .allowed = all },
				  { .op = SIM_EXEC },
				  { .op = SIM_RUN, .ns = 2 * MS } };
	struct script s = { .step = st, .nr = 4 };
	struct sim *sim = world_quiet(m, "v6.1");

	world_spawn(sim, &hog, cpu0);
	world_spawn(sim, &s, cpu0);
	world_run(sim);
	assert_true(s.cpu != 0);
	assert_int_equal(world_counter(sim, CNT_execs), 1);
	assert_int_equal(world_counter(sim, CNT_execs_moved), 1);
	assert_in_range(s.at[3] - s.at[2], m->cost.exec, m->cost.exec + 20 * US);
	sim_free(sim);
	machine_free(m);
}

/* Two execs of one image at a time: the second waits for what the first does under the locks. */
static void images_are_locked(void **state)
{
	struct machine *m = world_machine("core:2 pu:1");
	struct sim_step st[3] = { { .op = SIM_SLEEP_UNTIL, .ns = 10 * MS },
				  { .op = SIM_EXEC },
				  { .op = SIM_NOP } };
	u64 late[2];

	m->locked.exec = 250;
	for (int shared = 0; shared < 2; shared++) {
		struct sim *sim = world_quiet(m, "v6.1");
		struct sim_image *image = shared ? sim_image_new(sim) : NULL;
		struct script s[2];
		struct err err = { 0 };

		for (int i = 0; i < 2; i++) {
			s[i] = (struct script){ .step = st, .nr = 3 };
			sim_spawn(sim,
				  &(struct sim_spawn){ .comm = "s",
						       .program = &script_program,
						       .arg = &s[i],
						       .process = true,
						       .image = image },
				  &err);
		}
		world_run(sim);
		for (int i = 0; i < 2; i++)
			s[i].at[0] = s[i].at[2] - s[i].at[1];
		late[shared] = max(s[0].at[0], s[1].at[0]) - min(s[0].at[0], s[1].at[0]);
		assert_in_range(min(s[0].at[0], s[1].at[0]), m->cost.exec, m->cost.exec + 5 * US);
		sim_free(sim);
	}
	assert_true(late[0] < 5 * US); /* nearly at the same time */
	assert_in_range(late[1], m->cost.exec / 4 - 5 * US,
			m->cost.exec / 4 + m->cost.lock_handover[DIST_LLC]);
	machine_free(m);
}

/* A line written by two in turn comes from the other each time; whoever is later waits. */
static void lines_are_written_in_turn(void **state)
{
	struct machine *m = world_machine("core:2 pu:1");
	u64 cpu[2][1] = { { 1 }, { 2 } };
	struct sim *sim = world_quiet(m, "v6.1");
	struct sim_line *line = sim_line_new(sim);
	struct sim_step st[4] = { { .op = SIM_SLEEP_UNTIL, .ns = 10 * MS },
				  { .op = SIM_SYSCALL, .value = 1, .line = line },
				  { .op = SIM_SYSCALL, .value = 2, .line = line },
				  { .op = SIM_NOP } };
	struct script s[2] = { { .step = st, .nr = 4 }, { .step = st, .nr = 4 } };

	for (int i = 0; i < 2; i++)
		world_spawn(sim, &s[i], cpu[i]);
	world_run(sim);
	assert_int_equal(s[0].at[1], s[1].at[1]); /* the same interrupt time, CPU 0 first */
	assert_int_equal(s[0].at[2] - s[0].at[1], m->cost.syscall);
	assert_int_equal(s[1].at[2] - s[1].at[1], m->cost.syscall + m->line_ns[DIST_LLC]);
	assert_int_equal(s[0].at[3] - s[0].at[2], 2 * m->cost.syscall + m->line_ns[DIST_LLC]);
	assert_int_equal(s[1].at[3] - s[1].at[2], 2 * m->cost.syscall + m->line_ns[DIST_LLC]);
	sim_free(sim);
	machine_free(m);
}

static void affinity_moves_the_caller(void **state)
{
	struct machine *m = world_machine("core:4 pu:1");
	u64 cpu2[1] = { 4 }, cpu0[1] = { 1 }, none[1] = { 0 };
	struct sim_step st[4] = { { .op = SIM_SET_AFFINITY, .allowed = cpu2 },
				  { .op = SIM_RUN, .ns = MS },
				  { .op = SIM_SET_AFFINITY, .allowed = none },
				  { .op = SIM_NOP } };
	struct script s = { .step = st, .nr = 4 };
	struct sim *sim = world_quiet(m, "v6.1");

	world_spawn(sim, &s, cpu0);
	world_run(sim);
	assert_int_equal(s.cpu, 2);
	assert_int_equal(s.ret[3], -EINVAL);
	assert_int_equal(world_counter(sim, CNT_migrations), 1);
	sim_free(sim);
	machine_free(m);
}

/* nice 0 beside nice 5: weights 1024 and 335 */
static void nice_shares(void **state)
{
	struct machine *m = world_machine("core:1 pu:1");
	struct script a = SCRIPT({ .op = SIM_RUN, .ns = 2000 * MS });
	struct script b =
		SCRIPT({ .op = SIM_SET_NICE, .value = 5 }, { .op = SIM_RUN, .ns = 2000 * MS });
	struct sim *sim = world_new(
		m, "v6.6",
		&(struct sim_params){ .no_noise = true, .check = true, .max_ns = 1359 * MS });
	struct sim_task *ta = world_spawn(sim, &a, NULL), *tb = world_spawn(sim, &b, NULL);

	world_run(sim);
	assert_in_range(sim_task_cpu_ns(ta), 1015 * MS, 1033 * MS);
	assert_in_range(sim_task_cpu_ns(tb), 326 * MS, 344 * MS);
	sim_free(sim);
	machine_free(m);
}

/* ---- memory ---- */

/* Two nodes of one core each: pages lie where they were touched first, and that limits the reader.
 */
static void stream_goes_where_the_pages_are(void **state)
{
	struct machine *m = world_machine("pack:2 numa:1 core:1 pu:1");
	u64 cpu0[1] = { 1 }, cpu1[1] = { 2 };
	struct sim_step st[3] = { { .op = SIM_TOUCH, .nr_pieces = 1 },
				  { .op = SIM_STREAM, .nr_pieces = 1 },
				  { .op = SIM_STREAM, .nr_pieces = 1 } };
	struct script s = { .step = st, .nr = 2 }, far = { .step = st + 2, .nr = 1 };
	struct err err = { 0 };
	struct sim *sim;

	m->bw.core = 10000000000; /* 10 GB/s: 0.1 ns a byte */
	m->bw.link = 2000000000;
	m->node_bytes = 1 << 30;
	m->llc_bytes = 0;
	sim = world_quiet(m, "v6.1");
	for (int i = 0; i < 3; i++) {
		st[i].piece[0].region =
			i ? st[0].piece[0].region : sim_region_new(sim, 100 << 20, &err);
		st[i].piece[0].bytes = st[i].piece[0].read_bytes = 100000000;
	}
	world_spawn(sim, &s, cpu0);
	world_run(sim);
	assert_in_range(sim_region_node_bytes(st[0].piece[0].region, 0), 100000000, 100010000);
	assert_in_range(s.at[1] - s.at[0], 10 * MS, 11 * MS);
	assert_in_range(s.exit_ns - s.at[1], 10 * MS, 10 * MS + 10 * US);
	sim_free(sim);

	sim = world_quiet(m, "v6.1");
	for (int i = 0; i < 3; i++)
		st[i].piece[0].region =
			i ? st[0].piece[0].region : sim_region_new(sim, 100 << 20, &err);
	s = (struct script){ .step = st, .nr = 1 };
	world_spawn(sim, &s, cpu0);
	{
		struct sim_step late[2] = { { .op = SIM_SLEEP_UNTIL, .ns = 50 * MS }, st[2] };

		far = (struct script){ .step = late, .nr = 2 };
		world_spawn(sim, &far, cpu1);
		world_run(sim);
	}
	assert_in_range(far.exit_ns - far.at[1], 50 * MS, 50 * MS + 10 * US); /* the link */
	sim_free(sim);
	machine_free(m);
}

/* A working set is fetched again on another CPU, before anything else happens. */
static void refill_after_migration(void **state)
{
	struct machine *m = world_machine("core:2 pu:1");
	u64 cpu0[1] = { 1 }, cpu1[1] = { 2 };
	struct sim_step st[2] = { { .op = SIM_SET_AFFINITY, .allowed = cpu1 },
				  { .op = SIM_RUN, .ns = MS } };
	u64 took[2];

	m->l2_bytes = 512 << 10;
	for (int warm = 0; warm < 2; warm++) {
		struct script s = { .step = st, .nr = 2 };
		struct sim *sim = world_quiet(m, "v6.1");
		struct err err = { 0 };

		sim_spawn(sim,
			  &(struct sim_spawn){ .comm = "s",
					       .program = &script_program,
					       .arg = &s,
					       .allowed = cpu0,
					       .footprint = warm ? 0 : 256 << 10 },
			  &err);
		world_run(sim);
		took[warm] = s.at[1] - s.at[0];
		sim_free(sim);
	}
	assert_int_equal(took[0] - took[1], memory_refill_ns(m, 0, 1, 256 << 10));
	assert_true(took[0] > took[1]);
	machine_free(m);
}

/* ---- determinism and trace ---- */

static void count_events(void *ctx, const struct sim_trace_event *e)
{
	u64 *seen = ctx;

	seen[e->kind]++;
	assert_true(e->cpu >= 0 && e->cpu < 8);
	assert_non_null(e->comm);
}

static u64 mixed_run(const struct machine *m, u64 seed, u64 *seen, struct result *r)
{
	struct script s[12];
	struct sim_step w[4] = { { .op = SIM_RUN, .ns = 30 * US },
				 { .op = SIM_WRITE, .bytes = 100 },
				 { .op = SIM_SLEEP, .ns = 20 * US },
				 { .op = SIM_YIELD } };
	struct sim_step rd[2] = { { .op = SIM_READ, .bytes = 100 },
				  { .op = SIM_RUN, .ns = 25 * US } };
	struct sim *sim = world_new(m, "v6.12",
				    &(struct sim_params){ .seed = seed,
							  .trace = seen ? count_events : NULL,
							  .trace_ctx = seen,
							  .max_ns = 100 * MS });
	u64 sum = 0;

	w[1].pipe = rd[0].pipe = sim_pipe_new(sim, PIPE_PIPE);
	for (int i = 0; i < 12; i++) {
		s[i] = (struct script){ .step = i < 6 ? w : rd, .nr = i < 6 ? 4 : 2, .loops = 100 };
		world_spawn(sim, &s[i], NULL);
	}
	world_run(sim);
	memset(r, 0, sizeof(*r));
	sim_counters(sim, r);
	for (int i = 0; i < 12; i++)
		sum = sum * 31 + s[i].exit_ns;
	sim_free(sim);
	return sum;
}

static void same_seed_same_run(void **state)
{
	struct machine *m = world_machine("l3:2 core:2 pu:2");
	struct result a, b, c;
	u64 seen[TRACE_EXIT + 1] = { 0 };
	u64 one = mixed_run(m, 7, NULL, &a), two = mixed_run(m, 7, seen, &b),
	    other = mixed_run(m, 8, NULL, &c);

	assert_int_equal(one, two);
	assert_memory_equal(a.counter, b.counter, sizeof(a.counter));
	assert_true(one != other);
	/* the trace shows what was counted */
	assert_int_equal(seen[TRACE_WAKING], b.counter[CNT_wakeups]);
	/* those under way at the end aside */
	assert_in_range(seen[TRACE_SWITCH], b.counter[CNT_switches] - m->topo.nr_cpus,
			b.counter[CNT_switches]);
	assert_int_equal(seen[TRACE_MIGRATE], b.counter[CNT_migrations]);
	assert_int_equal(seen[TRACE_FORK], 12);
	/* the background is there since boot: it is woken, not forked */
	assert_int_equal(seen[TRACE_WAKEUP_NEW], b.counter[CNT_forks]);
	assert_int_equal(b.counter[CNT_forks], 13); /* init and what it forks */
	assert_in_range(seen[TRACE_EXIT], 13, 13);
	machine_free(m);
}

/* Wake-ups by distance, and switches, add up. */
static void counters_add_up(void **state)
{
	struct machine *m = world_machine("l3:2 core:2 pu:2");
	struct result r;

	mixed_run(m, 1, NULL, &r);
	assert_int_equal(
		r.counter[CNT_wakeups_same_cpu] + r.counter[CNT_wakeups_same_core] +
			r.counter[CNT_wakeups_same_cluster] + r.counter[CNT_wakeups_same_llc] +
			r.counter[CNT_wakeups_same_node] + r.counter[CNT_wakeups_other_node],
		r.counter[CNT_wakeups]);
	assert_int_equal(r.counter[CNT_migrations_smt] + r.counter[CNT_migrations_cluster] +
				 r.counter[CNT_migrations_llc] + r.counter[CNT_migrations_node] +
				 r.counter[CNT_migrations_package] +
				 r.counter[CNT_migrations_remote],
			 r.counter[CNT_migrations]);
	assert_true(r.counter[CNT_switches] > r.counter[CNT_preemptions]);
	assert_true(r.counter[CNT_busy_ns] > 12 * 100 * 25 * US);
	machine_free(m);
}

/* What a task does in the kernel shares the core with the sibling, as all it does. */
static void calls_share_the_core(void **state)
{
	for (int busy = 0; busy < 2; busy++) {
		struct machine *m = world_machine("core:1 pu:2");
		struct sim *sim = world_quiet(m, "v6.1");
		struct sim_step st[2] = { { .op = SIM_WRITE, .bytes = 100 },
					  { .op = SIM_READ, .bytes = 100 } };
		struct script caller = { .step = st, .nr = 2, .loops = 1000 };
		struct script hog = SCRIPT({ .op = SIM_RUN, .ns = busy ? 10 * MS : 0 });
		u64 took;

		st[0].pipe = st[1].pipe = sim_pipe_new(sim, PIPE_PIPE);
		world_spawn(sim, &caller, (const u64[]){ 1 });
		world_spawn(sim, &hog, (const u64[]){ 2 });
		world_run(sim);
		took = caller.at[2] - caller.at[0];
		assert_in_range(took, busy ? 1580 : 950, busy ? 1584 : 950); /* 950 / 0.6 */
		sim_free(sim);
		machine_free(m);
	}
}

/* CPU time of who still runs at the end, and the wait of who still waits, are counted. */
static void the_end_is_counted(void **state)
{
	struct machine *m = world_machine("core:2 pu:1");
	struct script hog[3];
	struct sim *sim = world_new(m, "v6.1", &(struct sim_params){ .no_noise = true,
								    .check = true,
								    .max_ns = 101 * MS });

	for (int i = 0; i < 3; i++) {
		hog[i] = (struct script)SCRIPT({ .op = SIM_RUN, .ns = 1000 * MS });
		world_spawn(sim, &hog[i], NULL);
	}
	world_run(sim);
	assert_in_range(world_counter(sim, CNT_busy_ns), 199 * MS, 202 * MS);
	assert_in_range(world_counter(sim, CNT_wait_ns), 99 * MS, 101 * MS);
	sim_free(sim);
	machine_free(m);
}

/* CPUs of a booted machine are in a C-state that a fork's search knows (spec 14 §0, 05 §5). */
static void idle_states_are_known_at_boot(void **state)
{
	for (int cpuidle = 0; cpuidle < 2; cpuidle++) {
		struct machine *m = world_machine("core:4 pu:1");
		struct sim *sim;

		m->nr_cstates = 2;
		m->cstate[1] = (struct machine_cstate){ .name = "C2", .table_exit_ns = 400 * US };
		m->cpuidle = cpuidle;
		sim = world_quiet(m, "v6.1");
		for (int c = 0; c < 4; c++) {
			const struct rq *rq = cpu_rq(sim_sched(sim), c);

			assert_int_equal(rq->cstate_known, cpuidle);
			assert_int_equal(rq->exit_latency_ns, cpuidle ? 400 * US : 0);
		}
		sim_free(sim);
		machine_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fork_and_wait),
		cmocka_unit_test(slots_are_recycled),
		cmocka_unit_test(exec_moves),
		cmocka_unit_test(images_are_locked),
		cmocka_unit_test(lines_are_written_in_turn),
		cmocka_unit_test(affinity_moves_the_caller),
		cmocka_unit_test(nice_shares),
		cmocka_unit_test(stream_goes_where_the_pages_are),
		cmocka_unit_test(refill_after_migration),
		cmocka_unit_test(same_seed_same_run),
		cmocka_unit_test(counters_add_up),
		cmocka_unit_test(calls_share_the_core),
		cmocka_unit_test(the_end_is_counted),
		cmocka_unit_test(idle_states_are_known_at_boot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
