/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pipe.c - pipes as tasks meet them (spec 12 §1).
 *
 * 16 slots of a page; a small write is merged into the last slot while it fits
 * there. Reader and writer copy under the pipe's mutex; who has to wake
 * somebody does so afterwards, holding the wait queue's lock. Waiters are
 * exclusive: one is woken at a time, and passes it on if more can go on. The
 * reader is woken by the first byte into an empty pipe, the writer when a
 * whole slot of a full pipe has become free.
 */
#include "sim/net.h"

static void write_lock(struct sim *sim, struct sim_cpu *c);
static void read_lock(struct sim *sim, struct sim_cpu *c);

/*
 * Cache lines that come from another CPU's cache: the pipe's own (its mutex,
 * head and tail, wait queue, inode) one after the other, the data's with
 * several in flight (spec 13 §8).
 */
#define PIPE_LINES 4

u64 pipe_transfer_ns(const struct sim *sim, const struct sim_pipe *p, const struct sim_cpu *c,
		     int data_cpu, u64 bytes)
{
	u64 ns = 0;

	if (p->last_cpu != c->id)
		ns = PIPE_LINES * sim->m->line_ns[distance(sim, p->last_cpu, c->id)];
	if (data_cpu != c->id)
		ns += (bytes + 63) / 64 * sim->data_line_ps[distance(sim, data_cpu, c->id)] / 1000;
	return ns;
}

/* ---- the ring ---- */

/* the part of a write that doesn't fill a page may share the last one */
static bool merges(const struct sim_pipe *p, u64 bytes)
{
	u64 tail = bytes % PIPE_PAGE;

	return p->used && tail && pipe_slot(p, p->used - 1)->end + tail <= PIPE_PAGE;
}

static bool pipe_writable(const struct sim_pipe *p, u64 bytes)
{
	return p->used < PIPE_SLOTS || merges(p, bytes);
}

static u64 pipe_put(struct sim_pipe *p, u64 bytes, int cpu)
{
	u64 left = bytes;

	if (merges(p, bytes)) {
		struct pipe_slot *s = pipe_slot(p, p->used - 1);

		s->end += bytes % PIPE_PAGE;
		s->bytes += bytes % PIPE_PAGE;
		s->cpu = cpu;
		left -= bytes % PIPE_PAGE;
	}
	while (left && p->used < PIPE_SLOTS) {
		struct pipe_slot *s = pipe_slot(p, p->used++);

		s->end = s->bytes = (u32)min(left, (u64)PIPE_PAGE);
		s->cpu = cpu;
		left -= s->bytes;
	}
	return bytes - left;
}

static u64 pipe_take(struct sim_pipe *p, u64 bytes)
{
	u64 got = 0;

	while (p->used && got < bytes) {
		struct pipe_slot *s = pipe_slot(p, 0);
		u32 n = (u32)min(bytes - got, (u64)s->bytes);

		s->bytes -= n;
		got += n;
		if (s->bytes)
			break;
		p->first = (p->first + 1) % PIPE_SLOTS;
		p->used--;
	}
	return got;
}

/* what a read of @bytes will find */
static u64 pipe_filled(const struct sim_pipe *p, u64 bytes)
{
	u64 filled = 0;

	for (u32 i = 0; i < p->used && filled < bytes; i++)
		filled += pipe_slot(p, i)->bytes;
	return min(filled, bytes);
}

static u64 pipe_room(const struct sim_pipe *p, u64 bytes)
{
	u64 room = (u64)(PIPE_SLOTS - p->used) * PIPE_PAGE;

	return min(bytes, room + (merges(p, bytes) ? bytes % PIPE_PAGE : 0));
}

/* ---- write ---- */

static void write_over(struct sim *sim, struct sim_cpu *c)
{
	c->curr->waited = false;
	step_next(sim, c);
}

static void write_passed_on(struct sim *sim, struct sim_cpu *c)
{
	spin_unlock(sim, c, &c->curr->step.pipe->write_lock);
	write_over(sim, c);
}

static void write_pass_on(struct sim *sim, struct sim_cpu *c)
{
	struct sim_pipe *p = c->curr->step.pipe;
	struct sim_task *next = waitq_take(&p->writers);

	if (next)
		wake_task(sim, c, next, true, write_passed_on);
	else
		write_passed_on(sim, c);
}

