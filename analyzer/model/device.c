/* device.c - see device.h. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/device.h"
#include "base/log.h"
#include "model/comm_kernel.h"
#include "model/model.h"

/* From the C++ runtime; its ABI fixes the name and the form. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

static bool same_text(const char *a, const char *b)
{
	return a && b && *a && strcmp(a, b) == 0;
}

/*
 * "CUDA[1:7]" is stream 7 of device 1. TAU writes "CUDA [1:2:7]" with the context in between, "GPU1
 * Queue7" and "GPU dev1:que7", all in the process's own group. Other names have no number.
 */
static bool stream_numbers(const char *name, uint32_t *device, uint64_t *stream)
{
	static const char *const forms[] = { "[%u:%*u:%llu", "[%u:%llu" };
	static const char *const names[] = { "GPU%u Queue%llu", "GPU dev%u:que%llu" };
	const char *at = strrchr(name, '[');
	unsigned int number;
	unsigned long long id;

	for (size_t i = 0; i < 2; i++)
		if ((at && sscanf(at, forms[i], &number, &id) == 2) ||
			sscanf(name, names[i], &number, &id) == 2) {
			*device = number;
			*stream = id;
			return true;
		}
	return false;
}

static bool used_as(const struct device *device, uint32_t process, uint32_t ordinal)
{
	for (size_t i = 0; i < device->uses.n; i++)
		if (device->uses.at[i].process == process && device->uses.at[i].ordinal == ordinal)
			return true;
	return false;
}

/* Equal uuids on a node are one device; without, the process and its number are the identity. */
static uint32_t device_find(const struct model *model, const char *uuid, uint32_t node,
	uint32_t process, uint32_t ordinal)
{
	for (size_t i = 0; i < model->devices.n; i++) {
		const struct device *device = &model->devices.at[i];

		if (uuid && *uuid ? same_text(device->uuid, uuid) && device->node == node
				  : !device->uuid && used_as(device, process, ordinal))
			return i;
	}
	return MODEL_NONE;
}

/* The number of the device, new or known. MODEL_NONE without memory. */
static uint32_t device_of(struct model *model, const struct in_group *group, uint32_t process,
	uint32_t ordinal)
{
	const char *uuid = property_find(&group->properties, PROPERTY_DEVICE_UUID);
	uint32_t node = process == MODEL_NONE ? MODEL_NONE : model->processes.at[process].node;
	uint32_t number = device_find(model, uuid, node, process, ordinal);
	struct device *device;
	struct device_use *use;

	if (number == MODEL_NONE) {
		device = ARRAY_ADD(&model->devices);
		if (!device)
			return MODEL_NONE;
		number = model->devices.n - 1;
		*device = (struct device){ .uuid = uuid && *uuid ? uuid : NULL,
			.node = node,
			.ordinal = ordinal,
			.name = property_find(&group->properties, PROPERTY_DEVICE_NAME),
			.pci = property_find(&group->properties, PROPERTY_DEVICE_PCI),
			.kind = property_find(&group->properties, PROPERTY_DEVICE_KIND) };
	}
	device = &model->devices.at[number];
	if (used_as(device, process, ordinal))
		return number;
	use = ARRAY_ADD(&device->uses);
	if (!use)
		return MODEL_NONE;
	*use = (struct device_use){ process, ordinal };
	return number;
}

/*
 * Index of a group among the accelerators of its process, for streams without a number in their
 * names.
 */
static uint32_t group_place(const struct model *model, uint32_t group)
{
	const struct archive *archive = model->archive;
	uint32_t place = 0;

	for (uint32_t i = 0; i < group; i++)
		place += archive->groups.at[i].type == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR &&
			archive->groups.at[i].creator == archive->groups.at[group].creator;
	return place;
}

static int stream_build(struct model *model, uint32_t number)
{
	struct location *location = &model->locations.at[number];
	const struct in_group *group;
	uint32_t ordinal, *stream;

	if (location->in->group == IDMAP_NONE)
		return 0;
	group = &model->archive->groups.at[location->in->group];
	if (!stream_numbers(location->in->name, &ordinal, &location->stream)) {
		ordinal = group->type == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR
			? group_place(model, location->in->group)
			: 0;
		location->stream = location->in->ref;
	}
	location->device = device_of(model, group, location->process, ordinal);
	location->ordinal = ordinal;
	if (location->device == MODEL_NONE)
		return -1;
	stream = ARRAY_ADD(&model->devices.at[location->device].streams);
	if (stream)
		*stream = number;
	return stream ? 0 : -1;
}

/*
 * rocprofv3 lists processors among the accelerators, with the copies to the host on them: "Thread
 * 123, Copy to CPU 0".
 */
static bool is_host_copies(const struct in_location *in)
{
	return in->type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM &&
		strstr(in->name, ", Copy to CPU ");
}

