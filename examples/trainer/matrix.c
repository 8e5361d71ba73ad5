/* matrix.c - see matrix.h. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "matrix.h"

#ifdef HAVE_OPENBLAS
#include <cblas.h>

void matrix_init(void)
{
	openblas_set_num_threads(1);
}

const char *matrix_library(void)
{
	static char name[64];

	/* "OpenBLAS 0.3.21 NO_LAPACKE …": the first two words say enough. */
	snprintf(name, sizeof(name), "%s", openblas_get_config());
	char *end = strchr(name, ' ');
	if (end && (end = strchr(end + 1, ' ')))
		*end = '\0';
	return name;
}

void matrix_multiply(enum matrix_form form_a, enum matrix_form form_b, int m, int n, int k,
		     const float *a, const float *b, float beta, float *c)
{
	cblas_sgemm(CblasRowMajor, form_a == MATRIX_PLAIN ? CblasNoTrans : CblasTrans,
		    form_b == MATRIX_PLAIN ? CblasNoTrans : CblasTrans, m, n, k, 1, a,
		    form_a == MATRIX_PLAIN ? k : m, b, form_b == MATRIX_PLAIN ? n : k, beta, c, n);
}

#else

/* Columns of c and rows of b worked on together: a block of b stays in the L2 cache. */
#define BLOCK 128

void matrix_init(void)
{
}

const char *matrix_library(void)
{
	return "own loops";
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

/* c[i][j…] += a(i,l)·b[l][j…] for one block of l and j; a(i,l) = a[i·row + l·column]. */
static void block_rows(int m, int n, int l0, int l1, int j0, int j1, const float *a, int row,
		       int column, const float *b, float *c)
{
	for (int i = 0; i < m; i++)
		for (int l = l0; l < l1; l++) {
			float factor = a[(size_t)i * row + (size_t)l * column];
			const float *from = b + (size_t)l * n;
			float *to = c + (size_t)i * n;

			for (int j = j0; j < j1; j++)
				to[j] += factor * from[j];
		}
}

/* c[i][j] += a[i]·b[j], both rows of length k. */
static void row_products(int m, int n, int k, const float *a, const float *b, float *c)
{
	for (int j0 = 0; j0 < n; j0 += BLOCK)
		for (int i = 0; i < m; i++)
			for (int j = j0; j < smaller(j0 + BLOCK, n); j++) {
				float sum = 0;

				for (int l = 0; l < k; l++)
					sum += a[(size_t)i * k + l] * b[(size_t)j * k + l];
				c[(size_t)i * n + j] += sum;
			}
}

void matrix_multiply(enum matrix_form form_a, enum matrix_form form_b, int m, int n, int k,
		     const float *a, const float *b, float beta, float *c)
{
	int row = form_a == MATRIX_PLAIN ? k : 1, column = form_a == MATRIX_PLAIN ? 1 : m;

	for (size_t i = 0; i < (size_t)m * n; i++)
		c[i] = beta ? beta * c[i] : 0;
	if (form_b == MATRIX_TRANSPOSED) {
		row_products(m, n, k, a, b, c);
		return;
	}
	for (int l = 0; l < k; l += BLOCK)
		for (int j = 0; j < n; j += BLOCK)
			block_rows(m, n, l, smaller(l + BLOCK, k), j, smaller(j + BLOCK, n), a, row,
				   column, b, c);
}
#endif
