/*
 * plant.h - planted trouble: faults that real clusters have, put in on purpose
 * so that one can see what their picture looks like.
 */
#ifndef TRAINER_PLANT_H
#define TRAINER_PLANT_H

#include <stdbool.h>
#include <stdint.h>

#include "job.h"

struct plant {
	int slow_rank;	      /* -1: none */
	double slow_factor;   /* its computing takes this many times as long */
	uint64_t slow_step;   /* from this step on */
	int uneven_rank;      /* -1: none */
	double uneven_factor; /* its held-out samples cost this many times as much */
	double storage_ms;    /* added to every sample read, */
	int storage_rank;     /* by this rank; -1: by all */
	int spinning;	      /* threads of each rank that want a core all the time */
	double launch_ms;     /* idle before the computing of every step */
	bool tiny_messages, wrong_pinning;
	bool needless_sync, tiny_kernels; /* on GPUs */
	int kill_rank;			  /* -1: none */
	uint64_t kill_step;
};

/*
 * Reads a list such as "slow-rank:1:1.5,tiny-messages" (NULL: no trouble).
 * When not fine *wrong is the start of the item that is not understood, or the second of its kind.
 */
enum plant_result { PLANT_FINE, PLANT_UNKNOWN, PLANT_TWICE };
enum plant_result plant_parse(struct plant *plant, const char *list, const char **wrong);
/* The words --plant knows, for messages. */
#define PLANT_HELP                                                                                 \
	"slow-rank:RANK:FACTOR[:STEP], uneven:RANK:FACTOR, slow-storage:MS[:RANK], "               \
	"tiny-messages, wrong-pinning, spinning-threads:N, late-launch:MS, needless-sync, "        \
	"tiny-kernels, kill:RANK:STEP"

/* At the start of the process, before its threads are made. 0, or -1 having reported why. */
int plant_start(const struct plant *plant);
/* Before the computing of a step. */
void plant_before_compute(const struct plant *plant, const struct job *job, uint64_t step);
/* How many times as long this rank's computing takes in this step, 1: as long as it must. */
double plant_slowness(const struct plant *plant, const struct job *job, uint64_t step);
/* After `seconds` of computing in a step on the CPU. */
void plant_after_compute(const struct plant *plant, const struct job *job, uint64_t step,
	double seconds);
/* How many times as much this rank's held-out samples cost, 1: as much as the others'. */
double plant_unevenness(const struct plant *plant, const struct job *job);
/* After `seconds` of computing on a batch of held-out samples on the CPU. */
void plant_after_held_out(const struct plant *plant, const struct job *job, double seconds);
/* What this rank's storage takes longer for each sample. */
double plant_storage_ms(const struct plant *plant, const struct job *job);
/*
 * Slow storage: keeps this thread in a read for that long, of a timer that answers when the time is
 * over: no device is as slow everywhere and whatever else happens. A sleep would show as waiting,
 * not as I/O, and so would the timer without TACHO_TEST_TIMER_IS_STORAGE (plant_start).
 */
void plant_storage(double ms);
/* Sleeps for so many milliseconds. */
void plant_sleep(double ms);

#endif
