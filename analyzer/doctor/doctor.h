/*
 * doctor.h - tests a node before a job runs on it, for `tacho doctor`. One process of the launcher
 * measures each node, all together measure between the nodes, and a comparison of the nodes judges
 * them.
 */
#ifndef ANALYZER_DOCTOR_H
#define ANALYZER_DOCTOR_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/containers.h"

enum { DOCTOR_FOLDERS = 4, DOCTOR_SIZES = 12, DOCTOR_TEXT = 96, DOCTOR_TROUBLES = 12 };
enum { DOCTOR_NUMA = 16, DOCTOR_DEVICES = 16 };

enum doctor_figure {
#define FIGURE(id, name, unit, factor, what, advice) DOCTOR_##id,
#include "doctor/doctor_figures.def"
#undef FIGURE
	DOCTOR_FIGURES
};

enum doctor_setting {
#define SETTING(id, name) DOCTOR_IS_##id,
#include "doctor/doctor_settings.def"
#undef SETTING
	DOCTOR_SETTINGS
};

/* NUMA nodes of a node's devices; -1: unknown. */
struct doctor_near {
	int nnuma, ngpus, nnics;
	struct doctor_numa {
		int number;
		cpu_set_t cores;
	} numa[DOCTOR_NUMA];
	struct doctor_device {
		char name[16];
		int numa;
	} gpus[DOCTOR_DEVICES], nics[DOCTOR_DEVICES];
};

/* CPU time of threads, and how long they waited for a core meanwhile. */
struct doctor_cpu {
	double ran_ns, waited_ns;
};

/* The share of its time for which a node lacked cores; more, and its figures decide nothing. */
#define DOCTOR_LACKED_MOST 0.1

/* The data of one process. It has the same layout on all nodes, so that it is sent as it is. */
struct doctor_node {
	char host[65];
	int rank;
	bool measured; /* the first process of its node: the others only have cores */
	double figure[DOCTOR_FIGURES][DOCTOR_FOLDERS]; /* NAN: not measured */
	char note[DOCTOR_FIGURES][DOCTOR_TEXT];	       /* how, or why not; "" */
	char setting[DOCTOR_SETTINGS][DOCTOR_TEXT];
	char trouble[DOCTOR_TROUBLES][2 * DOCTOR_TEXT]; /* local to the node */
	int ntroubles;
	struct doctor_cpu cpu; /* of threads that measured and ended */
	double lacked;	       /* share of the time of computing that others took */
	struct doctor_usual {
		double value; /* median of earlier measurements */
		int n;	      /* how many these are; 0: too few */
	} usual[DOCTOR_FIGURES][DOCTOR_FOLDERS];
	cpu_set_t cores;
	struct doctor_near near; /* of the measuring processes */
	double clock_offset,
		clock_error; /* s, to rank 0's node: CLOCK_REALTIME; NAN: not measured */
};

struct doctor_wanted {
	const char *folders[DOCTOR_FOLDERS];
	int nfolders;
	bool brief; /* a tenth of the time for each measurement */
	bool no_nccl;
	int in_turn; /* nodes that measure one after the other; 1: all at the same time */
};

/* A collective operation over all ranks, or over all GPUs, by size; as nccl-tests has it. */
struct doctor_sweep {
	int members, n;
	struct doctor_point {
		size_t bytes; /* of a member's buffer */
		double seconds, bus_gbps;
	} points[DOCTOR_SIZES];
};

enum doctor_collective {
	DOCTOR_ALLREDUCE,
	DOCTOR_ALLTOALL,
	DOCTOR_NCCL_ALLREDUCE,
	DOCTOR_NCCL_ALLTOALL,
	DOCTOR_COLLECTIVES
};

typedef ARRAY_OF(char *) doctor_sentences;

struct doctor {
	struct doctor_wanted wanted;
	int nranks;
	struct doctor_node *nodes; /* of all ranks */
	struct doctor_sweep sweeps[DOCTOR_COLLECTIVES];
	doctor_sentences troubles;	  /* of rank 0 */
	doctor_sentences open;		  /* the same, of what cannot be decided */
	struct doctor_machines *machines; /* expected figures (doctor_expected.h); NULL: none */
};

/* Measures; every process that the launcher started calls it. 0, or -1 (reported). */
int doctor_measure(struct doctor *doctor);

/*
 * On rank 0: adds the figures to the database `path`, and finds the usual ones. 0, or -1
 * (reported).
 */
int doctor_history(struct doctor *doctor, const char *path);

/* Compares the nodes: fills `troubles` and `open`. */
void doctor_judge(struct doctor *doctor);
void doctor_free(struct doctor *doctor);

/* For rank 0, on stdout. */
void doctor_print(const struct doctor *doctor);
void doctor_json(const struct doctor *doctor);

/* A kind of figure: its line in doctor_figures.def. */
struct doctor_kind {
	const char *name, *unit;
	double factor;
	const char *what, *advice;
};
extern const struct doctor_kind doctor_kinds[DOCTOR_FIGURES];
extern const char *const doctor_setting_names[DOCTOR_SETTINGS];

/* How many folders a figure has values of: 1 where it is none of storage. */
int doctor_places(const struct doctor *doctor, enum doctor_figure figure);

/* Parts of doctor_measure(), of this node. */
void doctor_memory(struct doctor_node *node, bool brief);
void doctor_gemm(struct doctor_node *node, bool brief);
void doctor_clock(struct doctor_node *node);
void doctor_storage(struct doctor_node *node, const struct doctor_wanted *wanted);
void doctor_settings(struct doctor_node *node);
void doctor_gpus(struct doctor_node *node);
void doctor_copies(struct doctor_node *node, bool brief);

/* `root`: where sysfs is, /sys. */
void doctor_near(struct doctor_near *near, const char *root);

/* Adds the times of the calling thread. */
void doctor_cpu_thread(struct doctor_cpu *cpu);

/* The times of all threads. */
void doctor_cpu_all(struct doctor_cpu *cpu);

/* Sets `lacked` for the measurements of all threads since `before`. */
void doctor_lacked_find(struct doctor_node *node, const struct doctor_cpu *before);

/* Notes a problem that is local to the node; those beyond DOCTOR_TROUBLES are dropped. */
void doctor_trouble(struct doctor_node *node, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Between nodes: leads[r] is true if rank r is the first of its node. */
int doctor_links(struct doctor *doctor, struct doctor_node *node, const bool *leads);
void doctor_offsets(struct doctor_node *node, const bool *leads);
int doctor_collectives(struct doctor *doctor);

/* NCCL over all GPUs of all nodes: the first process of each node drives the node's GPUs. */
int doctor_nccl(struct doctor *doctor, struct doctor_node *node, const bool *leads);

/* A point is added; false: there are as many as there can be. */
bool doctor_sweep_add(struct doctor_sweep *sweep, enum doctor_collective which, size_t bytes,
	double seconds);

/* Numbers of the NUMA nodes on which a process with these cores may run; how many they are. */
int doctor_numa_of(const struct doctor_near *near, const cpu_set_t *cores, int *numbers);

/* "0-3,8" */
void doctor_cores_text(const cpu_set_t *cores, char *text, size_t size);

/*
 * Calls `say` with a sentence for each rank that is not bound, or bound to another NUMA node than
 * its GPU.
 */
void doctor_binding(struct doctor *doctor, int first,
	void (*say)(struct doctor *doctor, const char *format, ...)
		__attribute__((format(printf, 2, 3))));

#endif
