/* preprocess.c - see preprocess.h. Works on bytes, so that online and offline agree exactly. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "images.h"
#include "preprocess.h"
#include "rng.h"

struct preprocess preprocess_from(const struct options *o)
{
	struct proxy none = { 0 };

	return (struct preprocess){
		.proxy = o->workload ? workload_proxy(o->workload, o->scale) : none,
		.when = o->preprocess,
		.side = o->side,
		.upsample = o->upsample,
		.flip = o->flip,
		.mixup = o->mixup,
		.seed = o->seed,
	};
}

struct shape preprocess_shape(const struct preprocess *p)
{
	if (p->proxy.workload)
		return (struct shape){ p->proxy.positions, 1, p->proxy.width };
	return (struct shape){ IMAGE_CHANNELS, p->side * p->upsample, p->side * p->upsample };
}

static size_t drawn_bytes(const struct preprocess *p)
{
	if (p->proxy.workload)
		return p->proxy.record_bytes - RECORD_HEAD;
	return (size_t)IMAGE_CHANNELS * p->side * p->side;
}

static size_t final_bytes(const struct preprocess *p)
{
	return p->proxy.workload ? drawn_bytes(p) : shape_size(preprocess_shape(p));
}

void preprocess_spec(const struct preprocess *p, const struct options *o, struct dataset_spec *spec)
{
	bool offline = p->when == PREPROCESS_OFFLINE;

	*spec = (struct dataset_spec){
		.layout = o->layout,
		.seed = o->seed,
		.shard_samples = o->shard_samples,
		.pixel_bytes = offline ? final_bytes(p) : drawn_bytes(p),
	};
	memcpy(spec->samples, o->samples, sizeof(spec->samples));
	if (p->proxy.workload)
		snprintf(spec->content, sizeof(spec->content), "proxy of %s, scale %g",
			p->proxy.workload->name, p->proxy.scale);
	else if (offline)
		snprintf(spec->content, sizeof(spec->content),
			"shapes upsample %d flip %d mixup %g", p->upsample, p->flip, p->mixup);
	else
		snprintf(spec->content, sizeof(spec->content), "shapes");
}

/* One plane, side × side, enlarged by linear interpolation in 1/256 steps. */
static void plane_enlarge(const uint8_t *from, int side, int times, uint8_t *to)
{
	int wide = side * times;

	for (int y = 0; y < wide; y++)
		for (int x = 0; x < wide; x++) {
			int fy = (y * 256 + 128) / times - 128, fx = (x * 256 + 128) / times - 128;
			int y0 = fy < 0 ? 0 : fy >> 8, x0 = fx < 0 ? 0 : fx >> 8;
			int y1 = y0 + 1 < side ? y0 + 1 : y0, x1 = x0 + 1 < side ? x0 + 1 : x0;
			int wy = fy < 0 ? 0 : fy & 255, wx = fx < 0 ? 0 : fx & 255;
			int top = from[y0 * side + x0] * (256 - wx) + from[y0 * side + x1] * wx;
			int low = from[y1 * side + x0] * (256 - wx) + from[y1 * side + x1] * wx;

			*to++ = (top * (256 - wy) + low * wy + 32768) >> 16;
		}
}

static void enlarge(const struct preprocess *p, const uint8_t *from, uint8_t *to)
{
	size_t small = (size_t)p->side * p->side, large = small * p->upsample * p->upsample;

	if (p->upsample == 1) {
		memcpy(to, from, final_bytes(p));
		return;
	}
	for (int c = 0; c < IMAGE_CHANNELS; c++)
		plane_enlarge(from + c * small, p->side, p->upsample, to + c * large);
}

static void mirror(uint8_t *pixels, int rows, int width)
{
	for (int y = 0; y < rows; y++, pixels += width)
		for (int x = 0; x < width / 2; x++) {
			uint8_t left = pixels[x];

			pixels[x] = pixels[width - 1 - x];
			pixels[width - 1 - x] = left;
		}
}

