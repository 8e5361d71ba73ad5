/* budget.c - see budget.h. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "core/budget.h"
#include "core/process.h"
#include "core/sys.h"
#include "tacho/host.h"
#include "tacho/totals.h"

#define PLACES	    255 /* concurrent processes of a node; others keep within their share */
#define SPARE_OF    4u	/* of what may be used is kept free at most */
#define NAMES_OF    4u	/* of what may be used definitions may have… */
#define GROUPS_OF   2u	/* …and those without which others mean nothing */
#define NAMES_LEAST (32u << 10)
#define SHRINK_OF   8u	       /* of the used bytes is too much when the disk is full */
#define RANKS	    1024       /* ranks of a node with a counted share */
#define SLOT_MOST   (2u << 20) /* bytes: as of chunks of spools that are not bounded… */
#define SLOT_END    (1u << 30) /* bytes: no slot is larger, whatever the budget is */
#define SLOTS_OF    128u       /* …and a part of the budget, but for large ones */
#define SIZE	    (sizeof(struct ledger) + 4095) / 4096 * 4096

/* The file, zero when it is made. */
struct ledger {
	_Atomic uint64_t used;	/* bytes of all present and past files */
	_Atomic uint64_t limit; /* what may be used: the shares of the ranks that have joined */
	_Atomic uint64_t room;	/* bytes that the disk has for it, found when it was full; 0: all */
	_Atomic uint64_t names; /* of the used bytes, bytes of names */
	_Atomic uint32_t ranks[RANKS]; /* those: 1 + rank */
	struct budget_slot {
		_Atomic uint32_t pid; /* 0: free */
		uint32_t reserved;
		_Atomic uint64_t end; /* of its oldest chunk; 0 and UINT64_MAX: none to give up */
	} places[PLACES];
};

static struct {
	struct ledger *ledger;	   /* of the node; NULL: there is none */
	struct budget_slot *place; /* this process's; NULL: it has none */
	_Atomic uint64_t share;	   /* bytes for a rank */
	uint64_t whole;		   /* for all of the run */
	uint64_t limit;		   /* of this process, as the run asks for it; 0: none */
	uint32_t slot_size;
	_Atomic uint64_t used;	/* of this process */
	_Atomic uint64_t names; /* of those bytes the ones for names */
} own;

static struct ledger *ledger_map(void)
{
	char path[PATH_MAX], host[HOST_ROOM], *slash;
	void *map = MAP_FAILED;
	int fd;

	snprintf(path, sizeof(path), "%s", tacho_process.folder);
	if ((slash = strrchr(path, '/')))
		*slash = '\0';
	host_name(host);
	if (snprintf(path + strlen(path), sizeof(path) - strlen(path), "/.budget.%s", host) >=
		(int)(sizeof(path) - strlen(path)))
		return NULL;
	fd = sys_open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
	if (fd < 0)
		return NULL;
	/* the same size whoever does it, and reserved: no access may fault */
	if (!sys_fallocate(fd, 0, SIZE))
		map = sys_map_file(fd, 0, SIZE, PROT_READ | PROT_WRITE);
	sys_close(fd);
	return map == MAP_FAILED ? NULL : map;
}

static bool is_gone(uint32_t pid)
{
	return syscall(SYS_kill, (long)pid, 0L) < 0 && errno == ESRCH;
}

static void place_take(void)
{
	own.place = NULL;
	for (int i = 0; own.ledger && i < PLACES && !own.place; i++) {
		struct budget_slot *place = &own.ledger->places[i];
		uint32_t seen = atomic_load(&place->pid);

		if ((!seen || is_gone(seen)) &&
			atomic_compare_exchange_strong(&place->pid, &seen, sys_pid())) {
			atomic_store(&place->end, UINT64_MAX);
			own.place = place;
		}
	}
}

/* Whether the process is the first of its rank: programs that it starts share with it. */
static bool rank_is_new(void)
{
	uint32_t rank = (uint32_t)tacho_process.ranks.rank + 1;

	for (int i = 0; rank && i < RANKS; i++) {
		uint32_t seen = 0;

		if (atomic_compare_exchange_strong(&own.ledger->ranks[i], &seen, rank))
			return true;
		if (seen == rank)
			return false;
	}
	return false;
}

void budget_start(void)
{
	uint64_t size = tacho_process.asked.max_size;
	uint32_t ranks = tacho_process.ranks.size > 0 ? (uint32_t)tacho_process.ranks.size : 1;

	own.whole = tacho_process.asked.max_is_ranks ? size * ranks : size;
	own.limit = own.whole / ranks;
	own.slot_size = 0;
	if (!size)
		return;
	own.slot_size = TOTALS_SLOT_LEAST;
	while (own.slot_size < SLOT_END && own.slot_size * 2ull * SLOTS_OF <= own.limit &&
		(own.slot_size < SLOT_MOST || own.slot_size * (BUDGET_SLOTS / 2ull) < own.limit))
		own.slot_size *= 2;
}

