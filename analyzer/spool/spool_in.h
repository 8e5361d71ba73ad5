/*
 * spool_in.h - reads what libtacho left behind (include/tacho/spool.h): the
 * folder of one process with its definitions, its state page and the spools
 * of its threads. Everything read is treated as hostile: files may be missing,
 * truncated at any byte or damaged, and the result is a counted loss.
 */
#ifndef ANALYZER_SPOOL_IN_H
#define ANALYZER_SPOOL_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spool/spool_place.h"
#include "tacho/brief.h"
#include "tacho/buckets.h"
#include "tacho/fold.h"
#include "tacho/regions.h"
#include "tacho/spool.h"
#include "tacho/totals.h"

struct spool_property {
	const char *key, *value;
};

struct spool_comm {
	struct spool_def_comm def;
	/*
	 * size + nremote world ranks; equal lists are shared (spool_ranks.c); NULL: never defined.
	 * For COMM_GROUP each is UINT32_MAX until merge_groups.c fills them in.
	 */
	const uint32_t *ranks;
	uint32_t own;	  /* world rank of the process, of COMM_GROUP */
	const char *name; /* "" when it has none */
	uint32_t global;  /* the archive's number, set by merge_comms.c */
	/* 1: own group is the second of the archive's inter-communicator */
	uint32_t side;
};

struct spool_handle {
	struct spool_def_handle def;
	const char *path;      /* NULL: never defined */
	const char *socket;    /* text of its DEF_SOCKET, NULL: none */
	uint32_t file, number; /* the archive's file and handle, set by merge_files.c */
};

struct spool_window {
	uint32_t comm; /* 0: never defined */
	uint32_t global;
};

struct spool_metric {
	struct spool_def_metric def;
	const char *name; /* NULL: never defined */
	const char *unit, *description;
	/* 1 + number of the set's instance, at its first metric; set by merge_metrics.c */
	uint32_t instance;
};

struct spool_device {
	struct spool_def_device def;
	const char *name; /* NULL: never defined */
};

struct spool_stream {
	struct spool_def_stream def;
	bool defined;
};

struct spool_kernel {
	const char *name; /* mangled; NULL: never defined */
	uint32_t global;  /* the archive's kernel, set by merge_gpu.c */
};

struct spool_nccl_comm {
	struct spool_def_nccl_comm def;
	const char *name; /* NULL: never defined */
	uint32_t global;  /* the archive's communicator, set by merge_nccl.c */
};

struct spool_python_code {
	const char *function, *file; /* NULL: never defined */
	uint32_t first_line;
};

/* What the program gave by tacho_metric(). */
struct spool_value {
	struct spool_def_value def;
	const char *name;
};

/* A table by id, 1 … n - 1; entry 0 and holes are zero. */
#define SPOOL_TABLE(type)                                                                          \
	struct {                                                                                   \
		type *at;                                                                          \
		uint32_t n;                                                                        \
	}

/* A stretch of a spool's file. */
struct spool_piece {
	const uint64_t *at, *end;
	uint64_t number; /* of the chunk, where the spool is bounded */
	bool is_kept;	 /* of a chunk that is in the totals */
};

/* Records that stay in detail though they are in the totals, see tacho/totals.h. */
struct spool_kept {
	struct kept_entry entry;
	const struct kept_change *changes; /* before, then after */
	const uint64_t *at, *end;
	void *copy; /* copy of all this, for a live run */
};

/*
 * A stretch of a thread of which there are totals only: from its begin to the first records that are
 * kept, from those to the next ones, or from the last ones to the chunks.
 */
struct spool_stretch {
	/*
	 * Calls, collectives and the number of records are for the stretch alone, open calls are as
	 * at its end, and all else as for the thread from its begin.
	 */
	struct totals_sums sums;
	uint32_t nmarks; /* that are open at its begin */
	struct totals_mark marks[TOTALS_MARKS];
	uint64_t parts[TOTALS_PARTS]; /* of the step that is open at its begin */
	uint64_t first_span;	      /* of the list */
};

