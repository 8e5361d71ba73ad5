/*
 * analyze_traces.c - traces of torch.profiler: their archive is in a folder for temporary files while
 * it is analysed.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/analyze.h"
#include "base/containers.h"
#include "base/log.h"
#include "base/par.h"
#include "base/path_list.h"
#include "base/rundir.h"
#include "kineto/kineto.h"
#include "otf2/otf2_out.h"

bool analyze_is_traces(const char *path)
{
	path_list paths = { 0 };
	bool any;

	if (!path_is_folder(path))
		return kineto_is_trace(path);
	if (run_folder_is(path))
		return false;
	path_list_read(&paths, path, kineto_is_trace);
	any = paths.n;
	path_list_free(&paths);
	return any;
}

/* NAME of NAME.json, NAME.pt.trace.json.gz and the like: the first `length` of it. */
static size_t plain_length(const char *path)
{
	static const char *const suffixes[] = { ".gz", ".json", ".trace", ".pt", ".sqlite",
		".nsys-rep" };
	size_t length = strlen(path);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t n = strlen(suffixes[i]);

		if (length > n && memcmp(path + length - n, suffixes[i], n) == 0)
			length -= n;
	}
	return length;
}

/* tacho.db in the folder of the traces, NAME.db next to one trace. */
static char *database_of(char *const *given, size_t n)
{
	const char *slash = strrchr(given[0], '/');
	char *path = NULL;
	int length = slash ? (int)(slash - given[0]) : 1;

	if (path_is_folder(given[0]))
		return path_join(given[0], RUNDIR_DATABASE);
	if (n == 1)
		length = asprintf(&path, "%.*s.db", (int)plain_length(given[0]), given[0]);
	else
		length = asprintf(&path, "%.*s/%s", length ? length : 1, slash ? given[0] : ".",
			RUNDIR_DATABASE);
	return length < 0 ? NULL : path;
}

/* The name of the folder or, of one trace, its own without suffixes. */
static char *label_of(const char *given, size_t n)
{
	const char *slash = strrchr(given, '/');
	size_t length = path_is_folder(given) ? strlen(given)
		: n == 1		      ? plain_length(given)
		: slash			      ? (size_t)(slash - given)
					      : 0;
	size_t from;

	if (!length)
		return strdup("traces");
	while (length > 1 && given[length - 1] == '/')
		length--;
	for (from = length; from && given[from - 1] != '/'; from--)
		;
	return strndup(given + from, length - from);
}

static void paths_read(path_list *paths, char *const *given, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char **at;

		if (path_is_folder(given[i]))
			path_list_read(paths, given[i], kineto_is_trace);
		else if ((at = ARRAY_ADD(paths)))
			*at = strdup(given[i]);
	}
}

int analyze_traces_archive(char *const *given, size_t n,
	int (*work)(const char *anchor, void *user), void *user)
{
	const char *temporary = getenv("TMPDIR");
	char *folder = path_join(temporary && *temporary ? temporary : "/tmp", "tacho-XXXXXX");
	path_list paths = { 0 };
	char *anchor = NULL;
	int ret = -1;

	if (!folder)
		return -1;
	if (!mkdtemp(folder)) {
		log_error("cannot make a folder for temporary files, %s: %s: set TMPDIR", folder,
			strerror(errno));
		free(folder);
		return -1;
	}
	paths_read(&paths, given, n);
	anchor = path_join(folder, "traces.otf2");
	if (anchor && paths.n && kineto_convert(paths.at, paths.n, folder) == 0)
		ret = work(anchor, user);
	folder_remove(folder);
	path_list_free(&paths);
	free(anchor);
	free(folder);
	return ret;
}

static int analyze_work(const char *anchor, void *options)
{
	return analyze_run(anchor, options);
}

int analyze_traces(char *const *given, size_t n, const struct analyze_options *options)
{
	struct analyze_options own = *options;
	char *database = own.database ? NULL : database_of(given, n),
	     *label = label_of(given[0], n);
	int ret = -1;

	if (par_size() > 1) {
		log_error("traces of torch.profiler are read by one process: analyse them without "
			  "mpirun");
	} else if (label && (database || own.database)) {
		own.database = own.database ? own.database : database;
		own.label = own.label ? own.label : label;
		ret = analyze_traces_archive(given, n, analyze_work, &own);
	}
	free(database);
	free(label);
	return ret;
}
