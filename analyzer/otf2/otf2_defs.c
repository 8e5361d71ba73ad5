/*
 * otf2_defs.c - copies the definitions of an archive without interpreting them (model.c does that).
 * Invalid references become NULL or IDMAP_NONE.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "base/log.h"
#include "otf2/otf2_defs.h"
#include "tacho/trace.h"

/*
 * A fresh entry of a table under its reference. Returns from the callback when there is one
 * already: the first definition holds (so nothing can contain itself either), and when there is no
 * memory.
 */
#define TABLE_ADD(archive, table, id)                                                              \
	__extension__({                                                                            \
		__typeof__((archive)->table.at) new_;                                              \
		if (idmap_find(&(archive)->table.map, id) != IDMAP_NONE)                           \
			return OTF2_CALLBACK_SUCCESS;                                              \
		new_ = ARRAY_ADD(&(archive)->table);                                               \
		if (!new_ ||                                                                       \
			idmap_set(&(archive)->table.map, id,                                       \
				(uint32_t)(new_ - (archive)->table.at)) < 0) {                     \
			(archive)->failed = true;                                                  \
			return OTF2_CALLBACK_INTERRUPT;                                            \
		}                                                                                  \
		new_;                                                                              \
	})

static const char *text(const struct archive *archive, OTF2_StringRef ref)
{
	uint32_t i = idmap_find(&archive->strings.map, ref);

	guard->progress++;
	return i == IDMAP_NONE ? "" : archive->strings.at[i];
}

