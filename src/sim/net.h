/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * net.h - the loopback network: what UDP and TCP share. Included by pipe.c, net.c, udp.c, tcp.c.
 *
 * A packet on loopback is received by its sender: sending raises the receive
 * softirq, which runs at once on the same CPU, on top of the sending task, and
 * wakes the receiver from there. The wake-up has the sync hint, since data
 * became ready (spec 14 §1.7), and counts as that of the task which sends; but
 * it isn't in task context. Acknowledgements come back the same way, on the
 * CPU of the reader.
 */
#ifndef IDLEST_SIM_NET_H
#define IDLEST_SIM_NET_H

#include "sim/pipe.h"

struct net_flow {
	struct sim_net_stats st;	/* but for what is queued */
	u64 rcvbuf;
	/* TCP: bytes */
	struct sim_pipe *reverse;	/* the other direction */
	u64 sndbuf;
	bool nodelay;
	u64 unsent;		/* in the send queue */
	u64 on_wire;		/* sent, in somebody's softirq */
	u64 unread;		/* in the receive queue */
	u64 unacked;		/* received, not acknowledged: the sender keeps it */
	u64 credit;		/* left of the window that the sender was told */
	int data_cpu;		/* whose cache has what came last */
	u32 unacked_segments;
	u32 unanswered;		/* segments received since something went the other way */
	bool ack_pending;	/* it came while a writer had the socket, who will see to it */
};

/* data came: wake who polls, and one reader, from the softirq; then net_go_on() */
void net_data_ready(struct sim *sim, struct sim_cpu *c);
/* the current task's step goes on after its packets have arrived */
void net_go_on(struct sim *sim, struct sim_cpu *c);
/* buffers for @bytes that are sent, and the copying */
u64 net_copy_ns(const struct sim *sim, u64 bytes);

void udp_read(struct sim *sim, struct sim_cpu *c);
void udp_write(struct sim *sim, struct sim_cpu *c);

bool tcp_readable(const struct sim_pipe *p);
void tcp_read(struct sim *sim, struct sim_cpu *c);
void tcp_write(struct sim *sim, struct sim_cpu *c);
void tcp_write_go_on(struct sim *sim, struct sim_cpu *c);
void tcp_read_go_on(struct sim *sim, struct sim_cpu *c);

#endif
