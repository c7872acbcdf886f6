// SPDX-License-Identifier: BSD-2-Clause
/*
 * What is asked and how it is counted, on traces small enough to be judged by hand.
 */
#include <errno.h>
#include <string.h>

#include "lines.h"
#include "replay/agree.h"

static struct machine *machine;
static const char *kernel = "v6.1.192";
static struct agree a;

static int ask(const char *where, const char *const *lines, struct err *err)
{
	const struct agree_options o = { .why = 3, .check = true };
	struct trace *t = read_lines(lines);
	struct sched_kernel k;
	int ret;

	if (machine_load(where, &machine, err) || sched_kernel_parse(kernel, &k, err))
		fail_msg("%s", err->msg);
	ret = agree_run(t, machine, &k, &o, &a, err);
	trace_free(t);
	machine_free(machine);
	return ret;
}

static void ask_well(const char *where, const char *const *lines)
{
	struct err err = { 0 };

	if (ask(where, lines, &err))
		fail_msg("%s", err.msg);
}

#define MIGRATE(comm, pid, from, to)                                                               \
	"sched_migrate_task: comm=" comm " pid=" #pid " prio=120 orig_cpu=" #from " dest_cpu=" #to
#define FORK(pid, child)                                                                           \
	"sched_process_fork: comm=a pid=" #pid " child_comm=a child_pid=" #child
#define WAKEUP_NEW(pid, cpu)                                                                       \
	"sched_wakeup_new: comm=a pid=" #pid " prio=120 target_cpu=" #cpu

/* a, on CPU 0, wakes b where it slept; the kernel thread k by an interrupt there */
static void easy_wakeups_are_not_contested(void **state)
{
	static const char *const lines[] = {
		"<idle>-0 0 d..2. 1000 " IDLE_TO("a", 10),
		"a-10 0 d..2. 1100 " WAKING("b", 20, 1),
		"<idle>-0 1 dNh3. 1105 " WAKEUP("b", 20, 1),
		"<idle>-0 1 d..2. 1107 " IDLE_TO("b", 20),
		"b-20 1 d..2. 1200 " TO_IDLE("b", 20, "S"),
		"a-10 0 d.h2. 1300 " WAKING("kworker/u16:2", 30, 2),
		"<idle>-0 2 dNh3. 1305 " WAKEUP("kworker/u16:2", 30, 2),
		"<idle>-0 2 d..2. 1307 " IDLE_TO("kworker/u16:2", 30),
		"kworker/u16:2-30 2 d..2. 1400 " TO_IDLE("kworker/u16:2", 30, "I"),
		"a-10 0 d..2. 1500 " TO_IDLE("a", 10, "S"),
		NULL,
	};

	ask_well("qemu:m8", lines);
	assert_int_equal(a.wakes.n, 1);
	assert_int_equal(a.wakes.same_cpu, 1);
	assert_int_equal(a.wakes.contested, 0);
	assert_int_equal(a.kthread_wakes.n, 1);
	assert_int_equal(a.picks.contested, 0);
	assert_int_equal(a.pulls.n, 0);
	agree_free(&a);
}

/* b's CPU is taken by c: there is a choice, and "where it was" isn't the kernel's */
static void a_busy_previous_cpu_is_contested(void **state)
{
	static const char *const lines[] = {
		"<idle>-0 0 d..2. 1000 " IDLE_TO("a", 10),
		"<idle>-0 1 d..2. 1010 " IDLE_TO("c", 30),
		"a-10 0 d..2. 1100 " WAKING("b", 20, 1),
		"a-10 0 d..2. 1101 " MIGRATE("b", 20, 1, 2),
		"<idle>-0 2 dNh3. 1105 " WAKEUP("b", 20, 2),
		"<idle>-0 2 d..2. 1107 " IDLE_TO("b", 20),
		"b-20 2 d..2. 1200 " TO_IDLE("b", 20, "S"),
		NULL,
	};
	u64 at_all = 0;

	ask_well("qemu:m8", lines);
	assert_int_equal(a.wakes.n, 1);
	assert_int_equal(a.wakes.contested, 1);
	assert_int_equal(a.wakes.naive, 0);
	for (int i = 0; i <= NEAR_NODE; i++)
		at_all += a.wakes.contested_near[i];
	assert_int_equal(at_all, 1); /* one LLC: wherever the core puts it */
	agree_free(&a);
}

