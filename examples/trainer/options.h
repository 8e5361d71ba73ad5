/* options.h - every knob of the trainer, with its default. */
#ifndef TRAINER_OPTIONS_H
#define TRAINER_OPTIONS_H

#include <stdbool.h>

#include "plant.h"

enum { SPLIT_TRAIN, SPLIT_VALIDATE, SPLIT_TEST, SPLIT_COUNT };
enum layout { LAYOUT_FILES, LAYOUT_SHARDS };
enum model_kind { MODEL_MLP, MODEL_CONV };
enum batch_rule { BATCH_STRONG, BATCH_WEAK };
enum schedule { SCHEDULE_CONSTANT, SCHEDULE_STEP, SCHEDULE_COSINE };
enum preprocess_when { PREPROCESS_ONLINE, PREPROCESS_OFFLINE };
enum test_phase { TEST_PARALLEL, TEST_SERIAL };
enum overlap { OVERLAP_AUTO, OVERLAP_NONE, OVERLAP_THREAD, OVERLAP_NONBLOCKING, OVERLAP_STREAM };
enum device { DEVICE_CPU, DEVICE_CUDA };
enum allreduce { ALLREDUCE_FLAT, ALLREDUCE_HIERARCHICAL };
enum checkpoint_mode { CHECKPOINT_BLOCKING, CHECKPOINT_BACKGROUND };

struct options {
	/* data set */
	const char *data_dir, *make_data;
	int layout, samples[SPLIT_COUNT], shard_samples, side;
	long seed;
	/* input */
	int readers, prefetch, preprocess, upsample;
	bool flip;
	double mixup;
	/* model */
	int model, hidden;
	int workload; /* 0: none */
	double scale;
	/* training */
	int epochs, steps, batch, batch_rule, schedule, warmup, test_phase, threads;
	double rate, momentum, decay;
	/* device */
	int device, gpus, precision; /* precision: enum precision of cuda_kernels.h */
	bool graph, pageable;
	/* exchange */
	double fusion_mb;
	int overlap, allreduce, node_size;
	/* trouble */
	struct plant plant;
	const char *plant_list;
	/* files written */
	const char *checkpoint, *dump_weights, *truth;
	int checkpoint_every, checkpoint_mode;
	bool resume, quiet, unmarked;
};

enum options_result { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_USAGE };

/*
 * Fills `options` from the command line. OPTIONS_HELP: --help was asked for and printed.
 * OPTIONS_USAGE: a mistake, which has been reported in a sentence.
 */
enum options_result options_parse(struct options *options, int argc, char **argv);

#endif