static void write_sleep(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;
	struct sim_pipe *p = t->step.pipe;
	bool ready = pipe_writable(p, t->left);

	spin_unlock(sim, c, &p->write_lock);
	t->waited = true;
	if (ready)
		write_lock(sim, c);
	else
		task_block(sim, c, &p->writers, "room in a pipe", write_lock);
}

static void write_go_on(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;
	struct sim_pipe *p = t->step.pipe;

	if (t->left)
		spin_lock(sim, c, &p->write_lock, write_sleep);
	else if (t->waited && p->writers.head && p->used < PIPE_SLOTS)
		spin_lock(sim, c, &p->write_lock, write_pass_on);
	else
		write_over(sim, c);
}

static void woke_reader(struct sim *sim, struct sim_cpu *c)
{
	struct sim_pipe *p = c->curr->step.pipe;

	spin_unlock(sim, c, &p->read_lock);
	if (p->kind == PIPE_SOCKET)
		sock_write_go_on(sim, c);
	else
		write_go_on(sim, c);
}

void pipe_wake_reader(struct sim *sim, struct sim_cpu *c)
{
	struct sim_pipe *p = c->curr->step.pipe;
	struct sim_task *reader;

	if (p->pollers.head) {
		wake_all(sim, c, &p->pollers, true, pipe_wake_reader);
		return;
	}
	reader = waitq_take(&p->readers);
	if (reader)
		wake_task(sim, c, reader, true, woke_reader);
	else
		woke_reader(sim, c);
}

static void write_unlocked(struct sim *sim, struct sim_cpu *c)
{
	struct sim_pipe *p = c->curr->step.pipe;

	if (c->curr->wake_peer && (p->readers.head || p->pollers.head))
		spin_lock(sim, c, &p->read_lock, pipe_wake_reader);
	else
		write_go_on(sim, c);
}

static void write_unlock(struct sim *sim, struct sim_cpu *c)
{
	struct sim_pipe *p = c->curr->step.pipe;
	struct sim_task *sleeper;

	p->last_cpu = c->id;
	sleeper = kmutex_unlock(sim, c, &p->mutex);
	if (unlikely(sleeper))
		wake_task(sim, c, sleeper, false, write_unlocked);
	else
		write_unlocked(sim, c);
}

static void write_copied(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;
	struct sim_pipe *p = t->step.pipe;

	t->wake_peer = !p->used;
	t->left -= pipe_put(p, t->left, c->id);
	write_unlock(sim, c);
}

static void write_locked(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;
	struct sim_pipe *p = t->step.pipe;
	u64 bytes = pipe_room(p, t->left);

	t->wake_peer = false;
	if (!bytes) {
		write_unlock(sim, c);
		return;
	}
	seg_wall(sim, c, CPU_ATOMIC,
		 rates_call_ns(sim->rates, c->id, sim->cost->pipe_write + copy_ns(sim, bytes)) +
			 pipe_transfer_ns(sim, p, c, c->id, 0),
		 write_copied);
}

static void write_lock(struct sim *sim, struct sim_cpu *c)
{
	kmutex_lock(sim, c, &c->curr->step.pipe->mutex, write_locked);
}

/* ---- read ---- */

static void read_over(struct sim *sim, struct sim_cpu *c)
{
	c->curr->waited = false;
	step_next(sim, c);
}

static void read_passed_on(struct sim *sim, struct sim_cpu *c)
{
	spin_unlock(sim, c, &c->curr->step.pipe->read_lock);
	read_over(sim, c);
}

static void read_pass_on(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *next = waitq_take(&c->curr->step.pipe->readers);

	if (next)
		wake_task(sim, c, next, true, read_passed_on);
	else
		read_passed_on(sim, c);
}

static void read_sleep(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;
	struct sim_pipe *p = t->step.pipe;

	spin_unlock(sim, c, &p->read_lock);
	t->waited = true;
	if (p->used)
		read_lock(sim, c);
	else
		task_block(sim, c, &p->readers, "data in a pipe", read_lock);
}

static void read_go_on(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;
	struct sim_pipe *p = t->step.pipe;

	if (!t->ret)
		spin_lock(sim, c, &p->read_lock, read_sleep);
	else if (t->waited && p->readers.head && p->used)
		spin_lock(sim, c, &p->read_lock, read_pass_on);
	else
		read_over(sim, c);
}

