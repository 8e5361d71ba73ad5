/* task.c - see task.h. */
#include "config.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>

#include "core/sys.h"
#include "core/task.h"

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

#define TABLE_MOST 1024	       /* descriptors that are closed one by one */
#define STACK_SIZE (256 << 10) /* where the caller's cannot be used */

/* No debugger follows it: one that follows forks would leave the program for it. */
#define TASK_FLAGS (CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_UNTRACED)

#define STAY_FLAGS (CLONE_VM | CLONE_FILES | CLONE_UNTRACED | CLONE_SETTLS | CLONE_CHILD_CLEARTID)

__thread struct task_self tacho_task;
__thread bool tacho_table_is_own;
int tacho_task_keeps = -1;
_Atomic uint32_t tacho_writers;

/* How clone() behaves here; forked children inherit it. */
enum { KIND_UNKNOWN, KIND_SHARES, KIND_COPIES };
static _Atomic int kind;

/* Pid of a process with its children in another pid namespace. */
static _Atomic uint32_t barred;

struct task {
	void (*work)(void *);
	void *arg;
	volatile bool is_done;
};

int task_table_leave(void)
{
	int keeps = tacho_task_keeps;

	if (kind == KIND_COPIES)
		return -1; /* it has its own descriptors in there */
	if (!syscall(SYS_close_range, keeps + 1, ~0u, CLOSE_RANGE_UNSHARE)) {
		if (keeps > 0)
			syscall(SYS_close_range, 0, keeps - 1, 0);
		return 0;
	}
	if (syscall(SYS_unshare, CLONE_FILES) < 0)
		return -1;
	for (int fd = 0; fd < TABLE_MOST; fd++) /* before Linux 5.9 */
		if (fd != keeps)
			sys_close(fd);
	return 0;
}

/* Limits of a task; `is_hard`: its soft limit is raised, since that is meant for the program. */
static const struct {
	int number;
	bool is_hard;
} limits[] = { { RLIMIT_FSIZE, true }, { RLIMIT_NOFILE, true }, { RLIMIT_MEMLOCK, true },
	{ RLIMIT_AS, false } };

void task_limits(uint32_t pid)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		struct rlimit theirs, own;

		if (syscall(SYS_prlimit64, pid, limits[i].number, NULL, &theirs) < 0 ||
			syscall(SYS_prlimit64, 0, limits[i].number, NULL, &own) < 0)
			continue;
		if (limits[i].is_hard)
			theirs.rlim_cur = theirs.rlim_max;
		if (theirs.rlim_cur > own.rlim_max)
			theirs.rlim_cur = own.rlim_max;
		if (theirs.rlim_cur == own.rlim_cur)
			continue;
		own.rlim_cur = theirs.rlim_cur;
		syscall(SYS_prlimit64, 0, limits[i].number, &own, NULL);
	}
}

int task_apart(void)
{
	int ret = task_table_leave();

	task_limits(0);
	return ret;
}

static int task_main(void *arg)
{
	struct task *task = arg;

	task_apart();
	if (task->work)
		task->work(task->arg);
	task->is_done = true;
	return 0;
}

#if defined(__x86_64__)
/*
 * The child continues below the frame of this function, on the stack of its parent, which waits; so it
 * must not return from here. Or on its own stack, where there is one.
 */
long task_clone(unsigned long flags, int (*work)(void *), void *arg, void *stack,
	_Atomic uint32_t *is_alive, void *tls) __attribute__((visibility("hidden")));
__asm__(".text\n"
	".globl task_clone\n"
	".hidden task_clone\n"
	".type task_clone, @function\n"
	"task_clone:\n"
	"	.cfi_startproc\n"
	"	movq %r8, %r10\n"
	"	movq %r9, %r8\n"
	"	movq %rsi, %r9\n"
	"	movq %rcx, %rsi\n" /* the kernel does not use rdx with these flags */
	"	movl $56, %eax\n"
	"	syscall\n"
	"	testq %rax, %rax\n"
	"	jz 1f\n"
	"	ret\n"
	"1:	.cfi_undefined rip\n"
	"	xorl %ebp, %ebp\n"
	"	andq $-16, %rsp\n"
	"	movq %rdx, %rdi\n"
	"	call *%r9\n"
	"	movl %eax, %edi\n"
	"	movl $60, %eax\n"
	"	syscall\n"
	"	hlt\n"
	"	.cfi_endproc\n"
	".size task_clone, . - task_clone\n");
_Static_assert(SYS_clone == 56 && SYS_exit == 60, "the numbers in the code above");

static long process_make(struct task *task)
{
	return task_clone(TASK_FLAGS, task_main, task, NULL, NULL, NULL);
}

long task_make_staying(int (*work)(void *), void *arg, void *stack, _Atomic uint32_t *is_alive,
	void *tls)
{
	return task_clone(STAY_FLAGS, work, arg, stack, is_alive, tls);
}
#else
long task_make_staying(int (*work)(void *), void *arg, void *stack, _Atomic uint32_t *is_alive,
	void *tls)
{
	(void)work, (void)arg, (void)stack, (void)is_alive, (void)tls;
	return -ENOSYS;
}

