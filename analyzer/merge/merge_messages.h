/*
 * merge_messages.h - the messages in a record, and the list of those without
 * a partner.
 */
#ifndef ANALYZER_MERGE_MESSAGES_H
#define ANALYZER_MERGE_MESSAGES_H

#include "merge/merge_channels.h"
#include "merge/merge_model.h"
#include "merge/merge_walk.h"

/* One end of a message. */
struct message {
	struct channel channel;
	bool is_send;
	uint64_t bytes;
};

typedef int (*message_visitor)(void *context, const struct message *message);

/* Calls `visit` for each message end in the entry, in order. 0, or what the visitor returned. */
int messages_of(const struct merge *m, const struct process *p, const struct group *g,
	const struct entry *e, message_visitor visit, void *context);

/* After the first pass: who will meet messages without partner. -1 without memory (reported). */
int unmatched_start(struct merge *m);

/* Second pass, thread-safe: notes the message end if it has no partner. */
int unmatched_check(void *context, const struct message *message);

/*
 * The text of TACHO::UNMATCHED (malloc'ed; NULL: none) and the number of lines that it stands for.
 */
char *unmatched_text(struct merge *m, uint64_t *count);

void unmatched_free(struct merge *m);

#endif
