/*
 * where.h - what each rank of a run is inside and since when, how far its communicators have
 * come, and which rank keeps others waiting. From spools alone: of a run in progress, of one that
 * ended, and of one that was killed.
 */
#ifndef ANALYZER_WHERE_H
#define ANALYZER_WHERE_H

#include <stdio.h>

#include "base/containers.h"
#include "merge/merge_model.h"
#include "merge/walk/walk_requests.h"

/* A call that had not returned. */
struct where_call {
	uint32_t region;
	uint32_t arg;  /* handle or communicator of the process, 0: none */
	int32_t peer;  /* of a message, or root; WHERE_NO_PEER: not known */
	int64_t bytes; /* of a collective; -1: not known */
	int64_t since; /* time of the trace */
};

#define WHERE_NO_PEER INT32_MIN

struct where_thread {
	const struct location *location;
	struct where_call calls[SPOOL_MAX_DEPTH]; /* outermost first */
	uint32_t ncalls;
	int64_t last; /* end of its last record, time of the trace */
};

/* The last collectives of a rank on a communicator, by number % WHERE_KEPT. */
enum { WHERE_KEPT = 8 };

struct where_op {
	uint32_t region;
	int32_t root;  /* SPOOL_ROOT_NONE: it has none */
	int64_t bytes; /* that all ranks have to agree on; -1: they do not, or it is not known */
};

/* A rank's part in a communicator. */
struct where_part {
	uint32_t n; /* collectives that returned, or were posted; of NCCL that were called */
	struct where_op last[WHERE_KEPT];
};

/* A request in flight. */
struct where_pending {
	uint64_t id;
	enum request_kind kind;
	bool is_done;
	uint32_t region, comm; /* communicator of the archive, NONE */
	uint32_t number;       /* of a collective, among those of its communicator from 0 */
	int32_t peer;
};

/* What a rank waits for. */
enum where_wait {
	WHERE_RUNS,	  /* for nobody, as far as it is known */
	WHERE_COLLECTIVE, /* members that have not begun it */
	WHERE_REQUEST,	  /* the same, of a collective posted before */
	WHERE_MESSAGE,	  /* its partner */
	WHERE_NCCL,	  /* members that have not called a collective of NCCL's */
};

struct where_rank {
	uint32_t process; /* its number in the model */
	int32_t rank;
	int64_t now; /* its last sign of life, time of the trace */
	struct where_thread *threads;
	uint32_t nthreads;
	bool has_step;
	uint64_t step;		   /* the last that began */
	const char *phase;	   /* that it is in, NULL: none */
	struct where_part **parts; /* [communicator], NULL: it has called no collective there */
	struct where_part *nccl;   /* [communicator of NCCL's] */
	ARRAY_OF(struct where_pending) pending;
	const struct where_thread *thread; /* that represents the rank; NULL: nothing is known */
	const struct where_call *call;	   /* of it, that says most; NULL: it computes */
	int64_t since;			   /* of that */
	enum where_wait wait;
	uint32_t comm;		      /* that it waits on, NONE */
	uint32_t number;	      /* of the collective */
	uint32_t region;	      /* of the operation; WHERE_REQUEST: of its post */
	ARRAY_OF(uint32_t) waits_for; /* places in `ranks` */
	uint32_t mark;		      /* for where_text.c */
};

/* The facts of a verdict that matters. */
struct where_hang {
	const char *kind; /* HANG_ of include/tacho/trace.h, NULL: nothing to report */
	int64_t ns;	  /* for how long all have waited that wait */
	/* where all that wait do so alike, else NULL: "0,2,3", for "1", in a call */
	char *ranks, *waited_for;
	const char *call;
};

struct where {
	const struct merge *merge;
	struct where_rank *ranks;
	uint32_t nranks;
	struct where_rank *children; /* processes that ranks have started, as data-loader workers */
	uint32_t nchildren;
	uint32_t *place;	/* [process] = place in `ranks`, NONE: no rank */
	int64_t end;		/* the last sign of life of any rank, time of the trace */
	struct where_hang hang; /* by where_text() */
	bool marks_ages;	/* texts are shown later: where_ages_fill() */
};