static long process_make(struct task *task)
{
	char *stack = sys_map(STACK_SIZE, MAP_PRIVATE | MAP_STACK | MAP_NORESERVE);
	long pid;

	if (stack == MAP_FAILED)
		return -ENOMEM;
	pid = clone(task_main, stack + STACK_SIZE, TASK_FLAGS, task);
	if (pid < 0)
		pid = -errno;
	sys_munmap(stack, STACK_SIZE);
	return pid;
}
#endif

/* 0: there was a process, which is gone, whether it came to its end or not. */
static int process_run(struct task *task)
{
	long pid = process_make(task), ended;

	if (pid < 0) {
		errno = (int)-pid;
		return -1;
	}
	do /* a program that waits for children of any kind may have been faster: ECHILD */
		ended = syscall(SYS_wait4, pid, NULL, __WALL, NULL);
	while (ended < 0 && errno == EINTR);
	return 0;
}

/* Valgrind ends a program at clone() with such flags. Asked by its own sequence of instructions. */
static bool is_valgrind(void)
{
	volatile uint64_t request[6] = { 0x1001 }; /* RUNNING_ON_VALGRIND */
	uint64_t answer = 0;

#if defined(__x86_64__)
	__asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(request)
			 : "cc", "memory");
#elif defined(__aarch64__)
	register uint64_t in_x3 __asm__("x3") = 0;
	register volatile uint64_t *in_x4 __asm__("x4") = request;

	__asm__ volatile("ror x12, x12, #3\n\tror x12, x12, #13\n\t"
			 "ror x12, x12, #51\n\tror x12, x12, #61\n\t"
			 "orr x10, x10, x10"
			 : "+r"(in_x3)
			 : "r"(in_x4)
			 : "cc", "memory");
	answer = in_x3;
#endif
	return answer != 0 || request[0] != 0x1001;
}

/* Whether clone() shares memory, asked by a task that does nothing else; qemu-user refuses it. */
static void kind_find(void)
{
	struct task probe = { 0 };

	if (is_valgrind())
		kind = KIND_COPIES;
	else if (process_run(&probe) == 0)
		kind = probe.is_done ? KIND_SHARES : KIND_COPIES;
	else if (errno == EINVAL || errno == ENOSYS)
		kind = KIND_COPIES;
}

/* In the caller, where there is no other way. */
static int run_here(void (*work)(void *), void *arg)
{
	work(arg);
	return 0;
}

void task_bar(bool is_barred)
{
	atomic_store(&barred, is_barred ? sys_pid() : 0);
}

static bool is_barred(void)
{
	uint32_t pid = atomic_load(&barred);

	return pid && pid == sys_pid();
}

bool task_shares_memory(void)
{
	if (is_barred())
		return false;
	if (kind == KIND_UNKNOWN)
		kind_find();
	return kind == KIND_SHARES;
}

static int run_apart(struct task *task)
{
	int ret;

	if (!task_shares_memory() && (is_barred() || kind == KIND_COPIES))
		return run_here(task->work, task->arg);
	/* the kernel adds the task's writes when the task has been waited for */
	atomic_fetch_add(&tacho_writers, 1);
	ret = process_run(task);
	atomic_fetch_sub(&tacho_writers, 1);
	if (ret < 0)
		return -1;
	if (!task->is_done)
		errno = ECHILD;
	return task->is_done ? 0 : -1;
}

int task_run(void (*work)(void *), void *arg)
{
	struct task task = { .work = work, .arg = arg };
	int saved = errno, ret;
	uint64_t mask;

	if (task_is_here() || tacho_table_is_own)
		return run_here(work, arg);
	mask = sys_signals_block();
	tacho_task = (struct task_self){ .pid = sys_pid(), .tid = sys_tid() };
	ret = run_apart(&task);
	tacho_task = (struct task_self){ 0 };
	sys_signals_restore(mask);
	if (ret == 0)
		errno = saved;
	return ret;
}

struct file_reading {
	const char *path;
	char *text;
	size_t size;
	long n;
};

const char *task_path(const char *path, char room[TASK_PATH_ROOM])
{
	static const char self[] = "/proc/self/";

	if (!tacho_task.is_attached || strncmp(path, self, sizeof(self) - 1) != 0)
		return path;
	snprintf(room, TASK_PATH_ROOM, "/proc/%u/%s", tacho_task.pid, path + sizeof(self) - 1);
	return room;
}

static void read_work(void *arg)
{
	struct file_reading *reading = arg;
	char room[TASK_PATH_ROOM];
	int fd = sys_open(task_path(reading->path, room), O_RDONLY, 0);
	size_t done = 0;
	ssize_t n = -1;

	if (fd < 0)
		return;
	while (done < reading->size - 1 &&
		(n = sys_read(fd, reading->text + done, reading->size - 1 - done)) > 0)
		done += (size_t)n;
	sys_close(fd);
	reading->text[done] = '\0';
	reading->n = n < 0 ? -1 : (long)done;
}

long task_read(const char *path, char *text, size_t size)
{
	struct file_reading reading = { path, text, size, -1 };

	return task_run(read_work, &reading) < 0 ? -1 : reading.n;
}
