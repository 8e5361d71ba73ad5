/*
 * merge_write.c - the second pass: shares the locations among threads and
 * ranks and swaps the results. Threads of a process that share requests are
 * walked together; every other thread alone.
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "merge/merge_event.h"
#include "merge/gpu/gpu.h"
#include "merge/merge_write.h"
#include "base/par.h"

/* One unit of work: some locations of one process. */
struct write_task {
	struct process *process;
	struct location **locations;
	uint64_t order; /* for equal sizes */
	uint32_t n;
	bool is_gpu; /* all streams of the process instead */
	uint64_t bytes;
};

struct write_job {
	struct merge *merge;
	struct otf2_out *out;
	struct write_task *tasks;
	struct location **pool; /* what the tasks' lists are in */
	size_t ntasks;
	uint64_t bytes; /* of all tasks */
	uint64_t done;
	pthread_mutex_t lock; /* of done and the terminal's line */
};

static uint64_t location_number(const struct location *l)
{
	return l->process->first_location + (l - l->process->locations);
}

static int write_group(struct walk *walk, struct walk_thread *t, void *context)
{
	struct writer *w = t->location->writer;

	(void)walk, (void)context;
	return writer_group(w, &t->group);
}

static int writer_open(struct write_job *job, struct location *l)
{
	struct writer *w = calloc(1, sizeof(*w));

	l->writer = w;
	if (!w) {
		log_error("out of memory");
		return -1;
	}
	w->merge = job->merge;
	w->process = l->process;
	w->location = l;
	w->attributes = OTF2_AttributeList_New();
	w->out = otf2_out_writer(job->out, location_number(l));
	return w->out && w->attributes ? 0 : -1;
}

static int writer_close(struct write_job *job, struct location *l)
{
	struct writer *w = l->writer;
	int ret = 0;

	if (!w)
		return -1;
	writer_finish(w);
	l->result.end = w->time;
	if (!w->out || w->error || otf2_out_writer_close(job->out, w->out, &l->result.nevents) < 0)
		ret = -1;
	if (w->attributes)
		OTF2_AttributeList_Delete(w->attributes);
	free(w);
	l->writer = NULL;
	return ret;
}

static void task_done(struct write_job *job, const struct write_task *task)
{
	pthread_mutex_lock(&job->lock);
	job->done += task->bytes;
	if (par_rank() == 0)
		log_progress("merging", job->done, job->bytes);
	pthread_mutex_unlock(&job->lock);
}

static int write_task(void *context, size_t i)
{
	struct write_job *job = context;
	struct write_task *task = &job->tasks[i];
	int ret = 0;

	if (task->is_gpu)
		ret = gpu_write(job->merge, task->process, job->out);
	for (uint32_t k = 0; k < task->n && ret == 0; k++)
		ret = writer_open(job, task->locations[k]);
	if (ret == 0 && task->n && task->locations[0]->thread)
		ret = walk_run(task->process, task->locations, task->n, write_group, NULL);
	for (uint32_t k = 0; k < task->n; k++) {
		if (writer_close(job, task->locations[k]) < 0)
			ret = -1;
		if (task->locations[k]->thread)
			spool_thread_rest(task->locations[k]->thread);
	}
	task_done(job, task);
	return ret;
}

/* Largest first, so that the last ones to run are short. */
static int compare_tasks(const void *a, const void *b)
{
	const struct write_task *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static void tasks_of_process(struct write_job *job, struct process *p, size_t *used)
{
	struct write_task *shared = NULL;

	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < p->nlocations; i++) {
			struct location *l = &p->locations[i];
			bool shares = l->scan.has_requests ||
				(job->merge->numbers_collectives && l->scan.has_collectives);

			if (shares != (pass == 0))
				continue;
			if (!shares || !shared) {
				job->tasks[job->ntasks] = (struct write_task){ .process = p,
					.order = p->first_location + i,
					.locations = job->pool + *used };
				shared = &job->tasks[job->ntasks++];
			}
			job->pool[(*used)++] = l;
			shared->n++;
			shared->bytes += l->thread ? l->thread->map_size : 0;
		}
	}
}

static void task_of_gpus(struct write_job *job, struct process *p)
{
	struct write_task *task;

	if (!p->gpu || !p->gpu->nstreams)
		return;
	task = &job->tasks[job->ntasks++];
	*task = (struct write_task){ .process = p,
		.order = p->gpu->first_location,
		.is_gpu = true };
	for (uint32_t i = 0; i < p->gpu->nspools; i++)
		task->bytes += p->gpu->spools[i].thread->map_size;
}

static int tasks_make(struct write_job *job)
{
	struct merge *m = job->merge;
	size_t used = 0;

	job->tasks = calloc(m->nlocations + 1, sizeof(*job->tasks));
	job->pool = calloc(m->nlocations + 1, sizeof(*job->pool));
	if (!job->tasks || !job->pool) {
		log_error("out of memory");
		return -1;
	}
	for (uint32_t i = 0; i < m->nprocesses; i++)
		if (m->processes[i].par == par_rank()) {
			tasks_of_process(job, &m->processes[i], &used);
			task_of_gpus(job, &m->processes[i]);
		}
	for (size_t i = 0; i < job->ntasks; i++)
		job->bytes += job->tasks[i].bytes;
	qsort(job->tasks, job->ntasks, sizeof(*job->tasks), compare_tasks);
	return 0;
}

static uint32_t streams_of(const struct process *p)
{
	return p->gpu ? p->gpu->nstreams : 0;
}

/* Tells all ranks the results of each one's locations. */
static int results_swap(struct merge *m)
{
	struct location_result *mine = calloc(m->nlocations + 1, sizeof(*mine)), *from;
	size_t n = 0, *sizes = NULL;
	char *all = NULL;
	int ret = mine ? 0 : -1;

	for (uint32_t i = 0; ret == 0 && i < m->nprocesses; i++)
		for (uint32_t k = 0;
			m->processes[i].par == par_rank() && k < m->processes[i].nlocations; k++)
			mine[n++] = m->processes[i].locations[k].result;
	for (uint32_t i = 0; ret == 0 && i < m->nprocesses; i++)
		for (uint32_t k = 0;
			m->processes[i].par == par_rank() && k < streams_of(&m->processes[i]); k++)
			mine[n++] = m->processes[i].gpu->streams[k].result;
	if (!par_any_failed(ret))
		ret = par_allgather(mine, n * sizeof(*mine), &all, &sizes);
	from = (struct location_result *)all;
	for (int r = 0; ret == 0 && r < par_size(); r++) {
		for (uint32_t i = 0; i < m->nprocesses; i++)
			for (uint32_t k = 0;
				m->processes[i].par == r && k < m->processes[i].nlocations; k++)
				m->processes[i].locations[k].result = *from++;
		for (uint32_t i = 0; i < m->nprocesses; i++)
			for (uint32_t k = 0;
				m->processes[i].par == r && k < streams_of(&m->processes[i]); k++)
				m->processes[i].gpu->streams[k].result = *from++;
	}
	free(mine);
	free(all);
	free(sizes);
	return ret;
}

int merge_write(struct merge *m, struct otf2_out *out, int jobs)
{
	struct write_job job = { .merge = m, .out = out, .lock = PTHREAD_MUTEX_INITIALIZER };
	int ret = tasks_make(&job);

	if (ret == 0)
		ret = par_for(jobs, job.ntasks, write_task, &job);
	free(job.tasks);
	free(job.pool);
	if (par_any_failed(ret))
		return -1;
	return results_swap(m);
}
