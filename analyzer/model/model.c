/* model.c - see model.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "model/model.h"
#include "model/neighbours.h"
#include "model/region.h"

static const char *const attribute_names[ATTRIBUTE_COUNT] = {
#define ATTRIBUTE(id, name, type, text) [ATTRIBUTE_##id] = name,
	TRACE_ATTRIBUTES(ATTRIBUTE)
#undef ATTRIBUTE
};

static void attributes_build(struct model *model)
{
	for (int i = 0; i < ATTRIBUTE_COUNT; i++) {
		model->attributes[i] = OTF2_UNDEFINED_ATTRIBUTE;
		for (size_t k = 0; k < model->archive->attributes.n; k++)
			if (strcmp(model->archive->attributes.at[k].name, attribute_names[i]) == 0)
				model->attributes[i] = model->archive->attributes.at[k].ref;
	}
}

/* True if the archive marks nodes by their class: then locations outside of them have no node. */
static bool names_nodes(const struct archive *archive)
{
	for (size_t i = 0; i < archive->nodes.n; i++)
		if (strcmp(archive->nodes.at[i].class_name, "node") == 0)
			return true;
	return false;
}

/*
 * The number of the node above a tree node: the nearest one of class "node"; itself if there is
 * none. A rank without a spool is directly in the machine: its node is unknown.
 */
static uint32_t node_of(struct model *model, uint32_t tree)
{
	const struct archive *archive = model->archive;
	uint32_t at = tree, found = tree;
	struct node *node;

	for (size_t depth = 0; at != IDMAP_NONE && depth < archive->nodes.n; depth++) {
		if (strcmp(archive->nodes.at[at].class_name, "node") == 0) {
			found = at;
			break;
		}
		at = archive->nodes.at[at].parent;
	}
	if (found == IDMAP_NONE || (at == IDMAP_NONE && names_nodes(archive)))
		return MODEL_NONE;
	for (size_t i = 0; i < model->nodes.n; i++)
		if (strcmp(model->nodes.at[i].hostname, archive->nodes.at[found].name) == 0)
			return i;
	node = ARRAY_ADD(&model->nodes);
	if (!node)
		return MODEL_NONE;
	*node = (struct node){ archive->nodes.at[found].name,
		&archive->nodes.at[found].properties };
	return model->nodes.n - 1;
}

static int64_t property_number(const in_properties *properties, const char *key)
{
	const char *value = property_find(properties, key);
	char *end;
	long long number = value && *value ? strtoll(value, &end, 10) : -1;

	return value && *value && *end == '\0' ? number : -1;
}

/* MPI's list of locations; NULL: the archive knows no MPI. */
static const struct in_members *mpi_locations(const struct archive *archive)
{
	for (size_t i = 0; i < archive->members.n; i++)
		if (archive->members.at[i].type == OTF2_GROUP_TYPE_COMM_LOCATIONS &&
			archive->members.at[i].paradigm == OTF2_PARADIGM_MPI)
			return &archive->members.at[i];
	return NULL;
}

/* By group: the first of its ranks in MPI's list, -1 when it is not in it. */
static int64_t *mpi_ranks(const struct archive *archive, const struct in_members *members)
{
	int64_t *ranks = malloc((archive->groups.n + 1) * sizeof(*ranks));

	for (size_t i = 0; ranks && i < archive->groups.n; i++)
		ranks[i] = -1;
	for (uint32_t rank = members ? members->n : 0; ranks && rank > 0; rank--) {
		uint32_t location = idmap_find(&archive->locations.map, members->members[rank - 1]);
		uint32_t group = location == IDMAP_NONE ? IDMAP_NONE
							: archive->locations.at[location].group;

		if (group != IDMAP_NONE)
			ranks[group] = rank - 1;
	}
	return ranks;
}

/*
 * A child has a rank of tacho's property in the name only; elsewhere MPI's list, else the order
 * decides.
 */
static int64_t process_rank(const struct model *model, uint32_t group, const int64_t *mpi_rank)
{
	const struct in_group *in = &model->archive->groups.at[group];
	int64_t rank = property_number(&in->properties, PROPERTY_RANK);

	if (property_find(&in->properties, PROPERTY_PARENT))
		return -1;
	if (rank >= 0)
		return rank;
	return mpi_rank ? *mpi_rank : (int64_t)model->processes.n - 1;
}

