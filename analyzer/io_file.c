/* io_file.c - see io_file.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io_file.h"
#include "log.h"

enum { BLOCK = 64 << 10, BIG = 1 << 20 };

struct io_use *io_use_of(struct io_table *table, const struct model *model, uint32_t file)
{
	if (!table->by_file)
		table->by_file = calloc(model->files.n, sizeof(*table->by_file));
	if (table->by_file && !table->by_file[file])
		table->by_file[file] = calloc(1, sizeof(struct io_use));
	if (!table->by_file || !table->by_file[file]) {
		log_error("out of memory for the use of %s", model->files.at[file].path);
		return NULL;
	}
	return table->by_file[file];
}

void io_use_access(struct io_use *use, bool write, uint64_t bytes, uint64_t offset, int64_t ns)
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
	if (!bytes)			/* end of file, or a failure */
		return;
	if (offset == UINT64_MAX)
		offset = use->next;
	use->following += use->accesses && offset == use->next;
	if (!use->accesses || bytes < use->min_access)
		use->min_access = bytes;
	if (bytes > use->max_access)
		use->max_access = bytes;
	use->accesses++;
	use->next = offset + bytes;
}

bool io_is_storage(const char *path)
{
	static const char *const not_storage[] =
		{ "/proc/", "/sys/", "/dev/", "pipe:", "socket:", "anon_inode:", "memfd:" };

	for (size_t i = 0; i < sizeof(not_storage) / sizeof(not_storage[0]); i++)
		if (strncmp(path, not_storage[i], strlen(not_storage[i])) == 0)
			return false;
	return path[0] != '(' && path[0] != '\0' && strncmp(path, "std", 3) != 0;
}

static bool is_system(const char *path)
{
	return strncmp(path, "/etc/", 5) == 0 || strncmp(path, "/usr/", 5) == 0 ||
		strncmp(path, "/lib", 4) == 0 ||
		strstr(path, ".so.") || strstr(path, ".py");
}

/*
 * dataset | checkpoint | log | other, by how the file was used. What a run
 * with phases writes outside of them (a data set that it prepares) is no checkpoint.
 */
static const char *io_class(const char *path, const struct io_use *use, bool has_phases)
{
	if (!io_is_storage(path) || is_system(path) || use->accesses == 0)
		return "other";
	if (use->checkpoint || strstr(path, "checkpoint") || strstr(path, "ckpt"))
		return "checkpoint";
	if (!use->bytes_written)
		return "dataset";
	if (use->bytes_read > use->bytes_written)
		return "other";		/* scratch: written and read again */
	if (has_phases && use->outside)
		return "other";
	return use->bytes_written >= BIG || use->bytes_written / use->writes >= BLOCK ?
		"checkpoint" : "log";
}

void io_files_write(struct db *db, const struct model *model, const struct io_table *tables,
		bool has_phases)
{
	for (size_t p = 0; p < model->processes.n; p++)
		for (size_t f = 0; tables[p].by_file && f < model->files.n; f++) {
			const struct io_use *use = tables[p].by_file[f];
			const char *path = model->files.at[f].path;

			if (!use)
				continue;
			db_put(db, "insert into io_file values (1,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) "
				"on conflict do update set opens = opens + excluded.opens, "
				"reads = reads + excluded.reads, "
				"writes = writes + excluded.writes, "
				"bytes_read = bytes_read + excluded.bytes_read, "
				"bytes_written = bytes_written + excluded.bytes_written, "
				"ns = ns + excluded.ns, read_ns = read_ns + excluded.read_ns, "
				"write_ns = write_ns + excluded.write_ns, "
				"meta_ns = meta_ns + excluded.meta_ns",
				use->accesses ? "issiiiiiiiiidii" : "issiiiiiiiiidnn",
				model->processes.at[p].id, path,
				io_class(path, use, has_phases), (int64_t)use->opens,
				(int64_t)use->reads, (int64_t)use->writes, (int64_t)use->bytes_read,
				(int64_t)use->bytes_written,
				use->read_ns + use->write_ns + use->meta_ns, use->read_ns,
				use->write_ns, use->meta_ns,
				use->accesses > 1 ? (double)use->following / (use->accesses - 1) :
				NAN, (int64_t)use->min_access, (int64_t)use->max_access);
		}
}

void io_files_free(struct io_table *tables, const struct model *model)
{
	for (size_t p = 0; tables && p < model->processes.n; p++) {
		for (size_t f = 0; tables[p].by_file && f < model->files.n; f++)
			free(tables[p].by_file[f]);
		free(tables[p].by_file);
	}
	free(tables);
}
