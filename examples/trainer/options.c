/* options.c - see options.h. One line of the table per knob; nothing else knows their names. */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "options.h"
#include "say.h"

enum kind { INTEGER, LONG, REAL, TEXT, LIST, CHOICE, FLAG, HEADING };

struct knob {
	enum kind kind;
	const char *name, *value; /* value: what represents it in the help, or the choices */
	size_t offset;		  /* in struct options */
	double low, high;	  /* of numbers */
	const char *initial, *help;
};

#define AT(field) offsetof(struct options, field)
#define MANY	  1e9

static const struct knob knobs[] = {
	{ HEADING, "Data set (made when it is not there)", 0, 0, 0, 0, 0, 0 },
	{ TEXT, "data-dir", "DIR", AT(data_dir), 0, 0, "trainer-data", "folder of the data set" },
	{ TEXT, "make-data", "DIR", AT(make_data), 0, 0, NULL,
		"make the data set in DIR and stop" },
	{ CHOICE, "layout", "files|shards", AT(layout), 0, 0, "shards",
		"a small file per sample, or packed files" },
	{ INTEGER, "shard-samples", "N", AT(shard_samples), 1, MANY, "512",
		"samples in a packed file" },
	{ INTEGER, "train-samples", "N", AT(samples[SPLIT_TRAIN]), 1, MANY, "8192",
		"pictures to learn from" },
	{ INTEGER, "validate-samples", "N", AT(samples[SPLIT_VALIDATE]), 1, MANY, "1024",
		"held-out pictures, looked at after every epoch" },
	{ INTEGER, "test-samples", "N", AT(samples[SPLIT_TEST]), 1, MANY, "2048",
		"held-out pictures, looked at in the end" },
	{ INTEGER, "side", "N", AT(side), 8, 1024, "32",
		"pixels of a picture's side, a multiple of 4" },
	{ LONG, "seed", "N", AT(seed), 0, MANY, "1",
		"start of everything random: pictures, weights, order" },

	{ HEADING, "Input", 0, 0, 0, 0, 0, 0 },
	{ INTEGER, "readers", "N", AT(readers), 0, 256, "2",
		"reader threads per rank; 0: read between the steps" },
	{ INTEGER, "prefetch", "N", AT(prefetch), 1, 1024, "4", "batches that may lie ready" },
	{ CHOICE, "preprocess", "online|offline", AT(preprocess), 0, 0, "online",
		"by the readers in every epoch, or once when the data set is made" },
	{ INTEGER, "upsample", "N", AT(upsample), 1, 16, "1",
		"enlarge pictures N times in both directions" },
	{ FLAG, "flip", "", AT(flip), 0, 0, NULL, "mirror half of the training pictures" },
	{ REAL, "mixup", "SHARE", AT(mixup), 0, 0.5, "0",
		"blend up to SHARE of a second picture into each training picture" },

	{ HEADING, "Model and training", 0, 0, 0, 0, 0, 0 },
	{ CHOICE, "model", "mlp|conv", AT(model), 0, 0, "conv",
		"two hidden dense layers, or two convolutions and a dense layer" },
	{ CHOICE, "workload", "none|resnet50|ssd|maskrcnn|gnmt|transformer", AT(workload), 0, 0,
		"none", "a proxy with the proportions of a known training, instead of --model" },
	{ REAL, "scale", "S", AT(scale), 1, 1e6, "1000",
		"a proxy's step is 1/S of the published one" },
	{ INTEGER, "hidden", "N", AT(hidden), 1, 65536, "128", "width of the hidden dense layers" },
	{ INTEGER, "epochs", "N", AT(epochs), 1, MANY, "8", "passes over the training pictures" },
	{ INTEGER, "steps", "N", AT(steps), 0, MANY, "0",
		"stop after N steps; 0: by epochs alone" },
	{ INTEGER, "batch", "N", AT(batch), 1, 1048576, "64",
		"pictures per step (see --batch-rule)" },
	{ CHOICE, "batch-rule", "strong|weak", AT(batch_rule), 0, 0, "strong",
		"--batch is shared by all ranks, or taken by each" },
	{ REAL, "lr", "RATE", AT(rate), 0, 1000, "0.03", "learning rate" },
	{ REAL, "momentum", "M", AT(momentum), 0, 1, "0.9", "share of the last step that goes on" },
	{ REAL, "weight-decay", "D", AT(decay), 0, 1, "0.0001", "pull of the weights towards 0" },
	{ CHOICE, "lr-schedule", "constant|step|cosine", AT(schedule), 0, 0, "cosine",
		"how the rate falls: not, by 10 at 1/2 and 3/4, or smoothly to 0" },
	{ INTEGER, "warmup", "STEPS", AT(warmup), 0, MANY, "20",
		"steps in which the rate rises from 0" },
	{ CHOICE, "test-phase", "parallel|serial", AT(test_phase), 0, 0, "parallel",
		"validate and test on all ranks, or on rank 0 while the others wait" },
	{ INTEGER, "threads", "N", AT(threads), 1, 256, "1",
		"threads of each rank for a matrix product, OpenBLAS's" },

	{ HEADING, "GPUs", 0, 0, 0, 0, 0, 0 },
	{ CHOICE, "device", "cpu|cuda", AT(device), 0, 0, "cpu",
		"compute on the CPU and sum by MPI, or compute by cuBLAS and own kernels and sum by NCCL" },
	{ INTEGER, "gpus", "N", AT(gpus), 1, 64, "1", "GPUs of each rank, which share its batch" },
	{ CHOICE, "precision", "fp32|fp16|bf16", AT(precision), 0, 0, "fp32",
		"of activations on GPUs; parameters stay fp32, and fp16 scales its loss" },
	{ FLAG, "graph", "", AT(graph), 0, 0, NULL, "launch each step as one CUDA graph" },
	{ FLAG, "pageable", "", AT(pageable), 0, 0, NULL,
		"copy samples from pageable instead of pinned memory" },

	{ HEADING, "Gradient exchange", 0, 0, 0, 0, 0, 0 },
	{ REAL, "fusion", "MB", AT(fusion_mb), 0, 1e6, "1",
		"gradients are fused into buckets of this size; 0: one all-reduce per tensor" },
	{ CHOICE, "overlap", "auto|none|thread|nonblocking|stream", AT(overlap), 0, 0, "auto",
		"sum buckets after the backward pass, or under it: in a thread, by MPI_Iallreduce, on a GPU's "
		"second stream; auto: none on the CPU, stream on GPUs" },
	{ CHOICE, "allreduce", "flat|hierarchical", AT(allreduce), 0, 0, "flat",
		"over all ranks at once, or within nodes and between their first ranks" },
	{ INTEGER, "node-size", "N", AT(node_size), 0, MANY, "0",
		"ranks that hierarchical takes for a node; 0: those that share memory" },

	{ HEADING, "Trouble", 0, 0, 0, 0, 0, 0 },
	{ LIST, "plant", "LIST", AT(plant_list), 0, 0, NULL,
		"put in, separated by commas or by several --plant: " PLANT_HELP },

	{ HEADING, "Files and messages", 0, 0, 0, 0, 0, 0 },
	{ TEXT, "checkpoint", "FILE", AT(checkpoint), 0, 0, NULL,
		"write weights and state to FILE" },
	{ INTEGER, "checkpoint-every", "STEPS", AT(checkpoint_every), 1, MANY, "100",
		"steps between checkpoints" },
	{ CHOICE, "checkpoint-mode", "blocking|background", AT(checkpoint_mode), 0, 0, "blocking",
		"write while all ranks wait, or by a thread of rank 0" },
	{ FLAG, "resume", "", AT(resume), 0, 0, NULL,
		"go on from --checkpoint FILE if it is there" },
	{ TEXT, "dump-weights", "FILE", AT(dump_weights), 0, 0, NULL,
		"write the final weights to FILE (floats, native order)" },
	{ TEXT, "truth", "FILE", AT(truth), 0, 0, NULL,
		"write what each rank did to FILE.RANK: calls and bytes by kind" },
	{ FLAG, "unmarked", "", AT(unmarked), 0, 0, NULL,
		"do not mark steps for tracers: they are left to find them" },
	{ FLAG, "quiet", "", AT(quiet), 0, 0, NULL, "print nothing but failures" },
};

