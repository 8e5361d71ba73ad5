/*
 * merge.c - the stages of merge in order, and the archive's way from a folder
 * next to its place to its place. See merge.h.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/log.h"
#include "merge/gpu/gpu.h"
#include "merge/gpu/gpu_kernel.h"
#include "merge/merge_messages.h"
#include "merge/merge_model.h"
#include "merge/merge_metrics.h"
#include "merge/nccl/nccl.h"
#include "merge/walk/walk_regions.h"
#include "merge/merge_scan.h"
#include "merge/merge_stream.h"
#include "merge/merge_whole.h"
#include "merge/merge_write.h"
#include "merge/write_defs.h"
#include "base/par.h"
#include "base/rundir.h"

/* Whether a thread was seen in the call when its stack was sampled: without a record of it, if from outside. */
static bool is_sampled(const struct process *p, uint32_t region)
{
	for (size_t i = 0; p->spool && i < p->spool->npython_entries; i++)
		if (p->spool->python_entries[i].key.region == region)
			return true;
	return false;
}

/*
 * Regions that occur get numbers in the archive without holes: in the order of the tables, then the
 * marks.
 */
static int number_regions(struct merge *m)
{
	m->region_ref = malloc(REGION_FIXED_COUNT * sizeof(*m->region_ref));
	if (!m->region_ref) {
		log_error("out of memory");
		return -1;
	}
	for (uint32_t r = 0; r < REGION_FIXED_COUNT; r++) {
		bool used = false;

		for (uint32_t i = 0; r && i < m->nprocesses && !used; i++)
			used = is_sampled(&m->processes[i], r);
		for (uint32_t i = 0; i < m->nprocesses && !used; i++)
			for (uint32_t k = 0; k < m->processes[i].nlocations && !used; k++)
				used = m->processes[i].locations[k].scan.used[r / 32] >> r % 32 & 1;
		m->region_ref[r] = used ? m->nregions++ : NONE;
	}
	for (uint32_t i = 0; i < m->nmarks; i++)
		if (m->mark_used[i])
			m->marks[i].ref = m->nregions++;
	kernel_regions_number(m);
	return 0;
}

int merge_look(struct merge *m, const char *spool, int jobs)
{
	if (par_any_failed(merge_model_read(m, spool)))
		return -1;
	if (merge_comms(m) < 0 || merge_marks(m) < 0)
		return -1;
	merge_share(m);
	whole_choose(m, jobs);
	if (merge_scan(m, jobs) < 0)
		return -1;
	if (merge_clocks(m) < 0 || merge_ranks(m) < 0 || merge_model_order(m) < 0)
		return -1;
	return merge_nccl_comms(m);
}

static void model_free(struct merge *m)
{
	unmatched_free(m);
	merge_metrics_free(m);
	merge_nccl_comms_free(m);
	merge_kernels_free(m);
	merge_model_free(m);
}

int merge_visit(const char *run, int jobs, int (*visit)(const struct merge *m))
{
	static const struct merge_options options = { .goes_on = true };
	struct merge m = { .run = run, .options = &options };
	char *spool = path_join(run, RUNDIR_SPOOL);
	int ret = -1;

	regions_init();
	if (spool && (run_is_local(run) || !run_lacks(run, RUNDIR_SPOOL)) &&
		merge_look(&m, spool, par_jobs(jobs)) == 0)
		ret = visit(&m);
	model_free(&m);
	free(spool);
	return ret;
}

/*
 * Everything up to the second pass. Ranks of a parallel merge do it alike, except that they share
 * the scan.
 */
static int model_build(struct merge *m, const char *spool, int jobs)
{
	if (merge_look(m, spool, jobs) < 0 || merge_files(m) < 0 || merge_streams(m) < 0 ||
		merge_metrics(m) < 0 || merge_kernels(m) < 0 || number_regions(m) < 0)
		return -1;
	return unmatched_start(m);
}

/*
 * Where a rank writes: rank 0 the archive itself, the others folders whose files are moved
 * there.
 */
