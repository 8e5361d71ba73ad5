/* message_pair.h - messages by who sent them to whom: the rows of the table message. */
#ifndef ANALYZER_MESSAGE_PAIR_H
#define ANALYZER_MESSAGE_PAIR_H

#include <stdint.h>

#include "base/containers.h"
#include "db/db.h"
#include "model/model.h"

/* What a process sent to another one; of very many peers those beyond a limit have one together. */
struct message_pair {
	uint32_t peer; /* number of the process; MODEL_NONE: further ones */
	uint32_t kind; /* enum region_kind of the call */
	uint64_t n, bytes;
};

struct message_pairs {
	ARRAY_OF(struct message_pair) all;
	struct idmap places;
};

/* Counts a message. 0, or -1 without memory (reported). */
int message_pair_add(struct message_pairs *pairs, const struct model *model, uint32_t peer,
	enum region_kind kind, uint64_t bytes);

/* Writes the rows of a process. */
void message_pairs_write(const struct message_pairs *pairs, struct db *db,
	const struct model *model, uint32_t process);

void message_pairs_free(struct message_pairs *pairs);

#endif
