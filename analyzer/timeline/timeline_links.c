/*
 * timeline_links.c - what joins locations in one step: which collective a call ended, its members,
 * and which call launched a device's activity; see timeline_step.h.
 */
#include "config.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "tables/tables.h"
#include "base/containers.h"
#include "timeline/timeline_step.h"
#include "tables/timeline_collective.def"
#include "tables/timeline_launch.def"

enum { INSTANCES_MOST = 1 << 16, MEMBERS_MOST = 20000, LAUNCHES_MOST = 20000 };

int64_t step_number(struct sqlite3 *db, const char *sql, int64_t a, int64_t b, int64_t *second)
{
	sqlite3_stmt *statement = NULL;
	int64_t value = INT64_MIN;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK) {
		sqlite3_bind_int64(statement, 1, a);
		sqlite3_bind_int64(statement, 2, b); /* refused where there is only one: fine */
		if (sqlite3_step(statement) == SQLITE_ROW) {
			value = sqlite3_column_int64(statement, 0);
			if (second)
				*second = sqlite3_column_int64(statement, 1);
		}
	}
	sqlite3_finalize(statement);
	return value;
}

/* The first collective with a last arrival at or after t; binary search, as time grows with seq. */
static int64_t first_after(sqlite3 *db, bool gloo, int64_t comm, int64_t t)
{
	const char *next_sql = gloo
		? "select last_ns from collective where run_id = 1 and kind = 'gloo' and "
		  "comm_id = ? and seq >= ? order by seq limit 1"
		: "select last_ns from collective where run_id = 1 and kind = 'mpi' and "
		  "comm_id = ? and seq >= ? order by seq limit 1";
	int64_t end = step_number(db,
		gloo ? "select max(seq) + 1 from collective where run_id = 1 and kind = 'gloo' and "
		       "comm_id = ? and ?"
		     : "select max(seq) + 1 from collective where run_id = 1 and kind = 'mpi' and "
		       "comm_id = ? and ?",
		comm, 1, NULL);

	return LOWER_BOUND(seq, 0, end, step_number(db, next_sql, comm, seq, NULL) < t);
}

static void instances_read(const struct tables *tables, const struct looks *looks,
	struct comm_instances *comm)
{
	sqlite3 *db = tables->db.handle;
	int64_t ref = (int64_t)tables->archive.comms.at[comm->comm].ref;
	bool gloo = tables->model.comms.at[comm->comm].gloo;
	sqlite3_stmt *statement = NULL;
	struct instance *instance;

	if (sqlite3_prepare_v2(db,
		    gloo ? "select last_ns, last_rank, seq from collective where run_id = 1 and "
			   "kind = 'gloo' and comm_id = ? and seq >= ? order by seq"
			 : "select last_ns, last_rank, seq from collective where run_id = 1 and "
			   "kind = 'mpi' and comm_id = ? and seq >= ? order by seq",
		    -1, &statement, NULL) == SQLITE_OK) {
		sqlite3_bind_int64(statement, 1, ref);
		sqlite3_bind_int64(statement, 2, first_after(db, gloo, ref, looks->from));
		while (sqlite3_step(statement) == SQLITE_ROW &&
			sqlite3_column_int64(statement, 0) <= looks->to &&
			comm->at.n < INSTANCES_MOST && (instance = ARRAY_ADD(&comm->at)))
			*instance = (struct instance){ sqlite3_column_int64(statement, 0),
				sqlite3_column_int64(statement, 1),
				sqlite3_column_int64(statement, 2) };
	}
	sqlite3_finalize(statement);
}

static const struct comm_instances *instances_of(struct instances *instances,
	const struct tables *tables, const struct looks *looks, uint64_t comm)
{
	struct comm_instances *at;

	for (size_t i = 0; i < instances->comms.n; i++)
		if (instances->comms.at[i].comm == comm)
			return &instances->comms.at[i];
	at = ARRAY_ADD(&instances->comms);
	if (at) {
		*at = (struct comm_instances){ .comm = comm };
		instances_read(tables, looks, at);
	}
	return at;
}

