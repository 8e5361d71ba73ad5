/*
 * clock_sync.h - the clocks of several nodes against each other, from the
 * communication itself: no message is received before it is sent, and where
 * all wait for all, no member leaves before the last one has entered. Each
 * bounds the offset between two nodes.
 */
#ifndef ANALYZER_CLOCK_SYNC_H
#define ANALYZER_CLOCK_SYNC_H

#include "merge/merge_messages.h"
#include "merge/walk/walk.h"

/*
 * In the first pass: counts the entry of the group when it is a collective and
 * keeps it when it synchronises, posts such ones or completes them. Only in
 * runs of several nodes. 0, or -1 without memory (reported).
 */
int sync_add(struct merge *m, struct process *p, const struct group *g, const struct entry *e);

/* The same for an end of a message, the seq-th of its channel. */
int sync_message(struct merge *m, struct process *p, const struct entry *e,
	const struct message_end *message, uint64_t seq);

/* One end of something else that `key` names: of an effect `enter` is 0, of a cause `leave` UINT64_MAX. */
int sync_point(struct merge *m, struct process *p, struct sync_event_key key, uint64_t enter,
	uint64_t leave);

/*
 * An operation of NCCL on a device, from `start` to `end`, in which all members
 * of the communicator wait for all; after the process's threads were scanned.
 */
int sync_operation(struct merge *m, struct process *p, uint64_t comm_hash, uint32_t seq,
	uint64_t start, uint64_t end);

/*
 * After the nodes' own clocks were fitted: puts every node on the axis of
 * node 0 as far as messages tie it to it, and sets its residual.
 * 0, or -1 without memory (reported).
 */
int merge_sync(struct merge *m);

#endif