static uint32_t process_parent(const struct model *model, const struct in_group *in)
{
	const char *name = property_find(&in->properties, PROPERTY_PARENT);

	for (size_t i = 0; name && i < model->processes.n; i++)
		if (model->processes.at[i].group != in &&
			strcmp(model->processes.at[i].group->name, name) == 0)
			return i;
	return MODEL_NONE;
}

/* Ranks of other attempts have no parent: their figures do not count in the run. */
static void attempts_part(struct model *model)
{
	for (size_t i = 0; i < model->processes.n && model->attempt <= 0; i++)
		if (model->processes.at[i].rank >= 0)
			model->attempt = model->processes.at[i].attempt;
	for (size_t i = 0; i < model->processes.n; i++) {
		struct process *p = &model->processes.at[i];

		model->has_attempts |= model_is_other_attempt(model, i);
		if (model_is_other_attempt(model, i) && p->parent != MODEL_NONE &&
			model->processes.at[p->parent].attempt != p->attempt)
			p->parent = MODEL_NONE;
	}
}

/*
 * The process of an accelerator: its creator; where that is not recorded (rocprofv3), the only one that
 * there is.
 */
static uint32_t group_process(const struct model *model, const uint32_t *of_group, size_t group)
{
	const struct in_group *in = &model->archive->groups.at[group];

	if (in->creator != IDMAP_NONE)
		return of_group[in->creator];
	return in->type == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR && model->processes.n == 1
		? 0
		: MODEL_NONE;
}

/* Processes, and the map from location groups to them. */
static int processes_build(struct model *model, uint32_t *of_group)
{
	const struct archive *archive = model->archive;
	const struct in_members *members = mpi_locations(archive);
	int64_t *ranks = mpi_ranks(archive, members);

	for (size_t i = 0; ranks && i < archive->groups.n; i++) {
		const struct in_group *in = &archive->groups.at[i];
		struct process *process;

		of_group[i] = MODEL_NONE;
		if (in->type != OTF2_LOCATION_GROUP_TYPE_PROCESS)
			continue;
		process = ARRAY_ADD(&model->processes);
		if (!process) {
			free(ranks);
			return -1;
		}
		*process = (struct process){ .group = in,
			.node = node_of(model, in->node),
			.main = MODEL_NONE,
			.pid = property_number(&in->properties, PROPERTY_PID),
			.exit_status = property_number(&in->properties, PROPERTY_EXIT_STATUS),
			.unmarked = property_find(&in->properties, PROPERTY_UNMARKED) != NULL,
			.attempt = property_number(&in->properties, PROPERTY_ATTEMPT),
			.signal = property_number(&in->properties, PROPERTY_SIGNAL),
			.shm_bytes = property_number(&in->properties, PROPERTY_SHM_BYTES),
			.shm_used = property_number(&in->properties, PROPERTY_SHM_USED) };
		process->rank = process_rank(model, i, members ? &ranks[i] : NULL);
		model->nranks += process->rank >= 0;
		of_group[i] = model->processes.n - 1;
	}
	if (!ranks)
		return -1;
	free(ranks);
	for (size_t i = 0; i < model->processes.n; i++)
		model->processes.at[i].parent = process_parent(model, model->processes.at[i].group);
	attempts_part(model);
	for (size_t i = 0; i < archive->groups.n; i++)
		if (of_group[i] == MODEL_NONE)
			of_group[i] = group_process(model, of_group, i);
	return 0;
}

/* The main thread: marked, else the one in MPI's list, else the first. */
static bool more_main(const struct model *model, const struct location *candidate, uint32_t present)
{
	const struct archive *archive = model->archive;
	const char *mark = property_find(&candidate->in->properties, PROPERTY_MAIN);

	if (candidate->in->type != OTF2_LOCATION_TYPE_CPU_THREAD)
		return false;
	if (present == MODEL_NONE || (mark && strcmp(mark, "1") == 0))
		return true;
	if (property_find(&model->locations.at[present].in->properties, PROPERTY_MAIN))
		return false;
	for (size_t i = 0; i < archive->members.n; i++) {
		const struct in_members *members = &archive->members.at[i];

		if (members->type != OTF2_GROUP_TYPE_COMM_LOCATIONS ||
			members->paradigm != OTF2_PARADIGM_MPI)
			continue;
		for (uint32_t k = 0; k < members->n; k++)
			if (members->members[k] == candidate->in->ref)
				return true;
	}
	return false;
}

