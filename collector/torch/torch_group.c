/*
 * torch_group.c - process groups: which there are, who is in them, what they are called. The
 * default group is the job's world; of others a member knows its own place only, and merge puts
 * the members together by the hash of the name, which is the prefix of the group's store.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "core/define.h"
#include "core/process.h"
#include "mpi/mpi_comm.h"
#include "tacho/trace.h"
#include "torch/torch_call.h"

static struct map groups = MAP_EMPTY; /* address of a ProcessGroup → struct torch_group */
static struct map stores = MAP_EMPTY; /* address of a PrefixStore → hash of its prefixes */
static struct torch_group *_Atomic world;

struct torch_group *torch_group_find(const void *self)
{
	static struct torch_group unknown = { .rank = -1 };
	struct torch_group *found = (struct torch_group *)map_get(&groups, (uintptr_t)self);

	return found ? found : &unknown;
}

static uint64_t hash_text(uint64_t hash, const unsigned char *text, size_t n)
{
	hash = hash ? hash : 0xcbf29ce484222325ull;
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ text[i]) * 0x100000001b3ull;
	return hash;
}

/*
 * The group of all ranks is defined as the world, with the ranks 0, 1…; one of fewer with this
 * process's rank in the world at its own place, and nobody at the others'.
 */
static uint32_t group_write(struct torch_group *group)
{
	struct torch_group *all = atomic_load(&world);
	bool is_world = group == all;
	struct spool_def_comm def = {
		.kind = !is_world ? COMM_GROUP : COMM_WORLD,
		.rank = group->rank,
		.size = (uint32_t)group->size,
		.creation = is_world ? 0 : (uint32_t)(group->hash ^ group->hash >> 32),
	};
	uint32_t *ranks = malloc(sizeof(*ranks) * ((size_t)group->size + 1)), id;

	if (!ranks)
		return 0;
	for (int32_t i = 0; i < group->size; i++)
		ranks[i] = is_world ? (uint32_t)i : UINT32_MAX;
	ranks[group->rank] = (uint32_t)(is_world ? group->rank : all->rank);
	id = process_allot(DEF_COMM);
	process_define_comm(id, def, ranks,
		is_world ? COMM_PREFIX_TORCH "default group" : COMM_PREFIX_TORCH "group");
	free(ranks);
	return id;
}

uint32_t torch_group_define(struct torch_group *group)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	uint32_t id = atomic_load_explicit(&group->id, memory_order_acquire);
	int saved = errno;

	if (likely(id) || group->rank < 0)
		return id;
	pthread_mutex_lock(&lock);
	id = atomic_load(&group->id);
	if (!id) {
		id = group_write(group);
		atomic_store_explicit(&group->id, id, memory_order_release);
	}
	pthread_mutex_unlock(&lock);
	errno = saved;
	return id;
}

void torch_group_add(const void *self, const void *store, int rank, int size)
{
	struct torch_group *group = calloc(1, sizeof(*group)), *none = NULL;

	if (!group || rank < 0 || size < 1 || rank >= size) {
		free(group);
		return;
	}
	group->rank = rank;
	group->size = size;
	group->hash = map_get(&stores, (uintptr_t)store);
	atomic_compare_exchange_strong(&world, &none, group);
	map_set(&groups, (uintptr_t)self, (uintptr_t)group);
	torch_group_define(group);
}

/*
 * PrefixStore(std::string, intrusive_ptr<Store>): the text by value (2.x) or by reference (1.x) is
 * a pointer to a std::string both times. Launchers have stores as well: a store makes no process part
 * of the job.
 */
static void store_note(const void *self, const unsigned char *text, size_t length,
	const void *inner)
{
	uint64_t hash = map_get(&stores, *(const uintptr_t *)inner);

	map_set(&stores, (uintptr_t)self, hash_text(hash, text, length));
}

/*
 * The words of a std::string: its text and the length. libstdc++'s older one, which wheels up to 2.6
 * have ("Ss" in mangled names), is its text alone, before which lie length, room and count.
 */
#define STRING_LENGTH(string)	  (((const size_t *)(string))[1])
#define OLD_STRING_LENGTH(string) ((*(const size_t *const *)(string))[-3])

#define PREFIX_STORE(name, length_of, symbol)                                                      \
	TACHO_EXPORT torch_word name(torch_word self, torch_word prefix,                           \
		torch_word inner) __asm__(symbol);                                                 \
	torch_word name(torch_word self, torch_word prefix, torch_word inner)                      \
	{                                                                                          \
		static void *_Atomic real;                                                         \
                                                                                                   \
		if (atomic_load(tacho_gate) != GATE_CLOSED)                                        \
			store_note(self, *(const unsigned char *const *)prefix, length_of(prefix), \
				inner);                                                            \
		return ((__typeof__(&name))torch_real(&real, symbol))(self, prefix, inner);        \
	}

#define STORE_OF "_ZN4c10d11PrefixStoreC1E"
#define STRING	 "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
#define STORE_BY(nth, own)                                                                         \
	"N3c1013intrusive_ptrINS_5StoreENS" nth                                                    \
	"_6detail34intrusive_target_default_null_typeIS" own "_EEEE"
PREFIX_STORE(prefix_store_by_reference, STRING_LENGTH, STORE_OF "RK" STRING STORE_BY("9", "B"))
PREFIX_STORE(prefix_store_by_value, STRING_LENGTH, STORE_OF STRING STORE_BY("7", "9"))
PREFIX_STORE(prefix_store_by_reference_old, OLD_STRING_LENGTH, STORE_OF "RKSs" STORE_BY("3", "5"))
PREFIX_STORE(prefix_store_by_value_old, OLD_STRING_LENGTH, STORE_OF "Ss" STORE_BY("1", "3"))
