/* sanitizer.c - see sanitizer.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/rundir.h"
#include "record/sanitizer.h"
#include "tacho/launcher.h"

#define LARGEST ((off_t)1 << 30) /* of a program that is searched */

/* Whether the file is a program that has this name in it. */
static bool file_has(const char *path, const char *name)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool has = false;
	struct stat st;
	void *text;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 4 && st.st_size < LARGEST) {
		text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (text != MAP_FAILED) {
			has = !memcmp(text, "\177ELF", 4) &&
				memmem(text, (size_t)st.st_size, name, strlen(name));
			munmap(text, (size_t)st.st_size);
		}
	}
	close(fd);
	return has;
}

/* Whether one of the words of the command is such a program: the first may be a launcher's. */
static bool command_has(char *const argv[], const char *name)
{
	char path[PATH_MAX];

	for (int i = 0; argv[i]; i++)
		if (launcher_find(path, argv[i], i ? NULL : getenv("PATH")) && file_has(path, name))
			return true;
	return false;
}

/* Adds `key`=`value` to the options in `variable`, unless the key exists. */
static int option_add(const char *variable, const char *key, const char *value)
{
	const char *set = getenv(variable);
	char *text;
	int ret;

	if (set && strstr(set, key))
		return 0;
	if (asprintf(&text, "%s%s%s=%s", set ? set : "", set && *set ? ":" : "", key, value) < 0) {
		log_error("out of memory");
		return -1;
	}
	ret = setenv(variable, text, 1);
	free(text);
	return ret;
}

static int suppressions_write(const char *path)
{
	FILE *fp = fopen(path, "w");
	bool is_written = fp && fputs("called_from_lib:libtacho.so\n", fp) >= 0;

	if (fp && fclose(fp) < 0)
		is_written = false;
	if (!is_written)
		log_error("cannot write %s: %s", path, strerror(errno));
	return is_written ? 0 : -1;
}

static int thread_sanitizer(const char *run)
{
	char *path = path_join(run, "tsan.supp");
	int ret = -1;

	if (path && !suppressions_write(path))
		ret = option_add("TSAN_OPTIONS", "suppressions", path);
	free(path);
	return ret;
}

int sanitizer_prepare(const char *run, char *const argv[])
{
	if (command_has(argv, "__asan_init") &&
		option_add("ASAN_OPTIONS", "verify_asan_link_order", "0") < 0)
		return -1;
	return command_has(argv, "__tsan_init") ? thread_sanitizer(run) : 0;
}
