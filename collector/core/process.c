/*
 * process.c - the process's folder in the spool directory, its state page, and what it defines
 * (defs.c has the file of definitions).
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/budget.h"
#include "core/chunk.h"
#include "core/clock.h"
#include "core/defs.h"
#include "core/env.h"
#include "core/helper.h"
#include "core/loss.h"
#include "core/proc_file.h"
#include "core/process.h"
#include "core/ring.h"
#include "core/sandbox.h"
#include "core/slot.h"
#include "core/source.h"
#include "core/sys.h"
#include "tacho/host.h"
#include "tacho/runs.h"

#define CLOCKS	  512 /* pairs at equal distances; of a bounded run, half of them then, … */
#define NAME_ROOM 32  /* of PATH_MAX: for the names of the folder's files */

struct process tacho_process = { .folder_fd = -1, .ranks = { -1, -1, -1, -1 } };

void process_lose(enum spool_loss loss)
{
	if (tacho_process.state)
		atomic_fetch_add_explicit(&tacho_process.state->lost[loss], 1,
			memory_order_relaxed);
}

uint32_t process_allot(unsigned type)
{
	return atomic_fetch_add_explicit(&tacho_process.ids[type], 1, memory_order_relaxed) + 1;
}

void process_path(char path[PATH_MAX], const char *name)
{
	size_t n = strlen(tacho_process.folder);

	memcpy(path, tacho_process.folder, n);
	path[n++] = '/';
	memcpy(path + n, name, strlen(name) + 1); /* folder_make left room */
}

/* Whether the descriptor of the folder is still that. */
static bool folder_is_open(void)
{
	const struct process *p = &tacho_process;
	struct stat st;

	return p->folder_fd >= 0 && !sys_fstat(p->folder_fd, &st) && st.st_dev == p->folder_dev &&
		st.st_ino == p->folder_ino;
}

static int folder_need(void);

static __thread int own_folder __attribute__((tls_model("initial-exec"))) = -1;