/* One thread's spool, mapped read-only. */
struct spool_thread {
	struct spool_process *process;
	struct spool_head head;	    /* a copy; name is terminated */
	uint64_t lost[LOSS_COUNT];  /* counted by the writer and the reader */
	struct spool_piece *pieces; /* with its records, in their order */
	size_t npieces;
	/* sums of the records that the spool gave up; NULL: none */
	struct totals_sums *sums;
	/* all words of the sums but zeroes, if not NULL: then `sums` ends before its tables */
	struct kept_change *packed;
	uint32_t npacked;
	const struct totals_span *spans; /* sums->spans of them */
	struct totals_span *list;	 /* the same where they are not the file's */
	struct spool_kept *kept;	 /* in their order; the first pieces are theirs */
	uint32_t nkept;
	void *map, *totals, *kept_map;
	void *profile;	/* NULL: there is none */
	uint64_t *copy; /* copy of the chunks, for a live run */
	size_t map_size, totals_size, kept_size, profile_size;
	uint64_t cut;	/* ticks: what ended later is left out; 0: nothing */
	bool is_frozen; /* its last piece ends where it did, though the last record may have grown */
};

struct spool_process {
	char *folder; /* its name: <hostname>.<pid>.<k> */
	bool defined; /* DEF_PROCESS was read */
	struct spool_def_process def;
	const char *parent; /* folder of the parent, "" none */
	const char *hostname, *boot_id;
	SPOOL_TABLE(struct spool_property) properties;
	SPOOL_TABLE(const char *) names;
	SPOOL_TABLE(struct spool_comm) comms;
	SPOOL_TABLE(struct spool_handle) handles;
	SPOOL_TABLE(struct spool_window) windows;
	SPOOL_TABLE(struct spool_metric) metrics;
	SPOOL_TABLE(struct spool_device) devices;
	SPOOL_TABLE(struct spool_stream) streams;
	SPOOL_TABLE(struct spool_kernel) kernels;
	SPOOL_TABLE(struct spool_nccl_comm) nccl_comms;
	SPOOL_TABLE(struct spool_python_code) python_codes;
	SPOOL_TABLE(struct spool_def_python_stack) python_stacks; /* code 0: never defined */
	SPOOL_TABLE(struct spool_def_child_end) child_ends;	  /* dense, from 0 */
	SPOOL_TABLE(struct spool_def_clock) clocks;		  /* dense, from 0 */
	SPOOL_TABLE(struct spool_def_capture) captures;		  /* dense, from 0 */
	SPOOL_TABLE(struct spool_def_sample) samples;		  /* dense, from 0 */
	uint64_t launches;			/* of kernels, all of them; 0: not known */
	SPOOL_TABLE(struct spool_value) values; /* dense, from 0 */
	bool ended;
	struct spool_def_end end;
	uint64_t heartbeat; /* ticks, 0 unknown */
	uint32_t killed_by; /* as struct spool_state has it */
	uint64_t latest;    /* no honest tick is later */
	uint64_t lost[LOSS_COUNT];
	struct spool_thread **threads; /* by number */
	unsigned nthreads;
	struct spool_python *python; /* the file of that name; NULL: there is none */
	const struct spool_python_entry *python_entries;
	size_t npython_entries, python_size;
	struct spool_buckets *buckets; /* a copy of the file of that name; NULL: there is none */
	char *texts;		       /* buffer of the strings above */
	void *map;		       /* definitions while they are read */
	size_t map_size;
};

/*
 * Reads a process. NULL if it cannot be used at all: another version of tacho wrote it, or memory
 * is out (reported). A process with missing definitions is returned with defined false.
 */
struct spool_process *spool_process_open(const struct spool_place *place);

/* The same, reading only the definitions. NULL likewise. */
struct spool_process *spool_process_defined(const struct spool_place *place);
void spool_process_close(struct spool_process *process);

/*
 * For a live process: leaves out later additions, and the last record if that may still grow, so
 * that each walk reads the same records. Its threads may end meanwhile. `at`, in ticks of its
 * clock, is an instant before it was read, the same for all processes of a node: records that ended
 * later are left out as well, and its threads are in the calls open at that instant. 0: unknown.
 */
void spool_process_freeze(struct spool_process *process, uint64_t at);

/* Value of the DEF_PROPERTY `key`, NULL when there is none. */
const char *spool_property(const struct spool_process *process, const char *key);

/* The definitions, for spool_process_open(), of process->map or of a file. 0, or -1 (reported). */
int spool_defs_take(struct spool_process *process, const char *path);
int spool_defs_read(struct spool_process *process, const char *path);
void spool_defs_drop(struct spool_process *process);

