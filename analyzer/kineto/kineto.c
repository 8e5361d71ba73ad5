/* kineto.c - see kineto.h: the files of a job, from start to end. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/par.h"
#include "kineto/kineto.h"
#include "kineto/kineto_job.h"
#include "kineto/nsys.h"

bool kineto_is_trace(const char *path)
{
	static const char *const suffixes[] = { ".json", ".json.gz", ".sqlite", ".nsys-rep" };
	size_t length = strlen(path);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t n = strlen(suffixes[i]);

		if (length > n && strcmp(path + length - n, suffixes[i]) == 0)
			return true;
	}
	return false;
}

/* The main thread: the one with steps, else the one that has the process's number, else the first. */
static void main_first(struct kineto_rank *rank)
{
	struct kineto_track first;
	size_t best = SIZE_MAX;
	int known = -1;

	for (size_t i = 0; i < rank->tracks.n; i++) {
		const struct kineto_track *track = &rank->tracks.at[i];
		int rating = track->has_steps ? 2 : track->number == rank->pid;

		if (!track->is_stream && rating > known) {
			best = i;
			known = rating;
		}
	}
	if (best == SIZE_MAX || best == 0)
		return;
	first = rank->tracks.at[best];
	rank->tracks.at[best] = rank->tracks.at[0];
	rank->tracks.at[0] = first;
}

static int read_one(void *context, size_t i)
{
	struct kineto_rank *rank = &((struct kineto_job *)context)->ranks[i];

	kineto_rank_init(rank);
	if ((rank->is_export ? nsys_read(rank) : kineto_read(rank)) < 0)
		return -1;
	main_first(rank);
	if (rank->tracks.at[0].is_stream) {
		kineto_wrong(rank, "%s has no event of a thread: profile with %s as well",
			rank->path,
			rank->is_export ? "--trace cuda,nvtx,osrt" : "ProfilerActivity.CPU");
		return -1;
	}
	for (size_t k = 0; k < rank->tracks.n; k++)
		kineto_lanes(rank, &rank->tracks.at[k]);
	return 0;
}

static int compare_ranks(const void *a, const void *b)
{
	const struct kineto_rank *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->path, y->path) != 0 ? strverscmp(x->path, y->path)
					     : (x->pid > y->pid) - (x->pid < y->pid);
}

static int ranks_settle(struct kineto_job *job)
{
	bool any = false;

	for (size_t i = 0; i < job->nranks; i++)
		any = any || job->ranks[i].rank >= 0;
	qsort(job->ranks, job->nranks, sizeof(*job->ranks), compare_ranks);
	for (size_t i = 0; i < job->nranks && !any; i++)
		job->ranks[i].rank = (int64_t)i;
	for (size_t i = 0; i < job->nranks; i++) {
		if (job->ranks[i].rank < 0) {
			log_error("%s does not have its rank, which others of the files have: "
				  "analyse it alone",
				job->ranks[i].path);
			return -1;
		}
		if (i && job->ranks[i].rank == job->ranks[i - 1].rank) {
			log_error("%s and %s are both of rank %ld: give one file a rank",
				job->ranks[i - 1].path, job->ranks[i].path,
				(long)job->ranks[i].rank);
			return -1;
		}
	}
	return 0;
}

static int rank_add(struct kineto_job *job, const struct kineto_rank *rank)
{
	struct kineto_rank *ranks = realloc(job->ranks, (job->nranks + 1) * sizeof(*ranks));

	if (!ranks)
		return -1;
	job->ranks = ranks;
	ranks[job->nranks++] = *rank;
	return 0;
}

/* A file of torch.profiler is a rank, an export of Nsight Systems has one or more. */
static int ranks_add(struct kineto_job *job, const char *path)
{
	nsys_processes_type processes = { 0 };
	struct kineto_rank rank = { .path = path };
	int ret = 0;

	if (nsys_is_report(path)) {
		log_error("%s is a report of Nsight Systems: export it first, nsys export --type "
			  "sqlite %s",
			path, path);
		return -1;
	}
	if (!nsys_is_export(path))
		return rank_add(job, &rank);
	rank.is_export = true;
	if (nsys_processes(path, &processes) < 0)
		ret = -1;
	rank.is_alone = processes.n == 1;
	for (size_t i = 0; ret == 0 && i < processes.n; i++) {
		rank.process = processes.at[i];
		ret = rank_add(job, &rank);
	}
	free(processes.at);
	return ret;
}

static int ranks_read(struct kineto_job *job)
{
	int ret = par_for(par_jobs(0), job->nranks, read_one, job);

	for (size_t i = 0; ret < 0 && i < job->nranks; i++)
		if (job->ranks[i].wrong) {
			log_error("%s", job->ranks[i].wrong);
			break;
		}
	return ret;
}

int kineto_convert(char *const *paths, size_t n, const char *folder)
{
	struct kineto_job job = { 0 };
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < n; i++)
		ret = ranks_add(&job, paths[i]);
	if (ret == 0)
		ret = ranks_read(&job);
	if (ret == 0)
		ret = ranks_settle(&job);
	if (ret == 0)
		ret = kineto_comms(&job);
	if (ret == 0) {
		kineto_clocks(&job);
		ret = kineto_write(&job, folder);
	}
	for (size_t i = 0; i < job.nranks; i++)
		kineto_rank_free(&job.ranks[i]);
	for (size_t i = 0; i < job.comms.n; i++) {
		for (size_t k = 0; k < job.comms.at[i].parts.n; k++)
			free(job.comms.at[i].parts.at[k].ops.at);
		free(job.comms.at[i].parts.at);
		free(job.comms.at[i].members);
	}
	for (size_t i = 0; i < job.regions.n; i++)
		free(job.regions.at[i].text);
	free(job.regions.at);
	free(job.comms.at);
	free(job.ranks);
	return ret;
}
