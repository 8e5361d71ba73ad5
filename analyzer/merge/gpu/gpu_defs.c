/*
 * gpu_defs.c - definitions of devices: a location group per process and
 * device, a location per stream; see merge_gpu.h.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "merge/gpu/gpu.h"
#include "merge/write_defs.h"
#include "tacho/trace.h"

void gpu_define_strings(struct strings *s)
{
	static const char *const ops[TRACE_OP_COUNT] = {
#define OP(id, name) [TRACE_OP_##id] = name,
		TRACE_OPS(OP)
#undef OP
	};
	static const char *const memories[SPOOL_MEMORY_COUNT] = {
		[SPOOL_MEMORY_UNKNOWN] = "unknown",
		[SPOOL_MEMORY_PAGEABLE] = "pageable",
		[SPOOL_MEMORY_PINNED] = "pinned",
		[SPOOL_MEMORY_DEVICE] = "device",
		[SPOOL_MEMORY_ARRAY] = "array",
		[SPOOL_MEMORY_MANAGED] = "managed",
	};

	for (unsigned i = 1; i < TRACE_OP_COUNT; i++)
		string_ref(s, ops[i]);
	for (unsigned i = 0; i < SPOOL_MEMORY_COUNT; i++)
		string_ref(s, memories[i]);
}

static const struct spool_device *device_of(const struct process *p, uint32_t ordinal)
{
	for (uint32_t i = 1; i < p->spool->devices.n; i++)
		if (p->spool->devices.at[i].name && p->spool->devices.at[i].def.ordinal == ordinal)
			return &p->spool->devices.at[i];
	return NULL;
}

static void group_text(struct strings *s, uint32_t group, const char *key, const char *text)
{
	OTF2_AttributeValue value = { .stringRef = string_ref(s, text) };

	s->error |= OTF2_GlobalDefWriter_WriteLocationGroupProperty(s->out, group,
		string_ref(s, key), OTF2_TYPE_STRING, value);
}

/*
 * As the driver's tools write it: GPU-8 digits-4-4-4-12. An instance of a GPU that is shared out
 * has a UUID of its own, which the driver gives in its stead, and " MIG " in its name.
 */
static bool uuid_text(const uint8_t uuid[16], const char *name, char text[48])
{
	static const uint8_t none[16];
	int n = sprintf(text, strstr(name, " MIG ") ? "MIG-" : "GPU-");

	for (int i = 0; i < 16; i++)
		n += sprintf(text + n, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			uuid[i]);
	return memcmp(uuid, none, sizeof(none)) != 0;
}

static void device_properties(struct strings *s, uint32_t group, const struct spool_device *device)
{
	char text[48];

	if (!device)
		return;
	if (uuid_text(device->def.uuid, device->name, text))
		group_text(s, group, PROPERTY_DEVICE_UUID, text);
	if (*device->name)
		group_text(s, group, PROPERTY_DEVICE_NAME, device->name);
	if (device->def.pci_bus != UINT32_MAX) {
		snprintf(text, sizeof(text), "%04x:%02x:%02x.0",
			device->def.pci_domain == UINT32_MAX ? 0 : device->def.pci_domain,
			device->def.pci_bus, device->def.pci_device);
		group_text(s, group, PROPERTY_DEVICE_PCI, text);
	}
	group_text(s, group, PROPERTY_DEVICE_KIND,
		device->def.kind == DEVICE_STAND_IN ? "stand-in" : "gpu");
}

/* What the stream's definition says; the last one counts. */
static void stream_properties(struct strings *s, const struct process *p,
	const struct gpu_stream *stream, uint64_t location)
{
	const struct spool_def_stream *def = NULL;
	OTF2_AttributeValue value;

	for (uint32_t i = 1; i < p->spool->streams.n; i++)
		if (p->spool->streams.at[i].defined &&
			p->spool->streams.at[i].def.device == stream->device &&
			p->spool->streams.at[i].def.stream == stream->stream)
			def = &p->spool->streams.at[i].def;
	if (!def)
		return;
	value.stringRef = string_ref(s,
		def->flags & STREAM_DEFAULT		   ? STREAM_KIND_DEFAULT
			: def->flags & STREAM_NON_BLOCKING ? STREAM_KIND_NON_BLOCKING
							   : STREAM_KIND_BLOCKING);
	s->error |= OTF2_GlobalDefWriter_WriteLocationProperty(s->out, location,
		string_ref(s, PROPERTY_STREAM_KIND), OTF2_TYPE_STRING, value);
	value.int64 = def->priority;
	if (def->priority)
		s->error |= OTF2_GlobalDefWriter_WriteLocationProperty(s->out, location,
			string_ref(s, PROPERTY_STREAM_PRIORITY), OTF2_TYPE_INT64, value);
}

static void define_stream(struct strings *s, const struct process *p, uint32_t number,
	uint32_t group)
{
	const struct gpu_stream *stream = &p->gpu->streams[number];
	uint64_t location = p->gpu->first_location + number;
	char name[64];
	const char *form = stream->lane == GPU_LANE_OFF ? "not recorded [%u:%u]"
		: stream->lane				? "CUDA[%u:%u+%u]"
							: "CUDA[%u:%u]";

	snprintf(name, sizeof(name), form, stream->device, stream->stream, stream->lane);
	s->error |= OTF2_GlobalDefWriter_WriteLocation(s->out, location, string_ref(s, name),
		OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, stream->result.nevents, group);
	if (!stream->lane)
		stream_properties(s, p, stream, location);
}

/* Groups are numbered after those of all processes. */
void gpu_define_locations(struct merge *m, struct strings *s)
{
	uint32_t group = m->nprocesses;

	for (uint32_t i = 0; i < m->nprocesses; i++) {
		const struct process *p = &m->processes[i];

		for (uint32_t k = 0; p->gpu && k < p->gpu->nstreams; k++) {
			uint32_t device = p->gpu->streams[k].device;
			char name[96];

			if (k == 0 || p->gpu->streams[k - 1].device != device) {
				snprintf(name, sizeof(name), "%s GPU %u", p->name, device);
				s->error |= OTF2_GlobalDefWriter_WriteLocationGroup(s->out, group++,
					string_ref(s, name), OTF2_LOCATION_GROUP_TYPE_ACCELERATOR,
					p->node + 1, i);
				device_properties(s, group - 1, device_of(p, device));
			}
			define_stream(s, p, k, group - 1);
		}
	}
}
