/* shm_ring.c - see link.h. */
#include "config.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/shm_ring.h"
#include "base/log.h"

enum {
	RING_MOST = 1 << 20,
	RING_LEAST = 1 << 14,
	RINGS_BYTES = 64 << 20,
	LOOKS_US = 40,	       /* polls per microsecond, about */
	LOOKS = 50 * LOOKS_US, /* for a note before sleeping */
	OUTBOX = 1 << 12,      /* bytes that are kept for a place; longer notes go at once */
	ROOM_LOOKS = 2000,     /* for room before sleeping a while */
	NAP_MS = 1,	       /* of a worker that may not be woken */
};

/*
 * One writer, one reader; counts only grow. The writer rings: with the line that its reader fetches
 * anyway.
 */
struct shm_ring {
	_Alignas(64) _Atomic uint64_t written;
	_Atomic uint32_t rung;
	_Alignas(64) _Atomic uint64_t taken;
	_Alignas(64) char bytes[];
};

/*
 * For a worker that sleeps. On another line, as others read that one with each note: the progress
 * of a working worker, and its core, from 1 on.
 */
struct bell {
	_Alignas(64) _Atomic uint32_t woken, asleep;
	_Alignas(64) _Atomic uint32_t core, done;
};

enum { DONE = 1 << 30 }; /* all of it */

/* After it: bells, the board, rings. */
struct link_shared {
	size_t size;		/* of all */
	uint64_t mark;		/* by which an attaching worker knows it */
	uint32_t nplaces, ring; /* bytes in a ring, a power of two */
	struct bell bells[];
};

static uint32_t ring_bytes(uint32_t nplaces)
{
	uint32_t bytes = RING_MOST;

	while (bytes > RING_LEAST && (uint64_t)bytes * nplaces * nplaces > RINGS_BYTES)
		bytes /= 2;
	return bytes;
}

static size_t bells_bytes(uint32_t nplaces)
{
	return (sizeof(struct link_shared) + 63) / 64 * 64 + nplaces * sizeof(struct bell);
}

/* A number that is shown, less INT64_MIN: the memory is zero at first. */
static _Atomic uint64_t *board_at(const struct link *link, uint32_t number)
{
	return (_Atomic uint64_t *)(void *)((char *)link->shared +
		       bells_bytes(link->shared->nplaces)) +
		(size_t)number * link->spread;
}

enum { BOARD_BYTES = LINK_BOARD * sizeof(uint64_t), LINE_NUMBERS = 64 / sizeof(uint64_t) };

size_t link_bytes(uint32_t nplaces)
{
	return bells_bytes(nplaces) + BOARD_BYTES +
		(size_t)nplaces * nplaces * (sizeof(struct shm_ring) + ring_bytes(nplaces));
}

static struct shm_ring *ring_of(const struct link *link, uint32_t from, uint32_t to)
{
	return (struct shm_ring *)(void *)(link->rings +
		((size_t)from * link->nplaces + to) * link->ring_size);
}

/* The rings in `file`, -1: in memory that only children see. False: there is none. */
static bool link_map(struct link *link, uint32_t nplaces, int file)
{
	*link = (struct link){ .nplaces = nplaces, .spread = 1 };
	link->shared = mmap(NULL, link_bytes(nplaces), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_NORESERVE | (file < 0 ? MAP_ANONYMOUS : 0), file, 0);
	if (link->shared == MAP_FAILED)
		link->shared = NULL;
	if (!link->shared)
		return false;
	link->rings = (char *)link->shared + bells_bytes(nplaces) + BOARD_BYTES;
	link->ring_size = sizeof(struct shm_ring) + ring_bytes(nplaces);
	return true;
}

static int link_made(struct link *link, uint32_t nplaces)
{
	if (!link->shared) {
		log_error("out of memory for the messages of %u workers to each other", nplaces);
		return -1;
	}
	link->shared->size = link_bytes(nplaces);
	link->shared->nplaces = nplaces;
	link->shared->ring = ring_bytes(nplaces);
	return 0;
}

int link_open(struct link *link, uint32_t nplaces)
{
	link_map(link, nplaces, -1);
	return link_made(link, nplaces);
}

int link_open_file(struct link *link, uint32_t nplaces, uint64_t mark, int *file)
{
	*file = memfd_create("tacho", MFD_CLOEXEC);
	if (*file < 0 || ftruncate(*file, (off_t)link_bytes(nplaces)) < 0 ||
		!link_map(link, nplaces, *file))
		return link_open(link, nplaces); /* no worker will attach */
	if (link_made(link, nplaces) < 0)
		return -1;
	link->shared->mark = mark;
	return 0;
}

