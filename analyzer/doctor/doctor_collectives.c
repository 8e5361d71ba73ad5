/*
 * doctor_collectives.c - all-reduces and all-to-alls of the launcher's MPI over all ranks, by size; bus bandwidth as
 * nccl-tests has it: 2 (n - 1) / n, or (n - 1) / n, times the bytes of a member's buffer, by the time.
 */
#include "config.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock_now.h"
#include "base/log.h"
#include "base/median.h"
#include "base/par.h"
#include "doctor/doctor.h"

enum { MOST = 1 << 25, TURNS = 20 };
#define SIZE_NS INT64_C(300000000) /* of one size, about */

struct buffers {
	char *in, *out;
};

bool doctor_sweep_add(struct doctor_sweep *sweep, enum doctor_collective which, size_t bytes,
	double seconds)
{
	double share = (sweep->members - 1.0) / sweep->members;

	if (which == DOCTOR_ALLREDUCE || which == DOCTOR_NCCL_ALLREDUCE)
		share *= 2;
	sweep->points[sweep->n++] = (struct doctor_point){ bytes, seconds,
		share * (double)bytes * 8e-9 / seconds };
	return sweep->n < DOCTOR_SIZES;
}

/* -1: there is none by shared memory. */
static int operation_do(struct buffers *buffers, enum doctor_collective which, size_t bytes)
{
	if (which == DOCTOR_ALLREDUCE)
		return par_allreduce((double *)buffers->in, bytes / sizeof(double));
	return par_alltoall(buffers->in, buffers->out, bytes / (size_t)par_size());
}

/*
 * Seconds, median of some turns: the first ones may go into buffers of a link that is limited. NAN: there
 * is no such operation.
 */
static double size_measure(struct buffers *buffers, enum doctor_collective which, size_t bytes)
{
	int64_t begun = clock_now_ns(CLOCK_MONOTONIC);
	double seconds[TURNS], over = 0;
	size_t n = 0;

	while (over == 0 && n < TURNS) {
		int64_t start;

		par_barrier();
		start = clock_now_ns(CLOCK_MONOTONIC);
		if (operation_do(buffers, which, bytes) < 0)
			return NAN;
		seconds[n++] = (double)(clock_now_ns(CLOCK_MONOTONIC) - start) * 1e-9;
		/* rank 0 decides the end, so that all do the same number */
		over = par_rank() == 0 && clock_now_ns(CLOCK_MONOTONIC) - begun > SIZE_NS;
		par_allreduce(&over, 1);
	}
	return median_of(seconds, n);
}

static void sweep_measure(struct doctor *doctor, struct buffers *buffers,
	enum doctor_collective which, size_t most)
{
	struct doctor_sweep *sweep = &doctor->sweeps[which];
	size_t ranks = (size_t)par_size();
	bool goes_on = true;

	sweep->members = par_size();
	for (size_t bytes = sizeof(double); bytes <= most && goes_on; bytes *= 8) {
		size_t whole = bytes;
		double seconds;

		if (which == DOCTOR_ALLTOALL) /* as many for each of the ranks */
			whole = bytes < ranks ? ranks : bytes / ranks * ranks;
		seconds = size_measure(buffers, which, whole);
		goes_on = !isnan(seconds) && doctor_sweep_add(sweep, which, whole, seconds);
	}
}

int doctor_collectives(struct doctor *doctor)
{
	size_t most = doctor->wanted.brief ? MOST / 32 : MOST,
	       room = most > (size_t)par_size() ? most : (size_t)par_size();
	struct buffers buffers = { calloc(1, room), calloc(1, room) };
	int ret = par_any_failed(!buffers.in || !buffers.out) ? -1 : 0;

	if (ret < 0)
		log_error("out of memory");
	for (int which = DOCTOR_ALLREDUCE; ret == 0 && which <= DOCTOR_ALLTOALL; which++)
		sweep_measure(doctor, &buffers, which, most);
	free(buffers.in);
	free(buffers.out);
	return ret;
}