static int locations_build(struct model *model, const uint32_t *of_group)
{
	const struct archive *archive = model->archive;

	for (size_t i = 0; i < archive->locations.n; i++) {
		const struct in_location *in = &archive->locations.at[i];
		struct location *location = ARRAY_ADD(&model->locations);
		struct process *process;

		if (!location)
			return -1;
		*location = (struct location){ .in = in,
			.process = in->group == IDMAP_NONE ? MODEL_NONE : of_group[in->group] };
		if (location->process == MODEL_NONE)
			continue;
		process = &model->processes.at[location->process];
		if (more_main(model, location, process->main))
			process->main = i;
	}
	for (size_t i = 0; i < model->processes.n; i++)
		if (model->processes.at[i].main != MODEL_NONE)
			model->locations.at[model->processes.at[i].main].is_main = true;
	return 0;
}

/*
 * A communicator's group as processes: its members are places in the list of its paradigm's
 * locations. `devices` (NULL: not wanted) becomes which device each location belongs to.
 */
static uint32_t *members_build(const struct model *model, uint64_t ref, uint32_t *n,
	uint32_t **devices)
{
	const struct archive *archive = model->archive;
	uint32_t at = idmap_find(&archive->members.map, ref);
	const struct in_members *group = at == IDMAP_NONE ? NULL : &archive->members.at[at],
				*list = NULL;
	uint32_t *processes;

	*n = 0;
	if (!group || group->type == OTF2_GROUP_TYPE_COMM_SELF)
		return NULL;
	for (size_t i = 0; i < archive->members.n && !list; i++)
		if (archive->members.at[i].type == OTF2_GROUP_TYPE_COMM_LOCATIONS &&
			archive->members.at[i].paradigm == group->paradigm)
			list = &archive->members.at[i];
	processes = calloc(group->n ? group->n : 1, sizeof(*processes));
	if (devices)
		*devices = calloc(group->n ? group->n : 1, sizeof(**devices));
	for (uint32_t i = 0; processes && i < group->n; i++) {
		uint64_t location = list && group->members[i] < list->n
			? list->members[group->members[i]]
			: OTF2_UNDEFINED_LOCATION;
		uint32_t number = idmap_find(&archive->locations.map, location);

		processes[i] = number == IDMAP_NONE ? MODEL_NONE
						    : model->locations.at[number].process;
		if (devices && *devices)
			(*devices)[i] = number == IDMAP_NONE ? MODEL_NONE
							     : model->locations.at[number].device;
	}
	*n = group->n;
	return processes;
}

static bool is_self(const struct model *model, uint64_t ref)
{
	uint32_t at = idmap_find(&model->archive->members.map, ref);

	return at != IDMAP_NONE && model->archive->members.at[at].type == OTF2_GROUP_TYPE_COMM_SELF;
}

static bool spans_nodes(const struct model *model, const struct comm *comm)
{
	uint32_t first = MODEL_NONE;

	for (uint32_t i = 0; i < comm->nmembers; i++) {
		uint32_t node = comm->members[i] == MODEL_NONE
			? MODEL_NONE
			: model->processes.at[comm->members[i]].node;

		if (node != MODEL_NONE && first != MODEL_NONE && node != first)
			return true;
		first = node != MODEL_NONE ? node : first;
	}
	return false;
}

/* The second group of an inter-communicator sees the first as the other one. */
uint32_t model_peer(struct model *model, uint32_t comm, uint32_t self, uint32_t rank)
{
	const struct comm *at = &model->comms.at[comm];
	bool second = at->inter && model_comm_rank(model, comm, self) == MODEL_NONE;
	uint32_t n = second ? at->nmembers : at->nremote;

	if (!at->members)
		return self;
	return rank >= n ? MODEL_NONE : second ? at->members[rank] : at->remote[rank];
}

/* Puts both groups of an inter-communicator one after the other. */
static int groups_join(struct model *model, const struct in_comm *in, struct comm *comm)
{
	uint32_t *other = members_build(model, in->remote, &comm->nremote, NULL);
	uint32_t *all = realloc(comm->members,
		((size_t)comm->nmembers + comm->nremote + 1) * sizeof(*all));

	if (all) {
		comm->members = all;
		comm->remote = all + comm->nmembers;
		comm->nall = comm->nmembers + (other ? comm->nremote : 0);
		memcpy(comm->remote, other ? other : all,
			(comm->nall - comm->nmembers) * sizeof(*all));
		comm->nremote = comm->nall - comm->nmembers;
	}
	free(other);
	return all ? 0 : -1;
}

