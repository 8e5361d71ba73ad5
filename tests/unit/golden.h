/*
 * golden.h - the parts of golden.c: a case's text is read line by line, its
 * events are written as they come (golden_events.c), its definitions at the
 * end (golden_defs.c), and its expectations compared (golden.c).
 */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	MAX_RANKS = 64,
	MAX_LINE = 4096,
	MAX_WORDS = 128,
	MAX_NAMES = 512,
	MAX_EXTRAS = 128,
	MAX_EXPECTED = 512
};

/* Communicators. */
enum { COMM_WORLD, COMM_INTER, COMM_SELF, COMM_ONE, COMMS };

struct expectation {
	char window[64], model[64], name[64], subject[64];
	double value;
};

/* One case while it is written. */
struct writer {
	OTF2_Archive *archive;
	OTF2_GlobalDefWriter *defs;
	OTF2_EvtWriter *events;
	int ranks, nodes[MAX_RANKS];
	uint64_t counts[MAX_RANKS];
	char *names[MAX_NAMES]; /* strings; regions have the number of their name */
	int nnames;
	bool is_region[MAX_NAMES];
	uint64_t first, last;
	struct {
		double at[4];
		int n;
	} clocks[MAX_RANKS];
	char values[MAX_RANKS][1024];	/* of tacho_metric(), as the archive has them */
	char neighbours[MAX_RANKS][64]; /* in MPI_COMM_WORLD: sources/destinations */
	struct expectation expected[MAX_EXPECTED];
	struct {
		double value;
		char *sql;
	} queries[32];
	int nqueries;
	char *repeated[64]; /* lines between repeat and end */
	int nrepeated, times;
	uint64_t every, shift; /* of the repetition: ns apart, ns so far, its number */
	bool repeating;
	bool has_comm[COMMS]; /* something goes over it */
	bool has_file, has_counters, has_window;
	int nexpected, nfailing; /* failing: checks that the case breaks on purpose */
	uint64_t elapsed;
	/* locations beyond the main threads: streams, threads, children */
	struct extra {
		/* 's' stream, 't' thread, 'c' child */
		char name[64], uuid[32], gpu[64], order[16], kind;
		int process; /* rank, or 1000 + place of a child */
		unsigned device;
		bool inside; /* a stream in the process's own group */
		uint64_t count;
	} extras[MAX_EXTRAS];
	bool in_extra;		  /* the present location is the last of them */
	int nextras, at;	  /* at: process of the present location */
	int child_of[MAX_EXTRAS]; /* rank of a child */
	long latency;
	char options[256]; /* further ones of tacho analyze */
};

/* Attributes by number; tacho.step is 0. */
enum { ATTRIBUTES = 27 };
extern const struct golden_attribute {
	const char *name;
	OTF2_Type type;
} golden_attributes[ATTRIBUTES];

/* Number of a text of the case. */
uint32_t golden_string(struct writer *w, const char *text);

/* Takes one line of the case (it is changed). */
void golden_line(struct writer *w, char *line);

/* Closes the present location's events. */
void golden_rank_end(struct writer *w);

/* Writes the definitions that the lines used; first the locations' own, then the archive's. */
void golden_local_definitions(struct writer *w);
void golden_definitions(struct writer *w);

#endif
