/* otf2_out_strings.c - the archive's strings; see otf2_out_strings.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "otf2/otf2_out_strings.h"
#include "tacho/trace.h"

static uint32_t hash(const char *text)
{
	uint64_t h = 14695981039346656037ull;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211ull;
	return h ^ h >> 32;
}

static struct string_slot *probe(struct string_slot *slots, uint32_t size, const char *text)
{
	uint32_t i = hash(text) & (size - 1);

	while (slots[i].text && strcmp(slots[i].text, text) != 0)
		i = (i + 1) & (size - 1);
	return &slots[i];
}

static int grow(struct strings *s)
{
	uint32_t size = s->size ? 2 * s->size : 1024;
	struct string_slot *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return -1;
	for (uint32_t i = 0; i < s->size; i++)
		if (s->slots[i].text)
			*probe(slots, size, s->slots[i].text) = s->slots[i];
	free(s->slots);
	s->slots = slots;
	s->size = size;
	return 0;
}

uint32_t string_ref(struct strings *strings, const char *text)
{
	struct string_slot *slot;

	if (2 * strings->n >= strings->size && grow(strings) < 0)
		goto no_memory;
	slot = probe(strings->slots, strings->size, text);
	if (slot->text)
		return slot->ref;
	slot->text = strdup(text);
	if (!slot->text)
		goto no_memory;
	slot->ref = strings->n++;
	strings->error |= OTF2_GlobalDefWriter_WriteString(strings->out, slot->ref, text);
	return slot->ref;
no_memory:
	if (!strings->error)
		log_error("out of memory");
	strings->error |= OTF2_ERROR_MEM_ALLOC_FAILED;
	return OTF2_UNDEFINED_STRING;
}

void strings_define_attributes(struct strings *s)
{
#define ATTRIBUTE(id, name, type, text)                                                            \
	s->error |= OTF2_GlobalDefWriter_WriteAttribute(s->out, ATTRIBUTE_##id,                    \
		string_ref(s, name), string_ref(s, text), OTF2_TYPE_##type);
	TRACE_ATTRIBUTES(ATTRIBUTE)
#undef ATTRIBUTE
	s->error |= OTF2_GlobalDefWriter_WriteParameter(s->out, TRACE_PARAMETER_STEP,
		string_ref(s, PARAMETER_STEP), OTF2_PARAMETER_TYPE_UINT64);
	s->error |= OTF2_GlobalDefWriter_WriteParameter(s->out, TRACE_PARAMETER_OPERATION,
		string_ref(s, PARAMETER_OPERATION), OTF2_PARAMETER_TYPE_UINT64);
}

void strings_free(struct strings *strings)
{
	for (uint32_t i = 0; i < strings->size; i++)
		free(strings->slots[i].text);
	free(strings->slots);
}