#define KNOBS (sizeof(knobs) / sizeof(*knobs))

/* Only one rank complains; the launchers' variables name it before MPI_Init. */
static bool is_first_rank(void)
{
	static const char *const variables[] = {
		"OMPI_COMM_WORLD_RANK",
		"PMI_RANK",
		"PMIX_RANK",
		"SLURM_PROCID",
	};

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const char *value = getenv(variables[i]);

		if (value)
			return atoi(value) == 0;
	}
	return true;
}

#define complain(...) (is_first_rank() ? fail(__VA_ARGS__) : -1)

static int set_choice(const struct knob *knob, int *field, const char *value)
{
	const char *at = knob->value;
	size_t length = strlen(value);

	for (int i = 0;; i++) {
		size_t choice = strcspn(at, "|");

		if (choice == length && memcmp(at, value, length) == 0) {
			*field = i;
			return 0;
		}
		if (!at[choice])
			return complain("--%s %s: expected %s", knob->name, value, knob->value);
		at += choice + 1;
	}
}

static int set_number(const struct knob *knob, void *field, const char *value)
{
	char *end;
	double number;

	errno = 0;
	number = knob->kind == REAL ? strtod(value, &end) : strtol(value, &end, 10);
	if (end == value || *end || errno || !(number >= knob->low && number <= knob->high))
		return complain("--%s %s: expected %s from %g to %g", knob->name, value,
			knob->kind == REAL ? "a number" : "a whole number", knob->low, knob->high);
	if (knob->kind == REAL)
		*(double *)field = number;
	else if (knob->kind == LONG)
		*(long *)field = number;
	else
		*(int *)field = number;
	return 0;
}

