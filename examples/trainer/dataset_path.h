/* dataset_path.h - what reading and writing the data set share: names and the description. */
#ifndef TRAINER_DATASET_PATH_H
#define TRAINER_DATASET_PATH_H

#include "dataset.h"

/* The text of dataset.txt. */
void dataset_describe(const struct dataset_spec *spec, char *text, size_t size);
/* dir/split/<kind><number>.bin, or dir/split for number -1. 0, or -1 having reported why. */
int dataset_path(char *path, size_t size, const char *dir, int split, const char *kind, int number);

#endif
