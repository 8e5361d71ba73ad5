/* export_file.c - see export_file.h. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/export_file.h"
#include "base/log.h"

static int failed(const char *path)
{
	log_error("cannot write %s: %s", path, strerror(errno));
	return -1;
}

static mode_t mode_of_new(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* An empty file next to `path`, opened for writing; NULL: failed (errno). */
static FILE *temporary_open(struct export_file *file, mode_t mode)
{
	FILE *out;
	int fd;

	if (asprintf(&file->temporary, "%s.XXXXXX", file->path) < 0) {
		file->temporary = NULL;
		return NULL;
	}
	fd = mkstemp(file->temporary);
	if (fd < 0) {
		free(file->temporary);
		file->temporary = NULL;
		return NULL;
	}
	out = fchmod(fd, mode) == 0 ? fdopen(fd, "w") : NULL;
	if (!out)
		close(fd);
	return out;
}

int export_file_open(struct export_file *file, const char *path)
{
	struct stat st;
	bool exists = stat(path, &st) == 0;

	*file = (struct export_file){ .path = exists ? realpath(path, NULL) : strdup(path) };
	if (!file->path)
		return failed(path);
	if (exists && !S_ISREG(st.st_mode))
		file->out = fopen(path, "we");
	else
		file->out = temporary_open(file, exists ? st.st_mode & 0777 : mode_of_new());
	return file->out ? 0 : failed(path);
}

int export_file_close(struct export_file *file)
{
	bool wrong = ferror(file->out);

	errno = wrong ? EIO : 0; /* closing knows better, if something was left to write */
	wrong |= fclose(file->out) != 0;
	file->out = NULL;
	return wrong ? failed(file->path) : 0;
}

int export_file_place(struct export_file *file)
{
	if (file->temporary && rename(file->temporary, file->path) < 0)
		return failed(file->path);
	free(file->temporary);
	file->temporary = NULL;
	return 0;
}

void export_file_free(struct export_file *file)
{
	if (file->out)
		fclose(file->out);
	if (file->temporary)
		unlink(file->temporary);
	free(file->temporary);
	free(file->path);
	*file = (struct export_file){ 0 };
}
