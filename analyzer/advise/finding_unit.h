/*
 * finding_unit.h - what rules ask of every step and collective: tables in temp that are made by one
 * walk each through the database's, as SQL that groups millions of rows takes longer than all else.
 */
#ifndef ANALYZER_FINDING_UNIT_H
#define ANALYZER_FINDING_UNIT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct finding_rows;
struct step_rows;

/*
 * temp.finding_part, temp.finding_rank, temp.finding_lacking, temp.finding_device and
 * temp.finding_gpu of a run; needs temp.finding_reader and temp.finding_without. Times of steps are
 * those of `steps`, if there is no device, or NULL. 0, or -1 (reported).
 */
int finding_units_make(sqlite3 *handle, int64_t run_id, const struct step_rows *steps);

/* A table of times by window; `window` is that of the row at hand, NULL after the last. */
struct finding_times {
	sqlite3_stmt *select;
	const char *window;
	bool *failed;
};

/* By `sql`, its first column the window, its ?1 the run and ?2 the first window. */
struct finding_times finding_times_open(sqlite3 *handle, const char *sql, int64_t run_id,
	bool *failed);

void finding_times_begin(struct finding_times *times, const char *window);

/* Is the row at hand of this window? */
bool finding_times_in(const struct finding_times *times, const char *window);

void finding_times_next(struct finding_times *times);

/*
 * Devices in these parts. NULL, and *failed set, without memory or database.
 */
struct finding_devices *finding_devices_open(sqlite3 *handle, int64_t run_id, bool *failed);

#define FINDING_NO_PART SIZE_MAX

/*
 * Takes the rows of a window, which is a part of phase number `phase`, or of none. For how many ns
 * a device had nothing to do for want of input, on average; NAN where it is no part, or none
 * worked.
 */
double finding_devices_read(struct finding_devices *devices, struct finding_times *times,
	const char *window, size_t phase);

/* The rows of a phase in temp.finding_device. */
void finding_devices_write(struct finding_devices *devices, size_t phase, const char *name);

/* Writes temp.finding_gpu, frees `devices`, which may be NULL. 0, or -1 for any failure so far. */
int finding_devices_close(struct finding_devices *devices);

/*
 * temp.finding_collective, temp.finding_allreduce, temp.finding_awaited and temp.finding_stop; needs
 * temp.finding_alone. 0, or -1 (reported).
 */
int finding_collectives_make(sqlite3 *handle, int64_t run_id, const struct finding_rows *rows);

/* Waits for the rank that came last. NULL, and *failed set, without memory or database. */
struct finding_last *finding_last_open(sqlite3 *handle, bool *failed);

/* A collective to which `rank` came last, -1 where that is not known. */
void finding_last_add(struct finding_last *last, int64_t rank, int64_t first_ns, int64_t last_ns);

/*
 * Writes temp.finding_awaited and temp.finding_stop, frees `last`, which may be NULL. 0, or -1 for any
 * failure so far.
 */
int finding_last_close(struct finding_last *last);

#endif
