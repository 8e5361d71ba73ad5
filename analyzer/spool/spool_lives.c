/* spool_lives.c - see spool_lives.h. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "spool/spool_lives.h"

bool spool_process_lives(const struct spool_def_process *process)
{
	char path[64], text[1024], state;
	unsigned long long start;
	const char *fields;
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/stat", process->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[size > 0 ? size : 0] = '\0';
	fields = strrchr(text, ')'); /* the name before it may hold anything */
	if (!fields ||
		sscanf(fields,
			") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
			&state, &start) != 2)
		return false;
	return state != 'Z' && state != 'X' &&
		start / (unsigned long)sysconf(_SC_CLK_TCK) <=
		(unsigned long long)process->start.monotonic_ns / 1000000000 + 1;
}