static OTF2_CallbackCode add_property(struct archive *archive, in_properties *to,
	OTF2_StringRef key, OTF2_Type type, OTF2_AttributeValue value)
{
	struct in_property *property = ARRAY_ADD(to);
	char number[32];
	const char *shown = number;

	switch (type) {
	case OTF2_TYPE_STRING: shown = text(archive, value.stringRef); break;
	case OTF2_TYPE_UINT8: snprintf(number, sizeof(number), "%u", value.uint8); break;
	case OTF2_TYPE_UINT16: snprintf(number, sizeof(number), "%u", value.uint16); break;
	case OTF2_TYPE_UINT32: snprintf(number, sizeof(number), "%" PRIu32, value.uint32); break;
	case OTF2_TYPE_UINT64: snprintf(number, sizeof(number), "%" PRIu64, value.uint64); break;
	case OTF2_TYPE_INT8: snprintf(number, sizeof(number), "%d", value.int8); break;
	case OTF2_TYPE_INT16: snprintf(number, sizeof(number), "%d", value.int16); break;
	case OTF2_TYPE_INT32: snprintf(number, sizeof(number), "%" PRId32, value.int32); break;
	case OTF2_TYPE_INT64: snprintf(number, sizeof(number), "%" PRId64, value.int64); break;
	case OTF2_TYPE_DOUBLE: snprintf(number, sizeof(number), "%.17g", value.float64); break;
	default: shown = ""; break;
	}
	if (property) {
		property->key = strdup(text(archive, key));
		property->value = strdup(shown);
	}
	if (!property || !property->key || !property->value) {
		archive->failed = true;
		return OTF2_CALLBACK_INTERRUPT;
	}
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_clock(void *user, uint64_t resolution, uint64_t offset, uint64_t length,
	uint64_t realtime)
{
	struct archive *archive = user;

	archive->length = length;
	archive->resolution = resolution;
	archive->offset = offset;
	archive->realtime_ns = realtime == OTF2_UNDEFINED_TIMESTAMP ? 0 : realtime;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *user, OTF2_StringRef self, const char *string)
{
	struct archive *archive = user;
	char **at = TABLE_ADD(archive, strings, self);

	*at = strdup(string);
	archive->failed |= !*at;
	return archive->failed ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_attribute(void *user, OTF2_AttributeRef self, OTF2_StringRef name,
	OTF2_StringRef description, OTF2_Type type)
{
	struct archive *archive = user;

	(void)description;
	*TABLE_ADD(archive, attributes, self) = (struct in_attribute){ .ref = self,
		.name = text(archive, name),
		.type = type };
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_node(void *user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
	OTF2_StringRef class_name, OTF2_SystemTreeNodeRef parent)
{
	struct archive *archive = user;

	*TABLE_ADD(archive, nodes, self) = (struct in_node){ .ref = self,
		.name = text(archive, name),
		.class_name = text(archive, class_name),
		.parent = idmap_find(&archive->nodes.map, parent) };
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *user, OTF2_LocationGroupRef self, OTF2_StringRef name,
	OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node, OTF2_LocationGroupRef creator)
{
	struct archive *archive = user;

	*TABLE_ADD(archive, groups, self) = (struct in_group){ .ref = self,
		.name = text(archive, name),
		.type = type,
		.node = idmap_find(&archive->nodes.map, node),
		.creator = idmap_find(&archive->groups.map, creator) };
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name,
	OTF2_LocationType type, uint64_t nevents, OTF2_LocationGroupRef group)
{
	struct archive *archive = user;

	*TABLE_ADD(archive, locations, self) = (struct in_location){ .ref = self,
		.name = text(archive, name),
		.type = type,
		.nevents = nevents,
		.group = idmap_find(&archive->groups.map, group) };
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *user, OTF2_RegionRef self, OTF2_StringRef name,
	OTF2_StringRef canonical, OTF2_StringRef description, OTF2_RegionRole role,
	OTF2_Paradigm paradigm, OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
	uint32_t end)
{
	struct archive *archive = user;

	(void)canonical, (void)flags, (void)begin, (void)end;
	*TABLE_ADD(archive, regions, self) = (struct in_region){ .ref = self,
		.name = text(archive, name),
		.description = text(archive, description),
		.role = role,
		.paradigm = paradigm,
		.file = text(archive, file) };
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_source(void *user, OTF2_SourceCodeLocationRef self, OTF2_StringRef file,
	uint32_t line)
{
	struct archive *archive = user;

	*TABLE_ADD(archive, sources, self) = (struct in_source){ .ref = self,
		.file = text(archive, file),
		.line = line };
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_context(void *user, OTF2_CallingContextRef self, OTF2_RegionRef region,
	OTF2_SourceCodeLocationRef source, OTF2_CallingContextRef parent)
{
	struct archive *archive = user;

	guard->progress++;
	*TABLE_ADD(archive, contexts, self) = (struct in_context){ .ref = self,
		.region = region,
		.source = source,
		.parent = idmap_find(&archive->contexts.map, parent) == IDMAP_NONE
			? OTF2_UNDEFINED_CALLING_CONTEXT
			: parent };
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_members(void *user, OTF2_GroupRef self, OTF2_StringRef name,
	OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t n,
	const uint64_t *members)
{
	struct archive *archive = user;
	bool is_list = type == OTF2_GROUP_TYPE_COMM_LOCATIONS;
	struct in_members *at = TABLE_ADD(archive, members, is_list ? IN_LIST(self) : self);

	(void)name, (void)flags;
	*at = (struct in_members){ .ref = self,
		.type = type,
		.paradigm = paradigm,
		.members = calloc(n ? n : 1, sizeof(*members)) };
	if (!at->members) {
		archive->failed = true;
		return OTF2_CALLBACK_INTERRUPT;
	}
	memcpy(at->members, members, n * sizeof(*members));
	at->n = n;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_comm(void *user, OTF2_CommRef self, OTF2_StringRef name,
	OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
	struct archive *archive = user;

	(void)parent, (void)flags;
	*TABLE_ADD(archive, comms, self) = (struct in_comm){ .ref = self,
		.name = text(archive, name),
		.group = group,
		.remote = group };
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_intercomm(void *user, OTF2_CommRef self, OTF2_StringRef name,
	OTF2_GroupRef a, OTF2_GroupRef b, OTF2_CommRef common, OTF2_CommFlag flags)
{
	struct archive *archive = user;

	(void)common, (void)flags;
	*TABLE_ADD(archive, comms, self) = (struct in_comm){ .ref = self,
		.name = text(archive, name),
		.group = a,
		.remote = b,
		.inter = true };
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_window(void *user, OTF2_RmaWinRef self, OTF2_StringRef name,
	OTF2_CommRef comm, OTF2_RmaWinFlag flags)
{
	struct archive *archive = user;

	(void)name, (void)flags;
	*TABLE_ADD(archive, windows, self) = (struct in_window){ .ref = self, .comm = comm };
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_file(void *user, OTF2_IoFileRef self, OTF2_StringRef name,
	OTF2_SystemTreeNodeRef scope)
{
	struct archive *archive = user;

	(void)scope;
	*TABLE_ADD(archive, files, self) = (struct in_file){ .ref = self,
		.path = text(archive, name),
		.other = UINT64_MAX };
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_file_property(void *user, OTF2_IoFileRef self, OTF2_StringRef name,
	OTF2_Type type, OTF2_AttributeValue value)
{
	struct archive *archive = user;
	uint32_t at = idmap_find(&archive->files.map, self);
	const char *key = text(archive, name);

	if (at == IDMAP_NONE)
		return OTF2_CALLBACK_SUCCESS;
	if (type == OTF2_TYPE_STRING && strcmp(key, PROPERTY_SOCKET) == 0)
		archive->files.at[at].socket = text(archive, value.stringRef);
	if (type == OTF2_TYPE_UINT64 && strcmp(key, PROPERTY_SOCKET_PEER) == 0)
		archive->files.at[at].other = value.uint64;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_handle(void *user, OTF2_IoHandleRef self, OTF2_StringRef name,
	OTF2_IoFileRef file, OTF2_IoParadigmRef paradigm, OTF2_IoHandleFlag flags,
	OTF2_CommRef comm, OTF2_IoHandleRef parent)
{
	struct archive *archive = user;

	(void)paradigm, (void)parent;
	*TABLE_ADD(archive, handles, self) = (struct in_handle){ .ref = self,
		.name = text(archive, name),
		.file = file,
		.comm = comm,
		.created = flags & OTF2_IO_HANDLE_FLAG_PRE_CREATED };
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_metric_member(void *user, OTF2_MetricMemberRef self,
	OTF2_StringRef name, OTF2_StringRef description, OTF2_MetricType metric_type,
	OTF2_MetricMode mode, OTF2_Type type, OTF2_Base base, int64_t exponent, OTF2_StringRef unit)
{
	struct archive *archive = user;

	(void)metric_type, (void)type, (void)base, (void)exponent;
	*TABLE_ADD(archive, metric_members, self) = (struct in_metric_member){ .ref = self,
		.name = text(archive, name),
		.description = text(archive, description),
		.unit = text(archive, unit),
		.accumulated = (mode & OTF2_METRIC_VALUE_MASK) == OTF2_METRIC_VALUE_ACCUMULATED };
	return OTF2_CALLBACK_SUCCESS;
}

/* A metric with room for its members, which were counted before; NULL: out of memory. */
static struct in_metric *metric_add(struct archive *archive, uint64_t self, uint32_t n)
{
	uint32_t *members = calloc(n ? n : 1, sizeof(*members));
	struct in_metric *metric = members ? ARRAY_ADD(&archive->metrics) : NULL;

	if (!metric ||
		idmap_set(&archive->metrics.map, self, (uint32_t)(metric - archive->metrics.at)) <
			0) {
		free(members);
		archive->failed = true;
		return NULL;
	}
	*metric = (struct in_metric){ .ref = self,
		.members = members,
		.n = n,
		.node = IDMAP_NONE,
		.group = IDMAP_NONE };
	return metric;
}

static bool metric_known(const struct archive *archive, uint64_t self)
{
	return idmap_find(&archive->metrics.map, self) != IDMAP_NONE;
}

static OTF2_CallbackCode on_metric_class(void *user, OTF2_MetricRef self, uint8_t n,
	const OTF2_MetricMemberRef *members, OTF2_MetricOccurrence occurrence,
	OTF2_RecorderKind recorder)
{
	struct archive *archive = user;
	struct in_metric *metric;

	(void)occurrence, (void)recorder;
	if (metric_known(archive, self))
		return OTF2_CALLBACK_SUCCESS;
	metric = metric_add(archive, self, n);
	for (uint8_t i = 0; metric && i < n; i++)
		metric->members[i] = idmap_find(&archive->metric_members.map, members[i]);
	return metric ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}

static OTF2_CallbackCode on_metric_instance(void *user, OTF2_MetricRef self, OTF2_MetricRef of,
	OTF2_LocationRef recorder, OTF2_MetricScope kind, uint64_t scope)
{
	struct archive *archive = user;
	uint32_t class = idmap_find(&archive->metrics.map, of);
	struct in_metric *metric;

	(void)recorder;
	if (class == IDMAP_NONE || metric_known(archive, self))
		return OTF2_CALLBACK_SUCCESS;
	metric = metric_add(archive, self, archive->metrics.at[class].n);
	if (!metric)
		return OTF2_CALLBACK_INTERRUPT;
	memcpy(metric->members, archive->metrics.at[class].members,
		metric->n * sizeof(*metric->members));
	metric->scoped = true;
	if (kind == OTF2_SCOPE_SYSTEM_TREE_NODE)
		metric->node = idmap_find(&archive->nodes.map, scope);
	if (kind == OTF2_SCOPE_LOCATION_GROUP)
		metric->group = idmap_find(&archive->groups.map, scope);
	return OTF2_CALLBACK_SUCCESS;
}

#define ON_PROPERTY(what, table, type_of_ref)                                                      \
	static OTF2_CallbackCode on_##what##_property(void *user, type_of_ref ref,                 \
		OTF2_StringRef name, OTF2_Type type, OTF2_AttributeValue value)                    \
	{                                                                                          \
		struct archive *archive = user;                                                    \
		uint32_t i = idmap_find(&archive->table.map, ref);                                 \
                                                                                                   \
		return i == IDMAP_NONE ? OTF2_CALLBACK_SUCCESS                                     \
				       : add_property(archive, &archive->table.at[i].properties,   \
						 name, type, value);                               \
	}
ON_PROPERTY(node, nodes, OTF2_SystemTreeNodeRef)
ON_PROPERTY(group, groups, OTF2_LocationGroupRef)
ON_PROPERTY(location, locations, OTF2_LocationRef)

static OTF2_GlobalDefReaderCallbacks *callbacks_new(void)
{
	OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();

#define SET(what, function) OTF2_GlobalDefReaderCallbacks_Set##what##Callback(callbacks, function)
	if (callbacks) {
		SET(ClockProperties, on_clock);
		SET(String, on_string);
		SET(Attribute, on_attribute);
		SET(SystemTreeNode, on_node);
		SET(SystemTreeNodeProperty, on_node_property);
		SET(LocationGroup, on_group);
		SET(LocationGroupProperty, on_group_property);
		SET(Location, on_location);
		SET(LocationProperty, on_location_property);
		SET(Region, on_region);
		SET(SourceCodeLocation, on_source);
		SET(CallingContext, on_context);
		SET(Group, on_members);
		SET(Comm, on_comm);
		SET(InterComm, on_intercomm);
		SET(RmaWin, on_window);
		SET(IoRegularFile, on_file);
		SET(IoDirectory, on_file);
		SET(IoFileProperty, on_file_property);
		SET(IoHandle, on_handle);
		SET(MetricMember, on_metric_member);
		SET(MetricClass, on_metric_class);
		SET(MetricInstance, on_metric_instance);
	}
#undef SET
	return callbacks;
}

int definitions_read(struct archive *archive)
{
	OTF2_GlobalDefReader *reader = OTF2_Reader_GetGlobalDefReader(archive->reader);
	OTF2_GlobalDefReaderCallbacks *callbacks = reader ? callbacks_new() : NULL;
	OTF2_ErrorCode code = OTF2_ERROR_INVALID;
	uint64_t n;

	if (callbacks) {
		code = OTF2_Reader_RegisterGlobalDefCallbacks(archive->reader, reader, callbacks,
			archive);
		if (code == OTF2_SUCCESS)
			code = OTF2_Reader_ReadAllGlobalDefinitions(archive->reader, reader, &n);
		OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
	}
	if (reader)
		OTF2_Reader_CloseGlobalDefReader(archive->reader, reader);
	if (archive->failed || code != OTF2_SUCCESS) {
		log_error(
			"cannot read the definitions of %s%s: is its .def file there and complete?",
			archive->path, archive->failed ? " (out of memory)" : "");
		return -1;
	}
	return 0;
}

static void properties_free(in_properties *properties)
{
	for (size_t i = 0; i < properties->n; i++) {
		free(properties->at[i].key);
		free(properties->at[i].value);
	}
	free(properties->at);
}

#define TABLE_FREE(table) (free((table)->at), idmap_free(&(table)->map))

void definitions_free(struct archive *archive)
{
	for (size_t i = 0; i < archive->nodes.n; i++)
		properties_free(&archive->nodes.at[i].properties);
	for (size_t i = 0; i < archive->groups.n; i++)
		properties_free(&archive->groups.at[i].properties);
	for (size_t i = 0; i < archive->locations.n; i++)
		properties_free(&archive->locations.at[i].properties);
	for (size_t i = 0; i < archive->members.n; i++)
		free(archive->members.at[i].members);
	for (size_t i = 0; i < archive->strings.n; i++)
		free(archive->strings.at[i]);
	properties_free(&archive->properties);
	TABLE_FREE(&archive->strings);
	TABLE_FREE(&archive->nodes);
	TABLE_FREE(&archive->groups);
	TABLE_FREE(&archive->locations);
	TABLE_FREE(&archive->regions);
	TABLE_FREE(&archive->sources);
	TABLE_FREE(&archive->contexts);
	TABLE_FREE(&archive->members);
	TABLE_FREE(&archive->comms);
	TABLE_FREE(&archive->windows);
	TABLE_FREE(&archive->files);
	TABLE_FREE(&archive->handles);
	TABLE_FREE(&archive->attributes);
	for (size_t i = 0; i < archive->metrics.n; i++)
		free(archive->metrics.at[i].members);
	TABLE_FREE(&archive->metrics);
	TABLE_FREE(&archive->metric_members);
}
