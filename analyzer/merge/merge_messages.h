/*
 * merge_messages.h - the messages in a record, and the list of those without
 * a partner.
 */
#ifndef ANALYZER_MERGE_MESSAGES_H
#define ANALYZER_MERGE_MESSAGES_H

#include "merge/merge_channels.h"
#include "merge/merge_model.h"
#include "merge/walk/walk.h"

/* One end of a message. */
struct message_end {
	struct merge_channel channel;
	bool is_send;
	uint64_t bytes;
};

typedef int (*message_visitor)(void *context, const struct message_end *message);

/* Calls `visit` for each message end in the entry, in order. 0, or what the visitor returned. */
int messages_of(const struct merge *m, const struct process *p, const struct group *g,
	const struct entry *e, message_visitor visit, void *context);

/* After the first pass: who will meet messages without partner. -1 without memory (reported). */
int unmatched_start(struct merge *m);

/* Second pass, thread-safe: notes the message end if it has no partner. */
int unmatched_check(void *context, const struct message_end *message);

/*
 * The text of TACHO::UNMATCHED (malloc'ed; NULL: none) and the number of lines that it represents.
 */
char *unmatched_text(struct merge *m, uint64_t *count);

void unmatched_free(struct merge *m);

/*
 * The channel of a message between this process and `peer`. False when it goes
 * nowhere (MPI_PROC_NULL) or the communicator is unknown.
 */
bool message_channel(const struct process *p, uint32_t comm, bool is_send, int32_t peer,
	int32_t tag, struct merge_channel *key);

/*
 * Second pass, in the order of the process's messages: whether the other end was summed
 * (merge_sums.h), so that this one would be taken for another message's.
 */
bool message_is_lonely(struct merge *m, const struct process *p, uint32_t comm, bool is_send,
	int32_t peer, int32_t tag);

#endif
