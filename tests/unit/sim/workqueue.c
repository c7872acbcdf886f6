// SPDX-License-Identifier: BSD-2-Clause
/*
 * Work queues and completions (spec 04 §5.3, 14 §1.7).
 */
#include <errno.h>
#include <stdio.h>

#include "world.h"

#define MAX_LOG 64

/* Who was switched in for whom, and whether the old one could have gone on. */
struct switches {
	int nr, preempted;
	struct {
		char prev[16], next[16];
		bool preempted;
		int cpu;
	} at[MAX_LOG];
};

static void note(void *ctx, const struct sim_trace_event *e)
{
	struct switches *log = ctx;

	if (e->kind != TRACE_SWITCH)
		return;
	log->preempted += e->preempted;
	if (log->nr == MAX_LOG)
		return;
	snprintf(log->at[log->nr].prev, 16, "%s", e->comm);
	snprintf(log->at[log->nr].next, 16, "%s", e->next_comm);
	log->at[log->nr].cpu = e->cpu;
	log->at[log->nr++].preempted = e->preempted;
}

static struct sim *world_logged(const struct machine *m, const char *kernel, struct switches *log)
{
	memset(log, 0, sizeof(*log));
	return world_new(m, kernel,
			 &(struct sim_params){ .no_noise = true, .check = true, .trace = note,
					       .trace_ctx = log });
}

/*
 * The pattern of the kworker-stack series: a client writes, the device's
 * interrupt queues work on the client's CPU, whose kworker wakes the client.
 * With the rule the client stays; without it, it moves to the next idle CPU
 * each time.
 */
static void client_stacks_on_bound_kworker(void **state)
{
	static const struct {
		const char *kernel;
		int min, max;
	} row[] = { { "v5.7", 0, 2 }, { "v5.7,+WITHOUT_KTHREAD_STACK", 15, 25 },
		    { "v6.12", 0, 2 }, { "v6.12,+WITHOUT_KTHREAD_STACK", 15, 25 } };
	struct machine *m = world_machine("core:8 pu:1");

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct sim *sim = world_quiet(m, row[i].kernel);
		struct sim_completion *done = sim_completion_new(sim);
		struct sim_work work = { .wq = sim_workqueue_new(sim, false), .run_ns = 5 * US,
					 .done = done };
		struct sim_step steps[] = {
			{ .op = SIM_RUN, .ns = 20 * US },
			{ .op = SIM_QUEUE_WORK, .ns = 60 * US, .work = &work },
			{ .op = SIM_WAIT_COMPLETION, .completion = done },
		};
		struct script client = { .step = steps, .nr = 3, .loops = 20 };

		world_spawn(sim, &client, NULL);
		world_run(sim);
		assert_int_equal(world_counter(sim, CNT_works), 20);
		assert_in_range(world_counter(sim, CNT_migrations), row[i].min, row[i].max);
		sim_free(sim);
	}
	machine_free(m);
}

/* an unbound worker may run anywhere on its node: the client's CPU is busy, so it goes elsewhere */
static void unbound_work_runs_beside_the_client(void **state)
{
	struct machine *m = world_machine("core:4 pu:1");
	struct switches log;

	for (int unbound = 0; unbound < 2; unbound++) {
		struct sim *sim = world_logged(m, "v6.1", &log);
		struct sim_completion *done = sim_completion_new(sim);
		struct sim_work work = { .wq = sim_workqueue_new(sim, unbound),
					 .run_ns = 30 * US, .done = done };
		struct sim_step steps[] = {
			{ .op = SIM_RUN, .ns = 20 * US },
			{ .op = SIM_QUEUE_WORK, .work = &work },
			{ .op = SIM_RUN, .ns = 200 * US },
			{ .op = SIM_WAIT_COMPLETION, .completion = done },
		};
		struct script client = { .step = steps, .nr = 4, .loops = 3 };
		int client_cpu = -1, worker_cpu = -1;

		world_spawn(sim, &client, NULL);
		world_run(sim);
		for (int i = 0; i < log.nr; i++) {
			if (!strcmp(log.at[i].next, "script"))
				client_cpu = log.at[i].cpu;
			if (!strncmp(log.at[i].next, "kworker/", 8)) {
				worker_cpu = log.at[i].cpu;
				assert_int_equal(log.at[i].next[8] == 'u', unbound);
			}
		}
		assert_true(client_cpu >= 0 && worker_cpu >= 0);
		assert_int_equal(client_cpu != worker_cpu, unbound);
		sim_free(sim);
	}
	machine_free(m);
}

/*
 * Two works on one CPU: the second begins when the first sleeps, woken by the
 * worker that is about to schedule, which isn't preempted by it.
 */
