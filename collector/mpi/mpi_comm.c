/*
 * mpi_comm.c - defines communicators: members as ranks of MPI_COMM_WORLD,
 * parent and position among the parent's creations, so that merge finds which
 * definitions of different ranks are one communicator. Asks MPI through its
 * PMPI_ names, so that other tools do not see our questions. Rare, hence
 * locks and malloc are fine here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/mpi_comm.h"
#include "core/clock.h"
#include "core/define.h"
#include "core/process.h"
#include "core/real.h"

struct map tacho_comms = MAP_EMPTY;

static const struct mpi_comm comm_none;

/* The functions of MPI that are asked. QUERY(name, parameters) */
#define QUERIES(QUERY)                                                                             \
	QUERY(Initialized, (int *))                                                                \
	QUERY(Finalized, (int *))                                                                  \
	QUERY(Comm_rank, (mpi_handle, int *))                                                      \
	QUERY(Comm_size, (mpi_handle, int *))                                                      \
	QUERY(Comm_test_inter, (mpi_handle, int *))                                                \
	QUERY(Comm_get_parent, (void *))                                                           \
	QUERY(Comm_remote_size, (mpi_handle, int *))                                               \
	QUERY(Comm_group, (mpi_handle, void *))                                                    \
	QUERY(Comm_remote_group, (mpi_handle, void *))                                             \
	QUERY(Group_translate_ranks, (mpi_handle, int, const int *, mpi_handle, int *))            \
	QUERY(Group_free, (void *))                                                                \
	QUERY(Group_size, (mpi_handle, int *))                                                     \
	QUERY(Win_get_group, (mpi_handle, void *))                                                 \
	QUERY(Topo_test, (mpi_handle, int *))                                                      \
	QUERY(Cartdim_get, (mpi_handle, int *))                                                    \
	QUERY(Graph_neighbors_count, (mpi_handle, int, int *))                                     \
	QUERY(Dist_graph_neighbors_count, (mpi_handle, int *, int *, int *))

static struct {
#define QUERY(name, params) int(*name) params;
	QUERIES(QUERY)
#undef QUERY
} pmpi;

/*
 * Sessions that are open, and the group of all processes, by which their communicators are known.
 */
static struct {
	_Atomic int n;
	mpi_handle world; /* 0: none */
} sessions;

