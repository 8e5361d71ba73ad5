/* record_share.c - see record_share.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock_now.h"
#include "base/containers.h"
#include "base/guard.h"
#include "base/log.h"
#include "base/par_files.h"
#include "base/rundir.h"
#include "merge/merge.h"
#include "record/interrupt.h"
#include "record/record_share.h"

enum {
	LEAST_MB = 32,	/* of spools: sharing less takes longer */
	CREW_MOST = 64, /* nodes: the leader reads the files of all; more nodes use MPI */
	GRACE_MS = 150, /* wait for helpers after the end of their ranks */
	LOOK_MS = 5,	/* between two reads of a file */
	MEET_MS = 3000, /* for a helper's answer: most take some ms */
	PLACE_MS = 3 * MEET_MS,
	STAY_LEAST_S = 10, /* ranks of a job end together, or one has failed */
	STAY_MOST_S = 60,
	STAY_PART = 100, /* of the run's time */
	LINE = HOST_NAME_MAX + 2
};

#define CALL   "call"
#define ANSWER "here"

/*
 * Lines of N.helps: the helper writes its node, the leader CALL, the helper ANSWER, and the leader the place,
 * "RANK SIZE", or "0 0" for a helper without a place. Both append to one file, because over NFS a new file may be
 * seen late.
 */
static char *file_of(const char *run, int rank)
{
	char *path;

	return asprintf(&path, "%s/ranks/%d.helps", run, rank) < 0 ? NULL : path;
}

/* Path of the files of par_files.h, without the rank. */
static char *parts_of(const char *run)
{
	return path_join(run, RUNDIR_RANKS "/" RUNDIR_HELPS);
}

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = LOOK_MS * 1000000 }, NULL);
}

/* Adds a line. False: it cannot, or the file is gone. */
static bool line_add(const char *path, const char *line)
{
	int fd = path ? open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC) : -1;
	size_t size = strlen(line);
	bool fine = fd >= 0 && write(fd, line, size) == (ssize_t)size;

	if (fd >= 0 && close(fd) < 0)
		fine = false;
	return fine;
}

/* The number of complete lines, and the last one without its end. */
static int lines_read(const char *path, char last[LINE])
{
	char line[LINE];
	FILE *file = path ? run_file_read(path) : NULL;
	int n = 0;

	*last = '\0';
	while (file && fgets(line, sizeof(line), file) && strchr(line, '\n')) {
		line[strcspn(line, "\n")] = '\0';
		memcpy(last, line, LINE);
		n++;
	}
	if (file)
		fclose(file);
	return n;
}

static void host_get(char *host)
{
	host[0] = '\0';
	gethostname(host, HOST_NAME_MAX);
	host[HOST_NAME_MAX] = '\0';
}

/* Or may be: it has not begun. */
static bool is_elsewhere(const char *run, int rank, const char *host)
{
	char *other = record_job_host(run, rank);
	bool is = !other || strcmp(other, host) != 0;

	free(other);
	return is;
}

/* Whether the job has several nodes, by some of its ranks: launchers put neighbours or ends on different ones. */
static bool is_spread(const struct record_job *job, const char *run)
{
	int ranks[] = { 0, job->size - 1, job->rank - 1, job->rank + 1 };
	char host[HOST_NAME_MAX + 1];

	host_get(host);
	for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
		if (ranks[i] >= 0 && ranks[i] < job->size && is_elsewhere(run, ranks[i], host))
			return true;
	return false;
}

/* A name on this node that one process of the job can have. -1: another has it. */
static int lock_take(const struct record_job *job, const char *run)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	uint64_t key = hash_mix((uint64_t)getuid(), 2);
	int lock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), n;

	for (const char *at = run; *at; at++)
		key = hash_mix(key, (unsigned char)*at);
	for (const char *at = job->token; *at; at++)
		key = hash_mix(key, (unsigned char)*at);
	n = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "tacho-helps-%016llx",
		(unsigned long long)key);
	if (lock >= 0 &&
		bind(lock, (struct sockaddr *)&address,
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) == 0)
		return lock;
	if (lock >= 0)
		close(lock);
	return -1;
}

