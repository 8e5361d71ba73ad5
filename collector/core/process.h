/*
 * process.h - the process's folder in the spool directory and its file of
 * definitions (struct spool_def in tacho/spool.h). The functions that define
 * may be called by any thread; they keep errno, and answer 0 when the process
 * does not record or the definition could not be written (which is counted).
 */
#ifndef COLLECTOR_PROCESS_H
#define COLLECTOR_PROCESS_H

#include <limits.h>
#include <stdatomic.h>

#include "core/span.h"

/* Where a launcher's variables put this process; -1 = they do not say. */
struct ranks {
	int32_t rank, size, local_rank, local_size;
};

/*
 * What the run asks for, read from the environment as the process joins: later the program may be
 * changing that while the library's own thread reads it.
 */
struct asked {
	char run[PATH_MAX];	       /* TACHO_DIR */
	uint32_t sample_hz, python_hz; /* ASKED_NOT: nothing was said */
	uint64_t max_spool, max_size;  /* bytes, of a thread and of the run; 0: no limit */
	bool max_is_ranks;	       /* max_size is of each rank */
	double keep_last;	       /* seconds; 0: for ever */
};

/* What a process may have used; a forked child forgets what its parent did. Few use all of it. */
enum used { USED_MARKS = 1, USED_STEPS = 2, USED_TORCH = 4, USED_CUDA = 8 };

#define ASKED_NOT UINT32_MAX
#define PROC_ROOM 32

struct process {
	uint32_t pid; /* who opened it; a forked child differs */
	/* all of this is set: a fork may come in the middle of it */
	bool is_open;
	char folder[PATH_MAX]; /* absolute: <spool directory>/<host>.<pid>.<k> */
	char proc
		[PROC_ROOM]; /* where /proc shows this process: "/proc/<pid>", as a task sees it, too */
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

/* To be called before the first change of what a forked child has to forget. */
static inline void process_uses(enum used what)
{
	if (unlikely(!(atomic_load_explicit(&tacho_process.used, memory_order_relaxed) & what)))
		atomic_fetch_or(&tacho_process.used, what);
}

/* What one definition consists of. */
struct def {
	uint32_t type; /* enum spool_def_type */
	uint32_t id;
	const void *body; /* the struct spool_def_… of the type */
	size_t nbody;
	const void *list; /* what follows it (world ranks), or NULL */
	size_t nlist;
	const char *key;  /* with its NUL the first part of the text, or NULL */
	const char *text; /* NULL: none */
	size_t ntext;	  /* 0: strlen(text) */
	bool is_needed;	  /* written also where names have no more room in the budget */
};

/* The next number for definitions of a type. */
uint32_t process_allot(unsigned type) HIDDEN;

/* Appends a definition. Returns 0, or -1 when it was not written. */
int process_define(const struct def *def) HIDDEN;

/* Defines a marker's name; returns its number or 0. */
uint32_t process_define_name(const char *name) HIDDEN;

/*
 * Defines a file, pipe, socket…; returns its number or 0, errno then says why, EDQUOT: names have no more
 * room in the budget. The caller has made sure that it is the process that joined.
 */
uint32_t process_define_handle(const struct spool_def_handle *handle, const char *path) HIDDEN;

/* The same of one that stands for all such, once names have no more room in the budget. */
uint32_t process_define_others(const struct spool_def_handle *handle, const char *path) HIDDEN;

/* The same of one that is like another. */
uint32_t process_define_handle_like(const struct spool_def_handle_like *handle,
	const char *rest) HIDDEN;

/*
 * Defines communicator `id` (from process_allot(DEF_COMM)) with its `comm->size
 * + comm->nremote` world ranks. Returns 0 or -1.
 */
int process_define_comm(uint32_t id, struct spool_def_comm comm, const uint32_t *world,
	const char *name) HIDDEN;

/* Adds a property: `key` as in env.c ("process.…", "node.…"). */
void process_define_property(const char *key, const char *value) HIDDEN;

/* Writes a clock pair. */
void process_define_clock(void) HIDDEN;

/* Writes DEF_END, once, if the caller is the process that joined. */
void process_end(enum spool_end_how how, int status) HIDDEN;

/* Counts a loss that no thread's spool can hold. */
void process_lose(enum spool_loss loss) HIDDEN;

/* Before process_open(), in the program's thread: notes what a task would ask for itself. */
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

/* The path of a file in the process's folder. */
void process_path(char path[PATH_MAX], const char *name) HIDDEN;

/* Opens a file of the folder, mode 0600, never through a link. A descriptor, or -1 with errno. */
int process_file_open(const char *name, int flags) HIDDEN;

/* Removes a file of the folder. */
void process_file_remove(const char *name) HIDDEN;

/* The same as process_file_open() of a file of spool `number`, to be read and written: thread.<number>, totals.<number>. */
int process_spool_open(const char *kind, uint32_t number, int flags) HIDDEN;

/*
 * The folder, open: from now on its files are reached through it, where a descriptor may be kept. To be
 * given to process_folder_leave(); -1 with errno.
 */
int process_folder_keep(void) HIDDEN;
void process_folder_leave(int folder) HIDDEN;

/* The helper thread keeps the folder in its own table: it reaches it whatever the program becomes. */
void process_folder_own(void) HIDDEN;

/* Notes which file standard error is: the program may close it and open data in its place. */
void say_start(void) HIDDEN;

/* Says what tasks had to say: they have no standard error. In a thread of the program. Keeps errno. */
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
	SAY_RIVAL,
	SAY_SANDBOX,
	SAY_PYTHON,
	SAY_KIND_COUNT
};
void say_once(enum say_kind kind, const char *format, ...) HIDDEN
	__attribute__((format(printf, 2, 3)));

#endif