static bool queries_find(void)
{
	void *found;
	bool all = true;

#define QUERY(name, params)                                                                        \
	found = real_symbol("PMPI_" #name);                                                        \
	pmpi.name = (int(*) params)(found ? found : real_symbol("MPI_" #name));                    \
	all &= pmpi.name != NULL;
	QUERIES(QUERY)
#undef QUERY
	return all;
}

/* MPI may be asked about communicators. */
static bool mpi_runs(void)
{
	static _Atomic bool found;
	int is_begun = 0, is_over = 0;

	if (!atomic_load(&found) && !(mpi_abi_find() && queries_find()))
		return false;
	atomic_store(&found, true);
	pmpi.Initialized(&is_begun);
	pmpi.Finalized(&is_over);
	return (is_begun && !is_over) || atomic_load(&sessions.n) > 0;
}

/*
 * The world ranks of one group's members into `world`; UINT32_MAX for processes outside of the
 * world.
 */
static void members_translate(mpi_handle group, mpi_handle world_group, int n, uint32_t *world)
{
	int *ranks = calloc(2 * (size_t)n + 1, sizeof(int));

	memset(world, 0xff, sizeof(*world) * (size_t)n);
	if (!ranks)
		return;
	for (int i = 0; i < n; i++)
		ranks[i] = i;
	if (pmpi.Group_translate_ranks(group, n, ranks, world_group, ranks + n) == 0)
		for (int i = 0; i < n; i++)
			world[i] = ranks[n + i] < 0 ? UINT32_MAX : (uint32_t)ranks[n + i];
	free(ranks);
}

static void members_find(mpi_handle handle, const struct mpi_comm *comm, uint32_t *world)
{
	mpi_handle world_group = sessions.world, group = 0, remote = 0;

	if (!world_group && pmpi.Comm_group(tacho_abi.world, &world_group) != 0)
		return;
	if (pmpi.Comm_group(handle, &group) == 0) {
		members_translate(group, world_group, (int)comm->size, world);
		pmpi.Group_free(&group);
	}
	if (comm->is_inter && pmpi.Comm_remote_group(handle, &remote) == 0) {
		members_translate(remote, world_group, (int)comm->npeers, world + comm->size);
		pmpi.Group_free(&remote);
	}
	if (world_group != sessions.world)
		pmpi.Group_free(&world_group);
}

uint32_t comm_group_ranks(mpi_handle group, mpi_handle win, uint32_t *ranks, uint32_t most)
{
	mpi_handle all = 0;
	int n = 0;

	if (!mpi_runs() || pmpi.Group_size(group, &n) != 0 || n <= 0 || (uint32_t)n > most ||
		pmpi.Win_get_group(win, &all) != 0)
		return 0;
	members_translate(group, all, n, ranks);
	pmpi.Group_free(&all);
	return (uint32_t)n;
}

/* Numbers of neighbours of a communicator with a topology. */
static void neighbours_find(mpi_handle handle, struct mpi_comm *comm)
{
	int in = 0, out = 0, weighted, topology = 0;

	if (comm->is_inter || pmpi.Topo_test(handle, &topology) != 0)
		return;
	if (topology == MPI_TOPOLOGY_DIST_GRAPH)
		pmpi.Dist_graph_neighbors_count(handle, &in, &out, &weighted);
	else if (topology == MPI_TOPOLOGY_CART(tacho_abi.family) &&
		pmpi.Cartdim_get(handle, &in) == 0)
		in = out = 2 * in;
	else if ((topology == 1 || topology == 2) /* the other of the two: MPI_GRAPH */
		&& pmpi.Graph_neighbors_count(handle, comm->rank, &in) == 0)
		out = in;
	comm->indegree = (uint32_t)in;
	comm->outdegree = (uint32_t)out;
}

static struct mpi_comm *comm_describe(mpi_handle handle)
{
	struct mpi_comm *comm = calloc(1, sizeof(*comm));
	int inter = 0, rank = 0, size = 0, remote = 0;

	if (!comm)
		return NULL;
	pmpi.Comm_rank(handle, &rank);
	pmpi.Comm_size(handle, &size);
	pmpi.Comm_test_inter(handle, &inter);
	if (inter)
		pmpi.Comm_remote_size(handle, &remote);
	comm->rank = rank;
	comm->size = (uint32_t)size;
	comm->is_inter = inter != 0;
	comm->npeers = (uint32_t)(inter ? remote : size);
	neighbours_find(handle, comm);
	return comm;
}

/* Counters of creations by key (a parent, members and tag, or where collectives are made). */
static uint32_t creation_count(uint64_t key)
{
	static struct map counts = MAP_EMPTY;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	uint32_t count;

	pthread_mutex_lock(&lock);
	count = (uint32_t)map_get(&counts, key);
	map_set(&counts, key, count + 1);
	pthread_mutex_unlock(&lock);
	return count;
}

struct creation comm_creation(mpi_handle parent)
{
	uint32_t id = comm_find(parent)->id;

	return (struct creation){ .parent = id, .count = creation_count(id + 1) };
}

uint32_t comm_plan(const struct mpi_comm *comm)
{
	return creation_count((uint64_t)1 << 62 | comm->id) + 1;
}

static uint64_t members_hash(const uint32_t *world, uint32_t n)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (uint32_t i = 0; i < n; i++)
		hash = (hash ^ world[i]) * 0x100000001b3ull;
	return hash;
}

/*
 * The number by which merge matches communicators. By group: the tag and a count among
 * communicators with the same members. Both sides of an inter-communicator must compute the same
 * key, so the groups' hashes are added.
 */
static uint32_t creation_number(const struct creation *creation, const struct mpi_comm *comm,
	const uint32_t *world)
{
	uint64_t key;

	if (!creation->by_group)
		return creation->count;
	key = members_hash(world, comm->size);
	if (comm->is_inter)
		key += members_hash(world + comm->size, comm->npeers);
	key = (key ^ (uint32_t)creation->tag * 0x9e3779b97f4a7c15ull) | (uint64_t)1 << 63;
	return COMM_BY_GROUP | ((uint32_t)creation->tag & 0x7fff) << 16 |
		(creation_count(key) & 0xffff);
}

/* The inter-communicator to the processes that spawned this one; comm_null: none did. */
static mpi_handle parent_handle(void)
{
	uintptr_t parent = 0; /* handles of MPICH are shorter */

	return pmpi.Comm_get_parent(&parent) == 0 ? handle_key(parent) : tacho_abi.comm_null;
}

static enum spool_comm_kind kind_of(mpi_handle handle, const struct mpi_comm *comm)
{
	if (handle == tacho_abi.world)
		return COMM_WORLD;
	if (handle == tacho_abi.self)
		return COMM_SELF;
	return !comm->is_inter ? COMM_INTRA : handle == parent_handle() ? COMM_PARENT : COMM_INTER;
}

static const char *name_of(mpi_handle handle)
{
	if (handle == tacho_abi.world)
		return "MPI_COMM_WORLD";
	return handle == tacho_abi.self ? "MPI_COMM_SELF" : NULL;
}

/*
 * Describes and defines a communicator. With `is_met` another thread may do
 * the same: then the first to come keeps it. No lock is held while MPI is
 * asked, since MPI may be waiting in a callback of the program that asks us.
 */
static const struct mpi_comm *comm_add(mpi_handle handle, const struct creation *creation,
	bool is_met)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct mpi_comm *comm = comm_describe(handle);
	struct spool_def_comm def;
	uintptr_t known = 0;
	uint32_t *world;

	if (!comm)
		return &comm_none;
	def = (struct spool_def_comm){
		.kind = kind_of(handle, comm),
		.parent = creation->parent,
		.rank = comm->rank,
		.size = comm->size,
		.nremote = comm->is_inter ? comm->npeers : 0,
	};
	world = malloc(sizeof(*world) * (def.size + def.nremote + 1));
	if (world) {
		members_find(handle, comm, world);
		def.creation = creation_number(creation, comm, world);
	}
	pthread_mutex_lock(&lock);
	if (is_met)
		known = map_get(&tacho_comms, handle);
	if (!known) {
		if (world) {
			comm->id = process_allot(DEF_COMM);
			process_define_comm(comm->id, def, world, name_of(handle));
		}
		map_set(&tacho_comms, handle, (uintptr_t)comm);
	}
	pthread_mutex_unlock(&lock);
	free(world);
	if (known)
		free(comm);
	return known ? (const struct mpi_comm *)known : comm;
}

const struct mpi_comm *comm_meet(mpi_handle handle)
{
	static const struct creation unknown;
	/* else the handle may have been read short */
	bool was_known = tacho_abi.family != MPI_FAMILY_NONE;
	const struct mpi_comm *comm = &comm_none;
	int saved = errno;

	if (mpi_runs() && was_known) {
		/* the mask may be new */
		comm = (const struct mpi_comm *)map_get(&tacho_comms, handle_key(handle));
		if (!comm && handle_key(handle) != tacho_abi.comm_null &&
			!(sessions.n && handle_key(handle) == tacho_abi.world))
			comm = comm_add(handle_key(handle), &unknown, true);
	}
	errno = saved;
	return comm ? comm : &comm_none;
}

void comm_define(mpi_handle handle, const struct creation *creation)
{
	int saved = errno;

	handle = handle_key(handle);
	if (handle != tacho_abi.comm_null && mpi_runs())
		comm_add(handle, creation, false);
	errno = saved;
}

void comm_define_child(mpi_handle parent, const void *newcomm)
{
	struct creation creation;

	if (!comms_are_kept())
		return;
	creation = comm_creation(parent);
	comm_define(handle_at(newcomm, 0), &creation);
}

void comm_define_group(mpi_handle parent, const void *newcomm, int tag)
{
	if (comms_are_kept())
		comm_define(handle_at(newcomm, 0),
			&(struct creation){ .parent = comm_find(parent)->id,
				.by_group = true,
				.tag = tag });
}

void comm_define_from_group(const void *newcomm, const char *stringtag)
{
	uint32_t tag = 0x811c9dc5u;

	for (const char *at = stringtag; at && *at; at++)
		tag = (tag ^ (unsigned char)*at) * 0x01000193u;
	if (comms_are_kept())
		comm_define(handle_at(newcomm, 0),
			&(struct creation){ .parent = comm_find(tacho_abi.world)->id,
				.by_group = true,
				.tag = (int)tag });
}

/* MPI_COMM_WORLD as the group has it: its members are 0 to size - 1. */
static void world_define(mpi_handle group)
{
	int (*size)(mpi_handle, int *) = real_symbol("PMPI_Group_size"),
				    (*rank)(mpi_handle, int *) = real_symbol("PMPI_Group_rank");
	struct mpi_comm *comm = calloc(1, sizeof(*comm));
	int r = 0, n = 0;
	uint32_t *members;

	if (!comm || !size || !rank || size(group, &n) != 0 || rank(group, &r) != 0 || n < 1) {
		free(comm);
		return;
	}
	members = malloc(sizeof(*members) * (size_t)n);
	for (int i = 0; members && i < n; i++)
		members[i] = (uint32_t)i;
	comm->rank = r;
	comm->size = comm->npeers = (uint32_t)n;
	if (members) {
		comm->id = process_allot(DEF_COMM);
		process_define_comm(comm->id,
			(struct spool_def_comm){ .kind = COMM_WORLD,
				.rank = r,
				.size = (uint32_t)n },
			members, name_of(tacho_abi.world));
	}
	map_set(&tacho_comms, tacho_abi.world, (uintptr_t)comm);
	free(members);
}

void comm_session_begin(mpi_handle session)
{
	int (*group_of)(mpi_handle, const char *, void *) = real_symbol(
		"PMPI_Group_from_session_pset");
	uintptr_t group = 0; /* handles of MPICH are shorter */
	int saved = errno;

	if (atomic_fetch_add(&sessions.n, 1) == 0 && mpi_runs() && group_of &&
		group_of(session, "mpi://WORLD", &group) == 0) {
		sessions.world = handle_key(group);
		if (!map_get(&tacho_comms, tacho_abi.world))
			world_define(sessions.world);
	}
	errno = saved;
}

void comm_session_end(void)
{
	if (atomic_load(&sessions.n) == 0 || atomic_fetch_sub(&sessions.n, 1) != 1)
		return;
	if (sessions.world)
		pmpi.Group_free(&sessions.world);
	sessions.world = 0;
}

void comm_define_world(void)
{
	if (!mpi_runs())
		return;
	comm_find(tacho_abi.world);
	comm_find(tacho_abi.self);
	comm_find(parent_handle()); /* states that the world was spawned */
}

void comm_forget(mpi_handle handle)
{
	const struct mpi_comm *comm;
	uint64_t ticks = clock_ticks();

	handle = handle_key(handle);
	comm = (const struct mpi_comm *)map_get(&tacho_comms, handle);
	if (!comm || !comm->id || handle == tacho_abi.world)
		return;
	map_set(&tacho_comms, handle, 0);
	process_define(&(struct def){ .type = DEF_COMM_FREE,
		.id = comm->id,
		.body = &ticks,
		.nbody = sizeof(ticks) });
}

void comm_name(mpi_handle handle, const char *name)
{
	const struct mpi_comm *comm = comm_find(handle);

	if (comm->id && name)
		process_define(
			&(struct def){ .type = DEF_COMM_NAME, .id = comm->id, .text = name });
}
