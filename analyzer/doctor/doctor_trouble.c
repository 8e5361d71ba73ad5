/* doctor_trouble.c - notes a node's problems; see doctor.h. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>

#include "doctor/doctor.h"

void doctor_trouble(struct doctor_node *node, const char *format, ...)
{
	va_list args;

	if (node->ntroubles == DOCTOR_TROUBLES)
		return;
	va_start(args, format);
	vsnprintf(node->trouble[node->ntroubles++], sizeof(node->trouble[0]), format, args);
	va_end(args);
}
