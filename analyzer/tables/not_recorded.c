/* not_recorded.c - see not_recorded.h. */
#include "config.h"

#include <string.h>

#include "model/model.h"
#include "tables/not_recorded.def"
#include "tables/not_recorded.h"
#include "tacho/spool.h"

/* By enum spool_loss, then by enum unrecorded. */
static const struct unrecorded_reason reasons[] = {
#define REASON(id, name, kind, text) { name, kind, text },
	SPOOL_LOSSES(REASON) UNRECORDED_REASONS(REASON)
#undef REASON
};

static void row_put(struct db *db, const struct not_recorded *row,
	const struct unrecorded_reason *reason)
{
	static const struct db_table table = DB_TABLE(not_recorded, "insert", NOT_RECORDED_COLUMNS);

	db_put_row(db, &table, DB_ROW(NOT_RECORDED_COLUMNS));
}

/* A reason from another tool has no sentence; its count is in events. */
void not_recorded_named(struct db *db, struct not_recorded row, const char *name)
{
	const struct unrecorded_reason other = { name, "event", NULL }, *reason = &other;

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (strcmp(reasons[i].name, name) == 0)
			reason = &reasons[i];
	row.kind = reason->kind;
	row.reason = reason->name;
	row_put(db, &row, reason);
}

const struct unrecorded_reason *unrecorded_reason(enum unrecorded reason)
{
	return &reasons[LOSS_COUNT + reason];
}

void not_recorded_put(struct db *db, struct not_recorded row, enum unrecorded why)
{
	const struct unrecorded_reason *reason = unrecorded_reason(why);

	row.kind = reason->kind;
	row.reason = reason->name;
	row_put(db, &row, reason);
}
