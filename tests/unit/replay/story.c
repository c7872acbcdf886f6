// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stories of small traces whose truth is known, and of recordings, in which
 * nothing may have to be made up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>

#include "lines.h"
#include "replay/story.h"

static struct trace *trace;
static struct story *story;

static void tell(const char *const *lines)
{
	struct err err = { 0 };

	trace = read_lines(lines);
	assert_int_equal(story_build(trace, &story, &err), 0);
}

static void forget(void)
{
	story_free(story);
	trace_free(trace);
}

static const struct story_act *nth(enum story_kind kind, int n)
{
	for (u32 i = 0; i < story->nr_acts; i++)
		if (story->act[i].kind == kind && !n--)
			return &story->act[i];
	fail_msg("no such act");
	return NULL;
}

static int count(enum story_kind kind)
{
	int n = 0;

	for (u32 i = 0; i < story->nr_acts; i++)
		n += story->act[i].kind == kind;
	return n;
}

static const struct story_task *task(s32 pid)
{
	for (u32 i = 0; i < story->nr_tasks; i++)
		if (story->task[i].pid == pid)
			return &story->task[i];
	fail_msg("no task %d", pid);
	return NULL;
}

#define CHANGE(a, state, b)                                                                        \
	"sched_switch: prev_comm=t prev_pid=" #a " prev_prio=120 prev_state=" state                \
	" ==> next_comm=t next_pid=" #b " next_prio=120"
#define ABOUT(event, p, cpu) "sched_" event ": comm=t pid=" #p " prio=120 target_cpu=00" #cpu
#define MIGRATE(p, from, to)                                                                       \
	"sched_migrate_task: comm=t pid=" #p " prio=120 orig_cpu=" #from " dest_cpu=" #to

/* one wake-up in three lines, on two CPUs: the wake list */
static void wake_list(void **state)
{
	static const char *const lines[] = {
		"t-10 0 d..3. 100 " ABOUT("waking", 11, 1),
		"t-10 0 d..3. 101 " MIGRATE(11, 1, 2),
		"<idle>-0 2 dNh2. 105 " ABOUT("wakeup", 11, 2),
		"<idle>-0 2 d..2. 107 " CHANGE(0, "R", 11),
		NULL,
	};
	const struct story_act *w, *e;

	tell(lines);
	assert_int_equal(story->made_up, 0);
	assert_int_equal(task(10)->start, START_RUNNING);
	assert_int_equal(task(11)->start, START_ASLEEP);
	assert_int_equal(task(11)->start_cpu, 1);
	w = nth(STORY_WAKE, 0);
	e = nth(STORY_ENQUEUE, 0);
	assert_int_equal(w->path, PATH_LIST);
	assert_int_equal(w->from, 1);
	assert_int_equal(w->to, 2);
	assert_int_equal(w->cpu, 0);
	assert_true(w->sync && !w->irq && !w->on_cpu);
	assert_int_equal(trace->event[w->select].kind, EV_MIGRATE);
	assert_ptr_equal(&story->act[w->enqueue], e);
	assert_ptr_equal(&story->act[e->wake], w);
	assert_int_equal(e->cpu, 2);
	assert_int_equal(count(STORY_MOVE), 0);
	forget();
}

/* who is woken while it switches out had blocked before the waker looked */
static void blocks_early(void **state)
{
	static const char *const lines[] = {
		"t-10 0 d..3. 100 " ABOUT("waking", 12, 1),
		"t-10 0 d..4. 102 " ABOUT("wakeup", 12, 1), /* it hadn't: nothing to do */
		"t-12 1 d..2. 103 " CHANGE(12, "R", 13),
		"t-10 0 d..3. 110 " ABOUT("waking", 13, 1),
		"t-13 1 d..2. 111 " CHANGE(13, "S", 12),
		"t-10 0 d..3. 112 " MIGRATE(13, 1, 0),
		"t-10 0 d..4. 113 " ABOUT("wakeup", 13, 0),
		NULL,
	};
	const struct story_act *b, *w;

	tell(lines);
	assert_int_equal(story->made_up, 0);
	w = nth(STORY_WAKE, 0);
	assert_int_equal(w->path, PATH_AWAKE);
	b = nth(STORY_BLOCK, 0);
	assert_int_equal(count(STORY_BLOCK), 1);
	assert_true(b->early);
	assert_int_equal(b->ns, 110000);
	w = nth(STORY_WAKE, 1);
	assert_true(w > b && w->on_cpu);
	assert_int_equal(w->path, PATH_HERE);
	forget();
}

/* a new-idle pull lies between a task's blocking and its switch */
static void newidle_pull(void **state)
{
	static const char *const lines[] = {
		"t-20 1 d..2. 90 " CHANGE(20, "R", 21),
		"t-10 0 d..2. 100 " MIGRATE(20, 1, 0),
		"t-10 0 d..2. 102 " CHANGE(10, "S", 20),
		NULL,
	};
	const struct story_act *m, *b;

	tell(lines);
	m = nth(STORY_MOVE, 0);
	b = nth(STORY_BLOCK, 0);
	assert_int_equal(m->move, MOVE_NEWIDLE);
	assert_int_equal(m->from, 1);
	assert_int_equal(m->to, 0);
	assert_true(b < m && b->early);
	assert_int_equal(task(21)->start, START_QUEUED);
	assert_int_equal(story->made_up, 0);
	forget();
}

