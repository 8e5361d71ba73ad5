/* rundir.c - see rundir.h. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/rundir.h"

char *path_join(const char *dir, const char *name)
{
	char *path;

	if (asprintf(&path, name[0] == '/' ? "%s%s" : "%s/%s", name[0] == '/' ? "" : dir, name) <
		0) {
		log_error("out of memory");
		return NULL;
	}
	return path;
}

bool path_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

bool path_is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int run_file_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

FILE *run_file_read(const char *path)
{
	int fd = run_file_open(path);

	return fd < 0 ? NULL : fdopen(fd, "r");
}

bool path_lacks(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = !slash	? strdup(".")
		: slash == path ? strdup("/")
				: strndup(path, slash - path);
	bool lacks = true;

	if (!folder)
		log_error("out of memory");
	else if (!*path)
		log_error("a file without a name cannot be written: name one");
	else if (strcmp(path, "-") == 0)
		lacks = false;
	else if (path_is_folder(path))
		log_error("%s is a folder: name a file", path);
	else if (path_exists(path) ? access(path, W_OK) < 0 : access(folder, W_OK | X_OK) < 0)
		log_error("cannot write %s: %s: %s: name a file in an existing, writable folder",
			path, path_exists(path) ? path : folder, strerror(errno));
	else
		lacks = false;
	free(folder);
	return lacks;
}

char *run_database(const char *run)
{
	size_t len = strlen(run);
	char *path;

	if (!path_is_folder(run) && len > 5 && strcmp(run + len - 5, ".otf2") == 0)
		return asprintf(&path, "%.*s.db", (int)(len - 5), run) < 0 ? NULL : path;
	if (path_is_folder(run) || !path_exists(run))
		return path_join(run, RUNDIR_DATABASE);
	return strdup(run);
}

/* Folder that the running program is in, without the last '/'. */
static const char *program_dir(void)
{
	static _Thread_local char dir[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", dir, sizeof(dir) - 1);
	char *slash;

	dir[n > 0 ? n : 0] = '\0';
	slash = strrchr(dir, '/');
	if (slash)
		*slash = '\0';
	return dir;
}

/*
 * `dir` of the installation, from the program as far as it was when tacho was configured: an
 * installation may be moved.
 */
static char *installed_dir(const char *dir)
{
	const char *bin = BINDIR;
	char up[PATH_MAX] = "";
	size_t same = 0;

	for (size_t i = 0; bin[i] && bin[i] == dir[i]; i++)
		if (bin[i] == '/')
			same = i;
	for (const char *rest = bin + same; *rest; rest++)
		if (*rest == '/' && strlen(up) + sizeof("../") + strlen(dir) < sizeof(up))
			strcat(up, "../");
	strcat(up, dir + same + 1);
	return path_join(program_dir(), up);
}

/* The first of the places in `dirs` (empty ones are passed over) that holds `name`. */
static char *find_in(const char *const *dirs, int ndirs, const char *name)
{
	for (int i = 0; i < ndirs; i++) {
		char *path;

		if (!dirs[i] || !dirs[i][0])
			continue;
		path = path_join(dirs[i], name);
		if (path && path_exists(path))
			return path;
		free(path);
	}
	return NULL;
}

char *report_file(const char *name)
{
	static const char *const folders[] = { "page", "view", "compare", "runs", "history",
		"scaling", "explain" };
	char *installed = installed_dir(PKGDATADIR), *path = NULL;
	const char *dirs[] = { getenv("TACHO_DATADIR"), installed, TOP_SRCDIR, PKGDATADIR };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && !path; i++) {
		char in_folder[PATH_MAX];

		snprintf(in_folder, sizeof(in_folder), "reports/%s/%s", folders[i], name);
		path = find_in(dirs, 4, in_folder);
	}
	free(installed);
	if (!path)
		log_error("%s of tacho is missing: install tacho again or set TACHO_DATADIR", name);
	return path;
}

char *markers_file(void)
{
	char *installed = installed_dir(PKGDATADIR);
	const char *dirs[] = { getenv("TACHO_DATADIR"), installed, TOP_SRCDIR "/include",
		PKGDATADIR };
	char *found = find_in(dirs, 4, "tacho.py");
	char *path = found ? realpath(found, NULL) : NULL;

	free(installed);
	free(found);
	return path;
}

