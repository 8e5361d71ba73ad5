/*
 * sources_threads.c - CPU time of the program's threads that record nothing, such as OpenMP's and
 * library pools'; see sources.h. The list of threads is read when their number has changed, and now
 * and then. Their clocks are read by clock_gettime, which needs no file, if the caller is a thread
 * of the process.
 */
#include "config.h"

#include <string.h>

#include "core/sys.h"
#include "core/thread.h"
#include "counters/sources.h"
#include "core/proc_file.h"

#define LIST_NS	     10000000000u /* between two readings of an unchanged number of threads */
#define THREADS_MAX  256	  /* that are followed; of more nothing is known */
#define LEAST_NS     1000000	  /* less than that in all is not reported */
#define WORKER_SHARE 20 /* a worker ran for one part in so many of the main thread's time */

#define KIND(unit, mode) (&(struct metric_kind){ "proc.", "", unit, "", mode })

/* One that was seen; it stays when it has ended. */
struct silent {
	uint32_t tid;
	bool over;
	uint64_t ran_ns;
};

static struct {
	struct silent of[THREADS_MAX];
	unsigned n;
	uint64_t ran_ns;	 /* time reported so far, of all */
	uint64_t listed, due_ns; /* number of threads when listed, and time of the next listing */
} threads;

void threads_forget(void)
{
	memset(&threads, 0, sizeof(threads));
}

static uint32_t main_thread(void)
{
	uint32_t thread = atomic_load(&tacho_main_thread);

	return thread ? thread : sys_pid();
}

static bool is_followed(uint32_t tid)
{
	for (unsigned i = 0; i < threads.n; i++)
		if (threads.of[i].tid == tid && !threads.of[i].over)
			return true;
	return false;
}

/* A place for another thread: the next, or one of a thread that has ended and ran for little. */
static struct silent *place(uint64_t enough)
{
	if (threads.n < THREADS_MAX)
		return &threads.of[threads.n++];
	for (unsigned i = 0; i < threads.n; i++)
		if (threads.of[i].over && threads.of[i].ran_ns < enough)
			return &threads.of[i];
	return NULL;
}

static void list(const char *path, uint64_t enough)
{
	static uint32_t tids[4 * THREADS_MAX];
	uint64_t now = clock_monotonic_ns();
	struct silent *silent;
	unsigned n;

	if (tacho_source_threads == threads.listed && now < threads.due_ns)
		return;
	threads.listed = tacho_source_threads;
	threads.due_ns = now + LIST_NS;
	n = folder_numbers(path, tids, sizeof(tids) / sizeof(*tids));
	for (unsigned i = 0; i < n; i++)
		if (tids[i] != main_thread() && thread_is_silent(tids[i]) &&
			!is_followed(tids[i]) && (silent = place(enough)))
			*silent = (struct silent){ .tid = tids[i] };
}

/* A number reused by another thread counts as a new thread at the next listing. */
static void follow(struct silent *silent)
{
	uint64_t ran_ns = silent->over ? 0 : thread_ran_ns(silent->tid);

	silent->over |= ran_ns < silent->ran_ns || !thread_is_silent(silent->tid);
	if (!silent->over)
		silent->ran_ns = ran_ns;
}

/* The time since tacho attached to the process; all of it if the process is not attached. */
static uint64_t since(uint64_t now, uint64_t *first)
{
	if (!tacho_task.is_attached)
		return now;
	if (*first > now || !*first)
		*first = now;
	return now - *first;
}

/* CPU time of all threads without records, including threads that ended before any listing. */
static uint64_t silent_ran_ns(uint64_t recorded)
{
	uint64_t others = thread_ran_ns(main_thread()) + recorded + thread_helpers_ran_ns(),
		 all = sys_ran_ns(0);

	if (all > others && all - others > threads.ran_ns)
		threads.ran_ns = all - others;
	return threads.ran_ns;
}

void process_threads_read(const struct counter *source, struct sample_set *set)
{
	uint64_t enough = thread_ran_ns(main_thread()) / WORKER_SHARE, ran = 0, most = 0, n = 0;
	static uint64_t first[2];
	uint64_t recorded = thread_recorded_ran_ns(main_thread()), silent = silent_ran_ns(recorded);

	list(source->path, enough);
	for (unsigned i = 0; i < threads.n; i++) {
		const struct silent *thread = &threads.of[i];

		follow(&threads.of[i]);
		if (!thread->ran_ns || thread->ran_ns < enough)
			continue;
		n++;
		ran += thread->ran_ns;
		most = thread->ran_ns > most ? thread->ran_ns : most;
	}
	if (!n && silent < LEAST_NS && recorded < LEAST_NS)
		return;
	set_add(set, KIND("ns", METRIC_ACCUMULATED), "threads_ran", 11, since(recorded, &first[0]));
	set_add(set, KIND("ns", METRIC_ACCUMULATED), "silent_ran", 10, since(silent, &first[1]));
	set_add(set, KIND("1", METRIC_GAUGE), "workers", 7, n);
	set_add(set, KIND("ns", METRIC_GAUGE), "workers_ran", 11, ran);
	set_add(set, KIND("ns", METRIC_GAUGE), "workers_most", 12, most);
}
