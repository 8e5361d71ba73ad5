/*
 * ended.c - see ended.h. All of it happens in the folders of processes that are over. Their sums go to
 * a folder that looks like that of one more child, which was never in detail: merge reads it as any
 * other. A child is in those sums or has its folder, whenever this process is killed: the sums say
 * which one they had last (totals_sums.last_pid), and merge passes over its folder.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/budget.h"
#include "core/chunk.h"
#include "core/clock.h"
#include "core/ended.h"
#include "core/process.h"
#include "core/sys.h"
#include "core/totals.h"

#define KNOWN	   512		 /* children that a look finds at once */
#define LOOK_NS	   1000000000	 /* after a look that found none, … */
#define LOOK_AGAIN 20		 /* …else so many times as long as it took */
#define SILENT_NS  60000000000.0 /* without a heartbeat: it was killed, and not somewhere else */
#define LIST_SIZE  (64u << 10)	 /* bytes of names that are read at once */
#define DEFS_MOST  (16u << 10)	 /* bytes of properties of the folder of sums */
#define CLAIM	   "claim"	 /* in a child's folder: somebody has it, or it cannot be summed */

struct child {
	uint64_t end; /* ticks */
	uint32_t pid, k;
};

static struct {
	bool is_on;
	_Atomic bool is_busy; /* a thread is at it */
	uint64_t look_ns;     /* CLOCK_MONOTONIC: not before then, … */
	bool is_last;	      /* …unless the process ends */
	uint32_t n, next;     /* children that are known; the next one of them */
	struct child *known;
	char prefix[NAME_MAX + 1];     /* "<host>." */
	char directory[PATH_MAX - 64]; /* of all folders */
	/* the folder of the sums, once it is made */
	bool is_made;
	uint32_t sums_k;
	struct totals *totals; /* mapped */
	int64_t tail;	       /* of its definitions: where those are that change */
} ended;

/* What changes of them with each child. */
struct tail {
	struct spool_def clock_head;
	struct spool_def_clock clock;
	struct spool_def end_head;
	struct spool_def_end end;
};

/* A file of a child, mapped. */
struct mapped {
	const char *at; /* NULL: there is none */
	size_t size;
};

void ended_start(void)
{
	const char *slash = strrchr(tacho_process.folder, '/'), *name = slash ? slash + 1 : NULL;
	char own[32];
	size_t n;

	memset(&ended, 0, sizeof(ended));
	if (!name || tacho_process.is_child ||
		(size_t)(slash - tacho_process.folder) >= sizeof(ended.directory))
		return;
	n = (size_t)(slash - tacho_process.folder);
	memcpy(ended.directory, tacho_process.folder, n);
	snprintf(own, sizeof(own), ".%u.", tacho_process.pid);
	for (const char *at = name; (at = strstr(at, own)); at++)
		n = (size_t)(at - name) + 1; /* the last one: the host's name may have numbers */
	if (n >= sizeof(ended.prefix))
		return;
	memcpy(ended.prefix, name, n);
	ended.is_on = true;
}

void ended_forked(void)
{
	if (ended.known)
		sys_munmap(ended.known, KNOWN * sizeof(*ended.known));
	if (ended.totals)
		sys_munmap(ended.totals, TOTALS_SIZE);
	memset(&ended, 0, sizeof(ended));
}

static bool path_of(char path[PATH_MAX], uint32_t pid, uint32_t k, const char *file)
{
	return snprintf(path, PATH_MAX, "%s/%s%u.%u/%s", ended.directory, ended.prefix, pid, k,
		       file) < PATH_MAX;
}

