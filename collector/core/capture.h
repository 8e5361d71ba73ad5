/*
 * capture.h - the capture window: which ranks, steps and times of a run are recorded. Outside of it
 * the gate is GATE_PAUSED: markers, MPI's start and end and all definitions continue, so that
 * objects made meanwhile are known later. The gate of ranks that are not chosen stays paused, so
 * that communicators and steps are complete.
 */
#ifndef COLLECTOR_CAPTURE_H
#define COLLECTOR_CAPTURE_H

#include "core/span.h"

/* Something limits the capture: markers of steps have to be inspected. */
extern bool tacho_capture_limited HIDDEN;

/* Takes the signal that opens and closes the window, in a thread of the program: tasks have own handlers. */
void capture_arm(void) HIDDEN;

/* Reads the limits, before the gate opens; the state in which the process begins. */
enum gate capture_start(void) HIDDEN;

/* Whether this rank is not recorded at all. */
bool capture_left_out(void) HIDDEN;

/* Writes the definition of a process that begins outside the window. */
void capture_define(void) HIDDEN;

/* A step begins or ends. Keep errno. */
void capture_step_begin(uint64_t number) HIDDEN;
void capture_step_end(void) HIDDEN;

/* MPI_Pcontrol: 0 closes, anything else opens again. Keeps errno. */
void capture_control(int level) HIDDEN;

/* For the helper thread, ten times a second: windows that time or a signal opens. */
void capture_beat(void) HIDDEN;

/*
 * In a forked child: it follows its parent's window through a shared page, until it marks steps
 * itself. Returns the word that is its gate, NULL when nothing limits the capture.
 */
const _Atomic uint32_t *capture_forked(void) HIDDEN;

/*
 * The value that the ranks agree upon as number `n` (from 1) of kind `what`: the first proposal; 0:
 * none yet. Files of RUN.
 */
int64_t capture_agree(const char *what, uint32_t n, int64_t proposal) HIDDEN;
int64_t capture_agreed(const char *what, uint32_t n) HIDDEN;

/* Whether a path is left out by TACHO_EXCLUDE_PATHS, file name patterns separated by colons. */
extern const char *tacho_excluded_paths HIDDEN;
bool capture_excludes_path(const char *path) HIDDEN;

static inline bool path_is_excluded(const char *path)
{
	return unlikely(tacho_excluded_paths) && path && capture_excludes_path(path);
}

#endif
