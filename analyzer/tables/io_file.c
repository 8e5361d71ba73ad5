/* io_file.c - see io_file.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tables/io_file.h"
#include "base/log.h"
#include "tables/io_file.def"
#include "tables/io_save.def"

enum { BLOCK = 64 << 10, BIG = 1 << 20 };

struct io_use *io_use_find(const struct io_table *table, uint32_t file)
{
	uint32_t number = idmap_find(&table->numbers, idmap_key(file));

	return number == IDMAP_NONE ? NULL : table->uses.at[number];
}

struct io_use *io_use_of(struct io_table *table, const struct model *model, uint32_t file)
{
	struct io_use *use = io_use_find(table, file), **place;

	if (use)
		return use;
	use = calloc(1, sizeof(*use));
	place = use ? ARRAY_ADD(&table->uses) : NULL;
	if (place &&
		idmap_set(&table->numbers, idmap_key(file), (uint32_t)table->uses.n - 1) == 0) {
		use->file = file;
		use->storage = io_is_storage(model->files.at[file].path);
		return *place = use;
	}
	table->uses.n -= place != NULL;
	free(use);
	log_error("out of memory for the use of %s", model->files.at[file].path);
	return NULL;
}

static int compare_uses(const void *a, const void *b)
{
	uint32_t x = (*(struct io_use *const *)a)->file, y = (*(struct io_use *const *)b)->file;

	return (x > y) - (x < y);
}

void io_tables_sort(struct io_table *tables, const struct model *model)
{
	for (size_t p = 0; p < model->processes.n; p++) {
		struct io_table *table = &tables[p];

		if (table->uses.n > 1)
			qsort(table->uses.at, table->uses.n, sizeof(*table->uses.at), compare_uses);
		for (uint32_t i = 0; i < table->uses.n; i++) /* all have a place there */
			idmap_set(&table->numbers, idmap_key(table->uses.at[i]->file), i);
	}
}

struct io_cursor *io_cursor_of(struct io_cursors *cursors, uint32_t file)
{
	uint32_t number = idmap_find(&cursors->numbers, idmap_key(file));
	struct io_cursor *cursor;

	if (number != IDMAP_NONE)
		return &cursors->at.at[number];
	cursor = ARRAY_ADD(&cursors->at);
	if (cursor &&
		idmap_set(&cursors->numbers, idmap_key(file), (uint32_t)cursors->at.n - 1) == 0)
		return cursor;
	log_error("out of memory for the files of a thread");
	return NULL;
}

void io_cursors_free(struct io_cursors *cursors)
{
	idmap_free(&cursors->numbers);
	free(cursors->at.at);
}

void io_use_open(struct io_use *use, struct io_cursor *cursor, uint64_t handle)
{
	use->opens++;
	cursor->wrote = false;
	cursor->handle = handle;
	cursor->position = 0;
	cursor->moved = cursor->opened = true;
}

void io_cursor_seek(struct io_cursor *cursor, uint64_t handle, uint64_t position)
{
	cursor->opened &= cursor->handle == handle;
	cursor->handle = handle;
	cursor->position = position;
	cursor->moved = true;
}

void io_use_split(struct io_use *use, struct io_cursor *cursor, uint64_t handle, bool write,
	uint64_t offset, int64_t ns)
{
	if (write)
		use->write_ns += ns;
	else
		use->read_ns += ns;
	if (offset != UINT64_MAX)
		io_cursor_seek(cursor, handle, offset);
}

void io_use_sum(struct io_use *use, bool write, uint64_t n, uint64_t bytes, int64_t ns)
{
	*(write ? &use->writes : &use->reads) += n;
	*(write ? &use->bytes_written : &use->bytes_read) += bytes;
	*(write ? &use->write_ns : &use->read_ns) += ns;
}

/* Whether the access follows the thread's previous one; the cursor goes after it. */
static bool cursor_follows(struct io_cursor *cursor, uint64_t handle, uint64_t bytes,
	uint64_t offset)
{
	bool is_moved = cursor->moved && cursor->handle == handle;
	bool begins = is_moved && cursor->opened, follows;

	if (is_moved)
		cursor->opened = false;
	if (offset == UINT64_MAX) {
		offset = is_moved ? cursor->position : cursor->next;
		cursor->moved &= !is_moved;
	}
	/* a file that was opened again is read from its start, or appended to */
	follows = cursor->any && (offset == cursor->next || (begins && offset == 0));
	cursor->any = true;
	cursor->next = offset + bytes;
	return follows;
}

void io_use_access(struct io_use *use, struct io_cursor *cursor, uint64_t handle, bool write,
	uint64_t bytes, uint64_t offset, int64_t ns)
{
	if (write) {
		use->writes++;
		use->bytes_written += bytes;
		use->write_ns += ns;
	} else {
		use->reads++;
		use->bytes_read += bytes;
		use->read_ns += ns;
	}
	if (!bytes) /* end of file, or a failure */
		return;
	use->saves += write && !cursor->wrote;
	cursor->wrote |= write;
	if (!use->accesses || bytes < use->min_access)
		use->min_access = bytes;
	if (bytes > use->max_access)
		use->max_access = bytes;
	use->accesses++;
	use->starts += !cursor->any;
	use->following += cursor_follows(cursor, handle, bytes, offset);
}

