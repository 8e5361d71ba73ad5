/* shift.c - see shift.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "base/median.h"
#include "sweep/shift.h"

enum { EXACT_MOST = 1600 }; /* pairs; their exact distribution takes 21 MB */

/*
 * Shares of the orders of n and m values in which U is 0, 1, …: those with a value of the first set at
 * the end, m (n - 1) values before it, and those with one of the second: N(n, m, u) = N(n - 1, m, u - m)
 * + N(n, m - 1, u), divided by all orders on the way so that numbers stay small.
 */
static double *u_distribution(size_t n, size_t m)
{
	size_t most = n * m + 1;
	double *of = calloc((n + 1) * (m + 1) * most, sizeof(*of));

#define OF(i, k) (of + ((i) * (m + 1) + (k)) * most)
	for (size_t i = 0; of && i <= n; i++)
		for (size_t k = 0; k <= m; k++)
			for (size_t u = 0; u <= i * k; u++) {
				double first = i && u >= k ? OF(i - 1, k)[u - k] : 0;
				double second = k ? OF(i, k - 1)[u] : 0;

				OF(i, k)
				[u] = !i && !k ? 1
					       : (first * (double)i + second * (double)k) /
						(double)(i + k);
			}
	for (size_t u = 0; of && u < most; u++)
		of[u] = OF(n, m)[u];
#undef OF
	return of;
}

/* For many values the normal distribution that U then has. */
static size_t normal_cut(double n, double m)
{
	return (size_t)(n * m / 2 - 1.959964 * sqrt(n * m * (n + m + 1) / 12));
}

size_t shift_cut(size_t n, size_t m)
{
	double *share, sum = 0;
	size_t cut = 0;

	if (n * m > EXACT_MOST)
		return normal_cut((double)n, (double)m);
	share = u_distribution(n, m);
	while (share && cut < n * m && (sum += share[cut]) <= 0.025)
		cut++;
	free(share);
	return cut;
}

int shift_of(const double *a, size_t n, const double *b, size_t m, struct shift *shift)
{
	double *all = malloc(n * m * sizeof(*all));
	size_t cut = shift_cut(n, m);

	if (!all)
		return -1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < m; k++)
			all[i * m + k] = b[k] - a[i];
	qsort(all, n * m, sizeof(*all), compare_numbers);
	*shift = (struct shift){
		.median = (all[(n * m - 1) / 2] + all[n * m / 2]) / 2,
		.bounded = cut > 0,
	};
	if (cut) {
		shift->low = all[cut - 1];
		shift->high = all[n * m - cut];
	}
	free(all);
	return 0;
}
