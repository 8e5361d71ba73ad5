/* record_share.c - see record_share.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
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
#include "base/rundir.h"
#include "merge/merge.h"
#include "record/interrupt.h"
#include "record/record_share.h"

enum {
	LEAST_MB = 8,	/* of spools: less is done sooner than shared */
	GRACE_MS = 150, /* for those that have ended and do not say yet that they stay */
	GRACE_STEP_MS = 5,
	MEET_MS = 500,
	STAY_LEAST_S = 10, /* ranks of a job end together, or somebody has failed */
	STAY_MOST_S = 60,
	STAY_PART = 100 /* of the run's time */
};

static char *file_of(const char *run, int rank, const char *suffix)
{
	char *path;

	return asprintf(&path, "%s/ranks/%d.helps%s", run, rank, suffix) < 0 ? NULL : path;
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
static bool offer_write(const struct share *share, const struct record_job *job, const char *run)
{
	char *begun = file_of(run, job->rank, ".tmp");
	int fd = begun ? open(begun, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600)
		       : -1;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	bool fine = false;

	if (file) {
		fprintf(file, "%s %s %u %s\n", share->offer.name, share->offer.secret,
			share->offer.port, share->offer.addresses);
		fine = fclose(file) == 0 && rename(begun, share->file) == 0;
	}
	free(begun);
	return fine;
}

void share_withdraw(struct share *share)
{
	if (share->file)
		unlink(share->file);
	if (share->listener >= 0)
		close(share->listener);
	if (share->lock >= 0)
		close(share->lock);
	free(share->file);
	*share = (struct share){ .listener = -1, .lock = -1 };
}

void share_offer(struct share *share, const struct record_job *job, const char *run)
{
	*share = (struct share){ .listener = -1, .lock = -1 };
	if (!is_spread(job, run))
		return;
	share->lock = lock_take(job, run);
	if (share->lock < 0)
		return;
	host_get(share->offer.name);
	share->file = file_of(run, job->rank, "");
	share->listener = share->file ? net_listen(&share->offer) : -1;
	if (share->listener < 0 || !offer_write(share, job, run))
		share_withdraw(share);
}

/* Of all processes together. */
struct work {
	const char *run;
	bool keep_spools;
};

static int work_do(void *argument)
{
	const struct work *work = argument;
	const struct merge_options options = { .force = true,
		.delete_spools = !work->keep_spools,
		.shared = true };
	int ret;

	guard->stage = GUARD_WRITING; /* as of a merge that is not shared */
	if (par_join(&par_net) < 0)
		return -1;
	if (par_rank())
		log_level = LOG_QUIET;
	ret = merge_run(work->run, &options);
	par_end();
	return ret;
}

static void work_together(const struct record_job *job, const char *run, bool keep_spools)
{
	struct work work = { run, keep_spools };
	struct guard at;

	record_job_cores(job, run);
	guard_run(work_do, &work, 0, &at);
	par_net.end(); /* this process's ends of the connections */
}

void share_help(struct share *share, const struct record_job *job, const char *run, int64_t run_ns)
{
	const int64_t second = 1000000000;
	int64_t stay = run_ns / STAY_PART;
	bool called;

	if (share->listener < 0)
		return;
	if (stay < STAY_LEAST_S * second)
		stay = STAY_LEAST_S * second;
	if (stay > STAY_MOST_S * second)
		stay = STAY_MOST_S * second;
	interrupt_say(NULL); /* the last one has more to say */
	called = net_wait(share->listener, &share->offer, stay) == 0;
	share_withdraw(share);
	if (called)
		work_together(job, run, false);
}

/* Of those that stayed. */
struct crew {
	struct net_offer *offers; /* those of other nodes first, one each */
	int n, nwanted;
	int nnodes; /* of the job, without this one */
};

static bool offer_read(const char *run, int rank, struct net_offer *offer)
{
	char *path = file_of(run, rank, "");
	FILE *file = path ? run_file_read(path) : NULL;
	bool fine;

	*offer = (struct net_offer){ .socket = -1 };
	fine = file &&
		fscanf(file, "%255s %32s %u %1023[^\n]", offer->name, offer->secret, &offer->port,
			offer->addresses) == 4;
	if (file)
		fclose(file);
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

static bool is_wanted(const struct crew *crew, const struct net_offer *offer, const char *host)
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
		struct net_offer *next = &crew->offers[crew->n];

		if (rank == job->rank || !offer_read(run, rank, next))
			continue;
		crew->n++;
		if (is_wanted(crew, next, host)) {
			struct net_offer first = crew->offers[crew->nwanted];

			crew->offers[crew->nwanted++] = *next;
			if (next != &crew->offers[crew->nwanted - 1])
				*next = first;
		}
	}
}

static uint64_t spool_bytes;

static int file_count(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path, (void)ftw;
	spool_bytes += type == FTW_F ? (uint64_t)st->st_size : 0;
	return 0;
}

/* TACHO_SHARE: from so many MB of spools on, 0: always. */
static bool is_worth_it(const char *run)
{
	const char *set = getenv("TACHO_SHARE");
	char *spool = path_join(run, RUNDIR_SPOOL);

	spool_bytes = 0;
	if (spool)
		nftw(spool, file_count, 16, FTW_PHYS);
	free(spool);
	return spool_bytes > 0 &&
		spool_bytes >= (set && *set ? strtoull(set, NULL, 10) : LEAST_MB) << 20;
}

void share_lead(const struct record_job *job, const char *run, bool keep_spools)
{
	struct crew crew = { .offers = calloc((size_t)job->size, sizeof(*crew.offers)) };
	char host[HOST_NAME_MAX + 1];
	bool worth = is_worth_it(run);

	host_get(host);
	if (!crew.offers)
		return;
	crew.nnodes = nodes_count(job, run, host);
	crew_read(&crew, job, run, host);
	for (int ms = 0; worth && crew.nwanted < crew.nnodes && ms < GRACE_MS;
		ms += GRACE_STEP_MS) {
		nanosleep(&(struct timespec){ .tv_nsec = GRACE_STEP_MS * 1000000 }, NULL);
		crew_read(&crew, job, run, host);
	}
	if (crew.n && net_meet(crew.offers, crew.n, MEET_MS)) {
		net_dismiss(crew.offers + crew.nwanted, crew.n - crew.nwanted);
		if (!worth)
			net_dismiss(crew.offers, crew.nwanted);
		else if (net_lead(crew.offers, crew.nwanted) == 0)
			work_together(job, run, keep_spools);
		log_debug("of %d other nodes %d were asked to merge %s together", crew.nnodes,
			worth ? crew.nwanted : 0, run);
	}
	free(crew.offers);
}
