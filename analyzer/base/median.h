/* median.h - the median of numbers, and any other of them by its place in their order. */
#ifndef ANALYZER_MEDIAN_H
#define ANALYZER_MEDIAN_H

#include <stddef.h>

/*
 * The k-th least of n values, from 0; k < n. Brings it to its place: none before it is larger, none
 * after it is less. Takes time in proportion to n.
 */
double nth_least(double *values, size_t n, size_t k);

/* The middle one of n values, of an even number the mean of both; NaN: there are none. Moves them. */
double median_of(double *values, size_t n);

/* Order of two doubles, for qsort. */
int compare_numbers(const void *a, const void *b);

#endif
