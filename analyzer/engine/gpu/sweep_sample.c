/*
 * sweep_sample.c - pieces of a device's time where only a sample of it is in detail; see sweep.h. What lies
 * between two times that are not is one piece, with the one before. Where launches are not known, a piece
 * counts by its time.
 */
#include "config.h"

#include "engine/engine.h"

static double idle_of(const struct device_sums *sums)
{
	int64_t ns = 0;

	for (int state = DEVICE_IDLE_IO_WAIT; state <= DEVICE_IDLE_UNKNOWN; state++)
		ns += sums->ns[state];
	return (double)ns;
}

static double all_of(const struct device_sums *sums)
{
	int64_t ns = 0;

	for (int state = 0; state < DEVICE_SUMMED; state++)
		ns += sums->ns[state];
	return (double)ns;
}

/* The recorded part of the run before now becomes a piece, if it is not the first one. */
static int piece_end(struct device_sweep *sweep, const struct activity_span *off)
{
	struct sweep_sample *sample = &sweep->sample;
	struct sample_piece *piece = &sample->next;
	struct sample_block *block = sample->blocks.n ? &sample->blocks.at[sample->blocks.n - 1]
						      : NULL;

	piece->time = all_of(&sweep->run) - sample->all;
	if (!(piece->gap > 0) || !(piece->time > 0))
		return 0;
	sample->counts |= off->recorded > 0;
	piece->launches = sample->counts ? (double)off->recorded : piece->time;
	piece->missed = sample->counts ? piece->missed : piece->gap;
	piece->part[SAMPLE_BUSY] = (double)sweep->run.ns[DEVICE_COMPUTE] - sample->compute;
	piece->part[SAMPLE_AT_WORK] = piece->time - (idle_of(&sweep->run) - sample->idle);
	if (!block || block->n == SAMPLE_BLOCK) {
		block = ARRAY_ADD(&sample->blocks);
		if (!block)
			return -1;
		*block = (struct sample_block){ 0 };
	}
	sample_block_add(block, piece);
	*piece = (struct sample_piece){ 0 };
	return 0;
}

int sweep_sample_note(struct device_sweep *sweep, const struct activity_span *off)
{
	struct sweep_sample *sample = &sweep->sample;
	int ret;

	if ((off != NULL) == sample->is_out)
		return 0;
	sample->is_out = off != NULL;
	ret = off ? piece_end(sweep, off) : 0;
	if (off) {
		sample->next.gap += (double)(off->bare ? off->bare : off->stop - off->start);
		sample->next.missed += (double)off->missed;
	}
	sample->all = all_of(&sweep->run);
	sample->idle = idle_of(&sweep->run);
	sample->compute = (double)sweep->run.ns[DEVICE_COMPUTE];
	return ret;
}