void budget_open(void)
{
	own.share = own.limit;
	own.ledger = ledger_map();
	if (own.ledger && rank_is_new())
		atomic_fetch_add(&own.ledger->limit, own.limit);
}

uint64_t budget_asked(void)
{
	return own.limit;
}

uint64_t budget_limit(void)
{
	return own.limit ? budget_share() : 0;
}

uint32_t budget_slot_size(void)
{
	return own.slot_size;
}

void budget_forked(void)
{
	own.used = own.names = 0;
	own.place = NULL;
}

void budget_join(void)
{
	if (!own.place)
		place_take();
}

void budget_add(int64_t bytes)
{
	uint64_t used = atomic_fetch_add(&own.used, (uint64_t)bytes) + (uint64_t)bytes;

	if (tacho_process.state)
		atomic_store_explicit(&tacho_process.state->bytes, used, memory_order_relaxed);
	if (own.ledger)
		atomic_fetch_add(&own.ledger->used, (uint64_t)bytes);
}

void budget_remove(uint64_t bytes, uint64_t names)
{
	budget_add(-(int64_t)bytes);
	if (own.ledger)
		atomic_fetch_sub(&own.ledger->names, names);
}

/* What all may have together. */
static uint64_t limit_of_all(void)
{
	uint64_t limit = atomic_load(&own.ledger->limit);

	if (!limit) /* no launcher's ranks */
		limit = own.share;
	return limit < own.whole ? limit : own.whole; /* ranks may start anew */
}

bool budget_is_over(uint64_t spare)
{
	uint64_t limit, used, room;

	if (own.ledger) {
		limit = limit_of_all();
		room = atomic_load(&own.ledger->room);
		limit = room && room < limit ? room : limit;
		used = atomic_load(&own.ledger->used);
	} else {
		limit = atomic_load(&own.share);
		used = atomic_load(&own.used);
	}
	return used + (spare < limit / SPARE_OF ? spare : limit / SPARE_OF) > limit;
}

/* A part of the limit, but at least enough for a process without many names. */
static uint64_t names_most(uint64_t limit, bool is_group)
{
	uint64_t most = limit / (is_group ? GROUPS_OF : NAMES_OF);

	return most > NAMES_LEAST ? most : NAMES_LEAST;
}

bool budget_names_take(uint64_t size, bool is_group)
{
	_Atomic uint64_t *all = own.ledger ? &own.ledger->names : &own.names;
	uint64_t names;

	if (!own.share)
		return true;
	if (atomic_load(all) + size >
		names_most(own.ledger ? limit_of_all() : atomic_load(&own.share), is_group))
		return false;
	names = atomic_fetch_add(&own.names, size) + size;
	if (own.ledger)
		atomic_fetch_add(all, size);
	if (tacho_process.state)
		atomic_store_explicit(&tacho_process.state->names, names, memory_order_relaxed);
	return true;
}

void budget_shrink(void)
{
	uint64_t used = atomic_load(own.ledger ? &own.ledger->used : &own.used);

	if (!own.share || budget_is_over(0))
		return;
	atomic_store(own.ledger ? &own.ledger->room : &own.share, used - used / SHRINK_OF);
	say_once(SAY_BUDGET, "no more room for events: they keep to %.1f MiB from now on: %s",
		(double)(used - used / SHRINK_OF) / (1 << 20), tacho_process.folder);
}

uint64_t budget_share(void)
{
	uint64_t share = atomic_load(&own.share), room, limit;

	if (!own.ledger || !(room = atomic_load(&own.ledger->room)))
		return share;
	limit = limit_of_all();
	return room < limit ? (uint64_t)((double)share * (double)room / (double)limit) : share;
}

bool budget_is_mine(uint64_t end)
{
	if (!own.ledger || !own.place)
		return end != UINT64_MAX;
	atomic_store(&own.place->end, end);
	for (int i = 0; i < PLACES; i++) {
		struct budget_slot *place = &own.ledger->places[i];
		uint32_t pid = atomic_load(&place->pid);
		uint64_t other = atomic_load(&place->end);

		if (!pid || !other || place == own.place || other >= end)
			continue;
		if (!is_gone(pid))
			return false;
		atomic_compare_exchange_strong(&place->pid, &pid, 0);
	}
	return end != UINT64_MAX;
}

void budget_close(void)
{
	if (!own.share)
		return;
	if (!own.place)
		return;
	atomic_store(&own.place->end, UINT64_MAX);
	atomic_store(&own.place->pid, 0);
	own.place = NULL;
}
