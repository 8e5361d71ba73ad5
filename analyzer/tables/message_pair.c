/* message_pair.c - see message_pair.h. */
#include "config.h"

#include <stdlib.h>

#include "base/log.h"
#include "tables/message.def"
#include "tables/message_pair.h"

enum {
	PAIRS_MOST = 1 << 21, /* rows of all processes */
	PEERS_LEAST = 256,    /* of a process, however many processes there are */
};

static size_t peers_most(const struct model *model)
{
	size_t most = PAIRS_MOST / (model->processes.n + 1);

	return most > PEERS_LEAST ? most : PEERS_LEAST;
}

static struct message_pair *pair_find(struct message_pairs *pairs, uint64_t key)
{
	uint32_t place = idmap_find(&pairs->places, key);

	return place == IDMAP_NONE ? NULL : &pairs->all.at[place];
}

static struct message_pair *pair_make(struct message_pairs *pairs, uint64_t key, uint32_t peer,
	uint32_t way)
{
	struct message_pair *pair = ARRAY_ADD(&pairs->all);

	if (!pair || idmap_set(&pairs->places, key, pairs->all.n - 1) < 0)
		return NULL;
	*pair = (struct message_pair){ .peer = peer, .way = way };
	return pair;
}

static uint64_t pair_key(uint32_t peer, uint32_t way)
{
	return idmap_key((uint64_t)way << 32 | peer);
}

int message_pair_add(struct message_pairs *pairs, const struct model *model, uint32_t peer,
	uint32_t way, uint64_t bytes)
{
	struct message_pair *pair = pair_find(pairs, pair_key(peer, way));

	if (!pair && pairs->all.n >= peers_most(model)) {
		peer = MODEL_NONE; /* all others are one */
		pair = pair_find(pairs, pair_key(peer, way));
	}
	if (!pair)
		pair = pair_make(pairs, pair_key(peer, way), peer, way);
	if (!pair)
		return -1;
	pair->n++;
	pair->bytes += bytes;
	return 0;
}

static const struct db_table table = DB_TABLE(message, "insert", MESSAGE_COLUMNS);

void message_pairs_write(const struct message_pairs *pairs, struct db *db,
	const struct model *model, uint32_t process)
{
	for (size_t i = 0; i < pairs->all.n; i++) {
		const struct message_pair *pair = &pairs->all.at[i];
		bool taken = pair->way == MESSAGE_TAKE;
		uint32_t from = taken ? pair->peer : process, to = taken ? process : pair->peer;

		if (from == MODEL_NONE) /* taken from one of very many */
			continue;
		db_put_row(db, &table, DB_ROW(MESSAGE_COLUMNS));
	}
}

void message_pairs_free(struct message_pairs *pairs)
{
	free(pairs->all.at);
	idmap_free(&pairs->places);
	*pairs = (struct message_pairs){ 0 };
}
