/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sock.c - a connected stream socket, one direction (spec 12 §1).
 *
 * Each write is a message that takes its buffer's true size of the send buffer
 * until it is read: 768 bytes for one of 100, so that 277 fit. A sender sleeps
 * when its message doesn't fit; senders are woken, all of them, when what is
 * unread has dropped to a quarter. A message wakes a waiting reader.
 */
#include <errno.h>

#include "sim/pipe.h"

#define SOCK_BUFFER   212992
#define SOCK_OVERHEAD 512	/* of each message: its descriptor and shared info */
#define SOCK_GRAIN    256	/* its data is allocated in steps of this size */
#define SOCK_LARGEST  (SOCK_BUFFER / 2 - 64) /* a longer write is cut up */

/* ---- the queue ---- */

u64 sock_truesize(u64 bytes)
{
	return SOCK_OVERHEAD + (bytes + SOCK_GRAIN - 1) / SOCK_GRAIN * SOCK_GRAIN;
}

int sock_queue_init(struct sim *sim, struct sim_pipe *p, u64 bytes)
{
	p->max_messages = bytes / (SOCK_OVERHEAD + SOCK_GRAIN);
	p->message = arena_array(sim->arena, p->max_messages, sizeof(*p->message));
	return p->message ? 0 : -ENOMEM;
}

int sock_init(struct sim *sim, struct sim_pipe *p)
{
	return sock_queue_init(sim, p, SOCK_BUFFER);
}

void sock_queue_add(struct sim_pipe *p, u64 bytes, int cpu)
{
	struct sock_message *m = sock_message(p, p->nr_messages++);

	m->bytes = bytes;
	m->truesize = sock_truesize(bytes);
	m->cpu = cpu;
	p->queued += m->truesize;
}

void sock_queue_drop_first(struct sim_pipe *p)
{
	p->queued -= sock_message(p, 0)->truesize;
	p->nr_messages--;
	if (++p->first_message == p->max_messages)
		p->first_message = 0;
}

u64 sock_queue_lock_ns(struct sim *sim, struct sim_pipe *p, const struct sim_cpu *c, u64 work)
{
	u64 hold = p->last_cpu == c->id ? 0 : sim->m->line_ns[distance(sim, p->last_cpu, c->id)];
	u64 locked = max(sim->now + work, p->queue_free);

	p->queue_free = locked + hold;
	return p->queue_free - sim->now;
}

/* ---- write ---- */

static u64 next_message(const struct sim_task *t)
{
	return min(t->left, (u64)SOCK_LARGEST);
}

static bool sock_writable(const struct sim_pipe *p, u64 bytes)
{
	return p->queued + sock_truesize(bytes) <= SOCK_BUFFER;
}

void sock_write_go_on(struct sim *sim, struct sim_cpu *c)
{
	if (c->curr->left)
		sock_write(sim, c);
	else
		step_next(sim, c);
}

static void write_sleep(struct sim *sim, struct sim_cpu *c)
{
	struct sim_pipe *p = c->curr->step.pipe;
	bool ready = sock_writable(p, next_message(c->curr));

	spin_unlock(sim, c, &p->write_lock);
	if (ready)
		sock_write(sim, c);
	else
		task_block(sim, c, &p->writers, "room in a socket", sock_write);
}

static void write_copied(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;
	struct sim_pipe *p = t->step.pipe;

	p->last_cpu = c->id;
	if (!sock_writable(p, t->part)) { /* another sender was faster */
		spin_lock(sim, c, &p->write_lock, write_sleep);
		return;
	}
	sock_queue_add(p, t->part, c->id);
	t->left -= t->part;
	if (p->readers.head || p->pollers.head)
		spin_lock(sim, c, &p->read_lock, pipe_wake_reader);
	else
		sock_write_go_on(sim, c);
}

void sock_write(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;
	struct sim_pipe *p = t->step.pipe;
	u64 bytes = next_message(t), work;

	if (!sock_writable(p, bytes)) {
		spin_lock(sim, c, &p->write_lock, write_sleep);
		return;
	}
	t->part = bytes;
	work = rates_call_ns(sim->rates, c->id, sim->cost->sock_write + copy_ns(sim, bytes)) +
	       pipe_transfer_ns(sim, p, c, c->id, 0);
	seg_wall(sim, c, CPU_ATOMIC, sock_queue_lock_ns(sim, p, c, work), write_copied);
}

/* ---- read ---- */

static void read_woke_writers(struct sim *sim, struct sim_cpu *c)
{
	spin_unlock(sim, c, &c->curr->step.pipe->write_lock);
	step_next(sim, c);
}

static void read_wake_writers(struct sim *sim, struct sim_cpu *c)
{
	wake_all(sim, c, &c->curr->step.pipe->writers, true, read_woke_writers);
}

static void read_sleep(struct sim *sim, struct sim_cpu *c)
{
	struct sim_pipe *p = c->curr->step.pipe;

	spin_unlock(sim, c, &p->read_lock);
	if (p->nr_messages)
		sock_read(sim, c);
	else
		task_block(sim, c, &p->readers, "data in a socket", sock_read);
}

static void read_unlocked(struct sim *sim, struct sim_cpu *c)
{
	struct sim_pipe *p = c->curr->step.pipe;

	if (!c->curr->ret)
		spin_lock(sim, c, &p->read_lock, read_sleep);
	else if (p->writers.head && p->queued <= SOCK_BUFFER / 4)
		spin_lock(sim, c, &p->write_lock, read_wake_writers);
	else
		step_next(sim, c);
}

static void read_unlock(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *sleeper = kmutex_unlock(sim, c, &c->curr->step.pipe->mutex);

	if (unlikely(sleeper))
		wake_task(sim, c, sleeper, false, read_unlocked);
	else
		read_unlocked(sim, c);
}

static void read_copied(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;
	struct sim_pipe *p = t->step.pipe;
	u64 left = t->step.bytes;

	while (p->nr_messages && left) {
		struct sock_message *m = sock_message(p, 0);
		u64 n = min(left, m->bytes);

		m->bytes -= n;
		left -= n;
		if (m->bytes)
			break;
		sock_queue_drop_first(p);
	}
	t->ret = (s64)(t->step.bytes - left);
	p->last_cpu = c->id;
	read_unlock(sim, c);
}

/* what a read of @bytes will find */
static u64 sock_filled(const struct sim_pipe *p, u64 bytes)
{
	u64 filled = 0;

	for (u32 i = 0; i < p->nr_messages && filled < bytes; i++)
		filled += sock_message(p, i)->bytes;
	return min(filled, bytes);
}

static void read_locked(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;
	struct sim_pipe *p = t->step.pipe;
	u64 bytes;

	if (!p->nr_messages) {
		read_unlock(sim, c);
		return;
	}
	bytes = sock_filled(p, t->step.bytes);
	seg_wall(sim, c, CPU_ATOMIC,
		 rates_call_ns(sim->rates, c->id, sim->cost->sock_read + copy_ns(sim, bytes)) +
			 pipe_transfer_ns(sim, p, c, sock_message(p, 0)->cpu, bytes),
		 read_copied);
}

void sock_read(struct sim *sim, struct sim_cpu *c)
{
	kmutex_lock(sim, c, &c->curr->step.pipe->mutex, read_locked);
}