/* The one device that the process uses; MODEL_NONE: it uses none, or several. */
static uint32_t only_device(const struct model *model, uint32_t process)
{
	uint32_t only = MODEL_NONE;

	for (size_t i = 0; i < model->devices.n; i++)
		for (size_t k = 0; k < model->devices.at[i].uses.n; k++) {
			if (model->devices.at[i].uses.at[k].process != process)
				continue;
			if (only != MODEL_NONE)
				return MODEL_NONE;
			only = i;
		}
	return only;
}

/* Such copies are a stream of the process's device; with several devices the device is unknown. */
static int host_copies_build(struct model *model, uint32_t number)
{
	struct location *location = &model->locations.at[number];
	uint32_t *stream;

	location->device = only_device(model, location->process);
	location->stream = location->in->ref;
	if (location->device == MODEL_NONE) {
		location->process = MODEL_NONE;
		return 0;
	}
	location->ordinal = model->devices.at[location->device].ordinal;
	stream = ARRAY_ADD(&model->devices.at[location->device].streams);
	if (stream)
		*stream = number;
	return stream ? 0 : -1;
}

int devices_build(struct model *model)
{
	for (size_t i = 0; i < model->locations.n; i++) {
		const struct in_location *in = model->locations.at[i].in;

		model->locations.at[i].device = MODEL_NONE;
		if (in->type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM && !is_host_copies(in) &&
			stream_build(model, i) < 0)
			return -1;
	}
	for (size_t i = 0; i < model->locations.n; i++)
		if (is_host_copies(model->locations.at[i].in) && host_copies_build(model, i) < 0)
			return -1;
	return 0;
}

void devices_free(struct model *model)
{
	for (size_t i = 0; i < model->devices.n; i++) {
		free(model->devices.at[i].uses.at);
		free(model->devices.at[i].streams.at);
	}
	free(model->devices.at);
}

static bool begins(const char *name, const char *prefix)
{
	return strncasecmp(name, prefix, strlen(prefix)) == 0;
}

enum activity_class activity_classify(const struct in_region *region)
{
	const char *name = region->name;

	if (region->role == OTF2_REGION_ROLE_ALLOCATE ||
		region->role == OTF2_REGION_ROLE_DEALLOCATE ||
		region->role == OTF2_REGION_ROLE_REALLOCATE)
		return ACTIVITY_NONE;
	if (comm_kernel(name) != COMM_KERNEL_NONE)
		return ACTIVITY_NCCL;
	name += *name == '[';
	if (begins(name, "CUDA ") || begins(name, "HIP "))
		name = strchr(name, ' ') + 1;
	if (begins(name, "memcpy") || begins(name, "memset") || begins(name, "memory copy ") ||
		begins(name, "memory set") || region->role == OTF2_REGION_ROLE_DATA_TRANSFER)
		return ACTIVITY_MEMCPY;
	return ACTIVITY_COMPUTE;
}

enum device_call device_call_classify(const char *name)
{
	static const struct {
		const char *name;
		enum device_call call;
	} calls[] = {
		{ "StreamSynchronize", DEVICE_CALL_STREAM_SYNC },
		{ "DeviceSynchronize", DEVICE_CALL_DEVICE_SYNC },
		{ "CtxSynchronize", DEVICE_CALL_DEVICE_SYNC },
		{ "ThreadSynchronize", DEVICE_CALL_DEVICE_SYNC },
		{ "Free", DEVICE_CALL_FREE },
		{ "MemFree", DEVICE_CALL_FREE },
		{ "EventSynchronize", DEVICE_CALL_EVENT_SYNC },
		{ "EventRecord", DEVICE_CALL_RECORD },
		{ "EventRecordWithFlags", DEVICE_CALL_RECORD },
		{ "StreamWaitEvent", DEVICE_CALL_WAIT_EVENT },
		{ "StreamQuery", DEVICE_CALL_STREAM_QUERY },
		{ "EventQuery", DEVICE_CALL_EVENT_QUERY },
	};
	char plain[64];
	size_t len;

	name += begins(name, "cuda") ? 4 : begins(name, "hip") ? 3 : begins(name, "cu") ? 2 : 0;
	snprintf(plain, sizeof(plain), "%s", name);
	len = strcspn(plain, "_"); /* cuMemFree_v2, cudaEventRecord_ptsz */
	plain[len] = '\0';
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (strcmp(plain, calls[i].name) == 0)
			return calls[i].call;
	if ((begins(plain, "Memcpy") || begins(plain, "Memset")) && !strstr(plain, "Async"))
		return DEVICE_CALL_COPY;
	return begins(plain, "Memcpy") ? DEVICE_CALL_COPY : DEVICE_CALL_NONE;
}

char *kernel_name(const char *name)
{
	char *plain = NULL;
#ifdef HAVE_DEMANGLE
	int status;

	if (strncmp(name, "_Z", 2) == 0)
		plain = __cxa_demangle(name, NULL, NULL, &status);
#endif

	return plain ? plain : strdup(name);
}
