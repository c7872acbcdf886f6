/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine.h - the parts of the engine to each other (spec 14). Included by sim/ only.
 *
 * Three things make time pass: the next boundary of a CPU (one slot per CPU),
 * the next expiry of a timer (one per task, and one per CPU for the core), and
 * the tick (one for all CPUs, since their ticks share a phase). At equal times
 * what the timeline does to the machine comes first, then timers, by the number
 * of their task, then the core's, then the averages of pressure, then the tick,
 * then the CPUs by number.
 */
#ifndef IDLEST_SIM_ENGINE_H
#define IDLEST_SIM_ENGINE_H

#include "sim/cgroup.h"
#include "sim/state.h"
#include "sim/waste.h"

/* ---- small things ---- */

static inline void count(struct sim *sim, enum counter what)
{
	sim->counter[what]++;
}

/* what an enqueue or a dequeue takes beyond its cost (spec 09 §3) */
static inline u64 queueing_extra(const struct sim *sim)
{
	return unlikely(sim->counts_clamps) ? sim->cost->uclamp : 0;
}

static inline enum topo_distance distance(const struct sim *sim, int a, int b)
{
	return topo_distance(sim->topo, a, b);
}

/* hotplug.c: when the next change of the machine is due */
u64 change_time(const struct sim *sim);

/* a timer or the tick was set or is over */
static inline void arm_others(struct sim *sim)
{
	u64 timer = min(heap_time(&sim->timers), heap_time(&sim->class_timers));

	sim->other_at = min(min(timer, sim->psi_at), sim->next_tick);
	if (unlikely(sim->next_change < sim->p.nr_changes))
		sim->other_at = min(sim->other_at, change_time(sim));
}

static inline void waitq_add(struct waitq *q, struct sim_task *t)
{
	t->wait_next = NULL;
	if (q->head)
		q->tail->wait_next = t;
	else
		q->head = t;
	q->tail = t;
}

static inline struct sim_task *waitq_take(struct waitq *q)
{
	struct sim_task *t = q->head;

	if (t)
		q->head = t->wait_next;
	return t;
}

/* absolute time @ns after @from; what would be beyond the end of time is never */
static inline u64 time_after(u64 from, u64 ns)
{
	return from + ns < from ? NEVER : from + ns;
}

static inline u64 copy_ns(const struct sim *sim, u64 bytes)
{
	return bytes * sim->copy_ps / 1000;
}

/* ---- engine.c ---- */

/* room for more tasks; Return: 0 or -ENOMEM */
int engine_grow(struct sim *sim);

/* ---- cpu.c: segments ---- */

void cpu_arm(struct sim *sim, struct sim_cpu *c);
/* @ns of wall time (and what is carried), then @fn */
void seg_wall(struct sim *sim, struct sim_cpu *c, enum cpu_mode mode, u64 ns, cpu_fn fn);
/* … that a system call takes alone on a big core: longer beside a busy sibling */
void seg_call(struct sim *sim, struct sim_cpu *c, enum cpu_mode mode, u64 ns, cpu_fn fn);
/* a path of the scheduler: atomic, counted as kernel_ns */
void seg_path(struct sim *sim, struct sim_cpu *c, u64 ns, cpu_fn fn);
void seg_spin(struct sim *sim, struct sim_cpu *c, enum cpu_mode mode, cpu_fn fn);
/* start or go on with a frame */
void frame_start(struct sim *sim, struct sim_cpu *c, const struct frame *f);
/* take what @c does off it and keep it in @f */
void frame_suspend(struct sim *sim, struct sim_cpu *c, struct frame *f);
/* the wait of the spinning task @t ends @ns from now, wherever it is at the moment */
void spin_end(struct sim *sim, struct sim_task *t, u64 ns);
void rates_apply(struct sim *sim);
void cpu_event(struct sim *sim, struct sim_cpu *c);
/* Return: true if something came first; @fn will be called later */
bool return_to_user(struct sim *sim, struct sim_cpu *c, cpu_fn fn);

