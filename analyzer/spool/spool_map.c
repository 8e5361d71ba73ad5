/* spool_map.c - files of a spool, mapped; see spool_in.h. */
#include "config.h"

#include <sys/mman.h>

#include "spool/spool_in.h"
#include "spool/spool_pack.h"

void *spool_map(const char *path, size_t *size)
{
	struct spool_file file;
	void *map = MAP_FAILED;

	if (spool_file_open(path, &file) < 0)
		return NULL;
	*size = file.size;
	if (*size)
		map = mmap(NULL, *size, PROT_READ, MAP_SHARED, file.fd, (off_t)file.at);
	spool_file_close(&file);
	return map == MAP_FAILED ? NULL : map;
}
