/*
 * totals.h - the file `totals.<n>` of a process's folder: sums of the records that thread <n>'s
 * spool had to give up for its size, in constant space. Written by libtacho, read by merge.
 *
 * A bounded spool has a `slot_size` above 0 in its head. The first chunk has `first_size` bytes;
 * after it come slots, which hold chunks in any order. The first slots are small to keep a short
 * spool small, all others have `slot_size` bytes (totals_slot_size()). Each chunk begins with a
 * SPOOL_CLOCK with its number, from 0, in w5; a slot that begins with a zero is free. Chunks are
 * given up from the lowest number on: libtacho adds their records to the inactive one of two copies
 * of the sums, makes this copy the active one, then wipes the slot and frees its space. Merge skips
 * chunks that the sums include. So a process killed in between has each record either in its sums
 * or in its spool.
 *
 * The file `profile.<n>` has the same form, and the sums of all chunks of the spool up to one of the
 * last, those given up included: merge begins with them where it writes totals only. It is made for
 * large spools of large runs, and has no more than TOTALS_PROFILE_MOST bytes: steps without room in
 * its list are counted.
 *
 * A folder may represent ended children of its rank, after their folders were removed: it has one
 * spool, thread.0, entirely in its totals. In the same way one spool of a process may represent its
 * ended threads, after their files were removed.
 */
#ifndef TACHO_TOTALS_H
#define TACHO_TOTALS_H

#include <stdatomic.h>
#include <stdint.h>

#include "tacho/part.h"
#include "tacho/spool.h"

#define TOTALS_MAGIC	"TACHOSUM"
#define TOTALS_CALLS	512 /* each a power of two */
#define TOTALS_REQUESTS 256
#define TOTALS_CHANNELS 256
#define TOTALS_COMMS	64
#define TOTALS_MARKS	16

/*
 * Calls of a kind in a phase: of calls that the thread had open itself. Or steps that had no room
 * in the list.
 */
struct totals_call {
	uint16_t region; /* 0: free; TOTALS_MARK: of the markers called `name`; TOTALS_STEP */
	uint16_t how;	 /* TOTALS_MISS, TOTALS_WAKE, TOTALS_PEER, else 0 */
	uint32_t phase;	 /* DEF_NAME, 0: none */
	uint32_t name;	 /* DEF_NAME */
	uint32_t device;
	uint64_t calls, ticks;
	uint64_t outer; /* ticks of outermost calls */
	uint64_t shortest, longest;
	/*
	 * bytes sent or written, and received or read. I/O regions with a direction have theirs in
	 * `moved`; copies between descriptors have the written bytes in `sent`
	 */
	uint64_t sent, received, moved; /* TOTALS_STEP: samples in `sent` */
};

/* Time with another meaning: waits without a result, wakes, and I/O with another process. */
#define TOTALS_MISS 1 /* SPOOL_SYNC_MISS */
#define TOTALS_WAKE 2 /* SPOOL_SYNC_WAKE */
#define TOTALS_PEER 3 /* on a pipe, a socket or an event that is read as one (HANDLE_EVENT) */

#define TOTALS_MARK UINT16_MAX
#define TOTALS_STEP (UINT16_MAX - 1) /* steps called `name` */
/*
 * Activities in a device's spool: `name` is `a` of their records, `phase` the stream and `device`
 * the device; bytes of copies in `sent`, the greatest correlation in `received`
 */
#define TOTALS_KERNEL	(UINT16_MAX - 2)
#define TOTALS_COPY	(UINT16_MAX - 3)
#define TOTALS_OVERHEAD (UINT16_MAX - 4) /* of no device and stream */

/* A non-blocking operation that had not been completed. */
struct totals_request {
	uint32_t number; /* 0: free */
	uint16_t region;
	uint16_t type; /* enum spool_type */
	uint64_t start;
	uint32_t handle; /* communicator, window or file */
	int32_t peer, tag;
	uint32_t reserved;
	uint64_t sent, received, place;
};

/* Messages between the thread and a peer. */
struct totals_channel {
	uint32_t comm; /* 0: free */
	int32_t peer, tag;
	uint32_t reserved;
	uint64_t sends, recvs;
};

/* Collectives begun on a communicator. */
struct totals_comm {
	uint32_t comm; /* 0: free */
	uint32_t reserved;
	uint64_t begun;	      /* blocking or not, persistent ones apart */
	uint64_t nonblocking; /* of those */
};

/* A marker that is open. */
struct totals_mark {
	uint32_t kind; /* enum spool_mark */
	uint32_t name;
	uint64_t value, begin; /* value: of a step that is open with SPOOL_STEP_FOUND */
};

/* A step or phase that has ended, in the order of their ends. */
struct totals_span {
	struct totals_mark mark;
	uint64_t end, samples;
	uint64_t parts[TOTALS_PARTS]; /* ticks, of a step */
};