char *library_file(void)
{
	char *installed = installed_dir(PKGLIBDIR);
	char *built = path_join(program_dir(), "../collector/.libs");
	const char *dirs[] = { installed, built, PKGLIBDIR };
	const char *given = getenv("TACHO_LIB");
	char *found = given && path_exists(given) ? strdup(given) : find_in(dirs, 3, "libtacho.so");
	char *path = found ? realpath(found, NULL) : NULL;

	free(installed);
	free(built);
	free(found);
	if (!path)
		log_error("libtacho.so is missing: install tacho again or set TACHO_LIB");
	return path;
}

char *module_file(const char *name)
{
	char *installed = installed_dir(PKGLIBDIR);
	char *built = path_join(program_dir(), ".libs");
	/* libtool runs a program of the build tree from there */
	char *own = path_join(program_dir(), "../.libs");
	const char *dirs[] = { installed, program_dir(), built, own, PKGLIBDIR };
	char *path = find_in(dirs, 5, name);

	free(installed);
	free(built);
	free(own);
	if (!path)
		log_error("%s is missing: build tacho with an MPI, or start it as a single process",
			name);
	return path;
}

void run_local_read(const char *run, const char *name, struct run_local *local)
{
	char *path = path_join(run, name), here[HOST_NAME_MAX + 1] = "";
	FILE *file = path ? run_file_read(path) : NULL;

	*local = (struct run_local){ 0 };
	if (file && fgets(local->host, sizeof(local->host), file) &&
		!fgets(local->folder, sizeof(local->folder), file))
		local->folder[0] = '\0';
	local->host[strcspn(local->host, "\n")] = '\0';
	local->folder[strcspn(local->folder, "\n")] = '\0';
	gethostname(here, sizeof(here) - 1);
	local->is_here = strcmp(local->host, here) == 0;
	if (file)
		fclose(file);
	free(path);
}

static int place_add(struct run_places *places, const struct run_local *local)
{
	char **grown;

	if (!local->is_here) {
		snprintf(places->host, sizeof(places->host), "%s", local->host);
		places->elsewhere++;
	}
	if (!local->is_here || !*local->folder)
		return 0;
	grown = realloc(places->here, (places->n + 1) * sizeof(*grown));
	if (grown)
		places->here = grown;
	if (!grown || !(grown[places->n] = strdup(local->folder))) {
		log_error("out of memory");
		return -1;
	}
	places->n++;
	return 0;
}

int run_places_read(const char *run, struct run_places *places)
{
	DIR *dir = opendir(run);
	struct dirent *entry;
	int ret = 0;

	*places = (struct run_places){ 0 };
	while (dir && ret == 0 && (entry = readdir(dir))) {
		struct run_local local;

		if (strncmp(entry->d_name, RUNDIR_LOCAL, strlen(RUNDIR_LOCAL)) != 0)
			continue;
		run_local_read(run, entry->d_name, &local);
		ret = place_add(places, &local);
	}
	if (dir)
		closedir(dir);
	return ret;
}

void run_places_free(struct run_places *places)
{
	for (size_t i = 0; i < places->n; i++)
		free(places->here[i]);
	free(places->here);
}

char *run_property(const char *run, const char *key)
{
	char *path = path_join(run, RUNDIR_PROPERTIES);
	FILE *file = path ? run_file_read(path) : NULL;
	size_t size = 0, len = strlen(key);
	char *line = NULL, *value = NULL;

	free(path);
	if (!file)
		return NULL;
	while (!value && getline(&line, &size, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, key, len) == 0 && line[len] == '=')
			value = strdup(line + len + 1);
	}
	free(line);
	fclose(file);
	return value;
}

int run_property_add(const char *run, const char *key, const char *value)
{
	char *path = path_join(run, RUNDIR_PROPERTIES);
	FILE *file = path ? fopen(path, "ae") : NULL;
	int ret = -1;

	if (file) {
		fprintf(file, "%s=", key);
		for (const char *c = value; *c; c++)
			fputc(*c == '\n' ? ' ' : *c, file);
		fputc('\n', file);
		ret = fclose(file) ? -1 : 0;
	}
	if (ret < 0)
		log_error("cannot write %s: %s", path ? path : run, strerror(errno));
	free(path);
	return ret;
}