int link_attach(struct link *link, uint32_t nplaces, uint64_t mark, int file)
{
	struct stat st;
	int ret = -1;

	if (fstat(file, &st) == 0 && S_ISREG(st.st_mode) &&
		(size_t)st.st_size == link_bytes(nplaces) && link_map(link, nplaces, file)) {
		ret = link->shared->mark == mark ? 0 : -1;
		if (ret < 0)
			munmap(link->shared, link_bytes(nplaces));
	}
	if (ret < 0)
		*link = (struct link){ 0 };
	return ret;
}

int link_attach_of(struct link *link, uint32_t nplaces, uint64_t mark, pid_t pid, int file)
{
	char path[64];
	int opened, ret = -1;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, file);
	opened = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (opened >= 0)
		ret = link_attach(link, nplaces, mark, opened);
	if (opened >= 0)
		close(opened);
	return ret;
}

void link_slot(struct link *link, uint32_t place, uint32_t first, uint32_t n)
{
	link->slot = place;
	link->first = first;
	link->nlocal = n;
}

static void boxes_free(struct link *link)
{
	for (uint32_t i = 0; link->inboxes && i < link->nplaces; i++)
		free(link->inboxes[i].bytes);
	for (uint32_t i = 0; link->outboxes && i < link->nplaces; i++)
		free(link->outboxes[i].bytes);
	free(link->inboxes);
	free(link->outboxes);
}

int link_join(struct link *link, uint32_t place, uint32_t self)
{
	link->place = place;
	link->self = self;
	boxes_free(link);
	link->inboxes = calloc(link->nplaces, sizeof(*link->inboxes));
	link->outboxes = calloc(link->nplaces, sizeof(*link->outboxes));
	link->registered = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0,
				   0) == 0;
	if (!link->inboxes || !link->outboxes) {
		log_error("out of memory");
		return -1;
	}
	for (uint32_t i = 0; i < link->nplaces; i++) {
		const struct shm_ring *ring = ring_of(link, place, i);

		link->outboxes[i].written = atomic_load(&ring->written);
		link->outboxes[i].rung = atomic_load(&ring->rung);
	}
	return 0;
}

uint32_t link_place(const struct link *link, uint32_t worker)
{
	return worker - link->first < link->nlocal ? link->slot + worker - link->first
						   : link->nplaces - 1;
}

void link_close(struct link *link)
{
	boxes_free(link);
	if (link->shared)
		munmap(link->shared, link->shared->size);
	*link = (struct link){ 0 };
}

/*
 * A worker that goes to sleep announces it and checks its rings once more; a writer then checks
 * whether the other one sleeps. For neither to miss the other both need a barrier in between,
 * which costs the writer a wait for a line of memory with each note. So the sleeper, which is
 * rare, makes one in all workers (membarrier(2)). A worker that could not register for that makes
 * its own.
 */