/* ---- schedule.c ---- */

void schedule(struct sim *sim, struct sim_cpu *c);
bool throttle_curr(struct sim *sim, struct sim_cpu *c);

/* @c is about to return to user mode: whether it has to schedule first */
static inline bool must_schedule(struct sim *sim, struct sim_cpu *c)
{
	if (likely(!(c->resched | c->resched_lazy | c->throttle)))
		return false;
	return !c->throttle || throttle_curr(sim, c);
}

/* drain what the core asked for */
void handle_outs(struct sim *sim);
void task_runnable(struct sim *sim, struct sim_task *t);
void account_waiting(struct sim *sim);
/* @t, if it waits, leaves the count of those that do, and comes back to it */
bool stop_waiting(struct sim *sim, struct sim_task *t);
void count_waiting(struct sim *sim, struct sim_task *t);
void task_migrates(void *ctx, struct task *p, int from, int to);

/* ---- idle.c ---- */

void idle_init(struct sim *sim, struct sim_cpu *c);
/* from now on only tasks come to @c that were bound to it */
void idle_set_isolated(struct sim *sim, struct sim_cpu *c);
void idle_enter(struct sim *sim, struct sim_cpu *c);
/* an interrupt: out of the C-state, still the idle task */
void idle_leave(struct sim *sim, struct sim_cpu *c);
/* there is something to run: the tick goes on */
void idle_exit(struct sim *sim, struct sim_cpu *c);
/* an event is on its way to an idle CPU: it no longer counts as idle */
void idle_woken(struct sim *sim, struct sim_cpu *c);

/* ---- irq.c ---- */

void irq_enter(struct sim *sim, struct sim_cpu *c);
/* … between two segments: go on with @f afterwards */
void irq_enter_at(struct sim *sim, struct sim_cpu *c, const struct frame *f);
/* @from makes @c notice something; @bit 0: only the need-resched flag */
void kick(struct sim *sim, int from, struct sim_cpu *c, u32 bit);
void tick_all(struct sim *sim);
void tick_start(struct sim *sim, struct sim_cpu *c);
void timer_expired(struct sim *sim, struct sim_task *t);
void class_timer_expired(struct sim *sim, struct sim_cpu *c);

/* ---- hotplug.c ---- */

/* the next change of the timeline */
void change_due(struct sim *sim);
/* inside the stopper of @c: it takes no more tasks */
void hotplug_down(struct sim *sim, struct sim_cpu *c);
/* @c idles on its way out; Return: whether it is off now */
bool hotplug_off(struct sim *sim, struct sim_cpu *c);
/* @cpu, or if that is off the one that gets its interrupts */
int living_cpu(const struct sim *sim, int cpu);

/* ---- walk.c, stop.c ---- */

/* balance the domains of @c, then go on with @then */
void walk(struct sim *sim, struct sim_cpu *c, enum walk_kind kind, cpu_fn then);
void stop_queue(struct sim *sim, int from, struct sim_cpu *c, struct sim_task *t, int dst);
void stop_run(struct sim *sim, struct sim_cpu *c);
void stop_cancel(struct sim_task *t);

/* ---- wake.c ---- */

