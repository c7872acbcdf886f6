/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * net.c - what happens when a packet has arrived, whatever its protocol.
 */
#include "sim/net.h"

u64 net_copy_ns(const struct sim *sim, u64 bytes)
{
	return copy_ns(sim, bytes) + bytes * sim->cost->net_kib / 1024;
}

void net_go_on(struct sim *sim, struct sim_cpu *c)
{
	const struct sim_step *st = &c->curr->step;

	if (st->pipe->kind == PIPE_UDP)
		step_next(sim, c);
	else if (st->op == SIM_WRITE)
		tcp_write_go_on(sim, c);
	else
		tcp_read_go_on(sim, c);
}

static void woke(struct sim *sim, struct sim_cpu *c)
{
	spin_unlock(sim, c, &c->curr->step.pipe->read_lock);
	c->in_softirq = false;
	net_go_on(sim, c);
}

static void wake_locked(struct sim *sim, struct sim_cpu *c)
{
	struct sim_pipe *p = c->curr->step.pipe;
	struct sim_task *reader;

	if (p->pollers.head) {
		wake_all(sim, c, &p->pollers, true, wake_locked);
		return;
	}
	reader = waitq_take(&p->readers);
	if (reader)
		wake_task(sim, c, reader, true, woke);
	else
		woke(sim, c);
}

void net_data_ready(struct sim *sim, struct sim_cpu *c)
{
	struct sim_pipe *p = c->curr->step.pipe;

	if (!p->readers.head && !p->pollers.head) {
		net_go_on(sim, c);
		return;
	}
	c->in_softirq = true;
	spin_lock(sim, c, &p->read_lock, wake_locked);
}

struct sim_net_stats sim_net_stats(const struct sim_pipe *p)
{
	const struct net_flow *n = p->net;
	struct sim_net_stats st = n->st;

	if (p->kind == PIPE_TCP)
		st.queued = n->unsent + n->on_wire + n->unread;
	else
		for (u32 i = 0; i < p->nr_messages; i++)
			st.queued += sock_message(p, i)->bytes;
	return st;
}
