/*
 * process.h - the recorded process: its properties (state.c), its begin and its end (process.c),
 * and the library's own messages (say.c).
 */
#ifndef COLLECTOR_PROCESS_H
#define COLLECTOR_PROCESS_H

#include <limits.h>
#include <stdatomic.h>

#include "core/span.h"

/* The process's rank and size by its launcher's variables; -1 = not set. */
struct ranks {
	int32_t rank, size, local_rank, local_size;
};

/*
 * What the run asks for, read from the environment as the process joins: later the program may be
 * changing that while the library's own thread reads it.
 */
struct asked {
	char run[PATH_MAX];	       /* TACHO_DIR */
	uint32_t sample_hz, python_hz; /* ASKED_NOT: not set */
	uint64_t max_spool, max_size;  /* bytes, of a thread and of the run; 0: no limit */
	bool max_is_ranks;	       /* max_size is of each rank */
	double keep_last;	       /* seconds; 0: for ever */
};

/* What a process may have used; a forked child forgets what its parent did. Few use all of it. */
enum used { USED_MARKS = 1, USED_STEPS = 2, USED_TORCH = 4, USED_CUDA = 8 };

#define ASKED_NOT UINT32_MAX
#define PROC_ROOM 32

struct process {
	uint32_t pid; /* of the process that opened it; a forked child differs */
	/* all of this is set: a fork may come in the middle of it */
	bool is_open;
	char folder[PATH_MAX]; /* absolute: <spool directory>/<host>.<pid>.<k> */
	char proc
		[PROC_ROOM]; /* where /proc shows this process: "/proc/<pid>", as a task sees it as well */
	uint32_t ppid;
	char parent[NAME_MAX + 1];	/* name of the parent's folder or "" */
	uint32_t is_child;		/* of the rank's process */
	uint64_t forked;		/* ticks when it was, from a process that joined; else 0 */
	uint64_t start_ticks, start_ns; /* CLOCK_MONOTONIC */
	struct ranks ranks;
	struct asked asked;
	int folder_fd; /* the folder, once the program may not reach it by name any more; else -1 */
	/* of that file: the program may close descriptors that are not its own */
	uint64_t folder_dev, folder_ino;
	/* of the directory of all spools, which may be another one after chroot; 0: not known yet */
	uint64_t spools_dev, spools_ino;
	struct spool_state *state; /* NULL when there was no room for it */
	bool is_in_slot;	   /* it began in a slot (core/slot.h), where its state is */
	_Atomic bool has_folder;   /* which a process in a slot makes with its first file */
	_Atomic uint32_t nthreads;
	_Atomic uint32_t ids[DEF_TYPE_COUNT];
	_Atomic uint32_t ended; /* DEF_END is written */
	_Atomic uint32_t used;	/* enum used, together */
};

/* The joined process; meaningful while the gate is open. */
extern struct process tacho_process HIDDEN;

/* To be called before the first change of state that a forked child has to forget. */
static inline void process_uses(enum used what)
{
	if (unlikely(!(atomic_load_explicit(&tacho_process.used, memory_order_relaxed) & what)))
		atomic_fetch_or(&tacho_process.used, what);
}

/* Writes DEF_END, once, if the caller is the process that joined. */
void process_end(enum spool_end_how how, int status) HIDDEN;

/* The next number for definitions of a type. */
uint32_t process_allot(unsigned type) HIDDEN;

/* Counts a loss that no thread's spool can hold. */
void process_lose(enum spool_loss loss) HIDDEN;

/*
 * Before process_open(), in the program's thread: notes the facts that a task cannot ask for
 * itself.
 */
void process_prepare(void) HIDDEN;

/*
 * Before a program is started: counts it as one that is not recorded where the caller does not reach
 * the directory of spools, since it will not either. The caller is the process that joined, or its child
 * that has not.
 */
void process_count_jailed(void) HIDDEN;

/*
 * Makes the folder, its definitions and state file for the calling process, in a task;
 * join.c calls it once with `parent`, `is_child` and `ranks` set. Returns 0 or
 * -1 (which it has reported).
 */
int process_open(const char *spool_directory) HIDDEN;

/* Notes which file standard error is: the program may close it and open data in its place. */
void say_start(void) HIDDEN;

/*
 * Prints the messages of tasks, which have no standard error. In a thread of the program. Keeps
 * errno.
 */
void say_kept(void) HIDDEN;

/* Says one line on the program's standard error, prefixed tacho[rank]. For each `kind` once. */
enum say_kind {
	SAY_FOLDER,
	SAY_DISK_FULL,
	SAY_LIMIT,
	SAY_BUDGET,
	SAY_THREAD,
	SAY_MPI,
	SAY_CAPTURE,
	SAY_GPU,
	SAY_GPU_LATE,
	SAY_LAUNCHES,
	SAY_RIVAL,
	SAY_SANDBOX,
	SAY_PYTHON,
	SAY_KIND_COUNT
};
void say_once(enum say_kind kind, const char *format, ...) HIDDEN
	__attribute__((format(printf, 2, 3)));

#endif