/* @c wakes @t, which is on no wait queue any more, then goes on with @then */
void wake_task(struct sim *sim, struct sim_cpu *c, struct sim_task *t, bool sync, cpu_fn then);
/* … everybody on @list, one after the other */
void wake_all(struct sim *sim, struct sim_cpu *c, struct waitq *list, bool sync, cpu_fn then);
/* first wake-up of a new task, from @c */
void wake_new(struct sim *sim, struct sim_cpu *c, struct sim_task *t, cpu_fn then);
/* account for @t, which the stopper preempts; NULL: idle */
void stop_switched_out(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
/* whether some CPU is at queueing a task on @c */
bool wake_under_way(const struct sim *sim, const struct sim_cpu *c);
/* @t was switched out: go on, whoever spins for it */
void wake_spinners(struct sim *sim, struct sim_task *t);
/* @c takes its wake list; Return: ns that it takes */
u64 wake_list_run(struct sim *sim, struct sim_cpu *c);

/* ---- task.c, fork.c ---- */

/* a slot filled from @what; NULL: out of memory */
struct sim_task *task_alloc(struct sim *sim, const struct sim_spawn *what, struct sim_task *parent);
/* the core's part, when it is forked; Return: 0 or -ENOMEM */
int task_create(struct sim *sim, struct sim_task *t, struct sim_task *parent);
/* a slot without a task, and back */
struct sim_task *slot_take(struct sim *sim);
void slot_put(struct sim *sim, struct sim_task *t);
/* a new task that the timer of @cpu starts at @at, without a parent */
void task_start_at(struct sim *sim, struct sim_task *t, int cpu, u64 at);
/* @t is there since boot, asleep; it ran on @cpu last. Return: 0 or -ENOMEM */
int task_born_asleep(struct sim *sim, struct sim_task *t, int cpu);
int task_keep_allowed(struct sim *sim, struct sim_task *t, const u64 *allowed);
/* @t may use @cpus from now on, unless the kernel refuses */
void task_bind(struct sim *sim, struct sim_task *t, const u64 *cpus);
/* @cpus is all that a task may use which wasn't bound */
bool is_common(const struct sim *sim, const u64 *cpus);
/* a CPU that isn't isolated, drawn */
int draw_cpu(struct sim *sim);

/* ---- cgroup.c ---- */

int cgroups_init(struct sim *sim);
/* the core's group of @t: its cgroup's; in the root, its session's if sessions have one; or NULL */
struct task_group *task_core_group(const struct sim_task *t);
/* @t, which isn't in the core's hands, asks for the CPUs @asked (NULL: any); Return: 0 or -ENOMEM */
int task_ask_cpus(struct sim *sim, struct sim_task *t, const u64 *asked);
/* what a child of @t asks for without a word of its own */
const u64 *task_inherited_cpus(const struct sim_task *t);
int task_set_affinity(struct sim *sim, struct sim_task *t, const u64 *asked);
void cgroup_tick(struct sim *sim, struct sim_task *t, bool user);
int keep_account(struct sim *sim, const struct sim_task *t);
int task_set_cgroup(struct sim *sim, struct sim_task *t, struct sim_cgroup *cg);
/* the current task of @c goes to sleep and goes on with @fn when woken */
void task_block(struct sim *sim, struct sim_cpu *c, struct waitq *q, const char *what, cpu_fn fn);
/* … until the time @at */
void task_block_until(struct sim *sim, struct sim_cpu *c, u64 at, const char *what, cpu_fn fn);
/* … exactly until then, when CPU @irq_cpu gets the interrupt */
void task_block_irq(struct sim *sim, struct sim_cpu *c, int irq_cpu, u64 at, const char *what,
		    cpu_fn fn);
/* the current task of @c goes on, after a switch to it */
void task_resume(struct sim *sim, struct sim_cpu *c);
/* the preempted task of @c goes on later with what the interrupt suspended */
void task_keep_frame(struct sim_cpu *c);
void task_exit(struct sim *sim, struct sim_cpu *c);
/* its parent has waited for @t */
void task_reap(struct sim *sim, struct sim_task *t);
/* after the last switch away from an exited task */
void task_gone(struct sim *sim, struct sim_task *t);

/* ---- step.c and the objects: a step that took no time returns true ---- */

/* the current task's step is over: ask for the next one */
void step_next(struct sim *sim, struct sim_cpu *c);
bool step_read(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_write(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_poll(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_lock(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_unlock(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_cond_wait(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_cond_wake(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_sem_post(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_sem_wait(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_barrier(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_suspend(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_resume(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_wake_pair(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_sleep_forever(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_queue_work(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_worker_run(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_worker_idle(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_complete(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_wait_completion(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
int init_start(struct sim *sim);
bool step_fork(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_exec(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_wait_child(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_stream(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_touch(struct sim *sim, struct sim_cpu *c, struct sim_task *t);

/* ---- completion.c, workqueue.c ---- */

/* wake the first who waits for @done, or remember it, then go on with @then */
void complete(struct sim *sim, struct sim_cpu *c, struct sim_completion *done, cpu_fn then);
/* the time of a delayed work has come, which @timer carries */
void work_due(struct sim *sim, struct sim_cpu *c, struct sim_task *timer, cpu_fn then);

/* ---- spin.c: locks of the kernel ---- */

void spin_lock(struct sim *sim, struct sim_cpu *c, struct spinlock *l, cpu_fn then);
void spin_unlock(struct sim *sim, struct sim_cpu *c, struct spinlock *l);
/* the current task of @c takes @l, then goes on with @then */
void kmutex_lock(struct sim *sim, struct sim_cpu *c, struct kmutex *l, cpu_fn then);
/* Return: a sleeper that the caller must wake, or NULL */
struct sim_task *kmutex_unlock(struct sim *sim, struct sim_cpu *c, struct kmutex *l);
/* @c has to reschedule while it spins: its task goes to sleep instead */
void kmutex_give_up(struct sim *sim, struct sim_cpu *c);

/* ---- shared.c ---- */

/* the current task of @c does @ns of a fork, exec or exit, of which it holds the locks of its
 * image for @permille, then goes on with @then */
void image_work(struct sim *sim, struct sim_cpu *c, u64 ns, u32 permille, cpu_fn then);
u64 line_write(struct sim *sim, struct sim_line *l, int cpu);

/* ---- stream.c ---- */

void stream_start(struct sim *sim, struct sim_cpu *c, u64 left);
void stream_stop(struct sim *sim, struct sim_cpu *c);

/* ---- noise.c ---- */

int noise_init(struct sim *sim);
/* a kernel thread that sleeps since boot and ran on @cpu last; NULL: out of memory */
struct sim_task *kthread_new(struct sim *sim, const char *comm, const struct sim_program *program,
			     void *arg, const u64 *allowed, int cpu);
/* from the tick of @c: background threads whose time has come join c->timers */
void noise_tick(struct sim *sim, struct sim_cpu *c);
u64 timer_slack(struct sim *sim, struct sim_cpu *c, u64 at);
u64 irq_jitter(struct sim *sim);
u64 irq_turn(struct sim *sim);

/* ---- trace.c ---- */

void trace_task(struct sim *sim, enum sim_trace_kind kind, int cpu, const struct sim_task *t,
		int dest, int orig);
void trace_fork(struct sim *sim, int cpu, const struct sim_task *parent,
		const struct sim_task *child);
void trace_switch(struct sim *sim, int cpu, const struct sim_task *prev,
		  const struct sim_task *next, bool preempted);
/* The stoppers' pids come before those of the tasks. */
static inline int stopper_pid(int cpu)
{
	return 16 + cpu;
}

static inline int first_pid(int nr_cpus)
{
	return max(1000, stopper_pid(nr_cpus));
}

/* the CPU's stopper comes, goes, is woken by CPU @from */
void trace_stopper_in(struct sim *sim, int cpu, const struct sim_task *prev);
void trace_stopper_out(struct sim *sim, int cpu, const struct sim_task *next);
void trace_stopper_wake(struct sim *sim, int from, int cpu);

static inline bool tracing(const struct sim *sim)
{
	return unlikely(sim->p.trace);
}

/* ---- check.c ---- */

int check_engine(struct sim *sim, struct err *err);
void deadlock_message(const struct sim *sim, struct err *err);

#endif
