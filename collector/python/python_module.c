/*
 * python_module.c - see python_module.h. One thread uses it. Dicts are read while the program may change them: what is
 * found counts if the stack still stands afterwards, and a name that is known is used while the dict has the module in
 * the same place.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "python/python_code.h"
#include "python/python_module.h"
#include "python/python_text.h"

#define PAIRS	    512	 /* of a dict that are read */
#define STEPS	    128	 /* modules that a search visits */
#define DEPTH	    3	 /* levels of containers in which it looks */
#define KNOWN	    2048 /* names known at a time; power of two */
#define FRESH	    64	 /* names of a stack that are read at once */
#define AGAIN	    256	 /* uses of a name that was not found, until it is searched again */
#define FAILED_MOST 512	 /* searches without a result, after which containers are not searched */
#define NAME_ROOM   128

/* Offsets in a dict, in its keys before 3.11 and from there on, and in a cell. */
#define DICT_KEYS      32
#define DICT_VALUES    40
#define OLD_SLOTS      8
#define OLD_NUMBER     32
#define OLD_INDEX      40
#define NEW_INDEX_BITS 9
#define NEW_KIND       10
#define NEW_NUMBER     24
#define NEW_INDEX      32
#define CELL_CONTENT   16

/* Where an object has its dict: behind its head, from 3.11 on before it. */
#define OLD_DICT (uint64_t)16
#define NEW_DICT (uint64_t)24

struct pair {
	uint64_t key, value, place; /* the address that has the value */
};

static struct module_memory {
	struct pair pairs[PAIRS];
	unsigned char raw[PAIRS * 24];
	uint64_t split[PAIRS];
	/* modules to visit */
	struct step {
		uint64_t module, key; /* its name in step `from` */
		unsigned from, depth;
	} steps[STEPS];
	unsigned nsteps;
	struct known_module {
		uint64_t parent, module, place;
		uint32_t name;	/* 0: not found */
		uint32_t again; /* uses until it is searched again */
	} known[KNOWN];
	struct known_module *fresh[FRESH];
	unsigned nfresh, nfailed;
	uint64_t modules_key; /* the text "_modules", which all modules share */
} * memory;

