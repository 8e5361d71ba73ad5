/* record_spool.c - see record_spool.h. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "record/record_pack.h"
#include "record/record_spool.h"
#include "base/rundir.h"
#include "spool/spool_in.h"
#include "spool/spool_lives.h"
#include "tacho/host.h"

#define LONG_BYTES (UINT64_C(4) << 30) /* some 20 s of a merge on 16 cores */

char *record_spool_make(const char *dir, int rank)
{
	char *name = NULL, *path;

	if (asprintf(&name, "%s/tacho.%d.%d.XXXXXX", dir, rank, (int)getpid()) < 0 ||
		!mkdtemp(name)) {
		log_error("cannot make a folder for spools in %s: %s", dir, strerror(errno));
		free(name);
		return NULL;
	}
	path = realpath(name, NULL);
	if (!path)
		log_error("cannot find %s: %s", name, strerror(errno));
	free(name);
	return path;
}

/* Where both are on one file system; -1 with EXDEV where they are not. */
static int entries_rename(const char *from, const char *to)
{
	DIR *dir = opendir(from);
	struct dirent *entry;
	int ret = dir ? 0 : -1, error;

	while (ret == 0 && (entry = readdir(dir))) {
		char *old = path_join(from, entry->d_name), *new = path_join(to, entry->d_name);

		if (!old || !new)
			ret = -1;
		else if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			ret = rename(old, new);
		free(old);
		free(new);
	}
	error = errno;
	if (dir)
		closedir(dir);
	errno = error;
	return ret < 0 ? -1 : rmdir(from);
}

int record_spool_bring(const char *local, const char *run)
{
	char *to = path_join(run, RUNDIR_SPOOL);
	int ret = -1;

	if (to && (mkdir(to, 0700) == 0 || errno == EEXIST))
		ret = entries_rename(local, to);
	if (to && ret < 0 && errno == EXDEV)
		ret = record_pack_add(local, to);
	if (ret < 0)
		log_error("cannot bring the spools to %s: %s; they stay in %s", run,
			strerror(errno), local);
	free(to);
	return ret;
}

char *record_link_make(const char *library)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = NULL, *path = NULL;

	if (!tmp || strpbrk(tmp, " :"))
		tmp = "/tmp";
	if (asprintf(&dir, "%s/tacho.XXXXXX", tmp) < 0 || !mkdtemp(dir))
		goto out;
	path = path_join(dir, "libtacho.so");
	if (path && symlink(library, path) < 0) {
		free(path);
		path = NULL;
	}
out:
	if (!path)
		log_error("cannot link %s into %s: %s", library, tmp, strerror(errno));
	free(dir);
	return path;
}

void record_link_remove(const char *link)
{
	char *dir = strdup(link);

	unlink(link);
	if (dir) {
		*strrchr(dir, '/') = '\0';
		rmdir(dir);
	}
	free(dir);
}

bool record_spool_any(const char *run)
{
	char *path = path_join(run, RUNDIR_SPOOL);
	DIR *dir = path ? opendir(path) : NULL;
	struct dirent *entry;
	bool any = false;

	while (dir && !any && (entry = readdir(dir)))
		any = entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	free(path);
	return any;
}

/* The part of <hostname>.<pid>.<k> that names the node. */
static size_t host_length(const char *folder)
{
	size_t n = strlen(folder);

	for (int dots = 0; n > 0 && dots < 2;)
		dots += folder[--n] == '.';
	return n;
}

static int compare_hosts(const void *a, const void *b)
{
	const struct spool_place *x = a, *y = b;
	size_t m = host_length(x->folder), n = host_length(y->folder);
	int order = memcmp(x->folder, y->folder, m < n ? m : n);

	return order ? order : (m > n) - (m < n);
}

static uint64_t bytes_counted;

static int file_count(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path, (void)ftw;
	bytes_counted += type == FTW_F ? (uint64_t)st->st_size : 0;
	return 0;
}

void record_spools_read(const char *run, struct record_spools *spools)
{
	char *path = path_join(run, RUNDIR_SPOOL);
	struct spool_places places = { 0 };

	*spools = (struct record_spools){ 0 };
	if (path && spool_places_add(&places, path) == 0) {
		qsort(places.at, places.n, sizeof(*places.at), compare_hosts);
		for (size_t i = 0; i < places.n; i++)
			spools->nodes += !i || compare_hosts(&places.at[i - 1], &places.at[i]) != 0;
		bytes_counted = 0;
		nftw(path, file_count, 16, FTW_PHYS);
		spools->bytes = bytes_counted;
	}
	spool_places_free(&places);
	free(path);
}

void record_spools_say(const struct record_spools *spools, const char *name, bool merges)
{
	char command[64] = "mpirun -N 1";

	if (spools->nodes < 2 || log_level < LOG_NORMAL || (merges && spools->bytes < LONG_BYTES))
		return;
	if (getenv("SLURM_JOB_ID"))
		snprintf(command, sizeof(command), "srun -N %d --ntasks-per-node=1", spools->nodes);
	if (merges)
		fprintf(stderr,
			"tacho: the merge of %.1f GB from %d nodes takes long; after a run with "
			"--no-merge `%s tacho finish %s` uses all nodes\n",
			(double)spools->bytes / 1e9, spools->nodes, command, name);
	else
		fprintf(stderr,
			"tacho: `%s tacho finish %s` merges and analyzes the run on all nodes\n",
			command, name);
}

/* Whether the process of a pid that is in use is the one that left the spools. */
static bool is_the_process(const struct spool_place *place)
{
	struct spool_process *process = spool_process_defined(place);
	bool is = !process || !process->defined || spool_process_lives(&process->def);

	spool_process_close(process);
	return is;
}

/* True if the owner of these spools (<hostname>.<pid>.<k>) runs on this host. */
static bool place_runs(const struct spool_place *place, const char *hostname)
{
	size_t len = strlen(hostname);
	int pid, k;

	return strncmp(place->folder, hostname, len) == 0 &&
		sscanf(place->folder + len, ".%d.%d", &pid, &k) == 2 && pid > 0 &&
		(kill(pid, 0) == 0 || errno == EPERM) && is_the_process(place);
}

static int running_count(const char *run)
{
	char *path = path_join(run, RUNDIR_SPOOL), hostname[HOST_ROOM];
	struct spool_places places = { 0 };
	int count = 0;

	host_name(hostname);
	if (path)
		spool_places_add(&places, path);
	for (size_t i = 0; i < places.n; i++)
		count += place_runs(&places.at[i], hostname);
	spool_places_free(&places);
	free(path);
	return count;
}

int record_spool_wait(const char *run, int seconds)
{
	struct timespec nap = { .tv_nsec = 50000000 };
	int count = running_count(run);

	for (int i = 0; count && i < seconds * 20; i++) {
		nanosleep(&nap, NULL);
		count = running_count(run);
	}
	return count;
}