static void sleeping_worker_wakes_the_next(void **state)
{
	struct machine *m = world_machine("core:1 pu:1");
	struct switches log;
	struct sim *sim = world_logged(m, "v5.7,NO_WAKEUP_PREEMPTION", &log);
	struct sim_completion *done = sim_completion_new(sim);
	struct sim_work work = { .wq = sim_workqueue_new(sim, false), .run_ns = 20 * US,
				 .sleep_ns = MS, .done = done };
	struct sim_step steps[] = {
		{ .op = SIM_QUEUE_WORK, .work = &work },
		{ .op = SIM_QUEUE_WORK, .work = &work },
		{ .op = SIM_WAIT_COMPLETION, .completion = done },
		{ .op = SIM_WAIT_COMPLETION, .completion = done },
	};
	struct script client = { .step = steps, .nr = 4 };
	bool handed_over = false;

	world_spawn(sim, &client, NULL);
	world_run(sim);
	/* both slept at the same time: 10 µs of each before it, of the second after it */
	assert_in_range(client.at[4] - client.at[0], MS + 30 * US, MS + 80 * US);
	for (int i = 0; i < log.nr; i++) {
		if (strcmp(log.at[i].prev, "kworker/0:0") || strcmp(log.at[i].next, "kworker/0:1"))
			continue;
		handed_over = true;
		assert_false(log.at[i].preempted);
	}
	assert_true(handed_over);
	sim_free(sim);
	machine_free(m);
}

/* more works than workers at work: one after the other, by one worker */
static void bound_works_take_turns(void **state)
{
	struct machine *m = world_machine("core:2 pu:1");
	struct sim *sim = world_quiet(m, "v6.12");
	struct sim_completion *done = sim_completion_new(sim);
	struct sim_work work = { .wq = sim_workqueue_new(sim, false), .run_ns = 100 * US,
				 .done = done };
	struct sim_step steps[8];
	struct script client = { .step = steps, .nr = 8 };

	for (int i = 0; i < 8; i++)
		steps[i] = i < 4 ? (struct sim_step){ .op = SIM_QUEUE_WORK, .work = &work } :
				   (struct sim_step){ .op = SIM_WAIT_COMPLETION,
						      .completion = done };
	world_spawn(sim, &client, NULL);
	world_run(sim);
	assert_in_range(client.at[8] - client.at[1], 400 * US, 430 * US);
	sim_free(sim);
	machine_free(m);
}

/* first come, first woken; one that nobody waits for is kept */
static void completions_wake_in_order(void **state)
{
	struct machine *m = world_machine("core:4 pu:1");
	struct sim *sim = world_quiet(m, "v5.7");
	struct sim_completion *done = sim_completion_new(sim);
	struct sim_step wait[3][2], post[] = {
		{ .op = SIM_SLEEP_UNTIL, .ns = 10 * MS },
		{ .op = SIM_COMPLETE, .completion = done },
		{ .op = SIM_COMPLETE, .completion = done },
		{ .op = SIM_COMPLETE, .completion = done },
		{ .op = SIM_COMPLETE, .completion = done },
		{ .op = SIM_WAIT_COMPLETION, .completion = done },
	};
	struct script poster = { .step = post, .nr = 6 }, waiter[3];

	for (int i = 0; i < 3; i++) { /* the last one spawned comes first */
		wait[i][0] = (struct sim_step){ .op = SIM_SLEEP_UNTIL, .ns = (5 - i) * MS };
		wait[i][1] =
			(struct sim_step){ .op = SIM_WAIT_COMPLETION, .completion = done };
		waiter[i] = (struct script){ .step = wait[i], .nr = 2 };
		world_spawn(sim, &waiter[i], NULL);
	}
	world_spawn(sim, &poster, NULL);
	world_run(sim);
	assert_true(waiter[2].at[2] < waiter[1].at[2]);
	assert_true(waiter[1].at[2] < waiter[0].at[2]);
	assert_int_equal(poster.at[6] - poster.at[5], m->cost.syscall);
	sim_free(sim);
	machine_free(m);
}

/* who waits for work that is under way isn't stuck; who waits for none is */
static void waiting_for_nothing_is_a_deadlock(void **state)
{
	struct machine *m = world_machine("core:2 pu:1");
	struct sim *sim = world_quiet(m, "v6.1");
	struct sim_completion *done = sim_completion_new(sim);
	struct sim_work work = { .wq = sim_workqueue_new(sim, true), .run_ns = 0 };
	struct sim_step steps[] = {
		{ .op = SIM_QUEUE_WORK, .ns = 5 * MS, .work = &work },
		{ .op = SIM_WAIT_COMPLETION, .completion = done },
	};
	struct script client = { .step = steps, .nr = 2 };
	struct err err = { 0 };

	world_spawn(sim, &client, NULL);
	assert_int_equal(sim_run(sim, &err), -EDEADLK);
	assert_non_null(strstr(err.msg, "waits for a completion"));
	assert_true(sim_now(sim) >= 5 * MS);
	sim_free(sim);
	machine_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(client_stacks_on_bound_kworker),
		cmocka_unit_test(unbound_work_runs_beside_the_client),
		cmocka_unit_test(sleeping_worker_wakes_the_next),
		cmocka_unit_test(bound_works_take_turns),
		cmocka_unit_test(completions_wake_in_order),
		cmocka_unit_test(waiting_for_nothing_is_a_deadlock),
	};

	return cmocka_run_group_tests_name("workqueue", tests, NULL, NULL);
}