struct totals_sums {
	uint64_t chunks;      /* those with lower numbers are in the sums */
	uint64_t first, last; /* ticks: of the first record, and the last end of all */
	uint64_t records;
	uint64_t spans;	     /* that are in the list */
	uint64_t spans_left; /* that had no room there */
	/* what found no place in a table: calls with their ticks, others by number */
	uint64_t calls_left, ticks_left, requests_left, channels_left, comms_left;
	/* bytes of messages inside a call that has not ended, which counts them */
	uint64_t pending_sent, pending_received;
	uint32_t nmarks; /* that are open */
	uint32_t nsame;	 /* steps begun in the open one with its number, and not ended */
	/*
	 * in a folder that represents ended children: their number and the last one; its folder
	 * <host>.<last_pid>.<last_k>, if it still exists, no longer counts. In a spool that
	 * represents threads: their number, and thread.<last_k> is the last one. Else 0
	 */
	uint64_t children, threads;
	uint32_t last_pid, last_k;
	struct totals_mark marks[TOTALS_MARKS];
	uint64_t parts[TOTALS_PARTS]; /* of the step that is open, else 0 */
	struct totals_call calls[TOTALS_CALLS];
	struct totals_request requests[TOTALS_REQUESTS];
	struct totals_channel channels[TOTALS_CHANNELS];
	struct totals_comm comms[TOTALS_COMMS];
};

/* Begins the file; the list of spans follows it. */
struct totals {
	char magic[8];		    /* TOTALS_MAGIC, written last */
	uint32_t version, nregions; /* as of struct spool_head */
	uint32_t size;		    /* of this struct */
	_Atomic uint32_t counts;    /* 0 or 1: which of the sums does */
	struct totals_sums sums[2];
};

/*
 * The file `kept.<n>`: records that stay in detail though their chunk is in the totals, of steps
 * that are kept. It begins with KEPT_ENTRIES of these, and has the rest in any order. One is
 * written whole before the totals have its chunk, and counts once they do. Its records are whole
 * groups: the records within a call are in the same entry as that call.
 */
#define KEPT_ENTRIES 256

struct kept_entry {
	uint64_t chunk;	 /* 1 + its number; 0: free */
	uint64_t nth;	 /* records of the thread that were before */
	uint64_t offset; /* in the file: of changes before, changes after, and the records */
	/* changes: of the sums from all zero to those before the records, and on to those after */
	uint32_t before, after;
	uint64_t words; /* of the records */
	uint64_t check; /* kept_check() */
};

#define KEPT_SIZE ((KEPT_ENTRIES * sizeof(struct kept_entry) + 4095) / 4096 * 4096)

/* One word of struct totals_sums that has changed. */
struct kept_change {
	uint64_t word; /* its number */
	uint64_t value;
};

static inline uint64_t kept_hash(uint64_t hash, const uint64_t *words, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		hash = (hash ^ words[i]) * 0x100000001b3u;
	return hash;
}

/* Checksum of an entry and all its data in the file, to detect damage. */
static inline uint64_t kept_check(const struct kept_entry *entry, const struct kept_change *changes,
	const uint64_t *records)
{
	const uint64_t head[] = { entry->chunk, entry->nth, entry->offset,
		(uint64_t)entry->before << 32 | entry->after, entry->words };
	uint64_t hash = kept_hash(0xcbf29ce484222325u, head, sizeof(head) / sizeof(*head));

	hash = kept_hash(hash, (const uint64_t *)(const void *)changes,
		((uint64_t)entry->before + entry->after) * sizeof(*changes) / 8);
	return kept_hash(hash, records, entry->words);
}

#define TOTALS_SLOT_LEAST  (64u << 10) /* bytes of the first slots; then… */
#define TOTALS_SLOT_GROWTH 4u	       /* …so many times more, up to `slot_size`… */
#define TOTALS_SLOT_EACH   3u	       /* …for so many: with them a spool can continue for ever */

/* Bytes of a spool's slot number `slot`. */
static inline uint32_t totals_slot_size(uint32_t slot_size, uint32_t slot)
{
	uint64_t size = TOTALS_SLOT_LEAST;

	for (; slot >= TOTALS_SLOT_EACH && size < slot_size; slot -= TOTALS_SLOT_EACH)
		size *= TOTALS_SLOT_GROWTH;
	return size < slot_size ? (uint32_t)size : slot_size;
}

/*
 * Bytes that a rank's files take without any event, the least of a budget: its folder, the bytes
 * of the node, definitions, and two spools' heads with their first chunks.
 */
#define TOTALS_BUDGET_LEAST (64u << 10)

#define TOTALS_PROFILE_FROM (1u << 20) /* bytes of a spool; smaller ones have none */
#define TOTALS_PROFILE_MOST (1u << 20)

#define TOTALS_SIZE ((sizeof(struct totals) + 4095) / 4096 * 4096) /* the spans begin there */

#endif
