/* spool_python.c - the seconds by line of Python of one process; see spool_in.h. */
#include "config.h"

#include <string.h>
#include <sys/mman.h>

#include "spool/spool_in.h"

/* More than any run has: the writer was damaged. */
#define NS_MOST ((uint64_t)1 << 62)

/* Entries up to the first one without samples. */
static size_t entries_count(const struct spool_python_entry *entries, size_t room)
{
	size_t n = 0;

	while (n < room && entries[n].samples && entries[n].ns < NS_MOST)
		n++;
	return n;
}

void spool_python_read(struct spool_process *process, const char *path)
{
	size_t size;
	struct spool_python *map = spool_map(path, &size);

	if (!map)
		return;
	if (size < sizeof(*map) ||
		memcmp(map->magic, SPOOL_PYTHON_MAGIC, sizeof(map->magic)) != 0 ||
		map->version != SPOOL_VERSION) {
		munmap(map, size);
		return;
	}
	process->python = map;
	process->python_size = size;
	process->python_entries = (const struct spool_python_entry *)(map + 1);
	process->npython_entries = entries_count(process->python_entries,
		(size - sizeof(*map)) / sizeof(*process->python_entries));
}