/* The file appears complete. */
static bool offer_write(const char *path)
{
	char host[HOST_NAME_MAX + 1], *begun = NULL;
	int fd = asprintf(&begun, "%s.tmp", path) < 0
		? -1
		: open(begun, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool fine;

	host_get(host);
	fine = fd >= 0 && dprintf(fd, "%s\n", host) > 0;
	if (fd >= 0)
		close(fd);
	fine = fine && rename(begun, path) == 0;
	free(begun);
	return fine;
}

void share_withdraw(struct share *share)
{
	if (share->file)
		unlink(share->file);
	if (share->lock >= 0)
		close(share->lock);
	free(share->file);
	*share = (struct share){ .lock = -1 };
}

void share_offer(struct share *share, const struct record_job *job, const char *run)
{
	*share = (struct share){ .lock = -1 };
	if (!is_spread(job, run))
		return;
	share->lock = lock_take(job, run);
	if (share->lock < 0)
		return;
	share->file = file_of(run, job->rank);
	if (!share->file || !offer_write(share->file))
		share_withdraw(share);
}

/* A place in a crew. */
struct crew_place {
	int rank, size;
	const char *const *names; /* of nodes by rank; rank 0 has them */
};

/* The work of one process of the crew. */
struct crew_work {
	const char *run;
	const char *parts;
	struct crew_place place;
	bool keep_spools;
};

static int work_do(void *argument)
{
	const struct crew_work *work = argument;
	const struct crew_place *place = &work->place;
	const struct merge_options options = { .force = true,
		.is_first = true,
		.delete_spools = !work->keep_spools,
		.shared = true };
	int ret;

	guard->stage = GUARD_WRITING; /* as of a merge that is not shared */
	if (files_join(work->parts, place->rank, place->size, place->names) < 0 ||
		par_join(&par_files) < 0)
		return -1;
	if (par_rank())
		log_level = LOG_QUIET;
	ret = merge_run(work->run, &options);
	par_end();
	return ret;
}

static void work_together(const struct record_job *job, const char *run, const char *parts,
	struct crew_place place, bool keep_spools)
{
	struct crew_work work = { run, parts, place, keep_spools };
	struct guard at;

	record_job_cores(job, run);
	guard_run(work_do, &work, 0, &at);
	/* for the child, which may have been killed: the others need not wait for it */
	if (files_join(parts, place.rank, place.size, NULL) == 0)
		files_leave();
}

/* Waits for the call and the place. False: no place came. */
static bool called(const char *file, int64_t stay_ns, struct crew_place *place)
{
	int64_t now = clock_now_ns(CLOCK_MONOTONIC), until = now + stay_ns;
	bool has_answered = false;
	char line[LINE];

	for (; now < until; now = clock_now_ns(CLOCK_MONOTONIC)) {
		int n = lines_read(file, line);

		if (n == 2 && !has_answered && strcmp(line, CALL) == 0) {
			has_answered = line_add(file, ANSWER "\n");
			until = now + PLACE_MS * INT64_C(1000000);
		} else if (n >= 2 && sscanf(line, "%d %d", &place->rank, &place->size) == 2) {
			return place->rank > 0 && place->rank < place->size;
		}
		nap();
	}
	return false;
}

void share_help(struct share *share, const struct record_job *job, const char *run, int64_t run_ns)
{
	const int64_t second = 1000000000;
	int64_t stay = run_ns / STAY_PART;
	struct crew_place place = { 0 };
	char *parts;
	bool is_called;

	if (!share->file)
		return;
	if (stay < STAY_LEAST_S * second)
		stay = STAY_LEAST_S * second;
	if (stay > STAY_MOST_S * second)
		stay = STAY_MOST_S * second;
	interrupt_say(NULL); /* the leader prints it */
	is_called = called(share->file, stay, &place);
	share_withdraw(share);
	parts = is_called ? parts_of(run) : NULL;
	if (parts)
		work_together(job, run, parts, place, false);
	free(parts);
}

/* A helper. */
struct offer {
	char name[LINE];
	int rank; /* of the job */
	bool has_answered;
};

/* The helpers of a job. */
struct crew {
	struct offer *offers; /* first one for each other node */
	int n, nwanted;
	int nnodes; /* of the job, without this one */
};

static bool offer_read(const char *run, int rank, struct offer *offer)
{
	char *path = file_of(run, rank);
	bool fine = lines_read(path, offer->name) == 1;

	offer->rank = rank;
	offer->has_answered = false;
	free(path);
	return fine;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* How many other nodes the job has. */
static int nodes_count(const struct record_job *job, const char *run, const char *host)
{
	char **hosts = calloc((size_t)job->size, sizeof(*hosts));
	int n = 0, nodes = 0;

	for (int rank = 0; hosts && rank < job->size; rank++) {
		hosts[n] = record_job_host(run, rank);
		n += hosts[n] != NULL;
	}
	if (hosts)
		qsort(hosts, (size_t)n, sizeof(*hosts), compare_names);
	for (int i = 0; i < n; i++)
		nodes += strcmp(hosts[i], host) != 0 && (!i || strcmp(hosts[i], hosts[i - 1]) != 0);
	for (int i = 0; i < n; i++)
		free(hosts[i]);
	free(hosts);
	return nodes;
}

static bool is_wanted(const struct crew *crew, const struct offer *offer, const char *host)
{
	bool wanted = strcmp(offer->name, host) != 0;

	for (int i = 0; wanted && i < crew->nwanted; i++)
		wanted = strcmp(offer->name, crew->offers[i].name) != 0;
	return wanted;
}

static void crew_read(struct crew *crew, const struct record_job *job, const char *run,
	const char *host)
{
	crew->n = crew->nwanted = 0;
	for (int rank = 0; rank < job->size; rank++) {
		struct offer *next = &crew->offers[crew->n];

		if (rank == job->rank || !offer_read(run, rank, next))
			continue;
		crew->n++;
		if (is_wanted(crew, next, host)) {
			struct offer first = crew->offers[crew->nwanted];

			crew->offers[crew->nwanted++] = *next;
			if (next != &crew->offers[crew->nwanted - 1])
				*next = first;
		}
	}
}

/* TACHO_SHARE: from so many MB of spools on, 0: always. */
static bool is_worth_it(uint64_t bytes)
{
	const char *set = getenv("TACHO_SHARE");

	return bytes > 0 && bytes >= (set && *set ? strtoull(set, NULL, 10) : LEAST_MB) << 20;
}

static bool offer_tell(const char *run, const struct offer *offer, const char *line)
{
	char *path = file_of(run, offer->rank);
	bool fine = line_add(path, line);

	free(path);
	return fine;
}

/* Reads the answers. True: one is missing. */
static bool answers_take(struct crew *crew, const char *run)
{
	bool is_missing = false;

	for (int i = 0; i < crew->nwanted; i++) {
		struct offer *offer = &crew->offers[i];
		char *path = offer->has_answered ? NULL : file_of(run, offer->rank), line[LINE];

		if (path && lines_read(path, line) == 3)
			offer->has_answered = strcmp(line, ANSWER) == 0;
		is_missing |= !offer->has_answered;
		free(path);
	}
	return is_missing;
}

/* Calls a helper of each node and keeps those with an answer: a helper may have been killed. */
static void crew_call(struct crew *crew, const char *run)
{
	int64_t until = clock_now_ns(CLOCK_MONOTONIC) + MEET_MS * INT64_C(1000000);
	int n = 0;

	for (int i = 0; i < crew->nwanted; i++)
		offer_tell(run, &crew->offers[i], CALL "\n");
	while (answers_take(crew, run) && clock_now_ns(CLOCK_MONOTONIC) < until)
		nap();
	for (int i = 0; i < crew->nwanted; i++)
		if (crew->offers[i].has_answered) {
			struct offer missing = crew->offers[n];

			crew->offers[n++] = crew->offers[i];
			if (i >= n)
				crew->offers[i] = missing;
		}
	crew->nwanted = n;
}

/* Gives the first `nwanted` helpers their places, and none to the others. */
static void places_tell(const struct crew *crew, const char *run, int nwanted)
{
	char line[64];

	for (int i = 0; i < crew->n; i++) {
		bool is_wanted = i < nwanted;

		snprintf(line, sizeof(line), "%d %d\n", is_wanted ? i + 1 : 0,
			is_wanted ? nwanted + 1 : 0);
		offer_tell(run, &crew->offers[i], line);
	}
}

static void crew_lead(const struct crew *crew, const struct record_job *job, const char *run,
	bool keep_spools)
{
	const char **names = calloc((size_t)crew->nwanted + 1, sizeof(*names));
	char *parts = parts_of(run);
	struct crew_place place = { 0, crew->nwanted + 1, names };
	bool can = names && parts && files_make(parts, place.size) == 0;

	for (int i = 0; names && i < crew->nwanted; i++)
		names[i + 1] = crew->offers[i].name;
	places_tell(crew, run, can ? crew->nwanted : 0);
	if (can)
		work_together(job, run, parts, place, keep_spools);
	if (parts)
		files_remove(parts, place.size);
	free(parts);
	free(names);
}

void share_lead(const struct record_job *job, const char *run, uint64_t bytes, bool keep_spools)
{
	struct crew crew = { .offers = calloc((size_t)job->size, sizeof(*crew.offers)) };
	char host[HOST_NAME_MAX + 1];
	bool worth = is_worth_it(bytes);

	host_get(host);
	if (!crew.offers)
		return;
	crew.nnodes = nodes_count(job, run, host);
	worth = worth && crew.nnodes < CREW_MOST;
	crew_read(&crew, job, run, host);
	for (int ms = 0; worth && crew.nwanted < crew.nnodes && ms < GRACE_MS; ms += LOOK_MS) {
		nap();
		crew_read(&crew, job, run, host);
	}
	if (!worth)
		crew.nwanted = 0;
	crew_call(&crew, run);
	if (crew.nwanted)
		crew_lead(&crew, job, run, keep_spools);
	else
		places_tell(&crew, run, 0);
	if (crew.n)
		log_debug("of %d other nodes %d were asked to merge %s together", crew.nnodes,
			crew.nwanted, run);
	free(crew.offers);
}