/*
 * Reads the records of a model once more and finds what each rank waits for, and for whom. 0, or -1
 * without memory (reported).
 */
int where_read(struct where *where, const struct merge *merge, int jobs);
void where_free(struct where *where);

/* The second half of where_read(). */
int where_connect(struct where *where);

static inline const struct process *where_process(const struct where *where,
	const struct where_rank *rank)
{
	return &where->merge->processes[rank->process];
}

/* How many collectives of a communicator of the archive a rank has begun. */
uint32_t where_begun(const struct where *where, const struct where_rank *rank, uint32_t comm);

/* The rank that is the i-th member of a communicator, by its place in `ranks`; NONE. */
uint32_t where_member(const struct where *where, uint32_t comm, uint32_t i);

/* How a run stands. */
enum where_verdict {
	WHERE_GOES_ON,	/* nobody has waited for long */
	WHERE_LATE,	/* ranks wait for others, which wait for nobody */
	WHERE_DEADLOCK, /* ranks wait for each other */
	WHERE_MISMATCH, /* ranks call a collective in ways that cannot meet */
	WHERE_TOGETHER, /* all are in one operation, and nobody is missing */
	WHERE_OVER,	/* all ranks ended */
};

/* Whether there is something to say of a run that was cut off. */
static inline bool where_matters(enum where_verdict verdict)
{
	return verdict != WHERE_GOES_ON && verdict != WHERE_OVER;
}

/* Waits shorter than this, in ns, say nothing. */
#define WHERE_LEAST 1000000000

/*
 * The verdict in one or more sentences, to be freed; NULL without memory (reported). Waits shorter
 * than `least` ns are none.
 */
char *where_text(struct where *where, int64_t least, enum where_verdict *verdict);

/* Whether a process ended well, or well before the last one, at `end`, did. */
bool where_is_gone(const struct where *where, const struct where_rank *rank, int64_t end);

/* Prints how long something has lasted: "6.1 s", or a mark for where_ages_fill(). */
void where_age_print(FILE *out, const struct where *where, int64_t ns);

/* The text with its ages `later` ns after it was made; NULL without memory. */
char *where_ages_fill(const char *text, int64_t later);

/* Prints where_doing(). */
void where_doing_print(FILE *out, const struct where *where, const struct where_rank *rank,
	int64_t end);

/* ", at collate() in data.py:88": where the rank is in Python; nothing where that is not known. */
void where_python_print(FILE *out, const struct where *where, const struct where_rank *rank);

/* What a rank does, without its name: "has computed for 6.5 s in step 88"; to be freed. */
char *where_doing(const struct where *where, const struct where_rank *rank);

/*
 * The size that all ranks have to name alike in a collective of a communicator, from what the rank
 * hands in and gets; -1: they need not.
 */
int64_t where_bytes_agreed(const struct where *where, const struct where_rank *rank, uint32_t comm,
	const struct where_op *op, uint64_t bytes);

/*
 * Where a rank has been in a collective for `least` ns that another one calls in another way, or
 * has called so, prints that in a sentence. Whether it did.
 */
bool where_mismatch_print(FILE *out, const struct where *where, int64_t least);

/* Native functions of a thread that waits, innermost first, without wrappers of libtacho.so. */
enum { WHERE_FRAMES = 64, WHERE_FRAMES_SHOWN = 6 };

struct where_frame {
	char *function; /* "": its file has no symbol there */
	char *file;	/* program or library, without folder */
};

struct where_native {
	struct where_frame frames[WHERE_FRAMES];
	uint32_t n;
};

/*
 * Looks at the stack of a rank whose process lives on this machine; `library` is libtacho.so. It has no
 * frames when the thread runs. False: the kernel does not let this user look. To be freed in any case.
 */
bool where_native_read(struct where_native *native, const char *library, const struct where *where,
	const struct where_rank *rank);
void where_native_free(struct where_native *native);

/* "poll (libc.so.6) < wait (libtorch_cpu.so)": the innermost ones, up to Python's. */
void where_native_print(FILE *out, const struct where_native *native);

/* The communicator's name as people know it, in `text`. */
const char *where_comm_name(const struct where *where, uint32_t comm, char *text, size_t size);

#endif
