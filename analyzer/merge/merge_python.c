/* merge_python.c - see merge_python.h. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/containers.h"
#include "merge/merge_pieces.h"
#include "merge/merge_python.h"
#include "merge/walk/walk_regions.h"
#include "tacho/trace.h"

struct function {
	const char *name, *file;
	uint32_t first_line;
	uint32_t ref;  /* its region */
	uint32_t next; /* of the same hash; NONE: the last */
};

struct code_line {
	uint32_t parent; /* NONE: the outermost */
	uint32_t function, line;
	uint32_t next;
};

/* The tree of all processes. Places are the archive's calling contexts. */
struct tree {
	ARRAY_OF(struct function) functions;
	ARRAY_OF(struct code_line) places;
	struct idmap function_map, place_map; /* first of a hash */
};

static void function_write(struct strings *s, const struct function *f)
{
	uint32_t name = string_ref(s, f->name);

	s->error |= OTF2_GlobalDefWriter_WriteRegion(s->out, f->ref, name, name, string_ref(s, ""),
		OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_SAMPLING, OTF2_REGION_FLAG_NONE,
		string_ref(s, f->file), f->first_line, 0);
}

/* Number of a function, defined when it is new; NONE without memory. */
static uint32_t function_find(struct merge *m, struct strings *s, struct tree *tree,
	const struct spool_python_code *code)
{
	uint64_t key = idmap_key(
		hash_mix(hash_mix(text_hash(code->function), text_hash(code->file)),
			code->first_line));
	uint32_t first = idmap_find(&tree->function_map, key);
	struct function *f;

	for (uint32_t i = first; i != NONE; i = tree->functions.at[i].next) {
		f = &tree->functions.at[i];
		if (f->first_line == code->first_line && !strcmp(f->name, code->function) &&
			!strcmp(f->file, code->file))
			return i;
	}
	f = ARRAY_ADD(&tree->functions);
	if (!f || idmap_set(&tree->function_map, key, (uint32_t)(tree->functions.n - 1)) < 0)
		return NONE;
	*f = (struct function){ code->function, code->file, code->first_line, m->nregions++,
		first };
	function_write(s, f);
	return (uint32_t)(tree->functions.n - 1);
}

static void place_write(struct strings *s, const struct tree *tree, uint32_t ref)
{
	const struct code_line *place = &tree->places.at[ref];
	const struct function *f = &tree->functions.at[place->function];

	s->error |= OTF2_GlobalDefWriter_WriteSourceCodeLocation(s->out, ref,
		string_ref(s, f->file), place->line);
	s->error |= OTF2_GlobalDefWriter_WriteCallingContext(s->out, ref, f->ref, ref,
		place->parent == NONE ? OTF2_UNDEFINED_CALLING_CONTEXT : place->parent);
}

static uint32_t place_find(struct strings *s, struct tree *tree, const struct code_line *wanted)
{
	uint64_t key = idmap_key(
		hash_mix(hash_mix(wanted->parent, wanted->function), wanted->line));
	uint32_t first = idmap_find(&tree->place_map, key);
	struct code_line *place;

	for (uint32_t i = first; i != NONE; i = tree->places.at[i].next) {
		place = &tree->places.at[i];
		if (place->parent == wanted->parent && place->function == wanted->function &&
			place->line == wanted->line)
			return i;
	}
	place = ARRAY_ADD(&tree->places);
	if (!place || idmap_set(&tree->place_map, key, (uint32_t)(tree->places.n - 1)) < 0)
		return NONE;
	*place = *wanted;
	place->next = first;
	place_write(s, tree, (uint32_t)(tree->places.n - 1));
	return (uint32_t)(tree->places.n - 1);
}

/* Places by the process's numbers of stacks, NONE: not defined. NULL without memory. */
static uint32_t *places_of(struct merge *m, struct strings *s, struct tree *tree,
	const struct spool_process *spool)
{
	uint32_t n = spool->python_stacks.n;
	uint32_t *places = malloc(((size_t)n + 1) * sizeof(*places));

	for (uint32_t id = 0; places && id < n; id++) {
		const struct spool_def_python_stack *stack = &spool->python_stacks.at[id];
		struct code_line place = { .parent = NONE, .line = stack->line };

		places[id] = NONE;
		if (!stack->code)
			continue;
		if (stack->parent)
			place.parent = places[stack->parent];
		if (stack->parent && place.parent == NONE)
			continue; /* its caller was not written */
		place.function = function_find(m, s, tree, &spool->python_codes.at[stack->code]);
		if (place.function != NONE)
			places[id] = place_find(s, tree, &place);
		if (places[id] == NONE) {
			free(places);
			return NULL;
		}
	}
	return places;
}

/* The location of a thread's number, NONE: it has none. */
static uint64_t location_of(const struct process *p, uint32_t thread)
{
	for (uint32_t k = 0; k < p->nlocations; k++)
		if (p->locations[k].thread && p->locations[k].thread->head.number == thread)
			return p->first_location + k;
	return UINT64_MAX;
}

static void number_put(struct pieces *pieces, bool known, uint64_t number)
{
	if (known)
		pieces_print(pieces, "%" PRIu64 " ", number);
	else
		pieces_print(pieces, "- ");
}

static const char *phase_name(const struct process *p, uint32_t phase)
{
	uint32_t n = p->spool->names.n;
	const char *name = phase && phase < n ? p->spool->names.at[phase] : NULL;

	return name ? name : "";
}

static void entry_put(struct pieces *pieces, const struct process *p, const uint32_t *places,
	const struct spool_python_entry *entry)
{
	uint32_t stack = entry->key.stack, region = entry->key.region;
	uint32_t place = stack < p->spool->python_stacks.n ? places[stack] : NONE;
	uint64_t location = location_of(p, entry->key.thread);

	number_put(pieces, place != NONE, place);
	number_put(pieces, location != UINT64_MAX, location);
	number_put(pieces, true, entry->samples);
	number_put(pieces, true, entry->ns);
	pieces_print(pieces, "%s %.512s\n",
		region && region < REGION_FIXED_COUNT ? region_infos[region].name : "-",
		phase_name(p, entry->key.phase));
	pieces_line(pieces);
}

static void entries_write(struct strings *s, const struct process *p, uint32_t process,
	const uint32_t *places)
{
	struct pieces pieces = { .s = s, .key = PROPERTY_PYTHON, .process = process };
	char cost[24];
	OTF2_AttributeValue value;

	for (size_t i = 0; i < p->spool->npython_entries; i++)
		entry_put(&pieces, p, places, &p->spool->python_entries[i]);
	pieces_end(&pieces);
	snprintf(cost, sizeof(cost), "%" PRIu64, (uint64_t)p->spool->python->cost_ns);
	value.stringRef = string_ref(s, cost);
	s->error |= OTF2_GlobalDefWriter_WriteLocationGroupProperty(s->out, process,
		string_ref(s, PROPERTY_PYTHON_COST), OTF2_TYPE_STRING, value);
}

int python_define(struct merge *m, struct strings *s)
{
	struct tree tree = { 0 };
	int ret = 0;

	for (uint32_t i = 0; i < m->nprocesses && ret == 0; i++) {
		const struct process *p = &m->processes[i];
		uint32_t *places;

		if (!p->spool || !p->spool->python)
			continue;
		places = places_of(m, s, &tree, p->spool);
		if (places)
			entries_write(s, p, i, places);
		ret = places ? 0 : -1;
		free(places);
	}
	free(tree.functions.at);
	free(tree.places.at);
	idmap_free(&tree.function_map);
	idmap_free(&tree.place_map);
	return ret;
}
