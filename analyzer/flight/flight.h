/*
 * flight.h - diagnoses a hanging job from other tools' records: dumps of PyTorch's Flight Recorder,
 * one file per rank, or the output of ncclras. They show which rank has not begun the collective
 * that others wait in.
 */
#ifndef ANALYZER_FLIGHT_H
#define ANALYZER_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Whether a file, or one in the folder, begins as a dump or as ncclras does. A folder of a run is none. */
bool flight_is_dump(const char *path);

/* Prints the diagnosis from the files and folders, as text or JSON. 0, or -1 (reported). */
int flight_where(char *const *paths, size_t n, bool as_json, FILE *out);

#endif