static void blend(uint8_t *pixels, const uint8_t *other, size_t count, int share)
{
	for (size_t i = 0; i < count; i++)
		pixels[i] = (pixels[i] * (255 - share) + other[i] * share + 127) / 255;
}

/* A record as drawn → a final record, in `out`; scratch holds one enlarged picture. */
static void augment_record(const struct preprocess *p, const uint8_t *record, const uint8_t *other,
	uint64_t dice, uint8_t *scratch, uint8_t *out)
{
	struct rng r = { dice };
	int width = p->side * p->upsample, share = 255 * p->mixup * rng_unit(&r);

	memcpy(out, record, RECORD_HEAD);
	enlarge(p, record + RECORD_HEAD, out + RECORD_HEAD);
	if (p->flip && rng_unit(&r) < 0.5)
		mirror(out + RECORD_HEAD, IMAGE_CHANNELS * width, width);
	if (other && share) {
		enlarge(p, other + RECORD_HEAD, scratch);
		blend(out + RECORD_HEAD, scratch, final_bytes(p), share);
		out[1] = other[0];
		out[2] = share;
	}
}

static uint64_t image_number(int split, uint32_t index)
{
	return ((uint64_t)split << 32) + index;
}

static void draw_plain(const struct preprocess *p, int split, uint32_t index, uint8_t *record)
{
	uint64_t number = image_number(split, index);
	uint8_t *pixels = record + RECORD_HEAD;

	memset(record, 0, RECORD_HEAD);
	if (p->proxy.workload)
		record[0] = workload_draw(&p->proxy, p->seed, number, pixels);
	else
		record[0] = image_draw(p->seed, number, p->side, pixels);
	record[1] = record[0];
}

void preprocess_draw(void *context, int split, uint32_t index, uint8_t *record)
{
	const struct preprocess *p = context;
	struct rng r = rng_stream(p->seed, RNG_AUGMENT, index);
	uint8_t *drawn, *other, *scratch;

	if (p->when == PREPROCESS_ONLINE) {
		draw_plain(p, split, index, record);
		return;
	}
	drawn = malloc(2 * (RECORD_HEAD + drawn_bytes(p)) + final_bytes(p));
	if (!drawn)
		abort(); /* a few pictures' worth: nothing else would work either */
	other = drawn + RECORD_HEAD + drawn_bytes(p);
	scratch = other + RECORD_HEAD + drawn_bytes(p);
	draw_plain(p, split, index, drawn);
	if (split == SPLIT_TRAIN) {
		draw_plain(p, split, index ^ 1, other);
		augment_record(p, drawn, p->mixup > 0 ? other : NULL, rng_next(&r), scratch,
			record);
	} else {
		memcpy(record, drawn, RECORD_HEAD);
		enlarge(p, drawn + RECORD_HEAD, record + RECORD_HEAD);
	}
	free(drawn);
}

size_t preprocess_scratch(const struct preprocess *p)
{
	return RECORD_HEAD + 2 * final_bytes(p);
}

void preprocess_sample(const struct preprocess *p, const uint8_t *record, const uint8_t *other,
	bool augment, uint64_t dice, uint8_t *scratch, float *input, struct target *target)
{
	size_t count = final_bytes(p), inputs = count;
	uint8_t *final = scratch + count;

	if (p->proxy.workload) {
		inputs = shape_size(preprocess_shape(p));
	} else if (p->when == PREPROCESS_ONLINE && augment) {
		augment_record(p, record, other, dice, scratch, final);
		record = final;
	} else if (p->when == PREPROCESS_ONLINE && p->upsample > 1) {
		memcpy(final, record, RECORD_HEAD);
		enlarge(p, record + RECORD_HEAD, final + RECORD_HEAD);
		record = final;
	}
	*target = (struct target){ { record[0], record[1] }, record[2] / 255.0f };
	/* A proxy's network takes more numbers than its records have bytes: they repeat. */
	for (size_t i = 0, from = 0; i < inputs; i++, from = from + 1 < count ? from + 1 : 0)
		input[i] = record[RECORD_HEAD + from] / 127.5f - 1;
}
