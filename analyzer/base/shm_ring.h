/*
 * shm_ring.h - how the workers of one command talk: rings of shared memory, one for each
 * direction between two of them, so that no lock is needed. A note is a type and some bytes;
 * notes from one to another arrive in the order in which they were sent. No worker blocks for
 * ever on a full ring: while it waits for room it takes in the notes of others.
 */
#ifndef ANALYZER_SHM_RING_H
#define ANALYZER_SHM_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Head of a note in transit. `from`, `to`: workers, counted over all machines. */
struct note_head {
	uint32_t size, type, from, to;
};

struct note {
	struct note_head head;
	const char *data;
};

/* Bytes that the data of a note takes: it is so that numbers in it can be read where they are. */
static inline size_t note_padded(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/*
 * Notes from one place that are not taken yet: mostly they are read in the ring, from `next` on,
 * where they are known to reach to `written`; `held` bytes before that are the note that was given
 * last. This buffer has notes that were taken to make room, or are not in one piece in the ring.
 */
struct inbox {
	char *bytes;
	size_t first, n, cap, held;
	uint64_t next, written;
};

/*
 * Notes to one place; how much that place had taken when last inspected; the bytes written to its
 * ring and the number of wakes, copied since on some processors a line of memory that another
 * core has read is slow even to read; whether anything was sent since the last flush, and whether
 * a worker waits for it.
 */
struct outbox {
	char *bytes;
	size_t n;
	uint64_t taken, written;
	uint32_t rung;
	bool any, hurried;
};

/* What is to be shown on the board. */
struct link_shown {
	uint32_t number;
	int64_t value;
};

enum { LINK_SHOWN = 8 };

struct link {
	struct link_shared *shared; /* in memory of all workers of this machine */
	char *rings;		    /* there: the first of them */
	size_t ring_size;	    /* from one to the next */
	uint32_t nplaces, place;    /* of this machine; own one */
	uint32_t self;		    /* own number over all machines */
	uint32_t slot, first;	    /* place and number of the first worker here */
	/* workers here; all others are reached through the last place */
	uint32_t nlocal;
	struct inbox *inboxes;	 /* by place */
	struct outbox *outboxes; /* the same */
	bool any_out;
	bool registered; /* others make this process's barriers */
	struct link_shown shown[LINK_SHOWN];
	uint32_t nshown;
	uint32_t spread; /* of the board: numbers from one to the next */
	uint32_t next;	 /* place to inspect first */
	bool failed;	 /* see link_failed() */
};

/* Makes the rings between `nplaces` processes that will be forked. 0, or -1 (reported). */
int link_open(struct link *link, uint32_t nplaces);

/*
 * The same for processes of this machine that are not our children: they attach to *file (-1: they
 * cannot), which is to be closed when they have. `mark` distinguishes this link from others. 0, or
 * -1 (reported).
 */
int link_open_file(struct link *link, uint32_t nplaces, uint64_t mark, int *file);

/* To a file of this process, of another one. 0, or -1: it is no such link (not reported). */
int link_attach(struct link *link, uint32_t nplaces, uint64_t mark, int file);
int link_attach_of(struct link *link, uint32_t nplaces, uint64_t mark, pid_t pid, int file);

/* Bytes of memory that link_open() takes, of the limit of a guarded child. */
size_t link_bytes(uint32_t nplaces);

/*
 * Before the fork: from `place` on sit the `n` workers that are numbered from `first` on over all
 * machines.
 */
void link_slot(struct link *link, uint32_t place, uint32_t first, uint32_t n);

/*
 * In its own process: it has that place, and number `self`. 0, or -1 without memory
 * (reported).
 */
int link_join(struct link *link, uint32_t place, uint32_t self);

/* The place through which a worker is reached. */
uint32_t link_place(const struct link *link, uint32_t worker);
void link_close(struct link *link);

/*
 * Sends to worker `to`: with link_flush() at the latest, which each wait and each poll calls. Two
 * cores that write and read one line of memory in turns wait for it each time; so many short notes
 * go together.
 */
void link_send(struct link *link, uint32_t to, uint32_t type, const void *data, size_t n);

/*
 * The same for a note for which no worker waits: does not wake the other before half of the ring
 * is full, as on few cores each wake takes a core from a worker. The next note brings it along.
 */
void link_post(struct link *link, uint32_t to, uint32_t type, const void *data, size_t n);

/* All that was sent, posted and shown is on its way. */
void link_flush(struct link *link);

/* Passes another worker's note on to a place. False: it has no room now; nothing was sent. */
bool link_pass(struct link *link, uint32_t place, const char *bytes, size_t n, size_t *passed);

/*
 * The next note, aligned for numbers, valid until the next call of any of these; false:
 * nothing has come.
 */
bool link_receive(struct link *link, struct note *note);

/*
 * Whether there was no memory for a note (not reported): it is lost, and so may be later ones. A
 * worker that waits for one has to check this.
 */
bool link_failed(const struct link *link);

/* Whether anything has come. */
bool link_has_come(const struct link *link);

/*
 * A board of numbers that all workers of a machine see; one worker sets each of them, and it
 * starts as INT64_MIN. Notes that the worker sent before it set a number have come when the
 * number is seen. No worker is woken.
 */
enum { LINK_BOARD = 1 << 14 };

/*
 * How many numbers will be used, before the first is set; all workers give the same. With enough
 * room each number has its own line of memory: setting one does not evict the others.
 */
void link_board(struct link *link, size_t n);

void link_show(struct link *link, uint32_t number, int64_t value);
int64_t link_shown(const struct link *link, uint32_t number);

/* Whether a worker is of this machine, and the board has that number. */
bool link_is_near(const struct link *link, uint32_t worker, uint32_t number);

/*
 * Polls for about this long for an incoming note, and yields the core to processes that want it.
 * `there` may do useful work, which does not count as polling time.
 */
enum link_found { LINK_NOTHING, LINK_USEFUL, LINK_THERE };

bool link_look(struct link *link, int microseconds, enum link_found (*there)(void *user),
	void *user);

/*
 * The core on which this place works now, and the part of its work that is done. The second: the
 * core of the worker here that has done most; -1: not known.
 */
void link_show_core(struct link *link, double part);
int link_core_ahead(const struct link *link);

/* Sleeps until something comes, or for some time. */
void link_wait(struct link *link, int milliseconds);

/*
 * How often this place was woken. link_sleep() sleeps unless it was woken since then, or for some
 * time: at once, and whatever has come that did not wake it.
 */
uint32_t link_rung(const struct link *link);
void link_sleep(struct link *link, uint32_t rung, int milliseconds);

#endif
