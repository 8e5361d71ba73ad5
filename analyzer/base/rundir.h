/*
 * rundir.h - where things are in a run's folder, and where tacho's own
 * installed parts are. Paths returned are malloc'ed; the caller frees them.
 */
#ifndef ANALYZER_RUNDIR_H
#define ANALYZER_RUNDIR_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#define RUNDIR_SPOOL	  "spool"	 /* folders of processes */
#define RUNDIR_MERGED	  "spool.merged" /* spools that are being removed */
#define RUNDIR_TRACE	  "trace"	 /* the OTF2 archive */
#define RUNDIR_SHARED	  "trace.shared" /* begins the names of folders in which nodes merge together */
#define RUNDIR_RANKS	  "ranks" /* how far the ranks of a job are, with tacho inside its launcher */
#define RUNDIR_HELPS	  "helps" /* in it, and a rank: by what nodes that merge together talk */
#define RUNDIR_ANCHOR	  "trace/traces.otf2"
#define RUNDIR_DATABASE	  "tacho.db"
#define RUNDIR_REPORT	  "report.html"
#define RUNDIR_CONTROL	  "control"	/* what `tacho control` asked, a line each */
#define RUNDIR_LOCAL	  "local."	/* and a rank: host and folder of its spools, a line each */
#define RUNDIR_ROOFS	  "doctor.json" /* what `tacho doctor` measured of the nodes before */
#define RUNDIR_PROPERTIES "run.properties" /* key=value lines of `tacho record` */

/* dir/name, or name itself when it is absolute. NULL without memory (reported). */
char *path_join(const char *dir, const char *name);

bool path_exists(const char *path);
bool path_is_folder(const char *path);

/*
 * Opens a file of a run to read it: a regular one, not by a link. Never waits: a FIFO, socket or
 * device in a run's folder is no file of it (errno is EINVAL). -1 or NULL: errno has the reason.
 */
int run_file_open(const char *path);
FILE *run_file_read(const char *path);

/*
 * Whether a file cannot be written: its folder is missing or closed to this user, it is a folder,
 * or is closed itself. Reported. "-" is standard output.
 */
bool path_lacks(const char *path);

/*
 * The database for a user's argument: of a run's folder (or a missing one), of an archive (NAME.db
 * next to NAME.otf2), or the file itself. NULL without memory.
 */
char *run_database(const char *run);

/* What is true of a run in which nothing was recorded. */
#define RUN_NOTHING                                                                                \
	"no process made an MPI, CUDA, NCCL or marker call, imported PyTorch, had a launcher's "   \
	"rank or was started by tacho record itself (tacho record --all records every process)"

/*
 * True if a part (RUNDIR_SPOOL, _ANCHOR, _DATABASE) of the run in a user's argument is missing or
 * cannot be read; then the reason and the remedy have been reported. False if the argument is a
 * file.
 */
bool run_lacks(const char *run, const char *part);

/*
 * True if a run's folder is missing, is no folder, or cannot be read; `begun`: or contains no run.
 * The reason has been reported.
 */
bool run_folder_lacks(const char *run, bool begun);

/* Whether the folder has a trace or spools of a run, whatever is beside them. */
bool run_folder_is(const char *path);

/*
 * A file of reports/ (name: "steps.sql") in whichever of its folders: from $TACHO_DATADIR, the
 * installation the program runs from, or the source tree of a build that was not installed. NULL
 * when nowhere (reported).
 */
char *report_file(const char *name);

/* tacho.py, with tacho's markers for Python, searched for in the same places; NULL when nowhere. */
char *markers_file(void);

/*
 * libtacho.so: $TACHO_LIB, next to the installation, or the build tree. NULL when nowhere
 * (reported).
 */
char *library_file(void);

/* A module that tacho loads when needed, found like libtacho.so. NULL when nowhere (reported). */
char *module_file(const char *name);

/* The contents of a file RUNDIR_LOCAL; unknown parts are empty. */
struct run_local {
	char host[HOST_NAME_MAX + 1], folder[PATH_MAX];
	bool is_here; /* the host is this one */
};
void run_local_read(const char *run, const char *name, struct run_local *local);

/* Where the spools of a run are while it continues, besides in RUN: on the disks of its nodes. */
struct run_places {
	char **here; /* folders on this node */
	size_t n;
	size_t elsewhere; /* folders on others, of which one is on: */
	char host[HOST_NAME_MAX + 1];
};

/* 0, or -1 without memory (reported). */
int run_places_read(const char *run, struct run_places *places);
void run_places_free(struct run_places *places);

/* Whether there are folders on this node. */
bool run_is_local(const char *run);

/* Value of `key` in RUN/run.properties, NULL when there is none. */
char *run_property(const char *run, const char *key);

/*
 * Writes `key=value` (newlines in value become spaces) to RUN/run.properties. 0, or -1 (reported).
 */
int run_property_add(const char *run, const char *key, const char *value);

#endif
