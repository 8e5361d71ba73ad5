/*
 * say.h - output of the trainer: results on stdout by rank 0, failures on stderr by the rank that
 * met them.
 */
#ifndef TRAINER_SAY_H
#define TRAINER_SAY_H

/* Rank shown in messages; set once after MPI_Init. */
extern int say_rank;
/* Set by --quiet: say() prints nothing. */
extern int say_quiet;

/* Prints a line to stdout, on rank 0 only. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "tacho-trainer[rank]: …" to stderr and returns -1. %m names errno. */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
