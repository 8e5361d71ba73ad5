/* student.h - how far a mean of few values may be off. */
#ifndef ANALYZER_STUDENT_H
#define ANALYZER_STUDENT_H

#include <math.h>

/*
 * Student's t at which 95 % are between -t and t. `dof`: degrees of freedom, also a fraction of one
 * (Welch); below 1 there is no such number: NAN. From 3 on within 0.2 % (Abramowitz and Stegun,
 * 26.7.5).
 */
static inline double student_t95(double dof)
{
	static const double terms[] = { 1.959964, 2.37227, 2.82250, 2.55585, 1.58954 };
	const double one = 12.7062, two = 4.30265, three = 3.18245;
	double t = 0;

	if (!(dof >= 1))
		return NAN;
	if (dof < 2)
		return one + (two - one) * (dof - 1);
	if (dof < 3)
		return two + (three - two) * (dof - 2);
	for (int i = 4; i >= 0; i--)
		t = t / dof + terms[i];
	return t;
}

#endif
