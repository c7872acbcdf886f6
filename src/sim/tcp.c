/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tcp.c - a connection over loopback: two directions, each a stream of bytes (spec 12 §3, §4).
 *
 * What is written goes into the send queue and, as far as the window allows, on
 * in segments through the device into the receive queue, all in the context of
 * who sends. A segment that isn't full waits while the reader hasn't read what
 * came before (Nagle), unless the connection is "nodelay".
 *
 * The sender keeps what isn't acknowledged; that and the rest of its queue fill
 * the send buffer, and a writer who finds it full sleeps until a third of it is
 * free again. The wake-up has no sync hint: no data came. Acknowledgements:
 *  - every second segment is acknowledged where it arrives,
 *  - a segment that goes the other way acknowledges all,
 *  - a reader does who has opened the window to a segment or half, and to twice
 *    of what the sender knows to be left, when that is half of it or less,
 *  - so does one who has read all: if two segments went unanswered (the
 *    connection isn't one of requests and replies), or if the sender waits for it.
 * The last case stands for the timer of delayed acknowledgements; it is never
 * waited for.
 *
 * An acknowledgement is handled in the reader's context, which sends for the
 * sender what was held back; unless a writer has the socket, who does it then
 * at the end of his call.
 */
#include <errno.h>

#include "sim/net.h"

#define TCP_MSS 65483 /* of the loopback device: its MTU of 64 KiB without the headers */

static int flow_new(struct sim *sim, const struct sim_tcp *opt, struct sim_pipe **result)
{
	struct sim_pipe *p = sim_pipe_new(sim, PIPE_TCP);

	if (!p)
		return -ENOMEM;
	p->net = arena_alloc(sim->arena, sizeof(*p->net));
	if (!p->net)
		return -ENOMEM;
	p->net->sndbuf = opt->sndbuf;
	p->net->rcvbuf = p->net->credit = opt->rcvbuf;
	p->net->nodelay = opt->nodelay;
	*result = p;
	return 0;
}

int sim_tcp_new(struct sim *sim, const struct sim_tcp *opt, struct sim_pipe *pair[2])
{
	if (flow_new(sim, opt, &pair[0]) || flow_new(sim, opt, &pair[1]))
		return -ENOMEM;
	pair[0]->net->reverse = pair[1];
	pair[1]->net->reverse = pair[0];
	return 0;
}

/* ---- the state of a flow; no time passes ---- */

static struct net_flow *flow(const struct sim_cpu *c)
{
	return c->curr->step.pipe->net;
}

/* bytes that the sender keeps */
static u64 kept(const struct net_flow *n)
{
	return n->unsent + n->on_wire + n->unacked;
}

static bool all_read(const struct net_flow *n)
{
	return !n->unread && !n->on_wire;
}

static bool has_room(const struct net_flow *n)
{
	return kept(n) < n->sndbuf;
}

static bool wakes_writers(const struct sim_pipe *p)
{
	return p->writers.head && kept(p->net) <= p->net->sndbuf / 3 * 2;
}

bool tcp_readable(const struct sim_pipe *p)
{
	return p->net->unread;
}

static void acked(struct net_flow *n)
{
	u64 used = n->unread + n->on_wire;

	n->unacked = 0;
	n->unacked_segments = 0;
	n->credit = n->rcvbuf > used ? n->rcvbuf - used : 0;
}

/* Segments that may go leave the send queue. Return: their bytes, on the wire now */
static u64 transmit(struct net_flow *n)
{
	u64 bytes = 0;

	while (n->unsent) {
		u64 want = min(n->unsent, (u64)TCP_MSS), segment = min(want, n->credit);

		if (segment < want && segment < n->rcvbuf / 2)
			break; /* no silly little segments: until the window is open again */
		if (segment < TCP_MSS && !n->nodelay && !all_read(n))
			break;
		n->unsent -= segment;
		n->on_wire += segment;
		n->credit -= segment;
		bytes += segment;
	}
	return bytes;
}

static u32 segments(u64 bytes)
{
	return (bytes + TCP_MSS - 1) / TCP_MSS;
}

static void arrive(struct net_flow *n, u64 bytes, int cpu)
{
	n->data_cpu = cpu;
	n->on_wire -= bytes;
	n->unread += bytes;
	n->unacked += bytes;
	n->unacked_segments += segments(bytes);
	n->unanswered += segments(bytes);
	if (n->unacked_segments >= 2)
		acked(n);
}

/* @bytes from the send queue to the receiver, acknowledgements where they arrive included */
static u64 transmit_ns(const struct sim *sim, const struct net_flow *n, u64 bytes)
{
	u32 nr = segments(bytes);
	u64 acks = (n->unacked_segments + nr) / 2;

	return nr * (sim->cost->tcp_xmit + sim->cost->tcp_rx) + acks * sim->cost->tcp_ack;
}

/* ---- room again: wake the writers ---- */

static void woke_writers(struct sim *sim, struct sim_cpu *c)
{
	spin_unlock(sim, c, &c->curr->step.pipe->write_lock);
	c->in_softirq = false;
	net_go_on(sim, c);
}

static void wake_writers(struct sim *sim, struct sim_cpu *c)
{
	wake_all(sim, c, &c->curr->step.pipe->writers, false, woke_writers);
}

static void woke_reverse(struct sim *sim, struct sim_cpu *c)
{
	spin_unlock(sim, c, &flow(c)->reverse->write_lock);
	c->in_softirq = false;
	net_go_on(sim, c);
}

static void wake_reverse(struct sim *sim, struct sim_cpu *c)
{
	wake_all(sim, c, &flow(c)->reverse->writers, false, woke_reverse);
}

/*
 * An acknowledgement came, or data that is one for the other direction. Return: true if
 * somebody has to be woken first; net_go_on() will be called again then
 */
static bool wakes_first(struct sim *sim, struct sim_cpu *c)
{
	struct sim_pipe *p = c->curr->step.pipe;

	if (likely(!p->writers.head && !p->net->reverse->writers.head))
		return false;
	if (wakes_writers(p)) {
		c->in_softirq = true;
		spin_lock(sim, c, &p->write_lock, wake_writers);
		return true;
	}
	if (wakes_writers(p->net->reverse)) {
		c->in_softirq = true;
		spin_lock(sim, c, &p->net->reverse->write_lock, wake_reverse);
		return true;
	}
	return false;
}

/* ---- write ---- */

static void write_locked(struct sim *sim, struct sim_cpu *c);

static void write_sleep(struct sim *sim, struct sim_cpu *c)
{
	struct sim_pipe *p = c->curr->step.pipe;
	const struct net_flow *n = p->net;

	spin_unlock(sim, c, &p->write_lock);
	if (has_room(n) || all_read(n))
		tcp_write(sim, c);
	else
		task_block(sim, c, &p->writers, "room in a TCP socket", tcp_write);
}

static void write_unlocked(struct sim *sim, struct sim_cpu *c)
{
	if (c->curr->left)
		spin_lock(sim, c, &c->curr->step.pipe->write_lock, write_sleep);
	else
		step_next(sim, c);
}

static void write_unlock(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *sleeper = kmutex_unlock(sim, c, &c->curr->step.pipe->mutex);

	if (unlikely(sleeper))
		wake_task(sim, c, sleeper, false, write_unlocked);
	else
		write_unlocked(sim, c);
}

/* Packets have arrived, and who waited for them is woken. */
void tcp_write_go_on(struct sim *sim, struct sim_cpu *c)
{
	if (wakes_first(sim, c))
		return;
	if (c->curr->left || flow(c)->ack_pending)
		write_locked(sim, c);
	else
		write_unlock(sim, c);
}

static void write_arrived(struct sim *sim, struct sim_cpu *c)
{
	struct net_flow *n = flow(c);
	u64 bytes = c->curr->part;

	if (!bytes) {
		tcp_write_go_on(sim, c);
		return;
	}
	c->curr->step.pipe->last_cpu = c->id;
	arrive(n, bytes, c->id);
	acked(n->reverse->net);
	n->reverse->net->unanswered = 0;
	net_data_ready(sim, c);
}

/* Holding the socket: as much as a segment more into the send queue, and on from there. */
static void write_locked(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;
	struct sim_pipe *p = t->step.pipe;
	struct net_flow *n = p->net;
	u64 chunk = 0, work;

	if (n->ack_pending || all_read(n)) {
		n->ack_pending = false;
		acked(n);
	}
	if (has_room(n))
		chunk = min(t->left, (u64)TCP_MSS);
	work = t->left == t->step.bytes ? sim->cost->tcp_write : 0;
	t->left -= chunk;
	n->unsent += chunk;
	n->st.sent += chunk;
	t->part = transmit(n);
	if (!chunk && !t->part) {
		if (t->left)
			write_unlock(sim, c);
		else /* it was but for the acknowledgement */
			tcp_write_go_on(sim, c);
		return;
	}
	work += net_copy_ns(sim, chunk) + transmit_ns(sim, n, t->part);
	work = rates_call_ns(sim->rates, c->id, work);
	if (t->part)
		work = sock_queue_lock_ns(sim, p, c, work + pipe_transfer_ns(sim, p, c, c->id, 0));
	seg_wall(sim, c, CPU_ATOMIC, work, write_arrived);
}

void tcp_write(struct sim *sim, struct sim_cpu *c)
{
	kmutex_lock(sim, c, &c->curr->step.pipe->mutex, write_locked);
}

/* ---- read ---- */

static void read_sleep(struct sim *sim, struct sim_cpu *c)
{
	struct sim_pipe *p = c->curr->step.pipe;

	spin_unlock(sim, c, &p->read_lock);
	if (tcp_readable(p))
		tcp_read(sim, c);
	else
		task_block(sim, c, &p->readers, "data in a TCP socket", tcp_read);
}

void tcp_read_go_on(struct sim *sim, struct sim_cpu *c)
{
	if (!wakes_first(sim, c))
		step_next(sim, c);
}

static void read_acked(struct sim *sim, struct sim_cpu *c)
{
	u64 bytes = c->curr->part;

	if (bytes) {
		arrive(flow(c), bytes, c->id);
		net_data_ready(sim, c);
	} else {
		tcp_read_go_on(sim, c);
	}
}

static bool opens_window(const struct net_flow *n)
{
	u64 used = n->unread + n->on_wire, opened = n->rcvbuf > used ? n->rcvbuf - used : 0;

	return 2 * n->credit <= n->rcvbuf && opened >= 2 * n->credit &&
	       opened >= min((u64)TCP_MSS, n->rcvbuf / 2);
}

static bool acks_now(const struct sim_pipe *p)
{
	const struct net_flow *n = p->net;

	if (opens_window(n))
		return true;
	return all_read(n) && ((n->unacked && n->unanswered >= 2) || n->unsent || p->writers.head);
}

static void read_copied(struct sim *sim, struct sim_cpu *c)
{
	struct sim_pipe *p = c->curr->step.pipe;
	struct net_flow *n = p->net;
	u64 work = sim->cost->tcp_ack;

	if (!acks_now(p)) {
		step_next(sim, c);
		return;
	}
	c->curr->part = 0;
	if (p->mutex.owner) {
		n->ack_pending = true;
	} else {
		acked(n);
		c->curr->part = transmit(n);
		work += transmit_ns(sim, n, c->curr->part);
	}
	seg_call(sim, c, CPU_ATOMIC, work, read_acked);
}

void tcp_read(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;
	struct sim_pipe *p = t->step.pipe;
	struct net_flow *n = p->net;
	u64 bytes = min(t->step.bytes, n->unread), work;

	if (!bytes) {
		spin_lock(sim, c, &p->read_lock, read_sleep);
		return;
	}
	n->unread -= bytes;
	n->st.received += bytes;
	t->ret = (s64)bytes;
	work = rates_call_ns(sim->rates, c->id, sim->cost->tcp_read + copy_ns(sim, bytes)) +
	       pipe_transfer_ns(sim, p, c, n->data_cpu, bytes);
	p->last_cpu = c->id;
	seg_wall(sim, c, CPU_ATOMIC, work, read_copied);
}
