/* record_spool.c - see record_spool.h. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
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

static int file_copy(const char *from, const char *to)
{
	int in = run_file_open(from);
	int out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	ssize_t n = -1;

	if (out >= 0) {
		do
			n = sendfile(out, in, NULL, 1 << 30);
		while (n > 0);
	}
	if (in >= 0)
		close(in);
	if (out >= 0 && close(out) < 0)
		n = -1;
	return n < 0 ? -1 : 0;
}

/*
 * Moves `name` from one folder to the other: a rename, or across file systems a copy. Folders one
 * level deep.
 */
static int entry_move(const char *from_dir, const char *to_dir, const char *name);

static int entries_move(const char *from, const char *to)
{
	DIR *dir = opendir(from);
	struct dirent *entry;
	int ret = 0;

	if (!dir)
		return -1;
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
			entry_move(from, to, entry->d_name) < 0)
			ret = -1;
	closedir(dir);
	return ret ? ret : rmdir(from);
}

static int entry_move(const char *from_dir, const char *to_dir, const char *name)
{
	char *from = path_join(from_dir, name), *to = path_join(to_dir, name);
	struct stat st;
	int ret = -1;

	if (!from || !to)
		goto out;
	if (rename(from, to) == 0)
		ret = 0;
	else if (errno == EXDEV && lstat(from, &st) == 0 && S_ISDIR(st.st_mode))
		ret = mkdir(to, 0700) < 0 ? -1 : entries_move(from, to);
	else if (errno == EXDEV && file_copy(from, to) == 0)
		ret = unlink(from);
	if (ret < 0)
		log_error("cannot bring %s to %s: %s", from, to_dir, strerror(errno));
out:
	free(from);
	free(to);
	return ret;
}

int record_spool_bring(const char *local, const char *run)
{
	char *to = path_join(run, RUNDIR_SPOOL);
	int ret = -1;

	if (to && (mkdir(to, 0700) == 0 || errno == EEXIST))
		ret = entries_move(local, to);
	if (ret < 0)
		log_error("spools stay in %s", local);
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

/* Does the process whose spools are there (<hostname>.<pid>.<k>) run on this host? */
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