static void read_woke_writer(struct sim *sim, struct sim_cpu *c)
{
	spin_unlock(sim, c, &c->curr->step.pipe->write_lock);
	read_go_on(sim, c);
}

static void read_wake_writer(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *writer = waitq_take(&c->curr->step.pipe->writers);

	if (writer)
		wake_task(sim, c, writer, true, read_woke_writer);
	else
		read_woke_writer(sim, c);
}

static void read_unlocked(struct sim *sim, struct sim_cpu *c)
{
	struct sim_pipe *p = c->curr->step.pipe;

	if (c->curr->wake_peer && p->writers.head)
		spin_lock(sim, c, &p->write_lock, read_wake_writer);
	else
		read_go_on(sim, c);
}

static void read_unlock(struct sim *sim, struct sim_cpu *c)
{
	struct sim_pipe *p = c->curr->step.pipe;
	struct sim_task *sleeper;

	p->last_cpu = c->id;
	sleeper = kmutex_unlock(sim, c, &p->mutex);
	if (unlikely(sleeper))
		wake_task(sim, c, sleeper, false, read_unlocked);
	else
		read_unlocked(sim, c);
}

static void read_copied(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;
	struct sim_pipe *p = t->step.pipe;
	bool was_full = p->used == PIPE_SLOTS;

	t->ret = (s64)pipe_take(p, t->step.bytes);
	t->wake_peer = was_full && p->used < PIPE_SLOTS;
	read_unlock(sim, c);
}

static void read_locked(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;
	struct sim_pipe *p = t->step.pipe;
	u64 bytes;

	t->wake_peer = false;
	if (!p->used) {
		read_unlock(sim, c);
		return;
	}
	bytes = pipe_filled(p, t->step.bytes);
	seg_wall(sim, c, CPU_ATOMIC,
		 rates_call_ns(sim->rates, c->id, sim->cost->pipe_read + copy_ns(sim, bytes)) +
			 pipe_transfer_ns(sim, p, c, pipe_slot(p, 0)->cpu, bytes),
		 read_copied);
}

static void read_lock(struct sim *sim, struct sim_cpu *c)
{
	kmutex_lock(sim, c, &c->curr->step.pipe->mutex, read_locked);
}

/* ---- creation ---- */

struct sim_pipe *sim_pipe_new(struct sim *sim, enum sim_pipe_kind kind)
{
	struct sim_pipe *p = arena_alloc(sim->arena, sizeof(*p));

	if (!p)
		return NULL;
	p->kind = kind;
	if (kind == PIPE_SOCKET && sock_init(sim, p))
		return NULL;
	return p;
}

/* ---- poll ---- */

static bool pipe_ready(const struct sim_pipe *p)
{
	switch (p->kind) {
	case PIPE_PIPE:
		return p->used;
	case PIPE_TCP:
		return tcp_readable(p);
	default:
		return p->nr_messages;
	}
}

static void poll_locked(struct sim *sim, struct sim_cpu *c)
{
	struct sim_pipe *p = c->curr->step.pipe;
	bool ready = pipe_ready(p);

	spin_unlock(sim, c, &p->read_lock);
	if (ready)
		step_next(sim, c);
	else
		task_block(sim, c, &p->pollers, "data to poll for", step_next);
}

static void poll_entered(struct sim *sim, struct sim_cpu *c)
{
	spin_lock(sim, c, &c->curr->step.pipe->read_lock, poll_locked);
}

bool step_poll(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	seg_call(sim, c, CPU_ATOMIC, sim->cost->syscall, poll_entered);
	return false;
}

/* ---- steps ---- */

static const cpu_fn readers[] = {
	[PIPE_PIPE] = read_lock,
	[PIPE_SOCKET] = sock_read,
	[PIPE_UDP] = udp_read,
	[PIPE_TCP] = tcp_read,
};

static const cpu_fn writers[] = {
	[PIPE_PIPE] = write_lock,
	[PIPE_SOCKET] = sock_write,
	[PIPE_UDP] = udp_write,
	[PIPE_TCP] = tcp_write,
};

bool step_read(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	t->ret = 0;
	if (!t->step.bytes)
		return true;
	readers[t->step.pipe->kind](sim, c);
	return false;
}

bool step_write(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	t->left = t->step.bytes;
	t->ret = (s64)t->step.bytes;
	if (!t->left)
		return true;
	writers[t->step.pipe->kind](sim, c);
	return false;
}
