/* stay.c - see stay.h. */
#include "config.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "core/process.h"
#include "core/real.h"
#include "core/stay.h"
#include "core/sys.h"
#include "core/proc_file.h"

#define STACK_SIZE   (256 << 10)
#define JOIN_NS	     500000000
#define NO_CORE	     1 /* bytes: a core of less than a page is none, even where a program takes it */
#define KCMP_MEMORY  1 /* KCMP_VM */
#define FIELD_STATE  3 /* of /proc/PID/stat, see proc(5) */
#define FIELD_STACK  28
#define STATE_ZOMBIE 'Z'
#define STAT_SIZE    1024

static struct {
	_Atomic uint32_t is_alive; /* the kernel clears it */
	_Atomic uint32_t pid;
	uint32_t owner;
	char *stack;
	void *tls;	      /* kept for the next one, also in a forked child */
	uint64_t owner_stack; /* where the owner's stack begins; 0: not known */
} stay;

static void (*ctype_init)(void); /* sets what isdigit() and its like find in thread-local storage */

#if defined(__x86_64__) && defined(__GLIBC__)
/* What the kernel and compiled code find at %fs: tcbhead_t of libc, the same since 2.4. */
struct thread_head {
	void *head, *table, *self;
	int32_t has_threads, unused;
	uint64_t system_call, stack_guard, pointer_guard;
};

/*
 * Where libc has the thread's number, by which its locks know their owner; 0, as of a lock that is free,
 * would be taken for the owner. The same since 2.4, and compared.
 */
static int32_t *number_place(void *head)
{
	return (int32_t *)(void *)((char *)head + 0x2d0);
}

static void *tls_make(void)
{
	void *(*allocate)(void *) = (void *(*)(void *))(uintptr_t)real_symbol("_dl_allocate_tls");
	const struct thread_head *own;
	struct thread_head *head;

	/* sanitizers have storage for threads that they have seen begin */
	__asm__("movq %%fs:16, %0" : "=r"(own));
	if (!allocate || real_symbol("__sanitizer_print_stack_trace") ||
		*number_place((void *)(uintptr_t)own) != (int32_t)syscall(SYS_gettid) ||
		!(head = allocate(NULL)))
		return NULL;
	ctype_init = (void (*)(void))(uintptr_t)real_symbol("__ctype_init");
	head->head = head->self = head;
	head->has_threads = 1;
	head->stack_guard = own->stack_guard;
	head->pointer_guard = own->pointer_guard;
	return head;
}
#else
static int32_t *number_place(void *head)
{
	return head;
}

static void *tls_make(void)
{
	return NULL;
}
#endif

/* A field of /proc/PID/stat of the process's first thread, within `text`; NULL: not known. */
static const char *first_thread_field(char *text, size_t size, int number)
{
	const char *proc = tacho_process.proc, *at;
	char path[64];

	snprintf(path, sizeof(path), "%.20s/task/%.12s/stat", proc, proc + sizeof("/proc/") - 1);
	if (task_read(path, text, size) <= 0)
		return NULL;
	at = strrchr(text, ')'); /* after the name, which may hold anything */
	for (int i = FIELD_STATE - 1; at && i < number; i++)
		if ((at = strchr(at, ' ')))
			at++;
	return at;
}

bool stay_first_thread_is_gone(void)
{
	char text[STAT_SIZE];
	const char *state = first_thread_field(text, sizeof(text), FIELD_STATE);

	return state && *state == STATE_ZOMBIE;
}

static uint64_t owner_stack(void)
{
	char text[STAT_SIZE];
	const char *at = first_thread_field(text, sizeof(text), FIELD_STACK);

	return at ? strtoull(at, NULL, 10) : 0;
}

static int stay_main(void *arg)
{
	void (*work)(void) = (void (*)(void))(uintptr_t)arg;
	const struct rlimit no_core = { NO_CORE, NO_CORE };

	tacho_task = (struct task_self){ .pid = stay.owner,
		.tid = (uint32_t)syscall(SYS_gettid),
		.stays = true };
	*number_place(stay.tls) = (int32_t)tacho_task.tid;
	if (task_apart() < 0)
		return 0; /* nothing of the library opens files in the program's table */
	tacho_table_is_own = true;
	if (ctype_init)
		ctype_init();
	syscall(SYS_prlimit64, 0, RLIMIT_CORE, &no_core, NULL);
	syscall(SYS_setpgid, 0, 0);
	syscall(SYS_prctl, PR_SET_NAME, "tacho", 0, 0, 0);
	stay.owner_stack = owner_stack();
	work();
	return 0;
}

