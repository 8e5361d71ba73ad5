/* median.c - see median.h. */
#include "config.h"

#include <math.h>

#include "base/median.h"

static void swap(double *a, double *b)
{
	double c = *a;

	*a = *b;
	*b = c;
}

/* The middle one of the first, the middle and the last, which come into their order. */
static double pivot_of(double *a, size_t low, size_t high)
{
	size_t middle = low + (high - low) / 2;

	if (a[middle] < a[low])
		swap(&a[middle], &a[low]);
	if (a[high] < a[low])
		swap(&a[high], &a[low]);
	if (a[high] < a[middle])
		swap(&a[high], &a[middle]);
	return a[middle];
}

/* Hoare's selection. */
double nth_least(double *values, size_t n, size_t k)
{
	size_t low = 0, high = n - 1;

	while (low < high) {
		double pivot = pivot_of(values, low, high);
		size_t i = low, j = high;

		for (;;) {
			while (values[i] < pivot)
				i++;
			while (values[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap(&values[i++], &values[j--]);
		}
		/* values[low…j] ≤ pivot ≤ values[j + 1…high] */
		if (k <= j)
			high = j;
		else
			low = j + 1;
	}
	return values[k];
}

double median_of(double *values, size_t n)
{
	double middle, other;

	if (!n)
		return NAN;
	middle = nth_least(values, n, n / 2);
	if (n % 2)
		return middle;
	other = values[0]; /* the largest before it */
	for (size_t i = 1; i < n / 2; i++)
		other = values[i] > other ? values[i] : other;
	return middle / 2 + other / 2;
}

int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}