/* two tasks wait for CPU 0 when a leaves it: the pick is contested, and the first come comes first */
static void picks_among_several(void **state)
{
	static const char *const lines[] = {
		"<idle>-0 0 d..2. 1000 " IDLE_TO("a", 10),
		"a-10 0 d..2. 1100 " WAKING("b", 20, 0),
		"a-10 0 d..2. 1101 " WAKEUP("b", 20, 0),
		"a-10 0 d..2. 1200 " WAKING("c", 30, 0),
		"a-10 0 d..2. 1201 " WAKEUP("c", 30, 0),
		"a-10 0 d..2. 1300 " SWITCH("a", 10, "S", "b", 20),
		"b-20 0 d..2. 1400 " SWITCH("b", 20, "S", "c", 30),
		"c-30 0 d..2. 1500 " TO_IDLE("c", 30, "S"),
		NULL,
	};

	ask_well("qemu:m8", lines);
	assert_int_equal(a.picks.contested, 1);
	assert_int_equal(a.picks.contested_same_task, 1);
	agree_free(&a);
}

/* the first fork of a trace: all CPUs are idle since nobody knows when */
static bool fork_is_as_good(const char *where, const char *wakeup_new)
{
	const char *const lines[] = {
		"<idle>-0 0 d..2. 1000 " IDLE_TO("a", 10),
		"a-10 0 ..... 1100 " FORK(10, 20),
		wakeup_new,
		"a-10 0 d..2. 1500 " TO_IDLE("a", 10, "S"),
		NULL,
	};
	bool good;

	ask_well(where, lines);
	assert_int_equal(a.forks.n, 1);
	good = a.forks.same_or_equal;
	agree_free(&a);
	return good;
}

/*
 * Two nodes of two LLCs of two SMT cores, CPU 0 busy. Two tasks are allowed on node 0 before
 * the other one is asked; there the other LLC has more idle CPUs, CPUs 4 to 7, and of
 * these the one that fell idle last is taken.
 */
