/* spool_map.c - files of a spool, mapped; see spool_in.h. */
#include "config.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rundir.h"
#include "spool/spool_in.h"

void *spool_map(const char *path, size_t *size)
{
	int fd = run_file_open(path);
	struct stat st;
	void *map = MAP_FAILED;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		*size = st.st_size;
		map = mmap(NULL, *size, PROT_READ, MAP_SHARED, fd, 0);
	}
	close(fd);
	return map == MAP_FAILED ? NULL : map;
}