static void bell_ring(struct link *link, struct shm_ring *ring, uint32_t place)
{
	struct bell *bell = &link->shared->bells[place];

	atomic_store_explicit(&ring->rung, ++link->outboxes[place].rung, memory_order_release);
	if (link->registered)
		atomic_signal_fence(memory_order_seq_cst);
	else
		atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&bell->asleep, memory_order_relaxed))
		return;
	atomic_fetch_add(&bell->woken, 1);
	syscall(SYS_futex, &bell->woken, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Bytes that are not taken yet; `most` or less need not be exact. */
static size_t ring_held(const struct shm_ring *ring, struct outbox *out, size_t most)
{
	if (out->written - out->taken > most)
		out->taken = atomic_load_explicit(&ring->taken, memory_order_acquire);
	return out->written - out->taken;
}

/* As much of the bytes as there is room for. */
static size_t ring_write(struct link *link, uint32_t place, const char *bytes, size_t n)
{
	struct shm_ring *ring = ring_of(link, link->place, place);
	struct outbox *out = &link->outboxes[place];
	size_t size = link->shared->ring;
	size_t room = size - ring_held(ring, out, size > n ? size - n : 0);
	uint64_t at = out->written;
	size_t first = size - (at & (size - 1));

	n = n < room ? n : room;
	first = first < n ? first : n;
	memcpy(ring->bytes + (at & (size - 1)), bytes, first);
	if (n > first)
		memcpy(ring->bytes, bytes + first, n - first);
	out->written += n;
	atomic_store_explicit(&ring->written, out->written, memory_order_release);
	return n;
}

/* The note that was given last is not needed any more. */
static uint64_t ring_release(struct shm_ring *ring, struct inbox *inbox)
{
	uint64_t at = atomic_load_explicit(&ring->taken, memory_order_relaxed);

	if (inbox->held) {
		at += inbox->held;
		inbox->held = 0;
		atomic_store_explicit(&ring->taken, at, memory_order_release);
	}
	return at;
}

/* Makes space for `n` more bytes after the existing ones. */
static bool inbox_grow(struct inbox *inbox, size_t n)
{
	size_t cap = inbox->cap ? inbox->cap : 1 << 16;
	char *grown;

	if (inbox->n + n <= inbox->cap)
		return true;
	if (inbox->n > inbox->first)
		memmove(inbox->bytes, inbox->bytes + inbox->first, inbox->n - inbox->first);
	inbox->n -= inbox->first;
	inbox->first = 0;
	while (cap < inbox->n + n)
		cap *= 2;
	grown = realloc(inbox->bytes, cap);
	if (!grown)
		return false;
	inbox->bytes = grown;
	inbox->cap = cap;
	return true;
}

/* All that the ring of a place holds, to its inbox. */
static bool ring_take(struct link *link, uint32_t place)
{
	struct shm_ring *ring = ring_of(link, place, link->place);
	struct inbox *inbox = &link->inboxes[place];
	uint32_t size = link->shared->ring;
	uint64_t at = ring_release(ring, inbox);
	size_t n, first = size - (at & (size - 1));

	inbox->written = atomic_load_explicit(&ring->written, memory_order_acquire);
	n = inbox->written - at;
	if (!n)
		return false;
	if (inbox->first && inbox->first == inbox->n)
		inbox->first = inbox->n = 0;
	if (!inbox_grow(inbox, n)) {
		link->failed = true;
		return false;
	}
	first = first < n ? first : n;
	memcpy(inbox->bytes + inbox->n, ring->bytes + (at & (size - 1)), first);
	if (n > first)
		memcpy(inbox->bytes + inbox->n + first, ring->bytes, n - first);
	inbox->n += n;
	inbox->next = at + n;
	atomic_store_explicit(&ring->taken, at + n, memory_order_release);
	return true;
}

static bool take_all(struct link *link)
{
	bool any = false;

	for (uint32_t i = 0; i < link->nplaces; i++)
		if (i != link->place)
			any |= ring_take(link, i);
	return any;
}

static void relax(int *looks)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
	if (++*looks % 64 == 0)
		sched_yield();
}

static void write_all(struct link *link, uint32_t place, const char *bytes, size_t n)
{
	struct shm_ring *ring = ring_of(link, link->place, place);
	int looks = 0;

	while (!link->failed) {
		size_t written = ring_write(link, place, bytes, n);

		bytes += written;
		n -= written;
		if (!n)
			return;
		bell_ring(link, ring, place);
		take_all(link);
		relax(&looks);
		if (looks > ROOM_LOOKS)
			nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
	}
}

/* Those of other machines inspect their ring by themselves, but seldom. */
static void outbox_flush(struct link *link, uint32_t place)
{
	struct outbox *out = &link->outboxes[place];
	struct shm_ring *ring = ring_of(link, link->place, place);
	size_t half = link->shared->ring / 2;

	if (!out->n && !out->any)
		return;
	write_all(link, place, out->bytes, out->n);
	if (out->hurried || place >= link->slot + link->nlocal || ring_held(ring, out, half) > half)
		bell_ring(link, ring, place);
	out->n = 0;
	out->any = out->hurried = false;
}

static void show(const struct link *link, const struct link_shown *shown)
{
	atomic_store_explicit(board_at(link, shown->number),
		(uint64_t)shown->value - (uint64_t)INT64_MIN, memory_order_release);
}

void link_flush(struct link *link)
{
	if (!link->any_out)
		return;
	link->any_out = false;
	for (uint32_t i = 0; i < link->nplaces; i++)
		outbox_flush(link, i);
	for (uint32_t i = 0; i < link->nshown; i++)
		show(link, &link->shown[i]);
	link->nshown = 0;
}

/* The outbox, in which `n` bytes have room if they ever have; NULL without memory. */
static struct outbox *out_room(struct link *link, uint32_t place, size_t n)
{
	struct outbox *out = &link->outboxes[place];

	if (!out->bytes && !(out->bytes = malloc(OUTBOX))) {
		link->failed = true;
		return NULL;
	}
	if (out->n + n > OUTBOX)
		outbox_flush(link, place);
	return out;
}

