/*
 * shift.c - bounds of a shift against published tables, and of sets with differences that can be
 * counted.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "sweep/shift.h"

static int n, failed;

static void ok(int good, const char *what)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++n, what);
	failed |= !good;
}

int main(void)
{
	/* critical values of U, two sides, 5 % (Mann and Whitney): the cut is one more */
	static const struct {
		size_t n, m, cut;
	} known[] = { { 4, 4, 1 }, { 5, 5, 3 }, { 6, 6, 6 }, { 7, 5, 6 }, { 10, 10, 24 },
		{ 20, 20, 128 }, { 3, 4, 0 }, { 2, 7, 0 }, { 3, 3, 0 }, { 1, 30, 0 } };
	static const double a[] = { 3, 1, 4, 2 }, b[] = { 12, 14, 11, 13 };
	struct shift shift;
	int good = 1;

	puts("1..4");
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		good &= shift_cut(known[i].n, known[i].m) == known[i].cut;
	ok(good, "critical values are those of the tables");
	ok(fabs((double)shift_cut(41, 41) - 630) < 3,
		"many values: the normal distribution is near");
	ok(shift_of(a, 4, b, 4, &shift) == 0 && shift.median == 10 && shift.bounded &&
			shift.low == 7 && shift.high == 13,
		"a shift of 10 within its extremes, of 4 values each");
	ok(shift_of(a, 3, b, 3, &shift) == 0 && !shift.bounded, "3 values each give no bounds");
	return failed;
}
