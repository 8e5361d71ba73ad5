/* matrix.c - see matrix.h. */
#include "config.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "matrix.h"

#ifdef HAVE_OPENBLAS
#include <cblas.h>

void matrix_init(int threads)
{
	openblas_set_num_threads(threads);
}

bool matrix_has_threads(void)
{
	return true;
}

const char *matrix_library(void)
{
	static char name[64];

	/* "OpenBLAS 0.3.21 NO_LAPACKE …": the first two words are enough. */
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

void matrix_init(int threads)
{
	(void)threads;
}

bool matrix_has_threads(void)
{
	return false;
}

const char *matrix_library(void)
{
	return "own loops";
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

/* Worked on at once; the compiler maps them to what vector registers there are. */
#define LANES 16
typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float))));

/* to[0…count) += factor·from[0…count) */
static void row_add(float *to, const float *from, float factor, int count)
{
	int j = 0;

	for (; j + LANES <= count; j += LANES)
		*(lanes *)(to + j) += factor * *(const lanes *)(from + j);
	for (; j < count; j++)
		to[j] += factor * from[j];
}

static float row_product(const float *a, const float *b, int count)
{
	lanes sums = { 0 };
	float sum = 0;
	int l = 0;

	for (; l + LANES <= count; l += LANES)
		sums += *(const lanes *)(a + l) * *(const lanes *)(b + l);
	for (int i = 0; i < LANES; i++)
		sum += sums[i];
	for (; l < count; l++)
		sum += a[l] * b[l];
	return sum;
}

/* c[i][j…] += a(i,l)·b[l][j…] for one block of l and j; a(i,l) = a[i·row + l·column]. */
static void block_add(int m, int n, int l0, int l1, int j0, int j1, const float *a, int row,
	int column, const float *b, float *c)
{
	for (int i = 0; i < m; i++)
		for (int l = l0; l < l1; l++)
			row_add(c + (size_t)i * n + j0, b + (size_t)l * n + j0,
				a[(size_t)i * row + (size_t)l * column], j1 - j0);
}

/* c[i][j] += a[i]·b[j], both rows of length k. */
static void rows_multiply(int m, int n, int k, const float *a, const float *b, float *c)
{
	for (int j0 = 0; j0 < n; j0 += BLOCK)
		for (int i = 0; i < m; i++)
			for (int j = j0; j < smaller(j0 + BLOCK, n); j++)
				c[(size_t)i * n + j] += row_product(a + (size_t)i * k,
					b + (size_t)j * k, k);
}

void matrix_multiply(enum matrix_form form_a, enum matrix_form form_b, int m, int n, int k,
	const float *a, const float *b, float beta, float *c)
{
	int row = form_a == MATRIX_PLAIN ? k : 1, column = form_a == MATRIX_PLAIN ? 1 : m;

	for (size_t i = 0; i < (size_t)m * n; i++)
		c[i] = beta ? beta * c[i] : 0;
	if (form_b == MATRIX_TRANSPOSED) {
		rows_multiply(m, n, k, a, b, c);
		return;
	}
	for (int l = 0; l < k; l += BLOCK)
		for (int j = 0; j < n; j += BLOCK)
			block_add(m, n, l, smaller(l + BLOCK, k), j, smaller(j + BLOCK, n), a, row,
				column, b, c);
}
#endif
