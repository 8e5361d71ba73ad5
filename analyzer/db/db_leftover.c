/*
 * db_leftover.c - see db_leftover.h. A lock marks a file in use: it ends with its process in any
 * case, and other nodes see it where the file system has locks. A PID in the name would provide
 * neither.
 */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "db/db_leftover.h"

enum {
	HEX = 8,     /* digits after the name */
	YOUNG_S = 60 /* an empty file may have been made just now, and not be held yet */
};

/* A byte below SQLite's locks, which begin at 1 GiB. */
static struct flock held_byte(void)
{
	return (struct flock){ .l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = (1 << 30) - 1,
		.l_len = 1 };
}

void db_temporary_hold(int fd)
{
	struct flock lock = held_byte();

	fcntl(fd, F_OFD_SETLK, &lock);
}

/* If the lock cannot be tested, the file counts as in use. */
static bool is_held(int fd)
{
	struct flock lock = held_byte();
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
		(st.st_size == 0 && time(NULL) - st.st_mtime < YOUNG_S))
		return true;
	return fcntl(fd, F_OFD_GETLK, &lock) < 0 || lock.l_type != F_UNLCK;
}

/* `name`, and after it a dot and eight hexadecimal digits. */
static bool is_temporary(const char *file, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(file, name, length) != 0 || file[length] != '.' ||
		strlen(file + length + 1) != HEX)
		return false;
	for (const char *at = file + length + 1; *at; at++)
		if (!isdigit((unsigned char)*at) && (*at < 'a' || *at > 'f'))
			return false;
	return true;
}

void db_leftovers_remove(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
	DIR *dir = folder ? opendir(folder) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int fd;

		if (!is_temporary(entry->d_name, name))
			continue;
		fd = openat(dirfd(dir), entry->d_name,
			O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
		if (fd < 0)
			continue;
		if (!is_held(fd) && unlinkat(dirfd(dir), entry->d_name, 0) == 0)
			log_debug("%s%s is removed: an analysis that was killed left it", folder,
				entry->d_name);
		close(fd);
	}
	if (dir)
		closedir(dir);
	free(folder);
}