void process_folder_own(void)
{
	if (folder_need() == 0)
		own_folder = sys_open(tacho_process.folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
}

int process_file_open(const char *name, int flags)
{
	char path[PATH_MAX];

	if (own_folder >= 0)
		return (int)syscall(SYS_openat, own_folder, name, flags | O_NOFOLLOW | O_CLOEXEC,
			0600);
	if (folder_need() < 0)
		return -1;
	if (folder_is_open())
		return (int)syscall(SYS_openat, tacho_process.folder_fd, name,
			flags | O_NOFOLLOW | O_CLOEXEC, 0600);
	process_path(path, name);
	return sys_open(path, flags | O_NOFOLLOW, 0600);
}

void process_file_remove(const char *name)
{
	char path[PATH_MAX];

	if (folder_is_open()) {
		syscall(SYS_unlinkat, tacho_process.folder_fd, name, 0L);
		return;
	}
	process_path(path, name);
	syscall(SYS_unlinkat, AT_FDCWD, path, 0L);
}

int process_spool_open(const char *kind, uint32_t number, int flags)
{
	char name[NAME_ROOM];

	snprintf(name, sizeof(name), "%s.%u", kind, number);
	return process_file_open(name, O_RDWR | flags);
}

int process_folder_keep(void)
{
	struct process *p = &tacho_process;
	struct stat st;
	int fd;

	if (folder_is_open())
		return p->folder_fd;
	if (folder_need() < 0)
		return -1;
	fd = sys_open(p->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd < 0 || sys_fstat(fd, &st) < 0)
		return fd;
	p->folder_dev = st.st_dev;
	p->folder_ino = st.st_ino;
	p->folder_fd = sys_fd_keep(fd);
	if (p->folder_fd < 0)
		return fd;
	tacho_task_keeps = p->folder_fd;
	sys_close(fd);
	return p->folder_fd;
}

void process_folder_leave(int folder)
{
	if (folder >= 0 && folder != tacho_process.folder_fd)
		sys_close(folder);
}

/* Which definitions are bounded in a run with a budget. The others are few. */
enum bound { BOUND_NOT, BOUND_NAME, BOUND_GROUP };
static const unsigned char bounds[DEF_TYPE_COUNT] = {
	[DEF_NAME] = BOUND_GROUP,
	[DEF_HANDLE] = BOUND_NAME,
	[DEF_HANDLE_LIKE] = BOUND_NAME,
	[DEF_SOCKET] = BOUND_NAME,
	[DEF_KERNEL] = BOUND_NAME,
	[DEF_PYTHON_CODE] = BOUND_NAME,
	[DEF_PYTHON_STACK] = BOUND_NAME,
	[DEF_COMM_NAME] = BOUND_NAME,
	[DEF_COMM] = BOUND_GROUP,
	[DEF_COMM_FREE] = BOUND_GROUP,
	[DEF_WINDOW] = BOUND_GROUP,
	[DEF_NCCL_COMM] = BOUND_GROUP,
	[DEF_METRIC] = BOUND_GROUP,
};

static bool has_room(const struct def *def)
{
	uint64_t size = sizeof(struct spool_def) + def->nbody + def->nlist +
		(def->key ? strlen(def->key) : 0) + (def->text ? strlen(def->text) : 0);

	return def->is_needed || bounds[def->type] == BOUND_NOT ||
		budget_names_take(size, bounds[def->type] == BOUND_GROUP);
}

/* process_define in the process that is surely the one that joined. errno says why it fails. */
static int define_here(const struct def *def)
{
	if (!has_room(def)) {
		process_lose(LOSS_NO_NAME);
		errno = EDQUOT;
		return -1;
	}
	if (defs_append(def) == 0)
		return 0;
	process_lose(LOSS_NO_DEFINITION);
	return -1;
}

int process_define(const struct def *def)
{
	int saved = errno, ret;

	/* a forked child that has not joined, or one between vfork and exec, has no say here */
	if (tacho_process.pid != sys_pid())
		return -1;
	ret = define_here(def);
	errno = saved;
	return ret;
}

uint32_t process_define_name(const char *name)
{
	struct def def = { .type = DEF_NAME, .id = process_allot(DEF_NAME), .text = name };

	return process_define(&def) < 0 ? 0 : def.id;
}

/* Both ways to define a handle number it alike. */
static uint32_t handle_define(unsigned type, const void *body, size_t nbody, const char *text,
	bool is_needed)
{
	struct def def = { .type = type,
		.id = process_allot(DEF_HANDLE),
		.body = body,
		.nbody = nbody,
		.text = text,
		.is_needed = is_needed };

	return define_here(&def) < 0 ? 0 : def.id;
}

uint32_t process_define_handle(const struct spool_def_handle *handle, const char *path)
{
	return handle_define(DEF_HANDLE, handle, sizeof(*handle), path, false);
}

uint32_t process_define_others(const struct spool_def_handle *handle, const char *path)
{
	return handle_define(DEF_HANDLE, handle, sizeof(*handle), path, true);
}

uint32_t process_define_handle_like(const struct spool_def_handle_like *handle, const char *rest)
{
	return handle_define(DEF_HANDLE_LIKE, handle, sizeof(*handle), rest, false);
}

int process_define_comm(uint32_t id, struct spool_def_comm comm, const uint32_t *world,
	const char *name)
{
	uint32_t n = comm.size + comm.nremote;
	struct spool_run *runs = malloc(sizeof(*runs) * (n / 2 + 1));
	int ret = -1;

	if (runs) {
		comm.nruns = runs_make(runs, world, n);
		ret = process_define(&(struct def){ .type = DEF_COMM,
			.id = id,
			.body = &comm,
			.nbody = sizeof(comm),
			.list = runs,
			.nlist = sizeof(*runs) * comm.nruns,
			.text = name });
	}
	free(runs);
	return ret;
}

void process_define_property(const char *key, const char *value)
{
	process_define(&(struct def){ .type = DEF_PROPERTY,
		.id = process_allot(DEF_PROPERTY),
		.key = key,
		.text = value });
}

/* Within a budget the pairs of a long run stand ever farther apart, as they are for as long as it takes. */
static bool clock_is_due(void)
{
	uint32_t n = atomic_fetch_add(&tacho_process.ids[DEF_CLOCK], 1), each = 1;

	while (n / each > CLOCKS)
		each *= 2;
	return !ring_slot_size() || n % each == 0;
}

void process_define_clock(void)
{
	struct spool_def_clock now = clock_read();

	if (!clock_is_due() && !atomic_load(&tacho_process.ended))
		return;
	process_define(&(struct def){ .type = DEF_CLOCK, .body = &now, .nbody = sizeof(now) });
}

static void end_define(struct spool_def_end *end)
{
	budget_close();
	end->ticks = clock_ticks();
	process_define_clock();
	process_define(&(struct def){ .type = DEF_END, .body = end, .nbody = sizeof(*end) });
}

static void end_work(void *arg)
{
	struct spool_def_end *end = arg;

	SOURCES_CALL(end, );
	ring_finish();
	slots_end();
	end_define(end);
	defs_trim();
}

void process_end(enum spool_end_how how, int status)
{
	struct process *p = &tacho_process;
	struct spool_def_end end = { .how = how, .status = status };

	if (sandbox_is_on() || p->pid != sys_pid() || atomic_exchange(&p->ended, 1))
		return;
	SOURCES_CALL(end_first, );
	helper_stop(); /* first: its account of bytes is the program's then */
	if (p->is_in_slot && !p->has_folder) { /* counters would take it a file */
		end_define(&end);
	} else if (task_run(end_work, &end) < 0 && !end.ticks) {
		end.ticks = clock_ticks();
		process_define(
			&(struct def){ .type = DEF_END, .body = &end, .nbody = sizeof(end) });
	}
	say_kept();
}

/* What this thread has written to storage, by the kernel's account. */
static uint64_t stored_bytes(void)
{
	const char *text = file_text_once("/proc/thread-self/io");
	const char *at = text ? line_find(text, "write_bytes:") : NULL;
	uint64_t bytes = 0;

	return at && number_take(&at, &bytes) ? bytes : 0;
}

static void state_fill(struct spool_state *state)
{
	state->version = SPOOL_VERSION;
	state->clock = tacho_clock_is_tsc ? SPOOL_CLOCK_TSC : SPOOL_CLOCK_MONOTONIC;
	atomic_store(&state->heartbeat, clock_ticks());
	memcpy(state->magic, SPOOL_MAGIC, sizeof(state->magic));
	tacho_process.state = state;
}

/* Its page also shows whether what is written to this file system counts: not in memory. */
static void state_open(void)
{
	struct spool_state *state;
	uint64_t before = stored_bytes();
	int fd;

	fd = process_file_open("state", O_RDWR | O_CREAT | O_EXCL);
	if (fd < 0)
		return;
	state = file_map(fd, 0, SPOOL_HEAD_SIZE);
	sys_close(fd);
	tacho_spool_is_stored = stored_bytes() > before;
	if (!state)
		return;
	state_fill(state);
	budget_add(BUDGET_FOLDER);
}

/* Makes `path` and the folders it lies in, as far as they are missing. */
static void folders_make(const char *path)
{
	char part[PATH_MAX];

	snprintf(part, sizeof(part), "%s", path);
	for (char *slash = part + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		sys_mkdir(part, 0700);
		*slash = '/';
	}
	sys_mkdir(part, 0700);
}

/*
 * Makes sure of the directory of all spools. Only the first process of a run makes it: where one that
 * descends from it finds none, or another one, it has another root, and spools there are in no run.
 */
static int spools_find(const char *directory)
{
	struct process *p = &tacho_process;
	struct stat st;

	if (!p->spools_ino && !p->parent[0])
		folders_make(directory);
	if (sys_stat(directory, &st) < 0)
		return -1;
	if (p->spools_ino && (st.st_dev != p->spools_dev || st.st_ino != p->spools_ino)) {
		errno = ENOENT;
		return -1;
	}
	p->spools_dev = st.st_dev;
	p->spools_ino = st.st_ino;
	return 0;
}

/* Counts a child for which no folder can be made, where the page of its parent's state is there. */
static void child_lose(int error)
{
	process_lose(loss_of_error(error) == LOSS_UNREACHABLE ? LOSS_JAILED : LOSS_NO_FOLDER);
}

void process_count_jailed(void)
{
	char directory[PATH_MAX];
	int saved = errno;

	memcpy(directory, tacho_process.folder, sizeof(directory));
	if (!tacho_process.is_open || !strrchr(directory, '/'))
		return;
	*strrchr(directory, '/') = '\0';
	if (spools_find(directory) < 0)
		child_lose(errno);
	errno = saved;
}

/* Appends "<text><c>"; returns the new end, `last` when there is no room. */
static char *text_add(char *to, char *last, const char *text, char c)
{
	char *end = memccpy(to, text, 0, (size_t)(last - to));

	if (!end)
		return last;
	end[-1] = c;
	return end;
}

static char *number_add(char *to, char *last, uint32_t n, char c)
{
	char digits[16], *first = digits + sizeof(digits) - 1;

	*first = '\0';
	do
		*--first = (char)('0' + n % 10);
	while (n /= 10);
	return text_add(to, last, first, c);
}

/* Names the folder <directory>/<host>.<pid>.<k>; without printf, whose pages cost a child a tenth of its time. */
static int folder_name(const char *directory, uint32_t k)
{
	struct process *p = &tacho_process;
	char host[HOST_ROOM], *last = p->folder + sizeof(p->folder) - NAME_ROOM, *end;

	host_name(host);
	end = text_add(p->folder, last, directory, '/');
	end = text_add(end, last, host, '.');
	end = number_add(end, last, p->pid, '.');
	if (number_add(end, last, k, '\0') < last)
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

/* A process in a slot makes its folder with its first file. */
static int folder_need(void)
{
	struct process *p = &tacho_process;
	char directory[PATH_MAX];

	if (!p->is_in_slot || p->has_folder)
		return 0;
	memcpy(directory, p->folder, sizeof(directory));
	*strrchr(directory, '/') = '\0';
	if (spools_find(directory) < 0 || (sys_mkdir(p->folder, 0700) < 0 && errno != EEXIST))
		return -1;
	if (!atomic_exchange(&p->has_folder, true))
		budget_add(BUDGET_FOLDER);
	return 0;
}

/* Makes <directory>/<host>.<pid>.<k> with the first k that is free. */
static int folder_make(const char *directory)
{
	struct process *p = &tacho_process;

	if (spools_find(directory) < 0)
		return -1;
	for (uint32_t k = 0; k < SLOT_FIRST_K; k++) {
		if (folder_name(directory, k) < 0)
			return -1;
		if (!sys_mkdir(p->folder, 0700))
			return 0;
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

static void define_process(void)
{
	struct process *p = &tacho_process;
	struct spool_def_process body = {
		.version = SPOOL_VERSION,
		.nregions = REGION_COUNT,
		.clock = tacho_clock_is_tsc ? SPOOL_CLOCK_TSC : SPOOL_CLOCK_MONOTONIC,
		.pid = p->pid,
		.ppid = p->ppid,
		.rank = p->ranks.rank,
		.size = p->ranks.size,
		.local_rank = p->ranks.local_rank,
		.local_size = p->ranks.local_size,
		.is_child = p->is_child,
		.start = clock_read(),
		.forked = p->forked,
	};

	p->start_ticks = body.start.ticks;
	p->start_ns = body.start.monotonic_ns;
	process_define(&(struct def){ .type = DEF_PROCESS,
		.body = &body,
		.nbody = sizeof(body),
		.text = p->parent });
}

/* In a forked child: lets go of what the parent had mapped. */
static void parent_leave(void)
{
	struct process *p = &tacho_process;

	defs_forget();
	if (p->state && !p->is_in_slot)
		sys_munmap(p->state, SPOOL_HEAD_SIZE);
}

void process_prepare(void)
{
	struct process *p = &tacho_process;
	static const char proc[] = "/proc/";
	ssize_t n;

	if (folder_is_open()) /* the parent's */
		sys_close(p->folder_fd);
	p->folder_fd = tacho_task_keeps = -1;
	/* the number that /proc has for it, which may be of another PID namespace */
	memcpy(p->proc, proc, sizeof(proc));
	n = sys_readlink("/proc/self", p->proc + sizeof(proc) - 1, sizeof(p->proc) - sizeof(proc));
	if (n > 0)
		p->proc[sizeof(proc) - 1 + (size_t)n] = '\0';
	tacho_proc_self = p->proc;
	p->ppid = (uint32_t)getppid();
	say_start();
}

static void share_properties(void)
{
	size_t size;
	const char *first = defs_first(&size);

	slots_share(first, size);
}

/* Begins in a slot of a process that it descends from. */
static void slot_open(struct slot *slot)
{
	struct process *p = &tacho_process;

	atomic_store(&p->ids[DEF_PROPERTY], slots_shared());
	state_fill(&slot->state);
	defs_begin((char *)slot->definitions, SLOT_DEFINITIONS);
	define_process();
	atomic_thread_fence(memory_order_release);
	memcpy(slot->magic, SPOOL_MAGIC, sizeof(slot->magic));
	p->is_open = true;
}

int process_open(const char *directory)
{
	struct process *p = &tacho_process;
	struct slot *slot = slot_own();
	bool is_forked = p->is_open;
	int made, error;

	p->pid = sys_pid();
	made = slot ? folder_name(directory, slot->k) : folder_make(directory);
	error = errno;
	if (made < 0 && is_forked) /* the page of the state is its parent's still */
		child_lose(error);
	parent_leave();
	errno = error;
	p->is_open = false;
	p->state = NULL;
	p->nthreads = 0;
	p->ended = 0;
	p->is_in_slot = slot != NULL;
	p->has_folder = !slot;
	memset(p->ids, 0, sizeof(p->ids));
	if (slot) {
		slot_open(slot);
		return 0;
	}
	if (made < 0 || defs_create() < 0) {
		if (!p->parent[0])
			say_once(SAY_FOLDER, "nothing is recorded: no spool can be made in %s: %s",
				directory, strerror(errno));
		p->pid = 0;
		return -1;
	}
	state_open();
	define_process();
	env_identify();
	share_properties();
	p->is_open = true;
	return 0;
}
