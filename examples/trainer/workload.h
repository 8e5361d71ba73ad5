/*
 * workload.h - proxies of five well-known trainings: not the networks
 * themselves, but dense layers and records with their proportions of
 * computing, gradient bytes and sample bytes, all scaled by one printed factor.
 */
#ifndef TRAINER_WORKLOAD_H
#define TRAINER_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "model.h"

/* Samples of a proxy's step on a rank; together they represent the published batch. */
#define WORKLOAD_BATCH	 8
#define WORKLOAD_CLASSES 10

struct workload {
	const char *name, *title;
	double parameters;   /* of the published network */
	double macs;	     /* multiply-adds of its forward pass per sample */
	double sample_bytes; /* on disk */
	double batch;	     /* samples per step on a GPU */
	int layers;	     /* of the proxy */
};

/* What a proxy makes of it at scale S. */
struct proxy {
	const struct workload *workload;
	double scale;
	/* layers of width × width, applied to so many places of a sample */
	int width, positions;
	size_t record_bytes; /* of a sample on disk, head included */
};

/* By its number in --workload, from 1. */
struct proxy workload_proxy(int number, double scale);

/* Prints what represents what. */
void workload_say(const struct proxy *proxy);

/* The network, its layers in order, ready for model_finish(). 0, or -1 having reported why. */
int workload_model(const struct proxy *proxy, struct model *model, int max_batch);

/* Fills `pixels` with what sample `index` holds and returns its class. */
int workload_draw(const struct proxy *proxy, uint64_t seed, uint64_t index, uint8_t *pixels);

#endif
