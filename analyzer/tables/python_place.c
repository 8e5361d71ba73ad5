/* python_place.c - see python_place.h. */
#include "config.h"

#include <string.h>

#include "model/python_file.h"
#include "tables/python_place.h"

/* Part of a file's path, and the last part of a function's name ("Tensor.backward"); NULL: of any. */
static const struct {
	const char *file, *function, *state;
} signs[] = {
	{ "/torch/utils/data/", NULL, "loading" },
	{ "/torch/_tensor.py", "backward", "backward" },
	{ "/torch/autograd/__init__.py", "backward", "backward" },
	{ "/torch/autograd/__init__.py", "grad", "backward" },
	{ "/torch/autograd/graph.py", "_engine_run_backward", "backward" },
	{ "/torch/nn/modules/module.py", "_call_impl", "forward" },
	{ "/torch/nn/modules/module.py", "_wrapped_call_impl", "forward" },
	{ "/torch/nn/modules/module.py", "__call__", "forward" },
	{ "/torch/optim/lr_scheduler.py", NULL, NULL },
	{ "/torch/optim/", NULL, "optimizer" },
	{ "/torch/serialization.py", "save", "checkpoint" },
	{ "/torch/serialization.py", "load", "checkpoint" },
	{ "/torch/distributed/checkpoint/", NULL, "checkpoint" },
	{ "/torch/distributed/distributed_c10d.py", NULL, "communication" },
	{ "/mpi4py/", NULL, "communication" },
	{ "/horovod/", NULL, "communication" },
};

struct python_place python_place(const struct archive *archive, uint32_t i)
{
	const struct in_context *context = &archive->contexts.at[i];
	uint32_t region = idmap_find(&archive->regions.map, context->region);
	uint32_t source = idmap_find(&archive->sources.map, context->source);
	struct python_place place = { "", "", 0 };

	if (region != IDMAP_NONE) {
		place.function = archive->regions.at[region].name;
		place.file = archive->regions.at[region].file;
	}
	if (source != IDMAP_NONE)
		place.line = archive->sources.at[source].line;
	return place;
}

uint32_t python_caller(const struct archive *archive, uint32_t i)
{
	uint32_t caller = idmap_find(&archive->contexts.map, archive->contexts.at[i].parent);

	return caller == IDMAP_NONE ? PYTHON_NONE : caller;
}

static bool function_is(const char *function, const char *wanted)
{
	const char *dot = strrchr(function, '.');

	return !wanted || strcmp(dot ? dot + 1 : function, wanted) == 0;
}

/* Whether it is the program itself that was begun there: python FILE, or python -m MODULE. */
static bool is_program(const struct archive *archive, uint32_t i)
{
	uint32_t caller = python_caller(archive, i);

	return caller == PYTHON_NONE || strstr(python_place(archive, caller).file, "runpy");
}

/* Whether a module of a library is being imported there: then its functions are only being made. */
static bool is_import(const struct archive *archive, uint32_t i)
{
	for (; i != PYTHON_NONE; i = python_caller(archive, i)) {
		struct python_place place = python_place(archive, i);

		if (strcmp(place.function, "<module>") == 0 && python_file_is_library(place.file) &&
			!is_program(archive, i))
			return true;
	}
	return false;
}

/* A data-loader worker that waits for the next index has nothing to load: the loader has enough samples. */
static bool is_idle_worker(const struct python_place *place, const struct python_place *inner)
{
	return function_is(place->function, "_worker_loop") &&
		strstr(place->file, "/torch/utils/data/") &&
		strstr(inner->file, "/multiprocessing/queues.py") &&
		function_is(inner->function, "get");
}

const char *python_place_state(const struct archive *archive, uint32_t i)
{
	struct python_place inner = { "", "", 0 };

	if (is_import(archive, i))
		return "import";
	for (; i != PYTHON_NONE; i = python_caller(archive, i)) {
		struct python_place place = python_place(archive, i);

		if (is_idle_worker(&place, &inner))
			return NULL;
		inner = place;
		if (!python_file_is_library(place.file))
			continue;
		for (size_t k = 0; k < sizeof(signs) / sizeof(*signs); k++)
			if (strstr(place.file, signs[k].file) &&
				function_is(place.function, signs[k].function)) {
				if (signs[k].state)
					return signs[k].state;
				break;
			}
	}
	return NULL;
}
