/* matrix.h - the matrix product all layers rest on: OpenBLAS, or own blocked loops without it. */
#ifndef TRAINER_MATRIX_H
#define TRAINER_MATRIX_H

#include <stdbool.h>

enum matrix_form { MATRIX_PLAIN, MATRIX_TRANSPOSED };

/*
 * Makes OpenBLAS share a product among so many threads, its own but for the caller's. 1: repeatable
 * sums, one core per rank.
 */
void matrix_init(int threads);

/* Whether a product can take more threads than the caller's. */
bool matrix_has_threads(void);

/* "OpenBLAS 0.3.21" or "own loops". */
const char *matrix_library(void);

/*
 * c[m][n] = a·b + beta·c, rows stored one after the other. a is [m][k] (or
 * [k][m] transposed), b is [k][n] (or [n][k] transposed); not both transposed.
 */
void matrix_multiply(enum matrix_form form_a, enum matrix_form form_b, int m, int n, int k,
	const float *a, const float *b, float beta, float *c);

#endif
