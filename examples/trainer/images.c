/* images.c - see images.h. Place, size, tilt, colours, a stray line and noise are random. */
#include "config.h"

#include <math.h>
#include <stdbool.h>

#include "images.h"
#include "rng.h"

#define NOISE 0.13

static double outer(double u, double v)
{
	return fmax(fabs(u), fabs(v));
}

static bool disc(double u, double v)
{
	return u * u + v * v < 0.75;
}
static bool ring(double u, double v)
{
	return fabs(u * u + v * v - 0.62) < 0.28;
}
static bool square(double u, double v)
{
	return outer(u, v) < 0.75;
}
static bool frame(double u, double v)
{
	return fabs(outer(u, v) - 0.68) < 0.2;
}
static bool triangle(double u, double v)
{
	return v > -0.8 && v < 0.8 && 2 * fabs(u) < v + 0.8;
}
static bool plus(double u, double v)
{
	return outer(u, v) < 0.9 && fmin(fabs(u), fabs(v)) < 0.22;
}
static bool bars(double u, double v)
{
	return outer(u, v) < 0.9 && fabs(fabs(v) - 0.5) < 0.25;
}
static bool posts(double u, double v)
{
	return outer(u, v) < 0.9 && fabs(fabs(u) - 0.5) < 0.25;
}
static bool diamond(double u, double v)
{
	return fabs(fabs(u) + fabs(v) - 0.78) < 0.22;
}

static bool cross(double u, double v)
{
	return outer(u, v) < 0.8 && fmin(fabs(u - v), fabs(u + v)) < 0.3;
}

static bool (*const shapes[IMAGE_CLASSES])(double, double) = {
	disc,
	ring,
	square,
	frame,
	triangle,
	plus,
	cross,
	bars,
	posts,
	diamond,
};

struct scene {
	double x, y, size, sine, cosine;    /* of the shape, in units of half a side */
	double line_x, line_y, line_offset; /* normal and distance of the stray line */
	double shape[IMAGE_CHANNELS], ground[IMAGE_CHANNELS], line[IMAGE_CHANNELS];
};

static struct scene scene_draw(struct rng *r)
{
	double tilt = rng_range(r, -0.35, 0.35), angle = rng_range(r, 0, M_PI);
	struct scene s = {
		.x = rng_range(r, -0.35, 0.35),
		.y = rng_range(r, -0.35, 0.35),
		.size = rng_range(r, 0.45, 0.8),
		.sine = sin(tilt),
		.cosine = cos(tilt),
		.line_x = cos(angle),
		.line_y = sin(angle),
		.line_offset = rng_range(r, -0.7, 0.7),
	};
	double step = rng_range(r, 0.25, 0.5) * (rng_unit(r) < 0.5 ? -1 : 1);

	for (int c = 0; c < IMAGE_CHANNELS; c++) {
		s.ground[c] = 0.5 - step / 2 + rng_range(r, -0.15, 0.15);
		s.shape[c] = s.ground[c] + step * rng_range(r, 0.6, 1.2);
		s.line[c] = s.ground[c] + step * rng_range(r, 0, 1);
	}
	return s;
}

static const double *scene_colour(const struct scene *s, int class, double x, double y)
{
	double dx = (x - s->x) / s->size, dy = (y - s->y) / s->size;

	if (fabs(x * s->line_x + y * s->line_y - s->line_offset) < 0.05)
		return s->line;
	if (shapes[class](dx * s->cosine - dy * s->sine, dx * s->sine + dy * s->cosine))
		return s->shape;
	return s->ground;
}

int image_draw(uint64_t seed, uint64_t index, int side, uint8_t *pixels)
{
	struct rng r = rng_stream(seed, RNG_IMAGE, index);
	int class = rng_below(&r, IMAGE_CLASSES);
	struct scene scene = scene_draw(&r);

	for (int i = 0; i < side * side; i++) {
		double x = (i % side + 0.5) * 2 / side - 1, y = (i / side + 0.5) * 2 / side - 1;
		const double *colour = scene_colour(&scene, class, x, y);

		for (int c = 0; c < IMAGE_CHANNELS; c++) {
			double value = colour[c] + NOISE * rng_normal(&r);

			pixels[c * side * side + i] = 255 * fmin(fmax(value, 0), 1);
		}
	}
	return class;
}
