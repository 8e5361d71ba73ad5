/* message_pair.h - messages by sender and receiver: the rows of the table message. */
#ifndef ANALYZER_MESSAGE_PAIR_H
#define ANALYZER_MESSAGE_PAIR_H

#include <stdint.h>

#include "base/containers.h"
#include "db/db.h"
#include "model/model.h"

/* What a process sent to another one; of very many peers those beyond a limit have one together. */
struct message_pair {
	uint32_t peer; /* number of the process; MODEL_NONE: further ones */
	uint32_t way;  /* enum message_way */
	uint64_t n, bytes;
};

/*
 * Kind of transfer: a send, by kind of its call; or one-sided, started by the sender or by the
 * receiver.
 */
enum message_way {
	MESSAGE_KINDS = KIND_COUNT,
	MESSAGE_PUT = MESSAGE_KINDS,
	MESSAGE_TAKE,
};

struct message_pairs {
	ARRAY_OF(struct message_pair) all;
	struct idmap places;
};

/* Counts a message; `way`: enum region_kind of a send's call, or MESSAGE_PUT or _TAKE. 0, or -1 without memory (reported). */
int message_pair_add(struct message_pairs *pairs, const struct model *model, uint32_t peer,
	uint32_t way, uint64_t bytes);

/*
 * Writes the rows of a process; data that it took from others one-sidedly counts as sent by these.
 */
void message_pairs_write(const struct message_pairs *pairs, struct db *db,
	const struct model *model, uint32_t process);

void message_pairs_free(struct message_pairs *pairs);

#endif