static void equally_good_forks(void **state)
{
	static const char *const good[] = {
		"a-10 0 d..2. 1105 " WAKEUP_NEW(20, 4), "a-10 0 d..2. 1105 " WAKEUP_NEW(20, 5),
		"a-10 0 d..2. 1105 " WAKEUP_NEW(20, 6), "a-10 0 d..2. 1105 " WAKEUP_NEW(20, 7),
	};
	/* the busy CPU, its sibling, the other core of its LLC, the other node */
	static const char *const bad[] = {
		"a-10 0 d..2. 1105 " WAKEUP_NEW(20, 0), "a-10 0 d..2. 1105 " WAKEUP_NEW(20, 1),
		"a-10 0 d..2. 1105 " WAKEUP_NEW(20, 2), "a-10 0 d..2. 1105 " WAKEUP_NEW(20, 8),
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_true(fork_is_as_good("qemu:m16smt", good[i]));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(fork_is_as_good("qemu:m16smt", bad[i]));
}

/* a task that bound itself to CPU 3 isn't thought to have had a choice afterwards */
static void who_bound_itself_is_bound(void **state)
{
	static const char *const lines[] = {
		"<idle>-0 1 d..2. 1000 " IDLE_TO("b", 20),
		"b-20 1 d..4. 1100 sched_waking: comm=migration/1 pid=50 prio=0 target_cpu=001",
		"b-20 1 dN.5. 1101 sched_wakeup: comm=migration/1 pid=50 prio=0 target_cpu=001",
		"b-20 1 d..2. 1102 sched_switch: prev_comm=b prev_pid=20 prev_prio=120 prev_state=R+ ==> "
		"next_comm=migration/1 next_pid=50 next_prio=0",
		"migration/1-50 1 d..3. 1103 " MIGRATE("b", 20, 1, 3),
		"migration/1-50 1 d..2. 1105 sched_switch: prev_comm=migration/1 prev_pid=50 prev_prio=0 "
		"prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120",
		"<idle>-0 3 d..2. 1110 " IDLE_TO("b", 20),
		"b-20 3 d..2. 1200 " SWITCH("b", 20, "S", "c", 30),
		"c-30 3 d.h2. 1300 " WAKING("b", 20, 3),
		"c-30 3 dNh3. 1301 " WAKEUP("b", 20, 3),
		"c-30 3 d..2. 1303 " SWITCH("c", 30, "R", "b", 20),
		NULL,
	};

	ask_well("qemu:m8", lines);
	assert_int_equal(a.wakes.n, 1);
	assert_int_equal(a.wakes_bound, 1);
	assert_int_equal(a.wakes.same_cpu, 1);
	assert_int_equal(a.pulls.n, 0);
	agree_free(&a);
}

/* ten years between two lines are no reason to keep anybody waiting */
static void long_silences(void **state)
{
	static const char *const lines[] = {
		"<idle>-0 0 d..2. 1000 " IDLE_TO("a", 10),
		"a-10 0 d..2. 315360000000000 " WAKING("b", 20, 1),
		"<idle>-0 1 dNh3. 315360000000005 " WAKEUP("b", 20, 1),
		"<idle>-0 1 d..2. 315360000000007 " IDLE_TO("b", 20),
		"b-20 1 d..2. 630720000000000 " TO_IDLE("b", 20, "S"),
		"a-10 0 d..2. 630720000000100 " TO_IDLE("a", 10, "S"),
		NULL,
	};

	ask_well("qemu:m8", lines);
	assert_int_equal(a.wakes.n, 1);
	assert_int_equal(a.wakes.same_cpu, 1);
	agree_free(&a);
}

/* nor if two tasks share a CPU meanwhile and slices have timers of their own */
static void long_silences_of_two(void **state)
{
	static const char *const lines[] = {
		"<idle>-0 0 d..2. 1000 " IDLE_TO("a", 10),
		"a-10 0 d..2. 1100 " WAKING("b", 20, 0),
		"a-10 0 d..2. 1101 " WAKEUP("b", 20, 0),
		"a-10 0 d..2. 315360000000000 " SWITCH("a", 10, "S", "b", 20),
		NULL,
	};

	kernel = "v7.3";
	ask_well("qemu:m8", lines);
	kernel = "v6.1.192";
	assert_int_equal(a.picks.n, 2);
	agree_free(&a);
}

/* a switch, wake-up or move with the priorities of the two */
#define SWITCH_PRIO(prev, pid, prio, state, next, npid, nprio)                                     \
	"sched_switch: prev_comm=" prev " prev_pid=" #pid " prev_prio=" #prio " prev_state=" state \
	" ==> next_comm=" next " next_pid=" #npid " next_prio=" #nprio
#define WAKING_PRIO(comm, pid, prio, cpu)                                                          \
	"sched_waking: comm=" comm " pid=" #pid " prio=" #prio " target_cpu=" #cpu
#define WAKEUP_PRIO(comm, pid, prio, cpu)                                                          \
	"sched_wakeup: comm=" comm " pid=" #pid " prio=" #prio " target_cpu=" #cpu
#define MIGRATE_PRIO(comm, pid, prio, from, to)                                                    \
	"sched_migrate_task: comm=" comm " pid=" #pid " prio=" #prio " orig_cpu=" #from            \
	" dest_cpu=" #to

/*
 * SCHED_FIFO 60 (h) and 40 (l) on CPU 0, where the fair task a runs: each stays where it was,
 * preempts what is less, and goes on before what is less.
 */
static void realtime_tasks_are_asked(void **state)
{
	static const char *const lines[] = {
		"<idle>-0 0 d..2. 1000 " IDLE_TO("a", 10),
		"a-10 0 d.h2. 1100 " WAKING_PRIO("l", 30, 59, 0),
		"a-10 0 dNh3. 1101 " WAKEUP_PRIO("l", 30, 59, 0),
		"a-10 0 d..2. 1102 " SWITCH_PRIO("a", 10, 120, "R", "l", 30, 59),
		"l-30 0 d.h2. 1200 " WAKING_PRIO("h", 20, 39, 0),
		"l-30 0 dNh3. 1201 " WAKEUP_PRIO("h", 20, 39, 0),
		"l-30 0 d..2. 1202 " SWITCH_PRIO("l", 30, 59, "R", "h", 20, 39),
		"h-20 0 d..2. 1300 " SWITCH_PRIO("h", 20, 39, "S", "l", 30, 59),
		"l-30 0 d..2. 1400 " SWITCH_PRIO("l", 30, 59, "S", "a", 10, 120),
		"a-10 0 d..2. 1500 " TO_IDLE("a", 10, "S"),
		NULL,
	};

	ask_well("qemu:m8", lines);
	assert_int_equal(a.wakes.n, 2);
	assert_int_equal(a.wakes.same_cpu, 2);
	assert_int_equal(a.wakes.contested, 2);
	assert_int_equal(a.wakes_other_class, 0);
	/* to l, to h, back to l: others waited each time */
	assert_int_equal(a.picks.contested, 3);
	assert_int_equal(a.picks.contested_same_task, 3);
	assert_int_equal(a.refused, 0);
	agree_free(&a);
}

/* a is picked though h waits: the core would have taken h */
static void a_wrong_pick_beside_realtime(void **state)
{
	static const char *const lines[] = {
		"<idle>-0 0 d..2. 1000 " IDLE_TO("b", 30),
		"b-30 0 d..2. 1100 " WAKING("a", 10, 0),
		"b-30 0 d..2. 1101 " WAKEUP("a", 10, 0),
		"b-30 0 d.h2. 1200 " WAKING_PRIO("h", 20, 39, 0),
		"b-30 0 dNh3. 1201 " WAKEUP_PRIO("h", 20, 39, 0),
		"b-30 0 d..2. 1300 " SWITCH_PRIO("b", 30, 120, "S", "a", 10, 120),
		"a-10 0 d..2. 1400 " SWITCH_PRIO("a", 10, 120, "S", "h", 20, 39),
		"h-20 0 d..2. 1500 " TO_IDLE("h", 20, "S"),
		NULL,
	};

	ask_well("qemu:m8", lines);
	assert_int_equal(a.picks.contested, 1);
	assert_int_equal(a.picks.contested_same_task, 0);
	agree_free(&a);
}

/* CPU 0 runs h, so l, woken there, is pushed to the only CPU that does less: 3; later 0 pulls m */
static void pushes_and_pulls_are_asked(void **state)
{
	static const char *const lines[] = {
		"<idle>-0 0 d..2. 1000 " SWITCH_PRIO("swapper", 0, 120, "R", "h", 20, 39),
		"<idle>-0 1 d..2. 1001 " SWITCH_PRIO("swapper", 0, 120, "R", "i", 21, 39),
		"<idle>-0 2 d..2. 1002 " SWITCH_PRIO("swapper", 0, 120, "R", "j", 22, 39),
		"h-20 0 d..2. 1100 " WAKING_PRIO("l", 30, 59, 0),
		"h-20 0 d..3. 1101 " WAKEUP_PRIO("l", 30, 59, 0),
		"h-20 0 d..3. 1102 " MIGRATE_PRIO("l", 30, 59, 0, 3),
		"<idle>-0 3 d..2. 1104 " SWITCH_PRIO("swapper", 0, 120, "R", "l", 30, 59),
		"i-21 1 d..2. 1200 " WAKING_PRIO("m", 31, 69, 1),
		"i-21 1 d..3. 1201 " WAKEUP_PRIO("m", 31, 69, 1),
		"h-20 0 d..3. 1300 " MIGRATE_PRIO("m", 31, 69, 1, 0),
		"h-20 0 d..2. 1302 " SWITCH_PRIO("h", 20, 39, "S", "m", 31, 69),
		"m-31 0 d..2. 1400 " TO_IDLE("m", 31, "S"),
		NULL,
	};

	kernel = "v7.3"; /* pulls itself, asks nobody to push */
	ask_well("package:1 core:4 pu:1", lines);
	kernel = "v6.1.192";
	assert_int_equal(a.class_moves.pushes, 1);
	assert_int_equal(a.class_moves.pushes_same_task, 1);
	assert_int_equal(a.class_moves.pushes_near[NEAR_CPU], 1);
	assert_int_equal(a.class_moves.pulls, 1);
	assert_int_equal(a.pulls.n, 0);
	agree_free(&a);
}

/* the deadline task d has used up its budget when a is picked, and got a new one where it moves */
static void budgets_are_seen(void **state)
{
	static const char *const lines[] = {
		"<idle>-0 0 d..2. 1000 " IDLE_TO("a", 10),
		"<idle>-0 1 d..2. 1001 " SWITCH_PRIO("swapper", 0, 120, "R", "e", 21, -1),
		"a-10 0 d.h2. 1100 " WAKING_PRIO("d", 20, -1, 0),
		"a-10 0 dNh3. 1101 " WAKEUP_PRIO("d", 20, -1, 0),
		"a-10 0 d..2. 1102 " SWITCH_PRIO("a", 10, 120, "R", "d", 20, -1),
		"d-20 0 d..2. 4000 " SWITCH_PRIO("d", 20, -1, "R", "a", 10, 120),
		"a-10 0 dNh3. 8000 " MIGRATE_PRIO("d", 20, -1, 0, 2),
		"<idle>-0 2 d..2. 8003 " SWITCH_PRIO("swapper", 0, 120, "R", "d", 20, -1),
		"d-20 2 d..2. 9000 " SWITCH_PRIO("d", 20, -1, "S", "swapper", 0, 120),
		"a-10 0 d..2. 9900 " TO_IDLE("a", 10, "S"),
		NULL,
	};

	kernel = "v6.12.95"; /* pushes a replenished task rather than preempt */
	ask_well("package:1 core:4 pu:1", lines);
	kernel = "v6.1.192";
	assert_int_equal(a.wakes.n, 1);
	assert_int_equal(a.wakes.same_cpu, 1);
	assert_int_equal(a.class_moves.pushes, 1);
	assert_int_equal(a.class_moves.pushes_same_task, 1);
	assert_int_equal(a.picks.contested_same_task, a.picks.contested);
	assert_int_equal(a.refused, 0);
	agree_free(&a);
}

/* the priority changes while it runs, while it waits, on a wake list, while it sleeps */
static void priorities_change_anywhere(void **state)
{
	static const char *const prios[][4] = {
		{ "39", "-1", "120", "39" }, { "-1", "120", "39", "-1" }, { "100", "0", "99", "120" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(prios); i++) {
		char line[4][256];
		const char *const lines[] = {
			"<idle>-0 0 d..2. 1000 " IDLE_TO("a", 10),
			"<idle>-0 1 d..2. 1001 " IDLE_TO("b", 20),
			line[0],
			"<idle>-0 1 d..2. 1200 " IDLE_TO("c", 30),
			"a-10 0 d..2. 1300 " WAKING("b", 20, 1),
			line[1],
			"c-30 1 dNh3. 1400 " WAKEUP("b", 20, 1),
			line[2],
			"c-30 1 d..2. 1600 " SWITCH("c", 30, "S", "b", 20),
			line[3],
			"a-10 0 d..2. 1800 " TO_IDLE("a", 10, "S"),
			NULL,
		};

		snprintf(line[0], sizeof(line[0]), "b-20 1 d..2. 1100 sched_switch: prev_comm=b prev_pid=20 "
			 "prev_prio=%s prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120", prios[i][0]);
		snprintf(line[1], sizeof(line[1]), "a-10 0 d..2. 1350 sched_waking: comm=b pid=20 prio=%s "
			 "target_cpu=1", prios[i][1]);
		snprintf(line[2], sizeof(line[2]), "a-10 0 d..2. 1500 sched_waking: comm=b pid=20 prio=%s "
			 "target_cpu=1", prios[i][2]);
		snprintf(line[3], sizeof(line[3]), "b-20 1 d..2. 1700 sched_switch: prev_comm=b prev_pid=20 "
			 "prev_prio=%s prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120", prios[i][3]);
		ask_well("qemu:m8", lines);
		assert_int_equal(a.wakes.n, 1);
		agree_free(&a);
	}
}

static void a_trace_of_more_cpus(void **state)
{
	static const char *const lines[] = {
		"<idle>-0 12 d..2. 1000 " IDLE_TO("a", 10),
		NULL,
	};
	struct err err = { 0 };

	assert_int_equal(ask("qemu:m8", lines, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "CPU 12"));
	assert_non_null(strstr(err.msg, "8 CPUs"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(easy_wakeups_are_not_contested),
		cmocka_unit_test(a_busy_previous_cpu_is_contested),
		cmocka_unit_test(picks_among_several),
		cmocka_unit_test(equally_good_forks),
		cmocka_unit_test(who_bound_itself_is_bound),
		cmocka_unit_test(long_silences),
		cmocka_unit_test(long_silences_of_two),
		cmocka_unit_test(realtime_tasks_are_asked),
		cmocka_unit_test(a_wrong_pick_beside_realtime),
		cmocka_unit_test(pushes_and_pulls_are_asked),
		cmocka_unit_test(budgets_are_seen),
		cmocka_unit_test(priorities_change_anywhere),
		cmocka_unit_test(a_trace_of_more_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