static uint64_t word_at(const unsigned char *bytes, size_t offset)
{
	uint64_t word;

	memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

uint64_t module_of_local(const struct python_runtime *python, uint64_t local)
{
	unsigned char head[CELL_CONTENT + 8];

	if (!local || memory_read(local, head, sizeof(head)) < 0)
		return 0;
	return word_at(head, OBJECT_TYPE) == python->cell_type ? word_at(head, CELL_CONTENT)
							       : local;
}

/* Where a dict has its pairs. */
struct dict {
	uint64_t pairs, values; /* values 0: they are in the pairs */
	size_t n, size;		/* of a pair */
};

static void keys_decode(const struct python_runtime *python, uint64_t at, const unsigned char *keys,
	struct dict *dict)
{
	uint64_t slots = word_at(keys, OLD_SLOTS);

	if (python->layout.minor >= 11) {
		dict->n = word_at(keys, NEW_NUMBER);
		dict->size = keys[NEW_KIND] ? 16 : 24;
		dict->pairs = at + NEW_INDEX + ((uint64_t)1 << (keys[NEW_INDEX_BITS] & 31));
		return;
	}
	dict->n = word_at(keys, OLD_NUMBER);
	dict->size = 24;
	dict->pairs = at + OLD_INDEX + slots * (slots <= 0xff ? 1 : slots <= 0xffff ? 2 : 4);
}

static int dict_open(const struct python_runtime *python, uint64_t at, struct dict *dict)
{
	unsigned char head[DICT_VALUES + 8], keys[OLD_INDEX];
	uint64_t type;

	if (!at || at % 8 || memory_read(at, head, sizeof(head)) < 0)
		return -1;
	type = word_at(head, OBJECT_TYPE);
	if (!type || (type != python->dict_type && type != python->ordered_type) ||
		memory_read(word_at(head, DICT_KEYS), keys, sizeof(keys)) < 0)
		return -1;
	dict->values = word_at(head, DICT_VALUES);
	if (dict->values && python->layout.minor >= 13)
		dict->values += 8; /* a head of its own */
	keys_decode(python, word_at(head, DICT_KEYS), keys, dict);
	return 0;
}

/* Reads the first pairs of a dict into `memory`; how many. */
static size_t dict_read(const struct python_runtime *python, uint64_t at)
{
	struct dict dict;
	size_t n;

	if (dict_open(python, at, &dict) < 0)
		return 0;
	n = dict.n < PAIRS ? dict.n : PAIRS;
	if (!n || memory_read(dict.pairs, memory->raw, n * dict.size) < 0 ||
		(dict.values && memory_read(dict.values, memory->split, n * 8) < 0))
		return 0;
	for (size_t i = 0; i < n; i++) {
		size_t key = (i + 1) * dict.size - 16;
		struct pair *pair = &memory->pairs[i];

		pair->key = word_at(memory->raw, key);
		pair->value = dict.values ? memory->split[i] : word_at(memory->raw, key + 8);
		pair->place = dict.values ? dict.values + i * 8 : dict.pairs + key + 8;
	}
	return n;
}

/* Address of the dict of modules in a module; 0: it has none. */
static uint64_t modules_of(const struct python_runtime *python, uint64_t module)
{
	uint64_t dict;
	char text[16];
	size_t n;

	if (memory_read(python->layout.minor >= 11 ? module - NEW_DICT : module + OLD_DICT, &dict,
		    sizeof(dict)) < 0)
		return 0;
	n = dict_read(python, dict);
	for (size_t i = 0; i < n; i++)
		if (memory->modules_key && memory->pairs[i].key == memory->modules_key)
			return memory->pairs[i].value;
	for (size_t i = 0; i < n; i++)
		if (memory->pairs[i].key &&
			text_read(python, memory->pairs[i].key, text, sizeof(text)) == 0 &&
			!strcmp(text, "_modules")) {
			memory->modules_key = memory->pairs[i].key;
			return memory->pairs[i].value;
		}
	return 0;
}

static void step_add(uint64_t module, uint64_t key, unsigned from, unsigned depth)
{
	if (module && memory->nsteps < STEPS && depth < DEPTH)
		memory->steps[memory->nsteps++] = (struct step){ module, key, from, depth };
}

/* The name by the keys that lead there: "layers.3". 0, or -1 when one is no text. */
static int name_make(const struct python_runtime *python, uint64_t key, const struct step *step,
	char name[NAME_ROOM])
{
	char part[NAME_ROOM], rest[NAME_ROOM];

	if (text_read(python, key, name, NAME_ROOM) < 0)
		return -1;
	for (; step->depth; step = &memory->steps[step->from]) {
		if (text_read(python, step->key, part, sizeof(part)) < 0)
			return -1;
		memcpy(rest, name, NAME_ROOM);
		if (snprintf(name, NAME_ROOM, "%s.%s", part, rest) >= NAME_ROOM)
			return -1;
	}
	return 0;
}

/* Looks for a module level by level. True: found, with its name and the place that has it. */
static bool search(const struct python_runtime *python, uint64_t parent, uint64_t module,
	char name[NAME_ROOM], uint64_t *place)
{
	memory->nsteps = 0;
	step_add(parent, 0, 0, 0);
	for (unsigned k = 0; k < memory->nsteps; k++) {
		const struct step *step = &memory->steps[k];
		size_t n = dict_read(python, modules_of(python, step->module));

		for (size_t i = 0; i < n; i++)
			if (memory->pairs[i].value == module) {
				*place = memory->pairs[i].place;
				return name_make(python, memory->pairs[i].key, step, name) == 0;
			}
		for (size_t i = 0; i < n && memory->nfailed < FAILED_MOST; i++)
			step_add(memory->pairs[i].value, memory->pairs[i].key, k, step->depth + 1);
	}
	return false;
}

/* Whether what is known of a pair still holds. */
static bool holds(struct known_module *known)
{
	uint64_t value;

	if (!known->name)
		return known->again && known->again--;
	return memory_read(known->place, &value, sizeof(value)) == 0 && value == known->module;
}

uint32_t module_name(const struct python_runtime *python, uint64_t parent, uint64_t module)
{
	uint64_t hash = (parent ^ module * 0xff51afd7ed558ccdu) * 0x9e3779b97f4a7c15u;
	struct known_module *known = &memory->known[(hash >> 32) % KNOWN];
	char name[NAME_ROOM];

	if (known->parent == parent && known->module == module && holds(known))
		return known->name;
	*known = (struct known_module){ .parent = parent, .module = module, .again = AGAIN };
	if (memory->nfresh == FRESH)
		return 0;
	memory->fresh[memory->nfresh++] = known;
	if (search(python, parent, module, name, &known->place))
		known->name = code_number(name, SPOOL_PYTHON_MODULE);
	else
		memory->nfailed++;
	return known->name;
}

bool module_is_new(void)
{
	return memory->nfresh;
}

void module_settle(bool stood)
{
	for (unsigned i = 0; i < memory->nfresh && !stood; i++)
		*memory->fresh[i] = (struct known_module){ 0 };
	memory->nfresh = 0;
}

int module_start(void)
{
	memory = sys_map_anew(memory, sizeof(*memory));
	return memory ? 0 : -1;
}