int stay_start(void (*work)(void))
{
	long pid;

	if (!task_shares_memory() || (!stay.tls && !(stay.tls = tls_make())))
		return -1;
	if (!stay.stack) {
		stay.stack = sys_map(STACK_SIZE, MAP_PRIVATE | MAP_STACK | MAP_NORESERVE);
		if (stay.stack == MAP_FAILED) {
			stay.stack = NULL;
			return -1;
		}
	}
	stay.owner = sys_pid();
	atomic_store(&stay.is_alive, 1);
	pid = task_make_staying(stay_main, (void *)(uintptr_t)work, stay.stack + STACK_SIZE,
		&stay.is_alive, stay.tls);
	if (pid < 0) {
		atomic_store(&stay.is_alive, 0);
		errno = (int)-pid;
		return -1;
	}
	atomic_store(&stay.pid, (uint32_t)pid);
	return 0;
}

bool stay_is_alive(void)
{
	if (!atomic_load(&stay.is_alive) || stay.owner != sys_pid())
		return false;
	/* one that dies of a fault leaves the word as it was */
	if (!atomic_load(&stay.pid) ||
		!syscall(SYS_wait4, atomic_load(&stay.pid), NULL, WNOHANG | __WALL, NULL))
		return true;
	atomic_store(&stay.is_alive, 0);
	own_task_ended();
	return false;
}

/* Until it has left the memory, for `ns` at most. */
static void leave_wait(uint64_t ns)
{
	uint64_t until = clock_monotonic_ns() + ns, now;

	while (atomic_load(&stay.is_alive) && (now = clock_monotonic_ns()) < until) {
		struct timespec t = { .tv_nsec = (long)(until - now) };

		syscall(SYS_futex, &stay.is_alive, FUTEX_WAIT, 1, &t, NULL, 0);
	}
}

void stay_join(void)
{
	uint32_t pid = atomic_load(&stay.pid);

	if (!pid || stay.owner != sys_pid())
		return;
	leave_wait(JOIN_NS);
	if (stay_is_alive()) { /* stopped, or in a call of a file system: do not wait longer */
		syscall(SYS_kill, pid, SIGKILL);
		leave_wait(JOIN_NS / 10);
	}
	if (!atomic_load(&stay.is_alive))
		while (syscall(SYS_wait4, pid, NULL, __WALL, NULL) < 0 && errno == EINTR)
			;
	own_task_ended();
	atomic_store(&stay.pid, 0);
}

void stay_forked(void)
{
	atomic_store(&stay.is_alive, 0);
	atomic_store(&stay.pid, 0);
}

enum stay_owner stay_owner(void)
{
	char text[STAT_SIZE];
	const char *state;
	uint64_t stack;
	long order;

	if ((uint32_t)syscall(SYS_getppid) != stay.owner)
		return STAY_GONE;
	state = first_thread_field(text, sizeof(text), FIELD_STATE);
	if (!state || *state == STATE_ZOMBIE) /* others of its threads continue */
		return STAY_RUNS;
	if (*state == 'T' || *state == 't')
		return STAY_STOPPED;
	order = syscall(SYS_kcmp, stay.owner, syscall(SYS_getpid), KCMP_MEMORY, 0, 0);
	if (order > 0)
		return STAY_GONE;
	/* if the kernel refuses the comparison: a new program has another stack */
	stack = order < 0 && stay.owner_stack ? owner_stack() : 0;
	return stack && stack != stay.owner_stack ? STAY_GONE : STAY_RUNS;
}

static bool lock_is_held(uint32_t holder)
{
	if (holder == sys_pid())
		return true;
	return holder && holder == atomic_load(&stay.pid) && (tacho_task.stays || stay_is_alive());
}

void stay_lock(_Atomic uint32_t *lock)
{
	uint32_t self = tacho_task.stays ? tacho_task.tid : sys_pid(), seen = 0;

	while (!atomic_compare_exchange_strong(lock, &seen, self))
		if (lock_is_held(seen)) { /* it works for microseconds */
			sched_yield();
			seen = 0;
		}
}