/* The file `python` of the folder, when there is one. */
void spool_python_read(struct spool_process *process, const char *path);

/* The file `buckets`, likewise. */
void spool_buckets_read(struct spool_process *process, const char *path);

/* Maps the spool of a thread. NULL when it cannot be used; the loss is counted. */
struct spool_thread *spool_thread_open(struct spool_process *process, const char *path,
	bool may_be_unborn);
void spool_thread_free(struct spool_thread *thread);

/* Its pages are not needed for a while: they take no memory until they are read again. */
void spool_thread_rest(const struct spool_thread *thread);

#define LOST_MOST (UINT64_C(1) << 47) /* more events than any process has: the page is damaged */

/* Copies a thread's head, with its losses. False: it is none. */
bool spool_head_take(struct spool_thread *thread, const struct spool_head *head);

/* A whole file mapped read-only. NULL when it is missing, empty or unreadable. */
void *spool_map(const char *path, size_t *size);

/* Whether ids up to `id` fit; grows the table (zeroed). For SPOOL_TABLE. */
bool spool_table_reserve(void **at, uint32_t *n, uint32_t id, size_t size);

/*
 * Walks the records of a thread in file order. It skips pads, and skips and counts records with
 * impossible content. At an impossible length the walk ends, counted once.
 */
struct spool_cursor {
	const uint64_t *at, *end;
	const struct spool_piece *piece, *behind; /* the present one, the end of all */
	uint64_t latest;
	uint64_t torn;
	/* the calls of a record that are yet to come, the present one; which end after `cut` are not */
	struct brief brief;
	uint64_t call[4];
	uint64_t cut; /* ticks; 0: all are */
	bool is_frozen;
	bool is_gpu;	   /* device activities and clock pairs only */
	bool is_truncated; /* the walk ended where no record can be */
};

/* The thread's pieces and totals. -1 without memory (reported). */
int spool_pieces_read(struct spool_thread *thread, const char *path);
/*
 * For a live bounded spool: copies the chunks, before they are given up, and then the totals.
 * Without memory they stay as they are.
 */
void spool_pieces_freeze(struct spool_thread *thread);
void spool_pieces_free(struct spool_thread *thread);

/* What is kept, of the file at `path`; the sums are read. -1 without memory (reported). */
int spool_kept_read(struct spool_thread *thread, const char *path);
void spool_kept_freeze(struct spool_thread *thread);
void spool_kept_free(struct spool_thread *thread);

/* Upper limits of a thread's sums. */
#define TICKS_MOST (UINT64_C(1) << 62)
#define COUNT_MOST (UINT64_C(1) << 47)
bool spool_calls_are_sane(const struct spool_thread *thread, const struct totals_sums *sums);
bool spool_sums_are_sane(const struct spool_thread *thread, const struct totals_sums *sums);

/*
 * The sums of the thread's profile, to be freed, with their list. NULL: it has none that can be
 * believed, its records are frozen, or some were lost.
 */
struct totals_sums *spool_profile(const struct spool_thread *thread,
	const struct totals_span **spans);

/*
 * Packs the thread's sums: most of their tables is free, and they take 65 kB. From then on only
 * spool_sums_copy() has the tables. False without memory (reported).
 */
bool spool_sums_pack(struct spool_thread *thread);
void spool_sums_copy(const struct spool_thread *thread, struct totals_sums *out);

/* What had no place in them. */
uint64_t spool_left_out(const struct totals_sums *sums);

/* The number of stretches: 0, or one more than the parts in detail. */
uint32_t spool_stretches(const struct spool_thread *thread);

/* One of them, to be freed. NULL without memory (reported). */
struct spool_stretch *spool_stretch(const struct spool_thread *thread, uint32_t i);

void spool_cursor_start(struct spool_cursor *cursor, const struct spool_thread *thread);

/* Goes on with the pieces from `first` to before `behind`, of which there may be none. */
void spool_cursor_turn(struct spool_cursor *cursor, const struct spool_thread *thread, size_t first,
	size_t behind);

/* The next valid record, NULL at the end; valid until the next call. A SPOOL_BRIEF is records of its calls. */
const uint64_t *spool_next(struct spool_cursor *cursor);

/* End of a record in ticks. */
static inline uint64_t spool_record_end(const uint64_t *rec)
{
	return rec[1] + spool_duration(rec[2]);
}

#endif
