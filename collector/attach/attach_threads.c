/*
 * attach_threads.c - see attach_threads.h.
 *
 * RATIONALE: CPython knows a thread by pthread_self(), /proc by its number. glibc keeps the number in
 * the struct that pthread_self() points to, at a place that depends on its version. It is searched for
 * once: a word that is the number of one of the process's threads, and for each thread at the same place.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "attach/attach_calls.h"
#include "attach/attach_threads.h"
#include "core/memory.h"
#include "core/proc_file.h"
#include "core/process.h"
#include "core/thread.h"

#define THREADS	     1024
#define STRUCT_WORDS 256 /* of struct pthread that are searched */
#define USUAL_WORD   180 /* of glibc on x86-64, to begin with */

static struct {
	uint64_t owner;
	uint32_t tid;
	struct thread *spool;
} threads[THREADS];
static unsigned nthreads;
static int tid_word = -1;

/* Numbers of threads in the process's own namespace, which are those in its memory. */
static struct {
	uint32_t here, there;
} numbers[4 * THREADS];
static unsigned nnumbers;

static uint32_t number_there(uint32_t tid)
{
	char path[64];
	const char *text, *at;
	uint64_t number, last = tid;

	snprintf(path, sizeof(path), "/proc/self/task/%u/status", tid);
	text = file_text_once(path);
	at = text ? line_find(text, "NSpid:") : NULL;
	while (at && *at != '\n' && number_take(&at, &number))
		last = number;
	return (uint32_t)last;
}

static void numbers_read(void)
{
	static uint32_t tids[4 * THREADS];
	unsigned n = folder_numbers("/proc/self/task", tids, 4 * THREADS);

	for (nnumbers = 0; nnumbers < n; nnumbers++) {
		numbers[nnumbers].here = tids[nnumbers];
		numbers[nnumbers].there = number_there(tids[nnumbers]);
	}
}

/* The thread that has this number in its own namespace; 0: none has. */
static uint32_t number_here(uint32_t there)
{
	for (unsigned i = 0; i < nnumbers; i++)
		if (there && numbers[i].there == there)
			return numbers[i].here;
	return 0;
}

/* The number of the thread with its struct at `owner`; 0: not known. */
static uint32_t tid_of(uint64_t owner)
{
	uint32_t words[STRUCT_WORDS], tid;

	if (memory_read(owner, words, sizeof(words)) < 0)
		return 0;
	numbers_read();
	if (tid_word >= 0)
		return number_here(words[tid_word]);
	for (int i = 0; i <= STRUCT_WORDS; i++) {
		int word = i ? i - 1 : USUAL_WORD;

		if (!(tid = number_here(words[word])))
			continue;
		tid_word = word;
		return tid;
	}
	return 0;
}

static int thread_add(uint64_t owner, uint32_t tid)
{
	struct thread *spool;

	if (nthreads == THREADS || !(spool = thread_open_other(tid)))
		return -1;
	threads[nthreads].owner = owner;
	threads[nthreads].tid = tid;
	threads[nthreads++].spool = spool;
	return 0;
}

int threads_begin(void)
{
	return thread_add(0, tacho_process.pid);
}

/* The one of this number, which is known by `owner` from now on. Whether there is such a one. */
static bool thread_meet(uint64_t owner, uint32_t tid)
{
	for (unsigned i = 0; i < nthreads; i++)
		if (threads[i].tid == tid) {
			threads[i].owner = owner;
			return true;
		}
	return false;
}

void threads_meet_all(void)
{
	numbers_read();
	for (unsigned i = 0; i < nnumbers && i < THREADS; i++) {
		bool is_there = false;

		for (unsigned k = 0; k < nthreads && !is_there; k++)
			is_there = threads[k].tid == numbers[i].here;
		/* their struct is not known: the number identifies them as well */
		if (!is_there)
			thread_add(numbers[i].here, numbers[i].here);
	}
}

const struct spool_head *threads_nth(unsigned n)
{
	if (n >= nthreads)
		return NULL;
	call_look(threads[n].spool->head, threads[n].tid);
	return threads[n].spool->head;
}

static const struct spool_head *head_of(uint64_t owner)
{
	for (unsigned i = 0; i < nthreads; i++)
		if (threads[i].owner == owner) {
			call_look(threads[i].spool->head, threads[i].tid);
			return threads[i].spool->head;
		}
	return NULL;
}

const struct spool_head *threads_head(uint64_t owner)
{
	const struct spool_head *head = head_of(owner);
	uint32_t tid = head ? 0 : tid_of(owner);

	if (head || !tid || (!thread_meet(owner, tid) && thread_add(owner, tid) < 0))
		return head;
	return head_of(owner);
}