static void other_moves(void **state)
{
	static const char *const lines[] = {
		"t-10 0 d.s2. 100 " MIGRATE(11, 1, 0),
		"<idle>-0 2 d.s2. 110 " MIGRATE(11, 0, 3),
		"<idle>-0 2 d.s2. 111 " MIGRATE(11, 3, 2),
		/* a push that somebody asked for, then one that the task itself did: at exec, and not */
		"t-10 0 d..2. 120 sched_waking: comm=migration/3 pid=9 prio=0 target_cpu=003",
		"t-10 0 d..2. 121 sched_wakeup: comm=migration/3 pid=9 prio=0 target_cpu=003",
		"t-30 3 d..2. 122 sched_switch: prev_comm=t prev_pid=30 prev_prio=120 prev_state=R "
		"==> next_comm=migration/3 next_pid=9 next_prio=0",
		"migration/3-9 3 d..2. 123 " MIGRATE(30, 3, 4),
		"migration/3-9 3 d..2. 124 sched_switch: prev_comm=migration/3 prev_pid=9 prev_prio=0 "
		"prev_state=S ==> next_comm=t next_pid=31 next_prio=120",
		"t-31 3 d..2. 130 sched_waking: comm=migration/3 pid=9 prio=0 target_cpu=003",
		"t-31 3 d..2. 131 sched_wakeup: comm=migration/3 pid=9 prio=0 target_cpu=003",
		"t-31 3 d..2. 132 sched_switch: prev_comm=t prev_pid=31 prev_prio=120 prev_state=R+ "
		"==> next_comm=migration/3 next_pid=9 next_prio=0",
		"migration/3-9 3 d..2. 133 " MIGRATE(31, 3, 5),
		"<idle>-0 5 d..2. 135 " CHANGE(0, "R", 31),
		"t-31 5 ..... 136 sched_process_exec: filename=/bin/t pid=31 old_pid=31",
		NULL,
	};
	static const enum story_move why[] = { MOVE_PERIODIC, MOVE_NOHZ, MOVE_NOHZ, MOVE_ACTIVE,
					       MOVE_EXEC };

	tell(lines);
	assert_int_equal(count(STORY_MOVE), ARRAY_SIZE(why));
	for (int i = 0; i < (int)ARRAY_SIZE(why); i++)
		assert_int_equal(nth(STORY_MOVE, i)->move, why[i]);
	assert_int_equal(story->made_up, 0);
	assert_true(task(9)->stopper && task(9)->kthread);
	assert_int_equal(task(9)->bound_cpu, 3);
	forget();
}

/* what a trace lost is made up, so that each act fits */
static void lost_events(void **state)
{
	static const char *const lines[] = {
		"t-10 0 d..2. 100 " CHANGE(10, "S", 11),
		/* 10 was woken on 1, and 11 left 0 for 12 */
		"<idle>-0 1 d..2. 110 " CHANGE(0, "R", 10),
		"t-12 0 d..2. 120 " CHANGE(12, "S", 0),
		NULL,
	};

	tell(lines);
	assert_true(story->made_up > 0);
	assert_int_equal(count(STORY_WAKE), 1);
	assert_true(nth(STORY_WAKE, 0)->made_up);
	forget();
}