/* What is given several times adds up. The text stays for as long as the process. */
static int list_add(const struct knob *knob, const char **field, const char *value)
{
	char *both;

	if (*field && asprintf(&both, "%s,%s", *field, value) < 0)
		return complain("--%s: out of memory", knob->name);
	*field = *field ? both : value;
	return 0;
}

static int knob_set(const struct knob *knob, struct options *options, const char *value)
{
	void *field = (char *)options + knob->offset;

	switch (knob->kind) {
	case FLAG: *(bool *)field = true; return 0;
	case TEXT: *(const char **)field = value; return 0;
	case LIST: return list_add(knob, field, value);
	case CHOICE: return set_choice(knob, field, value);
	default: return set_number(knob, field, value);
	}
}

/* The knob of that name, or the only one that begins so. */
static const struct knob *knob_find(const char *name, size_t length)
{
	const struct knob *found = NULL;
	int matches = 0;

	for (size_t i = 0; i < KNOBS; i++) {
		if (knobs[i].kind == HEADING || strncmp(knobs[i].name, name, length) != 0)
			continue;
		if (!knobs[i].name[length])
			return &knobs[i];
		found = &knobs[i];
		matches++;
	}
	return matches == 1 ? found : NULL;
}

static void help(void)
{
	puts("usage: [mpirun -n RANKS] tacho-trainer [options]\n\n"
	     "Trains a small network to tell ten kinds of shapes apart, data-parallel over MPI\n"
	     "ranks: each reads its part of every batch, and gradients are summed by all-reduce.\n"
	     "Runs without mpirun too, as one rank.");
	for (size_t i = 0; i < KNOBS; i++) {
		const struct knob *k = &knobs[i];
		char left[64];

		if (k->kind == HEADING) {
			printf("\n%s\n", k->name);
			continue;
		}
		snprintf(left, sizeof(left), "--%s %s", k->name, k->value);
		printf("  %-28s", left);
		if (strlen(left) > 27)
			printf("\n%30s", "");
		fputs(k->help, stdout);
		if (k->initial)
			printf(" [%s]", k->initial);
		putchar('\n');
	}
}

/* One argument, with the next where the value is apart. Returns the number consumed or -1. */
static int parse_one(struct options *options, bool *given, int left, char **argv)
{
	const char *name = argv[0] + 2, *value = strchr(argv[0], '=');
	const struct knob *knob;
	int used = 1;

	if (strncmp(argv[0], "--", 2) != 0)
		return complain("%s: options start with -- (see --help)", argv[0]);
	knob = knob_find(name, value ? (size_t)(value - name) : strlen(name));
	if (!knob)
		return complain("%s: no such option, or not only one (see --help)", argv[0]);
	if (value)
		value++;
	else if (knob->kind != FLAG) {
		if (left < 2)
			return complain("--%s needs a value: %s", knob->name, knob->value);
		value = argv[used++];
	}
	given[knob - knobs] = true;
	return knob_set(knob, options, value) < 0 ? -1 : used;
}