static char *work_folder(const char *target, const struct merge_options *options, int rank)
{
	const char *suffix = options->shared ? "shared" : "tmp";
	char *path;

	if (rank == 0)
		return asprintf(&path, "%s.%s", target, suffix) < 0 ? NULL : path;
	return asprintf(&path, "%s.%s.%d", target, suffix, rank) < 0 ? NULL : path;
}

/* Moves the other ranks' files into rank 0's folder, whose archive is still open. */
static int archive_join(struct otf2_out *out, const char *work, const char *main_folder)
{
	int ret = 0;

	if (par_rank() > 0) {
		ret = main_folder ? otf2_out_close(out) : -1;
		if (ret == 0)
			ret = otf2_out_move(work, main_folder);
		folder_remove(work);
	}
	return par_any_failed(ret) ? -1 : 0;
}

/* Puts the finished folder in its place; an older archive is kept until then. */
static int archive_place(const char *work, const char *target)
{
	char *old;
	int ret = 0;

	if (asprintf(&old, "%s.old", target) < 0)
		return -1;
	folder_remove(old);
	if ((rename(target, old) < 0 && errno != ENOENT) || rename(work, target) < 0) {
		log_error("cannot put the archive at %s: %s", target, strerror(errno));
		ret = -1;
	}
	folder_remove(old);
	free(old);
	return ret;
}

/* Of the group with all locations, or of a communicator of NCCL. */
static uint64_t members_most(const struct merge *m)
{
	uint64_t most = m->nlocations;

	for (uint32_t i = 0; i < m->nnccl_comms; i++)
		if (m->nccl_comms[i].size > most)
			most = m->nccl_comms[i].size;
	return most;
}

static int archive_write(struct merge *m, const char *work, const char *target, int jobs)
{
	struct otf2_out out = { 0 };
	char *unmatched = NULL, *main_folder = work_folder(target, m->options, 0);
	int ret;

	folder_remove(work);
	ret = otf2_out_open(&out, work, members_most(m));
	if (!par_any_failed(ret))
		ret = merge_write(m, &out, jobs);
	else
		ret = -1;
	if (ret == 0) {
		unmatched = unmatched_text(m, &m->nunmatched);
		ret = archive_join(&out, work, main_folder);
	}
	if (ret == 0 && par_rank() == 0)
		ret = otf2_defs_write(m, &out, unmatched);
	if (ret < 0)
		otf2_out_abandon(&out);
	else
		ret = otf2_out_close(&out);
	free(main_folder);
	free(unmatched);
	if (ret == 0 && par_rank() == 0)
		ret = archive_place(work, target);
	if (ret < 0)
		folder_remove(work);
	return par_any_failed(ret) ? -1 : 0;
}

static uint64_t folder_bytes(const char *target)
{
	char *path = path_join(target, "traces");
	uint64_t bytes = 0;

	for (uint64_t i = 0; path; i++) {
		struct stat st;
		char *file;

		if (asprintf(&file, "%s/%" PRIu64 ".evt", path, i) < 0)
			break;
		if (stat(file, &st) < 0) {
			free(file);
			break;
		}
		bytes += st.st_size;
		free(file);
	}
	free(path);
	return bytes;
}

static void print_cut(const struct merge *m)
{
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		const struct process *p = &m->processes[i];
		const struct location *main_thread = NULL;
		char end[64];

		if (p->end != PROCESS_KILLED || !p->spool)
			continue;
		for (uint32_t k = 0; k < p->nlocations; k++)
			if (p->locations[k].is_main)
				main_thread = &p->locations[k];
		printf("truncated: %s %s", p->name, process_end_text(p, end, sizeof(end)));
		if (main_thread && main_thread->result.inside)
			printf(" inside %s since %.1f s",
				region_infos[main_thread->result.inside].name,
				main_thread->result.inside_since / 1e9);
		putchar('\n');
	}
}

static void warn_unended(const struct merge *m)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < m->nprocesses; i++)
		for (uint32_t k = 0; k < m->processes[i].nlocations; k++)
			n += m->processes[i].locations[k].result.nunended;
	if (n)
		log_warn("%" PRIu64 " steps had not ended when the next one of their thread began: "
			 "they end there (does the program call tacho_step_end?)",
			n);
}