static void names(void **state)
{
	static const struct {
		const char *comm;
		bool kthread;
		int cpu;
	} t[] = {
		{ "kworker/3:1H", true, 3 },   { "kworker/u8:2", true, -1 },
		{ "ksoftirqd/11", true, 11 },  { "migration/0", true, 0 },
		{ "rcu_preempt", true, -1 },   { "kworkerish", false, -1 },
		{ "migration/x", false, -1 },  { "mdadm", false, -1 },
		{ "md0_raid1", true, -1 },     { "bash", false, -1 },
		{ "", false, -1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		int cpu;

		assert_int_equal(story_kthread_name(t[i].comm, &cpu), t[i].kthread);
		assert_int_equal(cpu, t[i].cpu);
	}
}

static void tick_phase(void **state)
{
	static const char *const lines[] = {
		"t-1 0 d.s3. 1003 " ABOUT("waking", 5, 1), "t-1 0 d.s3. 5002 " ABOUT("waking", 5, 1),
		"t-1 0 d.s3. 9001 " ABOUT("waking", 5, 1), "t-1 0 d.s3. 13004 " ABOUT("waking", 5, 1),
		"t-1 0 d.s3. 17001 " ABOUT("waking", 5, 1), "t-1 0 d.s3. 18500 " ABOUT("waking", 5, 1),
		NULL,
	};
	struct story_tick k;

	tell(lines);
	assert_int_equal(story_find_tick(story, 250, &k), 0);
	assert_int_equal(k.period_ns, 4000000);
	assert_int_equal(k.phase_ns, 1000000);
	assert_true(k.sure);
	assert_int_equal(k.hits, 5);
	assert_int_equal(story_find_tick(story, 1000, &k), 0);
	assert_int_equal(k.period_ns, 1000000);
	forget();
}

/* two tasks take turns, the first @nr times for no reason but the end of a slice */
static struct story_tick turns(int period_us, int nr, bool woken)
{
	char text[32][160];
	const char *lines[48];
	struct story_tick k;
	int n = 0;

	for (int i = 0; i < nr; i++) {
		int us = 1000 + i * period_us;

		if (woken) {
			snprintf(text[n], sizeof(text[n]), "a-1 0 d.h3. %d " WAKEUP("b", 2, 000), us - 50);
			lines[n] = text[n];
			n++;
		}
		snprintf(text[n], sizeof(text[n]), "a-1 0 d..2. %d %s", us,
			 i % 2 ? SWITCH("b", 2, "R", "a", 1) : SWITCH("a", 1, "R", "b", 2));
		lines[n] = text[n];
		n++;
	}
	lines[n] = NULL;
	tell(lines);
	assert_int_equal(story_find_tick(story, 250, &k), 0);
	forget();
	return k;
}

static void slices(void **state)
{
	struct story_tick k = turns(4000, 12, false); /* at ticks */

	assert_int_equal(k.slices, 12);
	assert_int_equal(k.slices_near, 12);
	assert_false(k.reads_time);
	k = turns(2830, 12, false); /* when they are used up */
	assert_int_equal(k.slices, 12);
	assert_true(k.reads_time);
	k = turns(2830, 12, true); /* because somebody was woken */
	assert_int_equal(k.slices, 0);
	assert_false(k.reads_time);
	k = turns(2830, 7, false); /* too few to tell */
	assert_false(k.reads_time);
}

/* the recordings lost nothing, so nothing may have to be made up */
static void recordings(void **state)
{
	const char *shared = getenv("IDLEST_SHARED");
	char dir[4096], path[8192];
	struct dirent *d;
	int n = 0;
	DIR *f;

	snprintf(dir, sizeof(dir), "%s/kernel-truth/traces", shared ? shared : SOURCE_ROOT "/../shared");
	f = opendir(dir);
	if (!f) {
		print_message("no recordings in %s: skipped\n", dir);
		skip();
	}
	while ((d = readdir(f))) {
		struct err err = { 0 };

		if (!strstr(d->d_name, ".trace.xz"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, d->d_name);
		assert_int_equal(trace_read(path, &trace, &err), 0);
		assert_int_equal(story_build(trace, &story, &err), 0);
		if (story->made_up > 1)
			fail_msg("%s: %u acts made up", d->d_name, story->made_up);
		forget();
		n++;
	}
	closedir(f);
	assert_true(n > 50);
}

/* in the lock of a wait queue a reader is woken sync; who sleeps uninterruptibly is no reader */
static void sync_wakeups(void **state)
{
	static const char *const lines[] = {
		"<idle>-0 1 d..2. 100 " CHANGE(0, "R", 12),
		"<idle>-0 2 d..2. 101 " CHANGE(0, "R", 13),
		"t-12 1 d..2. 110 " CHANGE(12, "S", 0),
		"t-13 2 d..2. 111 " CHANGE(13, "D", 0),
		"<idle>-0 0 d..2. 120 " CHANGE(0, "R", 11),
		"t-11 0 d..3. 130 " ABOUT("waking", 12, 1),
		"<idle>-0 1 dNh3. 135 " ABOUT("wakeup", 12, 1),
		"t-11 0 d..3. 140 " ABOUT("waking", 13, 2),
		"<idle>-0 2 dNh3. 145 " ABOUT("wakeup", 13, 2),
		"t-11 0 d.h3. 150 " ABOUT("waking", 14, 3),
		"<idle>-0 3 dNh3. 155 " ABOUT("wakeup", 14, 3),
		"t-11 0 d..2. 160 " ABOUT("waking", 15, 4),
		"<idle>-0 4 dNh3. 165 " ABOUT("wakeup", 15, 4),
		NULL,
	};

	tell(lines);
	assert_true(nth(STORY_WAKE, 0)->sync);
	assert_false(nth(STORY_WAKE, 1)->sync);
	assert_false(nth(STORY_WAKE, 2)->sync); /* by an interrupt */
	assert_false(nth(STORY_WAKE, 3)->sync); /* no wait queue's lock */
	forget();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wake_list),   cmocka_unit_test(blocks_early),
		cmocka_unit_test(newidle_pull), cmocka_unit_test(other_moves),
		cmocka_unit_test(lost_events), cmocka_unit_test(names),
		cmocka_unit_test(tick_phase),  cmocka_unit_test(slices),
		cmocka_unit_test(recordings),
		cmocka_unit_test(sync_wakeups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