/* A long note does not go by way of the outbox, which is empty. */
static void note_write(struct link *link, uint32_t place, const struct note_head *head,
	const void *data)
{
	static const char nothing[8];

	write_all(link, place, (const char *)head, sizeof(*head));
	write_all(link, place, data, head->size);
	write_all(link, place, nothing, note_padded(head->size) - head->size);
}

static void note_add(struct link *link, uint32_t to, uint32_t type, const void *data, size_t n,
	bool hurried)
{
	const struct note_head head = { .size = (uint32_t)n,
		.type = type,
		.from = link->self,
		.to = to };
	uint32_t place = link_place(link, to);
	size_t padded = note_padded(n), size = sizeof(head) + padded;
	struct outbox *out = out_room(link, place, size);
	char *at;

	if (!out)
		return;
	at = out->bytes + out->n;
	if (size > OUTBOX) {
		note_write(link, place, &head, data);
	} else {
		memcpy(at, &head, sizeof(head));
		if (padded)
			memset(at + size - sizeof(uint64_t), 0, sizeof(uint64_t));
		if (n)
			memcpy(at + sizeof(head), data, n);
		out->n += size;
	}
	link->any_out = out->any = true;
	out->hurried |= hurried;
}

void link_send(struct link *link, uint32_t to, uint32_t type, const void *data, size_t n)
{
	note_add(link, to, type, data, n, true);
}

void link_post(struct link *link, uint32_t to, uint32_t type, const void *data, size_t n)
{
	note_add(link, to, type, data, n, false);
}

bool link_pass(struct link *link, uint32_t place, const char *bytes, size_t n, size_t *passed)
{
	*passed = ring_write(link, place, bytes, n);
	if (*passed)
		bell_ring(link, ring_of(link, link->place, place), place);
	return *passed == n;
}

/* Whether a complete note is in the inbox itself; its head. */
static bool inbox_holds(const struct inbox *inbox, struct note_head *head)
{
	size_t left = inbox->n - inbox->first;

	if (left < sizeof(*head))
		return false;
	memcpy(head, inbox->bytes + inbox->first, sizeof(*head));
	return left - sizeof(*head) >= note_padded(head->size);
}

static bool inbox_next(struct inbox *inbox, struct note *note)
{
	if (!inbox_holds(inbox, &note->head))
		return false;
	note->data = inbox->bytes + inbox->first + sizeof(note->head);
	inbox->first += sizeof(note->head) + note_padded(note->head.size);
	return true;
}

/*
 * The next note in place, if no note waits in the inbox and it is complete and contiguous in the
 * ring.
 */
static bool ring_next(struct shm_ring *ring, uint32_t size, struct inbox *inbox, struct note *note)
{
	uint64_t at = ring_release(ring, inbox);
	size_t begin = at & (size - 1), n;

	if (inbox->written == at)
		inbox->written = atomic_load_explicit(&ring->written, memory_order_acquire);
	n = inbox->written - at;
	n = n < size - begin ? n : size - begin;
	if (inbox->first < inbox->n || n < sizeof(note->head))
		return false;
	memcpy(&note->head, ring->bytes + begin, sizeof(note->head));
	if (n - sizeof(note->head) < note_padded(note->head.size))
		return false;
	note->data = ring->bytes + begin + sizeof(note->head);
	inbox->held = sizeof(note->head) + note_padded(note->head.size);
	inbox->next = at + inbox->held;
	return true;
}

/* The next note of one place. A note that is split in the ring is copied to the inbox first. */
static bool place_next(struct link *link, uint32_t place, struct note *note)
{
	struct shm_ring *ring = ring_of(link, place, link->place);
	struct inbox *inbox = &link->inboxes[place];

	if (inbox_next(inbox, note) || ring_next(ring, link->shared->ring, inbox, note))
		return true;
	return inbox->written != atomic_load_explicit(&ring->taken, memory_order_relaxed) &&
		ring_take(link, place) && inbox_next(inbox, note);
}

static bool place_has_come(const struct link *link, uint32_t place)
{
	const struct inbox *inbox = &link->inboxes[place];

	return inbox_holds(inbox, &(struct note_head){ 0 }) ||
		inbox->next !=
		atomic_load_explicit(&ring_of(link, place, link->place)->written,
			memory_order_acquire);
}

/* Mostly nothing has come, and no note is to be released. */
bool link_receive(struct link *link, struct note *note)
{
	uint32_t place = link->next;

	for (uint32_t i = 0; i < link->nplaces; i++) {
		if (place != link->place &&
			(link->inboxes[place].held || place_has_come(link, place)) &&
			place_next(link, place, note)) {
			link->next = place;
			return true;
		}
		place = place + 1 < link->nplaces ? place + 1 : 0;
	}
	link->next = place + 1 < link->nplaces ? place + 1 : 0;
	return false;
}

