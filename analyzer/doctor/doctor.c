/*
 * doctor.c - see doctor.h. The order of the measurements, and the exchange between the processes.
 */
#include "config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/par.h"
#include "doctor/doctor.h"

enum { NODES_IN_TURN = 4 }; /* more measure at the same time */

const struct doctor_kind doctor_kinds[DOCTOR_FIGURES] = {
#define FIGURE(id, name, unit, factor, what, advice) { name, unit, factor, what, advice },
#include "doctor/doctor_figures.def"
#undef FIGURE
};

const char *const doctor_setting_names[DOCTOR_SETTINGS] = {
#define SETTING(id, name) name,
#include "doctor/doctor_settings.def"
#undef SETTING
};

int doctor_places(const struct doctor *doctor, enum doctor_figure figure)
{
	return figure < DOCTOR_WRITE ? 1 : doctor->wanted.nfolders;
}

static void node_begin(struct doctor_node *node)
{
	*node = (struct doctor_node){ .rank = par_rank(), .clock_offset = NAN, .clock_error = NAN };
	gethostname(node->host, sizeof(node->host) - 1);
	sched_getaffinity(0, sizeof(node->cores), &node->cores);
	for (int i = 0; i < DOCTOR_FIGURES; i++)
		for (int k = 0; k < DOCTOR_FOLDERS; k++)
			node->figure[i][k] = NAN;
}

/* Gathers the data of every rank on all ranks, in rank order; NULL: reported. */
static struct doctor_node *nodes_gather(const struct doctor_node *node)
{
	char *all = NULL;
	size_t *sizes = NULL;

	if (par_allgather(node, sizeof(*node), &all, &sizes) < 0)
		return NULL;
	free(sizes);
	return (struct doctor_node *)all;
}

/* For each rank, whether it is the first of its node. */
static void leads_find(const struct doctor_node *nodes, int n, bool *leads)
{
	for (int r = 0; r < n; r++) {
		leads[r] = true;
		for (int before = 0; before < r && leads[r]; before++)
			leads[r] = strcmp(nodes[before].host, nodes[r].host) != 0;
	}
}

static int in_turn_count(const bool *leads, int n)
{
	int nleads = 0;

	for (int r = 0; r < n; r++)
		nleads += leads[r];
	return nleads <= NODES_IN_TURN ? nleads : 1;
}

/* Waits for a word as long as it takes, without a core: nothing else is sent meanwhile. */
static void word_wait(void)
{
	struct timespec nap = { .tv_nsec = 2000000 };
	char word;
	size_t size;
	int who;

	while (!par_is_lost() && !par_probe(&who, &size))
		nanosleep(&nap, NULL);
	if (!par_is_lost())
		par_receive(who, &word, 1);
}

static void node_measure(struct doctor *doctor, struct doctor_node *node)
{
	struct doctor_cpu before;

	doctor_settings(node);
	doctor_near(&node->near, "/sys");
	if (node->near.nnuma)
		snprintf(node->setting[DOCTOR_IS_NUMA], DOCTOR_TEXT, "%d", node->near.nnuma);
	doctor_cpu_all(&before);
	doctor_memory(node, doctor->wanted.brief);
	doctor_gemm(node, doctor->wanted.brief);
	doctor_clock(node);
	doctor_lacked_find(node, &before);
	doctor_storage(node, &doctor->wanted);
	doctor_gpus(node);
	doctor_copies(node, doctor->wanted.brief);
	node->measured = true;
}

/*
 * The first rank of each node measures; all others sleep until the last one has ended. Few nodes do so one after
 * the other, since storage may be the same for all.
 */
static void leaders_measure(struct doctor *doctor, struct doctor_node *node, const bool *leads)
{
	int n = par_size(), before = -1;
	bool in_turn = doctor->wanted.in_turn > 1;

	for (int r = 0; r < par_rank(); r++)
		before = leads[r] ? r : before;
	if (leads[par_rank()]) {
		if (in_turn && before >= 0)
			word_wait();
		node_measure(doctor, node);
		for (int r = par_rank() + 1; in_turn && r < n; r++)
			if (leads[r]) {
				par_send(r, "g", 1);
				break;
			}
	}
	if (par_rank() != 0) {
		if (leads[par_rank()])
			par_send(0, "e", 1);
		word_wait();
		return;
	}
	for (int r = 1; r < n; r++)
		if (leads[r])
			word_wait();
	for (int r = 1; r < n; r++)
		par_send(r, "g", 1);
}

int doctor_measure(struct doctor *doctor)
{
	int n = par_size(), ret = -1;
	bool *leads = calloc((size_t)n, sizeof(*leads));
	struct doctor_node node, *nodes;

	node_begin(&node);
	nodes = nodes_gather(&node);
	if (leads && nodes) {
		leads_find(nodes, n, leads);
		doctor->wanted.in_turn = in_turn_count(leads, n);
		leaders_measure(doctor, &node, leads);
		doctor_offsets(&node, leads);
		ret = doctor_links(doctor, &node, leads) < 0 || doctor_collectives(doctor) < 0 ||
				doctor_nccl(doctor, &node, leads) < 0
			? -1
			: 0;
	}
	if (par_any_failed(ret < 0))
		ret = -1;
	else
		doctor->nodes = nodes_gather(&node);
	doctor->nranks = n;
	free(nodes);
	free(leads);
	return doctor->nodes ? ret : -1;
}

void doctor_free(struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->troubles.n; i++)
		free(doctor->troubles.at[i]);
	free(doctor->troubles.at);
	for (size_t i = 0; i < doctor->open.n; i++)
		free(doctor->open.at[i]);
	free(doctor->open.at);
	free(doctor->nodes);
}
