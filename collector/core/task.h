/*
 * task.h - work that needs descriptors, done where the program has none of them.
 *
 * RATIONALE: a file that a thread of the program opens is in the program's table, where another of
 * its threads may put its own file over the same number a microsecond later (dup2), or miss the
 * lowest free number. So nothing of the library opens files there. A *task* shares the memory of
 * the process and nothing else: no descriptor table, no thread group, no signal handlers. It opens,
 * reserves, maps into the common memory, closes, and is gone. The kernel reports its end to no
 * process, and no wait() of the program returns it, as it has no exit signal.
 *
 * Rejected: a thread with unshare(CLONE_FILES), as it makes the process multi-threaded (unshare of a
 * user namespace, setns and CPython's fork refuse that or warn); asking the long-lived helper for each
 * file, as it may have been killed; one process per node, as it would need rights to all programs.
 *
 * One task costs two system calls of the caller and the time to schedule a child, 20 to 60 us: what
 * belongs together is done in one. Its table begins empty (close_range() unshares none of the
 * program's descriptors where the kernel can), so neither the number of the program's descriptors nor
 * file systems that flush at close matter.
 */
#ifndef COLLECTOR_TASK_H
#define COLLECTOR_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The process that a task works for. All 0 in threads of the program. */
struct task_self {
	uint32_t pid,
		tid; /* of the program's process and thread; sys_pid() and sys_tid() answer these */
	uint64_t
		written; /* bytes, which the kernel adds to the process's account at the task's end */
	bool stays;	 /* the one of stay.h: `tid` is its own, and no thread waits for it */
	/* the caller is an agent of attach/: the process's memory is not its own, only /proc leads there */
	bool is_attached;
};

/* Threads that write files of the library now, or wait for a task that may. */
extern _Atomic uint32_t tacho_writers __attribute__((visibility("hidden")));

extern __thread struct task_self tacho_task
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

/* Whether the calling thread has a separate table of descriptors, see task_table_leave(). */
extern __thread bool tacho_table_is_own
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

/* Whether the caller runs in a task. */
static inline bool task_is_here(void)
{
	return tacho_task.pid != 0;
}

/*
 * Runs work(arg) in its own task, on the caller's stack and thread-local storage, and waits for its
 * end; within a task, at once. Descriptors that it leaves open are closed with it; memory that it maps
 * stays. Its limits of file size, descriptors and locked memory are the hard ones, and a write past them
 * is an error and no signal. Signals are blocked meanwhile. `work` must not allocate from the heap, nor
 * write to descriptors of the program: it has none (say_once() keeps the words for later).
 *
 * Where clone() cannot share memory (valgrind and qemu-user make a fork of it), work runs in the caller.
 * 0, or -1 with errno: no process may be made (RLIMIT_NPROC), or something killed it; `work` has not run
 * then, or not to its end. Keeps errno otherwise. Safe in signal handlers.
 */
int task_run(void (*work)(void *), void *arg) __attribute__((visibility("hidden")));

/*
 * For threads of the library: leaves the program's table of descriptors for an empty one. 0, or -1 where
 * the kernel refuses.
 */
int task_table_leave(void) __attribute__((visibility("hidden")));

/* In a new process that has the program's table: leaves it, and has no limits but the hard ones. As above. */
int task_apart(void) __attribute__((visibility("hidden")));

/*
 * Gives the calling task the limits of process `pid` (0: its own) as they are now: of file size, descriptors
 * and locked memory the hard ones.
 */
void task_limits(uint32_t pid) __attribute__((visibility("hidden")));

/*
 * The process's children begin in another namespace of processes from now on, or no longer: a task would be
 * the first one there, and end it. So the work is done in the caller.
 */
void task_bar(bool is_barred) __attribute__((visibility("hidden")));

/* Whether tasks can be made that share memory. */
bool task_shares_memory(void) __attribute__((visibility("hidden")));

/*
 * Makes a task that stays, for stay.c: work(arg) runs on `stack`, which ends there, with the thread-local
 * storage `tls`; the kernel clears `is_alive` at its end. Its number, or a negative error.
 */
long task_make_staying(int (*work)(void *), void *arg, void *stack, _Atomic uint32_t *is_alive,
	void *tls) __attribute__((visibility("hidden")));

/*
 * A descriptor of the program's table that tasks have as well: the folder of a process that has given up the
 * rights to reach it by name. -1: none.
 */
extern int tacho_task_keeps __attribute__((visibility("hidden")));

/* The same path for an agent of attach/, of the process that it works for; `room` takes it. */
#define TASK_PATH_ROOM 128
const char *task_path(const char *path, char room[TASK_PATH_ROOM])
	__attribute__((visibility("hidden")));

/*
 * Reads a file by a task, up to `size` - 1 bytes, and terminates them. How many there are; -1: it cannot be
 * read. /proc/self is the task's own there; what of it belongs to the memory is the program's.
 */
long task_read(const char *path, char *text, size_t size) __attribute__((visibility("hidden")));

#endif
