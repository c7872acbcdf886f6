/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * udp.c - datagrams over loopback, one direction between two sockets (spec 12 §4).
 *
 * A datagram leaves the sender's buffer as soon as it is on the device, which
 * is at once: the sender never waits. It is lost if what the receiver hasn't
 * read fills its buffer already, the room that each datagram's own buffer takes
 * counted as for other sockets.
 */
#include <errno.h>

#include "sim/net.h"

struct sim_pipe *sim_udp_new(struct sim *sim, u64 rcvbuf)
{
	struct sim_pipe *p = sim_pipe_new(sim, PIPE_UDP);

	if (!p)
		return NULL;
	p->net = arena_alloc(sim->arena, sizeof(*p->net));
	/* the last one that is taken may be more than what there is room for */
	if (!p->net || sock_queue_init(sim, p, rcvbuf + sock_truesize(SIM_UDP_LARGEST)))
		return NULL;
	p->net->rcvbuf = rcvbuf;
	return p;
}

/* ---- write ---- */

static void udp_arrived(struct sim *sim, struct sim_cpu *c)
{
	struct sim_pipe *p = c->curr->step.pipe;
	u64 bytes = c->curr->step.bytes;

	p->last_cpu = c->id;
	p->net->st.sent += bytes;
	if (p->queued > p->net->rcvbuf) {
		p->net->st.dropped += bytes;
		step_next(sim, c);
		return;
	}
	sock_queue_add(p, bytes, c->id);
	net_data_ready(sim, c);
}

void udp_write(struct sim *sim, struct sim_cpu *c)
{
	struct sim_pipe *p = c->curr->step.pipe;
	const struct machine_costs *cost = sim->cost;
	u64 bytes = c->curr->step.bytes, work;

	if (unlikely(bytes > SIM_UDP_LARGEST)) {
		err_set(&sim->fail, -EMSGSIZE,
			"%s-%d sends a datagram of %llu bytes, at most %d fit", c->curr->comm,
			c->curr->pid, (unsigned long long)bytes, SIM_UDP_LARGEST);
		return;
	}
	work = rates_call_ns(sim->rates, c->id,
			     cost->udp_send + cost->udp_rx + net_copy_ns(sim, bytes)) +
	       pipe_transfer_ns(sim, p, c, c->id, 0);
	seg_wall(sim, c, CPU_ATOMIC, sock_queue_lock_ns(sim, p, c, work), udp_arrived);
}

/* ---- read ---- */

static void read_sleep(struct sim *sim, struct sim_cpu *c)
{
	struct sim_pipe *p = c->curr->step.pipe;

	spin_unlock(sim, c, &p->read_lock);
	if (p->nr_messages)
		udp_read(sim, c);
	else
		task_block(sim, c, &p->readers, "a datagram", udp_read);
}

/* A datagram is taken off the queue first and copied then: the next reader has the next one. */
void udp_read(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;
	struct sim_pipe *p = t->step.pipe;
	u64 bytes, copied, work;
	int from;

	if (!p->nr_messages) {
		spin_lock(sim, c, &p->read_lock, read_sleep);
		return;
	}
	bytes = sock_message(p, 0)->bytes;
	from = sock_message(p, 0)->cpu;
	copied = min(bytes, t->step.bytes);
	work = rates_call_ns(sim->rates, c->id, sim->cost->udp_read + copy_ns(sim, copied)) +
	       pipe_transfer_ns(sim, p, c, from, copied);
	sock_queue_drop_first(p);
	p->net->st.received += bytes;
	p->last_cpu = c->id;
	t->ret = (s64)copied;
	seg_wall(sim, c, CPU_ATOMIC, work, step_next);
}
