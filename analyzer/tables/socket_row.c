/* socket_row.c - see socket_row.h. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "tables/socket.def"
#include "tables/socket_row.h"
#include "tables/socket_wait.def"

/* A damaged archive may have two files of one name. */
static const struct db_table table = DB_TABLE(socket, "insert or ignore", SOCKET_COLUMNS);

static const struct db_table waits_table = DB_TABLE(socket_wait, "insert", SOCKET_WAIT_COLUMNS);

void socket_wait_put(struct db *db, int64_t process, int64_t peer, uint64_t waits, int64_t late,
	int64_t transfer)
{
	db_put_row(db, &waits_table, DB_ROW(SOCKET_WAIT_COLUMNS));
}

int socket_sent(const struct model *model, uint32_t file, struct io_use *use, int64_t t,
	uint64_t bytes)
{
	const struct file *at = &model->files.at[file];

	if (!bytes || (!at->socket && at->other == MODEL_NONE))
		return 0;
	return socket_log_add(&use->sent, t, bytes);
}

static uint64_t bytes_of(const struct io_use *use)
{
	return use->bytes_written + use->bytes_read;
}

/*
 * The owner of each file: of the processes that share it, the one that moved the most bytes.
 * MODEL_NONE: no owner.
 */
static uint32_t *owners_find(const struct model *model, const struct io_table *tables)
{
	uint32_t *owners = malloc((model->files.n + 1) * sizeof(*owners));

	for (size_t f = 0; owners && f < model->files.n; f++)
		owners[f] = MODEL_NONE;
	for (size_t p = 0; owners && p < model->processes.n; p++)
		for (size_t i = 0; i < tables[p].uses.n; i++) {
			const struct io_use *use = tables[p].uses.at[i];
			uint32_t *owner = &owners[use->file];

			if (!bytes_of(use))
				continue;
			if (*owner == MODEL_NONE ||
				bytes_of(io_use_find(&tables[*owner], use->file)) < bytes_of(use))
				*owner = (uint32_t)p;
		}
	return owners;
}

/* The process of that pid on the node of another one. */
static uint32_t process_of_pid(const struct model *model, const struct process *near, int64_t pid)
{
	for (size_t p = 0; p < model->processes.n; p++)
		if (model->processes.at[p].pid == pid && model->processes.at[p].node == near->node)
			return (uint32_t)p;
	return MODEL_NONE;
}

static uint32_t peer_find(const struct model *model, const struct process *process,
	const struct file *file, const uint32_t *owners)
{
	long long pid;

	if (file->other != MODEL_NONE)
		return owners[file->other];
	return file->socket && sscanf(file->socket, "unix %lld", &pid) == 1
		? process_of_pid(model, process, pid)
		: MODEL_NONE;
}

/* The rank that a process is, or descends from. MODEL_NONE: none. */
static uint32_t rank_process(const struct model *model, const struct process *process)
{
	uint32_t p = (uint32_t)(process - model->processes.at);

	for (size_t depth = 0; p != MODEL_NONE && depth <= model->processes.n; depth++) {
		if (model->processes.at[p].rank >= 0)
			return p;
		p = model->processes.at[p].parent;
	}
	return MODEL_NONE;
}

/* What was sent in steps of the rank; DB_NULL: it has none. */
static int64_t bytes_in_steps(struct db *db, const struct model *model,
	const struct process *process, const struct io_use *use)
{
	static const char sql[] =
		"select min(start_ns), case when exists (select 1 from step_rest r "
		"where r.run_id = 1 and r.process_id = ?1) then 9e18 else max(end_ns) end "
		"from step where run_id = 1 and process_id = ?1";
	uint32_t rank = rank_process(model, process);
	int64_t bytes = DB_NULL;
	sqlite3_stmt *steps;

	if (rank == MODEL_NONE || !db->handle ||
		sqlite3_prepare_v2(db->handle, sql, -1, &steps, NULL) != SQLITE_OK)
		return DB_NULL;
	sqlite3_bind_int64(steps, 1, model->processes.at[rank].id);
	if (sqlite3_step(steps) == SQLITE_ROW && sqlite3_column_type(steps, 0) != SQLITE_NULL)
		bytes = (int64_t)socket_log_bytes(&use->sent, sqlite3_column_int64(steps, 0),
			sqlite3_column_int64(steps, 1));
	sqlite3_finalize(steps);
	return bytes;
}

static void row_write(struct db *db, const struct model *model, const struct process *process,
	const struct file *file, const struct io_use *use, const uint32_t *owners)
{
	int64_t in_steps = bytes_in_steps(db, model, process, use);
	char protocol[8] = "unix", ends[2][64] = { "", "" };
	const char *local = NULL, *remote = NULL;
	uint32_t number = peer_find(model, process, file, owners);
	int64_t peer = number == MODEL_NONE ? DB_NULL : model->processes.at[number].id;

	if (file->socket &&
		sscanf(file->socket, "%7s %63s %63s", protocol, ends[0], ends[1]) == 3) {
		local = ends[0];
		remote = ends[1];
	}
	db_put_row(db, &table, DB_ROW(SOCKET_COLUMNS));
}

void socket_rows_write(struct db *db, const struct model *model, const struct io_table *tables)
{
	uint32_t *owners = owners_find(model, tables);

	if (!owners) {
		log_error("out of memory for the sockets of %zu processes", model->processes.n);
		db->failed = true;
		return;
	}
	for (size_t p = 0; p < model->processes.n; p++)
		for (size_t i = 0; i < tables[p].uses.n; i++) {
			const struct io_use *use = tables[p].uses.at[i];
			const struct file *file = &model->files.at[use->file];

			if (bytes_of(use) && (file->socket || file->other != MODEL_NONE))
				row_write(db, model, &model->processes.at[p], file, use, owners);
		}
	free(owners);
}
