/*
 * finding_unit.h - what rules ask of every step: tables in temp that are made by one walk each
 * through the tables of times, as SQL that groups millions of rows takes longer than all else.
 */
#ifndef ANALYZER_FINDING_UNIT_H
#define ANALYZER_FINDING_UNIT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * temp.finding_unit, temp.finding_rank and temp.finding_lacking of a run; needs temp.finding_reader
 * and temp.finding_without. 0, or -1 (reported).
 */
int finding_units_make(sqlite3 *handle, int64_t run_id);

/*
 * temp.finding_device and temp.finding_gpu of a run; needs temp.finding_unit. 0, or -1 (reported).
 */
int finding_devices_make(sqlite3 *handle, int64_t run_id);

/* The aggregate least_part(value, parts) for the rules. 0, or -1. */
int finding_part_add(sqlite3 *handle);

/* A statement, its ?1 the run; NULL and *failed set when it cannot be prepared. */
sqlite3_stmt *finding_prepare(sqlite3 *handle, const char *sql, int64_t run_id, bool *failed);

/* The next row; false: there is none, or *failed is or was set. */
bool finding_row_next(sqlite3_stmt *statement, bool *failed);

/* Executes a statement that returns nothing, and resets it; sets *failed. */
void finding_row_put(sqlite3_stmt *statement, bool *failed);

#endif