/* Defaults of a proxy. */
static const struct {
	const char *name, *value;
} proxy_defaults[] = {
	{ "batch", "8" },
	{ "batch-rule", "weak" },
	{ "train-samples", "256" },
	{ "validate-samples", "16" },
	{ "test-samples", "32" },
	{ "epochs", "3" },
};

static void take_proxy_defaults(struct options *options, const bool *given)
{
	for (size_t i = 0; i < sizeof(proxy_defaults) / sizeof(*proxy_defaults); i++) {
		const char *name = proxy_defaults[i].name;
		const struct knob *knob = knob_find(name, strlen(name));

		if (!given[knob - knobs])
			knob_set(knob, options, proxy_defaults[i].value);
	}
}

/* What goes with the CPU or with GPUs only. */
static int device_check(struct options *o)
{
	bool cuda = o->device == DEVICE_CUDA;

	if (o->overlap == OVERLAP_AUTO)
		o->overlap = cuda ? OVERLAP_STREAM : OVERLAP_NONE;
	if (!cuda &&
		(o->gpus > 1 || o->precision || o->graph || o->pageable ||
			o->overlap == OVERLAP_STREAM || o->plant.needless_sync ||
			o->plant.tiny_kernels))
		return complain("--gpus, --precision, --graph, --pageable, --overlap stream, and "
				"--plant needless-sync and tiny-kernels need --device cuda");
	if (o->threads > 1 && (cuda || !matrix_has_threads()))
		return complain(
			"--threads are OpenBLAS's: it needs --device cpu, and a trainer that "
			"was built with OpenBLAS");
	if (cuda &&
		(o->overlap == OVERLAP_THREAD || o->overlap == OVERLAP_NONBLOCKING ||
			o->allreduce == ALLREDUCE_HIERARCHICAL))
		return complain("--device cuda sums by NCCL, which chooses its own ways: take "
				"--overlap none or stream, and --allreduce flat");
	if (o->graph && (o->gpus > 1 || o->plant.needless_sync))
		return complain(
			"--graph captures one GPU's streams, in which nothing can wait: take "
			"--gpus 1, without --plant needless-sync");
	return 0;
}

static int options_check(struct options *o)
{
	const char *wrong;

	if (o->side % 4)
		return complain("--side %d: must be a multiple of 4 (two poolings halve it)",
			o->side);
	switch (plant_parse(&o->plant, o->plant_list, &wrong)) {
	case PLANT_UNKNOWN: return complain("--plant %s: expected %s", wrong, PLANT_HELP);
	case PLANT_TWICE:
		return complain("--plant %s: there can be one trouble of each kind", wrong);
	case PLANT_FINE: break;
	}
	if (o->overlap == OVERLAP_NONBLOCKING && o->allreduce == ALLREDUCE_HIERARCHICAL)
		return complain("--overlap nonblocking works with --allreduce flat only: take "
				"--overlap thread");
	if (o->resume && !o->checkpoint)
		return complain("--resume needs --checkpoint FILE");
	if (o->workload &&
		(o->upsample > 1 || o->flip || o->mixup > 0 || o->preprocess == PREPROCESS_OFFLINE))
		return complain("--workload has no pictures to enlarge, mirror or mix");
	return device_check(o);
}

enum options_result options_parse(struct options *options, int argc, char **argv)
{
	bool given[KNOBS] = { false };
	int used;

	*options = (struct options){ 0 };
	for (size_t i = 0; i < KNOBS; i++)
		if (knobs[i].initial)
			knob_set(&knobs[i], options, knobs[i].initial);
	for (int i = 1; i < argc; i += used) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			if (is_first_rank())
				help();
			return OPTIONS_HELP;
		}
		used = parse_one(options, given, argc - i, argv + i);
		if (used < 0)
			return OPTIONS_USAGE;
	}
	if (options->workload)
		take_proxy_defaults(options, given);
	return options_check(options) < 0 ? OPTIONS_USAGE : OPTIONS_RUN;
}