static int comms_build(struct model *model)
{
	for (size_t i = 0; i < model->archive->comms.n; i++) {
		const struct in_comm *in = &model->archive->comms.at[i];
		struct comm *comm = ARRAY_ADD(&model->comms);

		if (!comm)
			return -1;
		comm->name = in->name;
		comm->members = members_build(model, in->group, &comm->nmembers, &comm->devices);
		comm->remote = comm->members;
		comm->nremote = comm->nmembers;
		comm->gloo = strncmp(in->name, COMM_PREFIX_TORCH, strlen(COMM_PREFIX_TORCH)) == 0;
		comm->spans_nodes = spans_nodes(model, comm);
		comm->self = is_self(model, in->group);
		comm->nall = comm->nmembers;
		comm->inter = in->inter && comm->members && !comm->self;
		if (comm->inter && groups_join(model, in, comm) < 0)
			return -1;
	}
	return 0;
}

static int files_build(struct model *model)
{
	const struct archive *archive = model->archive;
	struct file *file;

	model->handle_files = calloc(archive->handles.n + 1, sizeof(*model->handle_files));
	for (size_t i = 0; i < archive->files.n; i++)
		if ((file = ARRAY_ADD(&model->files))) {
			uint32_t other = idmap_find(&archive->files.map,
				archive->files.at[i].other);

			*file = (struct file){ archive->files.at[i].path,
				archive->files.at[i].socket,
				other == IDMAP_NONE ? MODEL_NONE : other };
		}
	for (size_t i = 0; model->handle_files && i < archive->handles.n; i++) {
		uint32_t at = idmap_find(&archive->files.map, archive->handles.at[i].file);

		if (at == IDMAP_NONE) { /* stdin, a socket: its own name is all there is */
			at = model->files.n;
			if ((file = ARRAY_ADD(&model->files)))
				*file = (struct file){ archive->handles.at[i].name, NULL,
					MODEL_NONE };
		}
		model->handle_files[i] = at;
	}
	if ((file = ARRAY_ADD(&model->files)))
		*file = (struct file){ "(unknown)", NULL, MODEL_NONE };
	return file && model->handle_files ? 0 : -1;
}

uint32_t model_handle_file(const struct model *model, uint64_t ref)
{
	uint32_t at = idmap_find(&model->archive->handles.map, ref);

	return at == IDMAP_NONE ? model->files.n - 1 : model->handle_files[at];
}

uint32_t model_handle_comm(const struct model *model, uint64_t ref)
{
	uint32_t at = idmap_find(&model->archive->handles.map, ref);

	return at == IDMAP_NONE || model->archive->handles.at[at].comm == OTF2_UNDEFINED_COMM
		? MODEL_NONE
		: model_comm(model, model->archive->handles.at[at].comm);
}

static int regions_build(struct model *model)
{
	for (size_t i = 0; i < model->archive->regions.n; i++) {
		struct region *region = ARRAY_ADD(&model->regions);

		if (!region)
			return -1;
		*region = region_classify(&model->archive->regions.at[i]);
		model->trains[region->training] = true;
		model->trains[TRAINING_ANY] |= region->training != TRAINING_NONE;
	}
	return 0;
}

int model_build(struct model *model, struct archive *archive)
{
	uint32_t *of_group = calloc(archive->groups.n + 1, sizeof(*of_group));
	int ret = -1;

	*model = (struct model){ .archive = archive };
	attributes_build(model);
	if (of_group && processes_build(model, of_group) == 0 &&
		locations_build(model, of_group) == 0 && devices_build(model) == 0 &&
		regions_build(model) == 0 && comms_build(model) == 0 &&
		neighbours_build(model) == 0 && files_build(model) == 0)
		ret = 0;
	else
		log_error("out of memory for the definitions of %s", archive->path);
	free(of_group);
	return ret;
}

void model_free(struct model *model)
{
	for (size_t i = 0; i < model->comms.n; i++) {
		neighbours_free(&model->comms.at[i]);
		free(model->comms.at[i].members);
		free(model->comms.at[i].devices);
		free(model->comms.at[i].ranks);
	}
	devices_free(model);
	free(model->nodes.at);
	free(model->processes.at);
	free(model->locations.at);
	free(model->regions.at);
	free(model->comms.at);
	free(model->files.at);
	free(model->handle_files);
	*model = (struct model){ 0 };
}