bool io_is_storage(const char *path)
{
	static const char *const not_storage[] = { "/proc/", "/sys/", "/dev/",
		"pipe:", "socket:", "anon_inode:", "memfd:" };

	for (size_t i = 0; i < sizeof(not_storage) / sizeof(not_storage[0]); i++)
		if (strncmp(path, not_storage[i], strlen(not_storage[i])) == 0)
			return false;
	return path[0] != '(' && path[0] != '\0' && strncmp(path, "std", 3) != 0;
}

static bool is_system(const char *path)
{
	return strncmp(path, "/etc/", 5) == 0 || strncmp(path, "/usr/", 5) == 0 ||
		strncmp(path, "/lib", 4) == 0 || strstr(path, ".so.") || strstr(path, ".py") ||
		strstr(path, "/site-packages/");
}

/*
 * dataset | checkpoint | log | other, by how the file was used. What a run
 * with phases writes outside of them (a data set that it prepares) is no checkpoint.
 */
static const char *io_class(const char *path, const struct io_use *use, bool has_phases)
{
	if (!use->storage || is_system(path) || use->accesses == 0)
		return "other";
	if (use->checkpoint || strstr(path, "checkpoint") || strstr(path, "ckpt"))
		return "checkpoint";
	if (!use->bytes_written)
		return "dataset";
	if (use->bytes_read > use->bytes_written)
		return "other"; /* scratch: written and read again */
	if (has_phases && use->outside)
		return "other";
	return use->bytes_written >= BIG || use->bytes_written / use->writes >= BLOCK ? "checkpoint"
										      : "log";
}

int64_t io_first_sample(const struct io_table *table, const struct model *model)
{
	int64_t first = DB_NULL;

	for (size_t i = 0; i < table->uses.n; i++) {
		const struct io_use *use = table->uses.at[i];

		/* phases make no difference for files that are only read */
		if (strcmp(io_class(model->files.at[use->file].path, use, false), "dataset") == 0 &&
			(first == DB_NULL || use->first < first))
			first = use->first;
	}
	return first;
}

/* Process by process, the files of each by path. */
struct file_scan {
	const struct model *model;
	const struct io_table *tables;
	size_t process; /* the next one */
	const struct io_use **uses;
	size_t n, next;
	bool has_phases;
};

/* For equal paths the file defined first comes first. */
static int compare_paths(const void *a, const void *b, void *model)
{
	const struct file *files = ((const struct model *)model)->files.at;
	uint32_t x = (*(struct io_use *const *)a)->file, y = (*(struct io_use *const *)b)->file;
	int order = strcmp(files[x].path, files[y].path);

	return order ? order : (x > y) - (x < y);
}

static void process_begin(struct file_scan *scan)
{
	const struct io_table *table = &scan->tables[scan->process++];

	scan->n = table->uses.n;
	scan->next = 0;
	if (scan->n)
		memcpy(scan->uses, table->uses.at, scan->n * sizeof(*scan->uses));
	qsort_r(scan->uses, scan->n, sizeof(*scan->uses), compare_paths, (void *)scan->model);
}

static const struct db_table table = DB_TABLE(io_file, "insert", IO_FILE_COLUMNS);
static const struct db_table save_table = DB_TABLE(io_save, "insert", IO_SAVE_COLUMNS);

static bool scan_next(void *user, union db_value *values)
{
	struct file_scan *scan = user;
	const struct process *process;
	const struct io_use *use;
	const char *path;

	while (scan->next == scan->n) {
		while (scan->process < scan->model->processes.n &&
			model_is_other_attempt(scan->model, scan->process))
			scan->process++;
		if (scan->process == scan->model->processes.n)
			return false;
		process_begin(scan);
	}
	use = scan->uses[scan->next++];
	path = scan->model->files.at[use->file].path;
	process = &scan->model->processes.at[scan->process - 1];
	DB_SET(values, IO_FILE_COLUMNS);
	return true;
}

static void saves_write(struct db *db, const struct process *process, const char *path,
	const struct io_use *use, bool has_phases)
{
	if (strcmp(io_class(path, use, has_phases), "checkpoint") != 0)
		return;
	for (const struct io_save *save = use->when.at; save < use->when.at + use->when.n; save++)
		db_put_row(db, &save_table, DB_ROW(IO_SAVE_COLUMNS));
}

static void all_saves_write(struct db *db, const struct model *model, const struct io_table *tables,
	bool has_phases)
{
	for (size_t p = 0; p < model->processes.n; p++)
		for (size_t i = 0; i < tables[p].uses.n; i++) {
			const struct io_use *use = tables[p].uses.at[i];

			if (use->when.n)
				saves_write(db, &model->processes.at[p],
					model->files.at[use->file].path, use, has_phases);
		}
}

void io_files_write(struct db *db, const struct model *model, const struct io_table *tables,
	bool has_phases)
{
	struct file_scan scan = { .model = model,
		.tables = tables,
		.has_phases = has_phases,
		.uses = malloc((model->files.n + 1) * sizeof(*scan.uses)) };

	if (scan.uses)
		db_put_rows(db, &table, scan_next, &scan);
	else
		log_error("out of memory for the use of %zu files", model->files.n);
	db->failed |= !scan.uses;
	free(scan.uses);
	all_saves_write(db, model, tables, has_phases);
}

void io_files_free(struct io_table *tables, const struct model *model)
{
	for (size_t p = 0; tables && p < model->processes.n; p++) {
		for (size_t i = 0; i < tables[p].uses.n; i++) {
			struct io_use *use = tables[p].uses.at[i];

			socket_log_free(&use->sent);
			free(use->when.at);
			free(use);
		}
		free(tables[p].uses.at);
		idmap_free(&tables[p].numbers);
	}
	free(tables);
}
