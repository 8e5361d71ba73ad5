/*
 * par_files.h - the calls behind par.h for processes on several nodes that share a folder and no MPI. Each rank writes
 * its file PATH.RANK and reads the file of rank 0; rank 0 reads all files. Messages go to rank 0 only.
 */
#ifndef ANALYZER_PAR_FILES_H
#define ANALYZER_PAR_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/par.h"

/*
 * A process counts as lost after this time without a heartbeat; each writes one per second. Only the time in which the
 * other process waits for it counts.
 */
extern int64_t files_silence_ns;

/* Makes the empty files of all ranks, before any rank joins: over NFS a new file may be seen late. 0 or -1. */
int files_make(const char *path, int size);
void files_remove(const char *path, int size);

/*
 * Makes this process rank `rank` of `size`, before par_join(). `names` (by rank, or NULL) appear in messages and must
 * live until files_leave(). 0, or -1 without memory (reported).
 */
int files_join(const char *path, int rank, int size, const char *const *names);

/* Writes the rank's last note, so that no other rank waits for it, and frees its memory. */
void files_leave(void);

/* For par_join(). Rank 0 reports lost ranks. */
extern const struct par_mpi par_files;

#endif
