/* images.h - draws the pictures of the data set: ten kinds of shapes under noise. */
#ifndef TRAINER_IMAGES_H
#define TRAINER_IMAGES_H

#include <stdint.h>

#define IMAGE_CLASSES  10
#define IMAGE_CHANNELS 3

/*
 * Draws picture `index` of the data set `seed` into pixels[3][side][side]
 * (planes red, green, blue) and returns its class. Every class is its own
 * mirror image, so flips keep the label.
 */
int image_draw(uint64_t seed, uint64_t index, int side, uint8_t *pixels);

#endif
