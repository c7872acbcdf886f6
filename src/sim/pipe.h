/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pipe.h - what pipes and sockets share. Included by pipe.c, sock.c and the network's.
 */
#ifndef IDLEST_SIM_PIPE_H
#define IDLEST_SIM_PIPE_H

#include "sim/engine.h"

#define PIPE_SLOTS 16
#define PIPE_PAGE  4096

struct pipe_slot {
	u32 bytes;	/* still to be read */
	u32 end;	/* of what was written */
	int cpu;	/* that wrote last */
};

struct sock_message {
	u64 bytes;	/* still to be read */
	u64 truesize;	/* of the buffer that it takes until then */
	int cpu;
};

struct sim_pipe {
	struct kmutex mutex;	/* pipe: both sides; socket: readers */
	u32 first, used;	/* pipe: slots */
	int last_cpu;		/* whose cache has the control lines */
	enum sim_pipe_kind kind;
	struct waitq readers, writers;
	struct waitq pollers;	/* not exclusive: all are woken, before a reader */
	struct spinlock read_lock, write_lock; /* of the two wait queues */
	/* pipe */
	struct pipe_slot slot[PIPE_SLOTS];
	/* Unix and datagram socket */
	struct sock_message *message; /* [max_messages] */
	u32 first_message, nr_messages, max_messages;
	u64 queued;		/* truesize of all */
	u64 queue_free;		/* its lock is taken until then */
	struct net_flow *net;	/* UDP, TCP */
};

static inline struct pipe_slot *pipe_slot(const struct sim_pipe *p, u32 i)
{
	return (struct pipe_slot *)&p->slot[(p->first + i) % PIPE_SLOTS];
}

/* lines that come from other caches, when @c uses @p for @bytes that @data_cpu wrote */
u64 pipe_transfer_ns(const struct sim *sim, const struct sim_pipe *p, const struct sim_cpu *c,
		     int data_cpu, u64 bytes);

/* holding read_lock, something was written: wake the pollers and one reader, then write on */
void pipe_wake_reader(struct sim *sim, struct sim_cpu *c);

/* ---- sock.c ---- */

/* of the buffer that a message of @bytes takes */
u64 sock_truesize(u64 bytes);
/* a queue that holds @bytes of them; Return: 0 or -ENOMEM */
int sock_queue_init(struct sim *sim, struct sim_pipe *p, u64 bytes);
static inline struct sock_message *sock_message(const struct sim_pipe *p, u32 i)
{
	u32 at = p->first_message + i;

	return &p->message[at < p->max_messages ? at : at - p->max_messages];
}
void sock_queue_add(struct sim_pipe *p, u64 bytes, int cpu);
void sock_queue_drop_first(struct sim_pipe *p);
/* until the queue's lock was taken and left after @work ns: a line's transfer, in turns */
u64 sock_queue_lock_ns(struct sim *sim, struct sim_pipe *p, const struct sim_cpu *c, u64 work);
int sock_init(struct sim *sim, struct sim_pipe *p);
void sock_read(struct sim *sim, struct sim_cpu *c);
void sock_write(struct sim *sim, struct sim_cpu *c);
void sock_write_go_on(struct sim *sim, struct sim_cpu *c);

#endif