bool link_failed(const struct link *link)
{
	return link->failed;
}

bool link_has_come(const struct link *link)
{
	for (uint32_t i = 0; i < link->nplaces; i++)
		if (i != link->place && place_has_come(link, i))
			return true;
	return false;
}

void link_board(struct link *link, size_t n)
{
	link->spread = LINE_NUMBERS;
	while (link->spread > 1 && n * link->spread > LINK_BOARD)
		link->spread /= 2;
}

void link_show(struct link *link, uint32_t number, int64_t value)
{
	uint32_t i = 0;

	if (number >= LINK_BOARD)
		return;
	while (i < link->nshown && link->shown[i].number != number)
		i++;
	if (i == LINK_SHOWN) {
		link_flush(link);
		i = 0;
	}
	link->shown[i] = (struct link_shown){ number, value };
	link->nshown += i == link->nshown;
	link->any_out = true;
}

int64_t link_shown(const struct link *link, uint32_t number)
{
	return (int64_t)(atomic_load_explicit(board_at(link, number), memory_order_acquire) +
		(uint64_t)INT64_MIN);
}

bool link_is_near(const struct link *link, uint32_t worker, uint32_t number)
{
	return number < LINK_BOARD && worker - link->first < link->nlocal;
}

bool link_look(struct link *link, int microseconds, enum link_found (*there)(void *user),
	void *user)
{
	link_flush(link);
	for (int looks = 0; looks < microseconds * LOOKS_US;) {
		enum link_found found = link_has_come(link) ? LINK_THERE : there(user);

		if (found == LINK_THERE)
			return true;
		if (found == LINK_NOTHING)
			relax(&looks);
	}
	return false;
}

void link_show_core(struct link *link, double part)
{
	struct bell *bell = &link->shared->bells[link->place];

	/* more than all, where an archive counts too few events */
	atomic_store_explicit(&bell->done, (uint32_t)((part < 1 ? part : 1) * DONE),
		memory_order_relaxed);
	atomic_store_explicit(&bell->core, (uint32_t)(sched_getcpu() + 1), memory_order_relaxed);
}

int link_core_ahead(const struct link *link)
{
	uint32_t most = 0;
	int core = -1;

	for (uint32_t i = 0; i < link->nplaces; i++) {
		const struct bell *bell = &link->shared->bells[i];
		uint32_t done = atomic_load_explicit(&bell->done, memory_order_relaxed),
			 on = atomic_load_explicit(&bell->core, memory_order_relaxed);

		if (on && done >= most) {
			most = done;
			core = (int)on - 1;
		}
	}
	return core;
}

/* Says that this place sleeps. How long it may at most. */
static int sleep_begin(struct bell *bell, int milliseconds)
{
	atomic_store(&bell->asleep, 1);
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0)
		return milliseconds;
	atomic_thread_fence(memory_order_seq_cst);
	return milliseconds < NAP_MS ? milliseconds : NAP_MS;
}

static void sleep_unless(struct bell *bell, uint32_t woken, int milliseconds)
{
	struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000L };

	syscall(SYS_futex, &bell->woken, FUTEX_WAIT, woken, &time, NULL, 0);
}

void link_wait(struct link *link, int milliseconds)
{
	struct bell *bell = &link->shared->bells[link->place];
	uint32_t woken;

	link_flush(link);
	for (int looks = 0; looks < LOOKS; relax(&looks))
		if (link_has_come(link))
			return;
	woken = atomic_load(&bell->woken);
	milliseconds = sleep_begin(bell, milliseconds);
	if (!link_has_come(link))
		sleep_unless(bell, woken, milliseconds);
	atomic_store(&bell->asleep, 0);
}

uint32_t link_rung(const struct link *link)
{
	uint32_t rung = 0;

	for (uint32_t i = 0; i < link->nplaces; i++)
		rung += atomic_load_explicit(&ring_of(link, i, link->place)->rung,
			memory_order_acquire);
	return rung;
}

void link_sleep(struct link *link, uint32_t rung, int milliseconds)
{
	struct bell *bell = &link->shared->bells[link->place];
	uint32_t woken = atomic_load(&bell->woken);

	link_flush(link);
	milliseconds = sleep_begin(bell, milliseconds);
	if (link_rung(link) == rung)
		sleep_unless(bell, woken, milliseconds);
	atomic_store(&bell->asleep, 0);
}
