/* collective_row.c - see collective_row.h. */
#include "config.h"

#include "tables/collective_row.h"
#include "tables/collective_rank.def"
#include "tables/communicator.def"

static const struct db_table communicators = DB_TABLE(communicator, "insert", COMMUNICATOR_COLUMNS);
static const struct db_table ranks = DB_TABLE(collective_rank, "insert", COLLECTIVE_RANK_COLUMNS);

void communicator_put(struct db *db, const char *kind, int64_t id, const char *name, int64_t size)
{
	db_put_row(db, &communicators, DB_ROW(COMMUNICATOR_COLUMNS));
}

void collective_rank_put(struct db *db, const char *kind, int64_t comm, int64_t rank,
	const char *op, const struct collective_times *sum)
{
	db_put_row(db, &ranks, DB_ROW(COLLECTIVE_RANK_COLUMNS));
}