static int child_open(const struct child *child, const char *file, int flags)
{
	char path[PATH_MAX];

	if (!path_of(path, child->pid, child->k, file)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return sys_open(path, flags | O_NOFOLLOW, 0600);
}

static struct mapped child_map(const struct child *child, const char *file)
{
	int fd = child_open(child, file, O_RDONLY);
	struct mapped mapped = { 0 };
	struct stat st;
	void *map = MAP_FAILED;

	if (fd < 0)
		return mapped;
	if (!sys_fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
		map = (void *)syscall(SYS_mmap, NULL, st.st_size, PROT_READ, MAP_SHARED, fd, 0L);
	sys_close(fd);
	if (map != MAP_FAILED)
		mapped = (struct mapped){ map, (size_t)st.st_size };
	return mapped;
}

static void mapped_close(const struct mapped *mapped)
{
	if (mapped->at)
		sys_munmap((void *)(uintptr_t)mapped->at, mapped->size);
}

/* The definition after `def`; NULL: there is none. */
static const struct spool_def *def_next(const struct mapped *file, const struct spool_def *def)
{
	size_t at = def ? (size_t)((const char *)def - file->at) + def->size : 0;
	const struct spool_def *next;

	if (at + sizeof(*next) > file->size)
		return NULL;
	next = (const struct spool_def *)(const void *)(file->at + at);
	return next->size < sizeof(*next) || next->size % 8 || next->size > file->size - at ? NULL
											    : next;
}

static const void *def_body(const struct spool_def *def, uint16_t type, size_t size)
{
	return def && def->type == type && def->size >= sizeof(*def) + size ? def + 1 : NULL;
}

/* Whether it is a child of this rank: by its parent where there are no ranks. */
static bool is_own(const struct spool_def *def, const struct spool_def_process *process)
{
	const char *slash = strrchr(tacho_process.folder, '/'), *name = slash + 1,
		   *parent = (const char *)(process + 1);

	if (!process->is_child || process->version != SPOOL_VERSION ||
		process->nregions != REGION_COUNT || process->rank != tacho_process.ranks.rank ||
		process->size != tacho_process.ranks.size)
		return false;
	return process->rank >= 0 ||
		(def->text == strlen(name) &&
			def->text <= def->size - sizeof(*def) - sizeof(*process) &&
			memcmp(parent, name, def->text) == 0);
}

static bool pid_is_gone(uint32_t pid)
{
	return syscall(SYS_kill, (long)pid, 0L) < 0 && errno == ESRCH;
}

/* Ticks per ns since the process has joined; 0: it has just done so. */
static double tick_rate(void)
{
	double ns = (double)(clock_monotonic_ns() - tacho_process.start_ns);

	return ns < 1e9 ? 0 : (double)(clock_ticks() - tacho_process.start_ticks) / ns;
}

/* When it was killed, by its last sign of life; 0: it may live. */
static uint64_t killed_at(const struct spool_state *state)
{
	uint64_t replaced = atomic_load(&state->replaced), beat = atomic_load(&state->heartbeat),
		 now = clock_ticks();
	double rate = tick_rate();

	if (replaced)
		return replaced;
	return rate > 0 && now > beat && (double)(now - beat) > rate * SILENT_NS ? beat : 0;
}

/* When it ended, in ticks; 0: it has not, or is no child of this process. */
static uint64_t child_end(const struct child *child)
{
	struct mapped defs = child_map(child, "process"), state;
	const struct spool_def *def = def_next(&defs, NULL);
	const struct spool_def_process *process = def_body(def, DEF_PROCESS, sizeof(*process));
	uint64_t end = 0;
	bool is_more = false; /* it has marked or sent something */

	if (!process || !is_own(def, process))
		is_more = true;
	for (; def && !is_more; def = def_next(&defs, def)) {
		const struct spool_def_end *at = def_body(def, DEF_END, sizeof(*at));

		end = at ? at->ticks : end;
		is_more |= def->type == DEF_COMM || def->type == DEF_NCCL_COMM ||
			def->type == DEF_NAME;
	}
	if (!is_more && !end) {
		state = child_map(child, "state");
		if (state.size >= sizeof(struct spool_state))
			end = killed_at((const struct spool_state *)(const void *)state.at);
		mapped_close(&state);
	}
	mapped_close(&defs);
	return is_more ? 0 : end;
}

static bool child_is_claimed(const struct child *child)
{
	char path[PATH_MAX];

	return !path_of(path, child->pid, child->k, CLAIM) ||
		syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
}

/* Adds it to those that are known, the first to end first, if it is among the first. */
static void known_add(struct child child)
{
	uint32_t i = ended.n;

	if (ended.n == KNOWN && ended.known[KNOWN - 1].end <= child.end)
		return;
	if (ended.n < KNOWN)
		ended.n++;
	else
		i--;
	for (; i && ended.known[i - 1].end > child.end; i--)
		ended.known[i] = ended.known[i - 1];
	ended.known[i] = child;
}

static void name_look(const char *name)
{
	size_t n = strlen(ended.prefix);
	struct child child = { 0 };
	char *end;

	if (strncmp(name, ended.prefix, n) != 0)
		return;
	child.pid = (uint32_t)strtoul(name + n, &end, 10);
	if (*end != '.' || !child.pid || child.pid == tacho_process.pid)
		return;
	child.k = (uint32_t)strtoul(end + 1, &end, 10);
	if (*end || !pid_is_gone(child.pid) || child_is_claimed(&child))
		return;
	child.end = child_end(&child);
	if (child.end)
		known_add(child);
}

struct listed {
	uint64_t inode, offset;
	uint16_t size;
	unsigned char type;
	char name[];
};

static void names_look(int fd, char *room)
{
	long n;

	while ((n = syscall(SYS_getdents64, fd, room, (long)LIST_SIZE)) > 0)
		for (long at = 0; at < n;) {
			const struct listed *it = (const struct listed *)(const void *)(room + at);

			name_look(it->name);
			at += it->size;
		}
}

/* Looks which children have ended. */
static void look(void)
{
	uint64_t now = clock_monotonic_ns(), took;
	char *room;
	int fd;

	if (now < ended.look_ns && !ended.is_last)
		return;
	if (!ended.known)
		ended.known = sys_map(KNOWN * sizeof(*ended.known), MAP_PRIVATE);
	if (ended.known == MAP_FAILED) {
		ended.known = NULL;
		ended.is_on = false;
		return;
	}
	ended.n = ended.next = 0;
	fd = sys_open(ended.directory, O_RDONLY | O_DIRECTORY, 0);
	room = fd < 0 ? MAP_FAILED : sys_map(LIST_SIZE, MAP_PRIVATE);
	if (room != MAP_FAILED) {
		names_look(fd, room);
		sys_munmap(room, LIST_SIZE);
	}
	if (fd >= 0)
		sys_close(fd);
	took = clock_monotonic_ns() - now;
	ended.look_ns = now + (ended.n ? LOOK_AGAIN * took : took + LOOK_NS);
}

/* The chunk of a spool with the least number that is not below `least`; NULL: there is none. */
static const uint64_t *chunk_find(const struct mapped *file, uint64_t *least, size_t *size)
{
	const struct spool_head *head = (const struct spool_head *)(const void *)file->at;
	const uint64_t *found = NULL;
	uint64_t number = UINT64_MAX;
	size_t offset = SPOOL_HEAD_SIZE, room = head->first_size;

	for (uint32_t slot = 0; offset + 64 <= file->size; slot++) {
		const uint64_t *at = (const uint64_t *)(const void *)(file->at + offset);

		if (spool_type(at[0]) == SPOOL_CLOCK && spool_words(at[2]) > 5 && at[5] >= *least &&
			at[5] < number) {
			number = at[5];
			found = at;
			*size = room < file->size - offset ? room : file->size - offset;
		}
		offset += room;
		room = totals_slot_size(head->slot_size, slot);
	}
	*least = number + 1;
	return found;
}

/* Adds what a thread of the child did. False: it cannot be summed. */
static bool thread_add(const struct child *child, unsigned number, struct totals_sums *sums,
	struct totals_sums *room, uint64_t lost[LOSS_COUNT])
{
	static const struct totals_list none = { NULL, 0 };
	char name[32];
	struct mapped file, totals;
	const struct spool_head *head;
	const struct totals *given_up;
	const uint64_t *chunk;
	uint64_t next;
	size_t size = 0;
	bool done = true;

	snprintf(name, sizeof(name), "thread.%u", number);
	file = child_map(child, name);
	head = (const struct spool_head *)(const void *)file.at;
	if (file.size < SPOOL_HEAD_SIZE || memcmp(head->magic, SPOOL_MAGIC, 8) != 0) {
		mapped_close(&file);
		return true; /* it ended before it had one */
	}
	for (int i = 0; i < LOSS_COUNT; i++)
		lost[i] += atomic_load(&head->lost[i]);
	if (head->kind == SPOOL_KIND_SAMPLER)
		goto out;
	snprintf(name, sizeof(name), "totals.%u", number);
	totals = child_map(child, name);
	given_up = (const struct totals *)(const void *)totals.at;
	memset(room, 0, sizeof(*room));
	if (totals.size >= TOTALS_SIZE && memcmp(given_up->magic, TOTALS_MAGIC, 8) == 0)
		*room = given_up->sums[atomic_load(&given_up->counts) & 1];
	mapped_close(&totals);
	next = room->chunks;
	done = head->kind == SPOOL_KIND_THREAD && head->slot_size && head->first_size;
	while (done && (chunk = chunk_find(&file, &next, &size)))
		totals_add(room, &none, chunk, size);
	done = done && totals_merge(sums, room);
out:
	mapped_close(&file);
	return done;
}

/* What all of its threads did. False: it cannot be summed. */
static bool child_add(const struct child *child, struct totals_sums *sums,
	uint64_t lost[LOSS_COUNT])
{
	struct totals_sums *room = sys_map(sizeof(*room), MAP_PRIVATE);
	struct mapped state = child_map(child, "state");
	bool done = room != MAP_FAILED;
	char path[PATH_MAX], name[32];

	if (state.size >= sizeof(struct spool_state))
		for (int i = 0; i < LOSS_COUNT; i++)
			lost[i] += atomic_load(
				&((const struct spool_state *)(const void *)state.at)->lost[i]);
	mapped_close(&state);
	for (unsigned i = 0; done; i++) {
		snprintf(name, sizeof(name), "thread.%u", i);
		if (!path_of(path, child->pid, child->k, name) ||
			syscall(SYS_faccessat, AT_FDCWD, path, F_OK) < 0)
			break;
		done = thread_add(child, i, sums, room, lost);
	}
	if (room != MAP_FAILED)
		sys_munmap(room, sizeof(*room));
	return done;
}

/* Bytes that it has counted. */
static uint64_t child_bytes(const struct child *child)
{
	struct mapped state = child_map(child, "state");
	uint64_t bytes = 0;

	if (state.size >= sizeof(struct spool_state))
		bytes = atomic_load(&((const struct spool_state *)(const void *)state.at)->bytes);
	mapped_close(&state);
	return bytes;
}

static void files_remove(int fd, char *room)
{
	long n;

	while ((n = syscall(SYS_getdents64, fd, room, (long)LIST_SIZE)) > 0)
		for (long at = 0; at < n;) {
			const struct listed *it = (const struct listed *)(const void *)(room + at);

			if (it->name[0] != '.')
				syscall(SYS_unlinkat, fd, it->name, 0L);
			at += it->size;
		}
}

static void child_remove(const struct child *child)
{
	uint64_t bytes = child_bytes(child);
	char path[PATH_MAX], *room = sys_map(LIST_SIZE, MAP_PRIVATE);
	int fd = path_of(path, child->pid, child->k, "") ? sys_open(path, O_RDONLY | O_DIRECTORY, 0)
							 : -1;

	if (fd >= 0 && room != MAP_FAILED)
		files_remove(fd, room);
	if (fd >= 0)
		sys_close(fd);
	if (room != MAP_FAILED)
		sys_munmap(room, LIST_SIZE);
	if (syscall(SYS_unlinkat, AT_FDCWD, path, (long)AT_REMOVEDIR) == 0)
		budget_add(-(int64_t)bytes);
}

/* Those definitions of the folder of sums that change. */
static void tail_write(int fd)
{
	struct tail tail = { .clock_head = { sizeof(tail.clock_head) + sizeof(tail.clock),
				     DEF_CLOCK, 0, 0, 0 },
		.clock = clock_read(),
		.end_head = { sizeof(tail.end_head) + sizeof(tail.end), DEF_END, 0, 0, 0 } };

	tail.end.how = END_EXIT;
	tail.end.ticks = tail.clock.ticks;
	file_write(fd, ended.tail, &tail, sizeof(tail));
}

/* Definitions of the folder of sums, as those of its first child. False without room. */
static bool defs_make(const struct child *child, int fd)
{
	struct mapped defs = child_map(child, "process");
	const struct spool_def *def = def_next(&defs, NULL);
	struct spool_def_clock start = { tacho_process.start_ticks, tacho_process.start_ns, 0 };
	struct spool_def_process process;
	bool done = def_body(def, DEF_PROCESS, sizeof(process)) != NULL;
	int64_t at = 0;

	if (done) {
		memcpy(&process, def + 1, sizeof(process));
		start.realtime_ns = process.start.realtime_ns -
			(process.start.monotonic_ns - start.monotonic_ns);
		process.start = start;
		process.forked = 0;
		done = !file_write(fd, 0, def, def->size) &&
			!file_write(fd, sizeof(*def), &process, sizeof(process));
		at = def->size;
	}
	while (done && (def = def_next(&defs, def)) && at < (int64_t)DEFS_MOST)
		if (def->type == DEF_PROPERTY) {
			done = !file_write(fd, at, def, def->size);
			at += def->size;
		}
	ended.tail = at;
	mapped_close(&defs);
	return done;
}

/* A spool of which all is in totals. */
static bool spool_make(const struct child *sums, const struct child *child)
{
	struct mapped file = child_map(child, "thread.0");
	struct spool_head head = { .first_size = 0 };
	int fd = child_open(sums, "thread.0", O_RDWR | O_CREAT);
	void *map = fd < 0 ? NULL : file_map(fd, 0, SPOOL_HEAD_SIZE);

	if (map && file.size >= SPOOL_HEAD_SIZE) {
		memcpy(&head, file.at, sizeof(head));
		memset((void *)head.lost, 0, sizeof(head.lost));
		memset(head.inside, 0, sizeof(head.inside));
		snprintf(head.name, sizeof(head.name), "ended children");
		head.gap = head.number = head.first_size = 0;
		head.slot_size = TOTALS_SLOT_LEAST;
		memcpy(map, &head, sizeof(head));
	}
	if (map)
		sys_munmap(map, SPOOL_HEAD_SIZE);
	if (fd >= 0)
		sys_close(fd);
	mapped_close(&file);
	return map && head.slot_size;
}

static bool totals_make(const struct child *sums)
{
	int fd = child_open(sums, "totals.0", O_RDWR | O_CREAT);

	ended.totals = fd < 0 ? NULL : file_map(fd, 0, TOTALS_SIZE);
	if (fd >= 0)
		sys_close(fd);
	if (!ended.totals)
		return false;
	ended.totals->version = SPOOL_VERSION;
	ended.totals->nregions = REGION_COUNT;
	ended.totals->size = sizeof(*ended.totals);
	memcpy(ended.totals->magic, TOTALS_MAGIC, sizeof(ended.totals->magic));
	return true;
}

/* The folder of sums: it begins empty. False without room. */
static bool sums_make(const struct child *child)
{
	struct child sums = { 0, tacho_process.pid, 0 };
	char path[PATH_MAX];
	bool done;
	int fd;

	for (sums.k = 0; sums.k < 10000; sums.k++)
		if (!path_of(path, sums.pid, sums.k, "") || !sys_mkdir(path, 0700) ||
			errno != EEXIST)
			break;
	fd = child_open(&sums, "process", O_RDWR | O_CREAT);
	done = fd >= 0 && spool_make(&sums, child) && totals_make(&sums) && defs_make(child, fd);
	if (done)
		tail_write(fd);
	if (fd >= 0)
		sys_close(fd);
	if (!done)
		child_remove(&sums);
	ended.sums_k = sums.k;
	return done;
}

/* Losses of the child are those of the folder of sums. */
static void lost_add(const struct child *sums, const uint64_t lost[LOSS_COUNT])
{
	int fd = child_open(sums, "thread.0", O_RDWR);
	struct spool_head *head = fd < 0 ? NULL : file_map_reserved(fd, 0, SPOOL_HEAD_SIZE);

	for (int i = 0; head && i < LOSS_COUNT; i++)
		if (lost[i])
			atomic_fetch_add(&head->lost[i], lost[i]);
	if (head)
		sys_munmap(head, SPOOL_HEAD_SIZE);
	if (fd >= 0)
		sys_close(fd);
}

static void child_give_up(const struct child *child)
{
	struct child sums = { 0, tacho_process.pid, ended.sums_k };
	uint32_t counts = atomic_load(&ended.totals->counts);
	struct totals_sums *to = &ended.totals->sums[!counts];
	uint64_t lost[LOSS_COUNT] = { 0 };
	int fd;

	*to = ended.totals->sums[counts];
	if (!child_add(child, to, lost))
		return; /* it stays claimed, and so nobody tries again */
	to->chunks++;
	to->children++;
	to->last_pid = child->pid;
	to->last_k = child->k;
	fd = child_open(&sums, "process", O_RDWR);
	if (fd >= 0) {
		tail_write(fd);
		sys_close(fd);
	}
	atomic_store(&ended.totals->counts, !counts);
	lost_add(&sums, lost);
	child_remove(child);
}

static bool child_claim(const struct child *child)
{
	int fd = child_open(child, CLAIM, O_WRONLY | O_CREAT | O_EXCL);

	if (fd >= 0)
		sys_close(fd);
	return fd >= 0;
}

static bool give_up(uint64_t ticks)
{
	if (ended.next == ended.n)
		look();
	if (ended.next == ended.n || ended.known[ended.next].end >= ticks)
		return false;
	if (!ended.is_made)
		ended.is_made = sums_make(&ended.known[ended.next]);
	if (!ended.is_made) {
		ended.n = ended.next = 0;
		return false;
	}
	if (child_claim(&ended.known[ended.next]))
		child_give_up(&ended.known[ended.next]);
	ended.next++;
	return true;
}

bool ended_finish(void)
{
	ended.is_last = true;
	return !atomic_load(&ended.is_busy);
}

bool ended_give_up(uint64_t ticks)
{
	bool done;

	if (!ended.is_on || !ticks || atomic_exchange(&ended.is_busy, true))
		return false;
	done = give_up(ticks);
	atomic_store(&ended.is_busy, false);
	return done;
}