const struct instance *instance_of(struct instances *instances, const struct tables *tables,
	const struct looks *looks, const struct piece *piece)
{
	const struct comm_instances *comm = instances_of(instances, tables, looks, piece->comm);
	size_t low = LOWER_BOUND(i, 0, comm ? comm->at.n : 0, comm->at.at[i].last <= piece->leave);

	return low ? &comm->at.at[low - 1] : NULL;
}

void instances_free(struct instances *instances)
{
	for (size_t i = 0; i < instances->comms.n; i++)
		free(instances->comms.at[i].at.at);
	free(instances->comms.at);
}

static void member_put(struct tables *tables, const struct looks *looks, const struct look *look,
	const struct piece *piece, const char *kind, int64_t comm, int64_t seq)
{
	static const struct db_table table = DB_TABLE(timeline_collective, "insert or ignore",
		TIMELINE_COLLECTIVE_COLUMNS);

	db_put_row(&tables->db, &table, DB_ROW(TIMELINE_COLLECTIVE_COLUMNS));
}

void members_write(struct instances *instances, struct tables *tables, const struct looks *looks)
{
	uint32_t written = 0;

	for (size_t k = 0; k < looks->at.n; k++)
		for (size_t i = 0; i < looks->at.at[k].pieces.n && written < MEMBERS_MOST; i++) {
			const struct look *look = &looks->at.at[k];
			const struct piece *piece = &look->pieces.at[i];
			const struct instance *instance;

			if (piece->kind == PIECE_ACTIVITY && piece->communicates &&
				piece->peer == MODEL_NONE) {
				member_put(tables, looks, look, piece, "nccl", (int64_t)piece->comm,
					(int64_t)piece->seq);
				written++;
			} else if (piece->kind == PIECE_ALL && !piece->posted &&
				piece->comm != MODEL_NONE &&
				(instance = instance_of(instances, tables, looks, piece)) &&
				instance->last >= piece->enter) {
				member_put(tables, looks, look, piece,
					tables->model.comms.at[piece->comm].gloo ? "gloo" : "mpi",
					(int64_t)tables->archive.comms.at[piece->comm].ref,
					instance->seq);
				written++;
			}
		}
}

/* A call that gave a device something to do. */
struct launch_call {
	uint64_t correlation;
	uint32_t process, location;
	int64_t enter;
};

static int launch_compare(const void *left, const void *right)
{
	const struct launch_call *a = left, *b = right;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return (a->correlation > b->correlation) - (a->correlation < b->correlation);
}

static void launch_put(struct tables *tables, const struct looks *looks,
	const struct launch_call *launch, uint32_t stream, const struct piece *piece)
{
	static const struct db_table table = DB_TABLE(timeline_launch, "insert",
		TIMELINE_LAUNCH_COLUMNS);

	db_put_row(&tables->db, &table, DB_ROW(TIMELINE_LAUNCH_COLUMNS));
}

void launches_write(struct tables *tables, const struct looks *looks)
{
	const struct location *locations = tables->model.locations.at;
	ARRAY_OF(struct launch_call) all = { 0 };
	uint32_t written = 0;

	for (size_t k = 0; k < looks->at.n; k++)
		for (size_t i = 0; i < looks->at.at[k].pieces.n; i++) {
			const struct piece *piece = &looks->at.at[k].pieces.at[i];
			uint32_t location = looks->at.at[k].location;
			struct launch_call *launch;

			if (piece->kind == PIECE_LAUNCH && (launch = ARRAY_ADD(&all)))
				*launch = (struct launch_call){ piece->correlation,
					locations[location].process, location, piece->enter };
		}
	if (all.n)
		qsort(all.at, all.n, sizeof(*all.at), launch_compare);
	for (size_t k = 0; k < looks->at.n; k++)
		for (size_t i = 0; i < looks->at.at[k].pieces.n && written < LAUNCHES_MOST; i++) {
			const struct piece *piece = &looks->at.at[k].pieces.at[i];
			uint32_t stream = looks->at.at[k].location;
			struct launch_call key = { piece->correlation, locations[stream].process, 0,
				0 },
					   *found;

			if (piece->kind != PIECE_ACTIVITY || !piece->correlation || !all.n)
				continue;
			found = bsearch(&key, all.at, all.n, sizeof(*all.at), launch_compare);
			if (!found)
				continue;
			launch_put(tables, looks, found, stream, piece);
			written++;
		}
	free(all.at);
}
