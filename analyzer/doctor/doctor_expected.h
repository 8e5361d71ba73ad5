/* doctor_expected.h - what machines of a kind should reach, from a file of the site. */
#ifndef ANALYZER_DOCTOR_EXPECTED_H
#define ANALYZER_DOCTOR_EXPECTED_H

#include "doctor/doctor.h"

enum { DOCTOR_EXPECTED_POINTS = 64 };

/* A kind of machine; patterns as in the shell, NULL: any. */
struct doctor_machine {
	char *name, *host, *cpu, *gpu;
	double figure[DOCTOR_FIGURES]; /* 0: nothing is expected */
	struct {
		enum doctor_collective which;
		size_t bytes;
		double bus_gbps;
	} points[DOCTOR_EXPECTED_POINTS];
	int npoints;
};

struct doctor_machines {
	struct doctor_machine *at;
	size_t n, cap;
};

/* Names of collectives there, and in JSON. */
extern const char *const doctor_collective_names[DOCTOR_COLLECTIVES];

/* Reads the file. 0, or -1 (reported, with the line). */
int doctor_expected_read(struct doctor_machines *machines, const char *path);
void doctor_expected_free(struct doctor_machines *machines);

/* The first machine that a node is; NULL: none. */
const struct doctor_machine *doctor_machine_of(const struct doctor *doctor,
	const struct doctor_node *node);

/* Bus Gb/s that a collective of this size should reach on the nodes of the run; 0: nothing is expected. */
double doctor_point_expected(const struct doctor *doctor, enum doctor_collective which,
	size_t bytes);

#endif