static void print_results(const struct merge *m, const char *target)
{
	uint64_t nevents = 0, ranks = 0;

	for (uint32_t i = 0; i < m->nprocesses; i++) {
		ranks += !m->processes[i].child;
		for (uint32_t k = 0; k < m->processes[i].nlocations; k++)
			nevents += m->processes[i].locations[k].result.nevents;
		for (uint32_t k = 0; m->processes[i].gpu && k < m->processes[i].gpu->nstreams; k++)
			nevents += m->processes[i].gpu->streams[k].result.nevents;
	}
	printf("%s: %" PRIu64 " rank%s, %" PRIu64 " locations, %" PRIu64 " events, "
	       "%" PRIu64 " bytes, %" PRIu64 " unmatched, %" PRIu64 " lost\n",
		target, ranks, ranks == 1 ? "" : "s", m->nlocations, nevents, folder_bytes(target),
		m->nunmatched, m->nlost);
	print_cut(m);
	warn_unended(m);
}

/* Refuses to replace an archive unless asked to. */
static int target_check(const char *target, const struct merge_options *options)
{
	char *anchor = path_join(target, "traces.otf2");
	int ret = 0;

	if (!anchor || (path_exists(anchor) && !options->force)) {
		log_error("%s already exists: merge again with -f", anchor ? anchor : target);
		ret = -1;
	}
	free(anchor);
	return ret;
}

/* What one process of a merge does, with where it does it. */
struct job {
	const char *run, *spool, *target, *work;
	const struct merge_options *options;
};

/* Under another name first, so that nobody ever finds a part of them and takes it for all. */
static int spools_remove(const char *spool)
{
	char *merged;
	int ret = -1;

	if (asprintf(&merged, "%s.merged", spool) < 0)
		return -1;
	folder_remove(merged);
	if (rename(spool, merged) == 0)
		ret = folder_remove(merged);
	else
		log_error("cannot remove %s: %s", spool, strerror(errno));
	free(merged);
	return ret;
}

static int job_run(void *argument)
{
	const struct job *job = argument;
	struct merge m = { .run = job->run, .options = job->options };
	int jobs = par_jobs(job->options->jobs), ret = -1;

	guard->stage = GUARD_WRITING; /* reading its own spools it needs no limit on its time */
	regions_init();
	if (model_build(&m, job->spool, jobs) == 0)
		ret = archive_write(&m, job->work, job->target, jobs);
	ret = par_any_failed(ret) ? -1 : 0;
	if (ret == 0 && par_rank() == 0 && job->options->print)
		print_results(&m, job->target);
	if (ret == 0 && par_rank() == 0 && job->options->delete_spools && !m.summed)
		ret = spools_remove(job->spool);
	model_free(&m);
	return ret;
}

/*
 * Alone, the work is done in a child process: libotf2 does not survive a write that fails, and whoever
 * called has more to do. Several processes of an mpirun talk to each other, and cannot.
 */
static int job_start(struct job *job)
{
	struct guard_end end;
	struct guard at;

	if (par_size() > 1 || job->options->unguarded)
		return job_run(job);
	end = guard_run(job_run, job, 0, &at);
	if (end.ended)
		log_error("the merge of %s %s: the spools are kept", job->run, end.how);
	if (end.status < 0)
		folder_remove(job->work);
	return end.status;
}

int merge_run(const char *run, const struct merge_options *options)
{
	char *spool = options->spool ? strdup(options->spool) : path_join(run, RUNDIR_SPOOL);
	char *target = options->output ? strdup(options->output) : path_join(run, RUNDIR_TRACE);
	char *work = target ? work_folder(target, options, par_rank()) : NULL;
	struct job job = { run, spool, target, work, options };
	int ret = -1;

	if (spool && work &&
		(options->spool || (options->goes_on && run_is_local(run)) ||
			!run_lacks(run, RUNDIR_SPOOL)) &&
		target_check(target, options) == 0)
		ret = job_start(&job);
	free(spool);
	free(target);
	free(work);
	return ret;
}
