/*
 * ended.c - see ended.h. It works only in the folders of processes that are over. Their sums go to
 * a folder in the form of one more child's, without detail: merge reads it as any other. Whenever
 * this process is killed, a child is either in those sums or has its folder: the sums name the last
 * child added (totals_sums.last_pid), and merge skips its folder.
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
#include "core/ended_sums.h"
#include "core/process.h"
#include "core/slot.h"
#include "core/sys.h"
#include "core/totals.h"

#define KNOWN	   512		 /* children that a scan finds at once */
#define LOOK_NS	   1000000000	 /* after a scan that found none, … */
#define LOOK_AGAIN 20		 /* …else so many times as long as it took */
#define SILENT_NS  60000000000.0 /* without a heartbeat: it was killed, and not somewhere else */
#define LIST_SIZE  (64u << 10)	 /* bytes of names that are read at once */
#define DEFS_MOST  (16u << 10)	 /* bytes of properties of the folder of sums */
#define CLAIM	   "claim"	 /* in a child's folder: a process has it, or it cannot be summed */

struct child {
	uint64_t end; /* ticks */
	struct spool_folder place;
	struct slot *slot; /* where it began; NULL: in its folder */
};

static struct {
	bool is_on;
	_Atomic bool is_busy; /* a thread is at it */
	uint64_t look_ns;     /* CLOCK_MONOTONIC: not before then, … */
	bool is_last;	      /* …unless the process ends */
	uint32_t n, next;     /* children that are known; the next one of them */
	struct child *known;
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

void ended_start(void)
{
	memset(&ended, 0, sizeof(ended));
	ended.is_on = !tacho_process.is_child && places_start();
}

void ended_forked(void)
{
	if (ended.known)
		sys_munmap(ended.known, KNOWN * sizeof(*ended.known));
	if (ended.totals)
		sys_munmap(ended.totals, TOTALS_SIZE);
	memset(&ended, 0, sizeof(ended));
}

struct listed {
	uint64_t inode, offset;
	uint16_t size;
	unsigned char type;
	char name[];
};

/* Calls `take` with the descriptor of the folder and the name of each file in it. */
static void names_each(const char *path, void (*take)(void *, int, const char *), void *arg)
{
	int fd = sys_open(path, O_RDONLY | O_DIRECTORY, 0);
	char *room = fd < 0 ? MAP_FAILED : sys_map(LIST_SIZE, MAP_PRIVATE);
	long n;

	while (room != MAP_FAILED && (n = syscall(SYS_getdents64, fd, room, (long)LIST_SIZE)) > 0)
		for (long at = 0; at < n;) {
			const struct listed *it = (const struct listed *)(const void *)(room + at);

			take(arg, fd, it->name);
			at += it->size;
		}
	if (room != MAP_FAILED)
		sys_munmap(room, LIST_SIZE);
	if (fd >= 0)
		sys_close(fd);
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

/* Its definitions, or the first ones of them. */
static struct mapped defs_map(const struct child *child)
{
	if (child->slot)
		return (struct mapped){ (const char *)child->slot->definitions, SLOT_DEFINITIONS };
	return place_map(&child->place, "process");
}

/* The definitions of a child in a slot are not mapped separately. */
static void defs_close(const struct child *child, const struct mapped *defs)
{
	if (!child->slot)
		mapped_close(defs);
}

/* Notes when it ended. False: it has marked or sent something. */
static bool defs_end(const struct mapped *defs, uint64_t *end)
{
	for (const struct spool_def *def = NULL; (def = def_next(defs, def));) {
		const struct spool_def_end *at = def_body(def, DEF_END, sizeof(*at));

		*end = at ? at->ticks : *end;
		if (def->type == DEF_COMM || def->type == DEF_NCCL_COMM || def->type == DEF_NAME)
			return false;
	}
	return true;
}

/* The same of those definitions of a child in a slot that are in its folder. */
static bool defs_more_end(const struct child *child, uint64_t *end)
{
	struct mapped more = { 0 };
	bool is_all;

	if (child->slot)
		more = place_map(&child->place, "process");
	is_all = defs_end(&more, end);
	mapped_close(&more);
	return is_all;
}

/* Copies the page of its state; fields that the page lacks are 0. */
static void state_copy(const struct child *child, struct spool_state *state)
{
	struct mapped page = { 0 };

	memset((void *)state, 0, sizeof(*state));
	if (child->slot) {
		memcpy((void *)state, &child->slot->state, sizeof(*state));
		return;
	}
	page = place_map(&child->place, "state");
	if (page.size >= sizeof(*state))
		memcpy((void *)state, page.at, sizeof(*state));
	mapped_close(&page);
}

/* When it ended, in ticks; 0: it has not, or is no child of this process. */
static uint64_t child_end(const struct child *child)
{
	struct mapped defs = defs_map(child);
	const struct spool_def *def = def_next(&defs, NULL);
	const struct spool_def_process *process = def_body(def, DEF_PROCESS, sizeof(*process));
	struct spool_state state;
	uint64_t end = 0;
	bool is_all = process && is_own(def, process) && defs_end(&defs, &end) &&
		defs_more_end(child, &end);

	defs_close(child, &defs);
	if (is_all && !end) {
		state_copy(child, &state);
		end = memcmp(state.magic, SPOOL_MAGIC, sizeof(state.magic)) ? 0 : killed_at(&state);
	}
	return is_all ? end : 0;
}

static bool child_is_claimed(const struct child *child)
{
	char path[PATH_MAX];

	if (child->slot)
		return child->slot->is_claimed;
	return !place_path(path, &child->place, CLAIM) ||
		syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
}

/* Adds it to the known children, which are in the order of their ends, if it is among the first. */
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

static void name_look(void *arg __attribute__((unused)), int folder __attribute__((unused)),
	const char *name)
{
	size_t n = strlen(places_prefix());
	struct child child = { 0 };
	char *end;

	if (strncmp(name, places_prefix(), n) != 0)
		return;
	child.place.pid = (uint32_t)strtoul(name + n, &end, 10);
	if (*end != '.' || !child.place.pid || child.place.pid == tacho_process.pid)
		return;
	child.place.k = (uint32_t)strtoul(end + 1, &end, 10);
	if (*end || !pid_is_gone(child.place.pid) || child_is_claimed(&child))
		return;
	child.end = child_end(&child);
	if (child.end)
		known_add(child);
}

/* The same for children in slots with records of their first thread. */
static void slots_look(void)
{
	struct slot *slot;

	for (uint32_t i = 0; (slot = slot_made(i)); i++) {
		struct child child = { 0, { slot->pid, slot->k }, slot };

		if (memcmp(slot->magic, SPOOL_MAGIC, sizeof(slot->magic)) ||
			memcmp(slot->head.magic, SPOOL_MAGIC, sizeof(slot->head.magic)) ||
			!pid_is_gone(child.place.pid) || child_is_claimed(&child))
			continue;
		child.end = child_end(&child);
		if (child.end)
			known_add(child);
	}
}

/* Looks which children have ended. */
static void look(void)
{
	uint64_t now = clock_monotonic_ns(), took;

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
	names_each(places_directory(), name_look, NULL);
	slots_look();
	took = clock_monotonic_ns() - now;
	ended.look_ns = now + (ended.n ? LOOK_AGAIN * took : took + LOOK_NS);
}

/* What the threads of a child did. */
struct child_adding {
	const struct spool_folder *place;
	struct totals_sums *sums, *room;
	uint64_t *lost;
	uint32_t last; /* thread that is in the child's own sums of ended threads; -1: none */
	bool done;
};

/* The number behind `prefix`. False: the name is another one. */
static bool name_number(const char *name, const char *prefix, uint32_t *number)
{
	size_t n = strlen(prefix);
	char *end;

	if (strncmp(name, prefix, n) != 0)
		return false;
	*number = (uint32_t)strtoul(name + n, &end, 10);
	return end != name + n && !*end;
}

static void last_find(void *arg, int folder __attribute__((unused)), const char *name)
{
	struct child_adding *adding = arg;
	struct mapped file;
	uint32_t number;

	if (!name_number(name, "totals.", &number))
		return;
	file = place_map(adding->place, name);
	if (file.size >= TOTALS_SIZE) {
		const struct totals *totals = (const struct totals *)(const void *)file.at;
		const struct totals_sums *sums = &totals->sums[atomic_load(&totals->counts) & 1];

		if (!memcmp(totals->magic, TOTALS_MAGIC, sizeof(totals->magic)) && sums->threads)
			adding->last = sums->last_k;
	}
	mapped_close(&file);
}

/* Numbers have gaps: a child may have given up its own threads. */
static void thread_add(void *arg, int folder __attribute__((unused)), const char *name)
{
	struct child_adding *adding = arg;
	uint32_t number;

	if (adding->done && name_number(name, "thread.", &number) && number != adding->last)
		adding->done = ended_spool_add(adding->place, number, adding->sums, adding->room,
			adding->lost);
}

/* Adds the first thread of a child in a slot, unless it has moved to a file. */
static bool slot_add(const struct child *child, struct child_adding *adding)
{
	struct spool_head head;

	return !child->slot || ended_head_read(&child->place, 0, &head) ||
		ended_slot_add(child->slot, adding->sums, adding->room, adding->lost);
}

/* What all of its threads did. False: it cannot be summed. */
static bool child_add(const struct child *child, struct totals_sums *sums,
	uint64_t lost[LOSS_COUNT])
{
	struct totals_sums *room = sys_map(sizeof(*room), MAP_PRIVATE);
	struct child_adding adding = { &child->place, sums, room, lost, UINT32_MAX, false };
	struct spool_state state;
	char path[PATH_MAX];

	if (room == MAP_FAILED)
		return false;
	state_copy(child, &state);
	for (int i = 0; i < LOSS_COUNT; i++)
		lost[i] += state.lost[i];
	adding.done = place_path(path, &child->place, "");
	names_each(path, last_find, &adding);
	names_each(path, thread_add, &adding);
	adding.done = adding.done && slot_add(child, &adding);
	sys_munmap(room, sizeof(*room));
	return adding.done;
}

static void file_remove(void *arg __attribute__((unused)), int folder, const char *name)
{
	if (name[0] != '.')
		syscall(SYS_unlinkat, folder, name, 0L);
}

static void child_remove(const struct child *child)
{
	struct spool_state state;
	char path[PATH_MAX];

	state_copy(child, &state);
	if (place_path(path, &child->place, "")) {
		names_each(path, file_remove, NULL);
		/* the bytes that it has counted are no longer there */
		if (syscall(SYS_unlinkat, AT_FDCWD, path, (long)AT_REMOVEDIR) == 0)
			budget_remove(state.bytes, state.names);
	}
	if (child->slot)
		slot_leave(child->slot);
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

/* Writes the properties among definitions from `*at` on. False without room. */
static bool properties_write(const struct mapped *defs, int fd, int64_t *at)
{
	for (const struct spool_def *def = NULL;
		(def = def_next(defs, def)) && *at < (int64_t)DEFS_MOST;)
		if (def->type == DEF_PROPERTY) {
			if (file_write(fd, *at, def, def->size))
				return false;
			*at += def->size;
		}
	return true;
}

/*
 * Definitions of the folder of sums, copied from its first child's. False when there is no space.
 */
static bool defs_make(const struct child *child, int fd)
{
	struct mapped defs = defs_map(child), shared = { 0 };
	const struct spool_def *def = def_next(&defs, NULL);
	struct spool_def_clock start = { tacho_process.start_ticks, tacho_process.start_ns, 0 };
	struct spool_def_process process;
	bool done = def_body(def, DEF_PROCESS, sizeof(process)) != NULL;

	ended.tail = 0;
	if (done) {
		memcpy(&process, def + 1, sizeof(process));
		start.realtime_ns = process.start.realtime_ns -
			(process.start.monotonic_ns - start.monotonic_ns);
		process.start = start;
		process.forked = 0;
		done = !file_write(fd, 0, def, def->size) &&
			!file_write(fd, sizeof(*def), &process, sizeof(process));
		ended.tail = def->size;
	}
	done = done && properties_write(&defs, fd, &ended.tail);
	defs_close(child, &defs);
	if (child->slot)
		shared.at = slots_properties(&shared.size);
	return done && properties_write(&shared, fd, &ended.tail);
}

/* The head of its first thread, in a form that a spool of sums can have. False: there is none. */
static bool model_read(const struct child *child, struct spool_head *head)
{
	if (!child->slot)
		return ended_head_read(&child->place, 0, head) && head->slot_size;
	memcpy((void *)head, &child->slot->head, sizeof(*head));
	return true;
}

/* The folder of sums: it begins empty. False without room. */
static bool sums_make(const struct child *child)
{
	struct child sums = { 0, { tacho_process.pid, 0 }, NULL };
	const struct spool_folder *place = &sums.place;
	struct spool_head head;
	char path[PATH_MAX];
	bool done;
	int fd;

	for (; sums.place.k < SLOT_FIRST_K; sums.place.k++)
		if (!place_path(path, place, "") || !sys_mkdir(path, 0700) || errno != EEXIST)
			break;
	fd = place_open(place, "process", O_RDWR | O_CREAT);
	done = fd >= 0 && model_read(child, &head) &&
		ended_spool_make(place, 0, "ended children", &head) &&
		(ended.totals = ended_totals_make(place, 0)) && defs_make(child, fd);
	if (done)
		tail_write(fd);
	if (fd >= 0)
		sys_close(fd);
	if (!done)
		child_remove(&sums);
	ended.sums_k = place->k;
	return done;
}

static void child_give_up(const struct child *child)
{
	struct spool_folder sums = { tacho_process.pid, ended.sums_k };
	uint32_t counts = atomic_load(&ended.totals->counts);
	struct totals_sums *to = &ended.totals->sums[!counts];
	uint64_t lost[LOSS_COUNT] = { 0 };
	int fd;

	*to = ended.totals->sums[counts];
	if (!child_add(child, to, lost))
		return; /* it stays claimed, so no process tries again */
	to->chunks++;
	to->children++;
	to->last_pid = child->place.pid;
	to->last_k = child->place.k;
	fd = place_open(&sums, "process", O_RDWR);
	if (fd >= 0) {
		tail_write(fd);
		sys_close(fd);
	}
	atomic_store(&ended.totals->counts, !counts);
	ended_lost_add(&sums, 0, lost);
	child_remove(child);
}

static bool child_claim(const struct child *child)
{
	int fd;

	if (child->slot) {
		child->slot->is_claimed = 1;
		return true;
	}
	fd = place_open(&child->place, CLAIM, O_WRONLY | O_CREAT | O_EXCL);

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
