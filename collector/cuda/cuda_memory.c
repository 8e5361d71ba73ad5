/*
 * cuda_memory.c - see cuda_memory.h. A table of addresses in buckets, without locks: a place is
 * claimed or given up by one exchange of its address.
 */
#include "config.h"

#include "cuda/cuda_memory.h"

#define BUCKETS	 1024 /* a power of two */
#define PLACES	 64   /* in each; what finds none is missed */
#define CLAIMED	 1    /* no address: a thread is filling or emptying the place */
#define UNSPREAD 8    /* low bits of an address that are always 0 */

struct memory_slot {
	_Atomic uint64_t address; /* 0: free */
	_Atomic uint64_t nbytes;
	_Atomic uint64_t where; /* context:32 | device:32 */
};
static struct memory_slot table[BUCKETS][PLACES];

static struct {
	_Atomic uint64_t held, most, missed;
} devices[CUDA_MEMORY_DEVICES];

static struct memory_slot *bucket_of(uint64_t address)
{
	uint64_t spread = (address >> UNSPREAD) * UINT64_C(0x9e3779b97f4a7c15);

	return table[spread >> 54 & (BUCKETS - 1)];
}

void cuda_memory_missed(uint32_t device)
{
	if (device < CUDA_MEMORY_DEVICES)
		atomic_fetch_add(&devices[device].missed, 1);
}

static void held_add(uint32_t device, uint64_t nbytes)
{
	uint64_t held = atomic_fetch_add(&devices[device].held, nbytes) + nbytes;
	uint64_t most = atomic_load(&devices[device].most);

	while (most < held && !atomic_compare_exchange_weak(&devices[device].most, &most, held))
		;
}

void cuda_memory_given(uint64_t address, uint64_t nbytes, uint32_t context, uint32_t device)
{
	struct memory_slot *bucket = bucket_of(address);

	if (address <= CLAIMED || device >= CUDA_MEMORY_DEVICES)
		return;
	for (int i = 0; i < PLACES; i++)
		if (atomic_load(&bucket[i].address) == address)
			return;
	for (int i = 0; i < PLACES; i++) {
		uint64_t none = 0;

		if (!atomic_compare_exchange_strong(&bucket[i].address, &none, CLAIMED))
			continue;
		atomic_store(&bucket[i].nbytes, nbytes);
		atomic_store(&bucket[i].where, (uint64_t)context << 32 | device);
		held_add(device, nbytes); /* before anybody can give it back */
		atomic_store(&bucket[i].address, address);
		return;
	}
	cuda_memory_missed(device);
}

static void place_empty(struct memory_slot *place, uint64_t address)
{
	uint64_t seen = address;

	if (!atomic_compare_exchange_strong(&place->address, &seen, CLAIMED))
		return;
	atomic_fetch_sub(&devices[(uint32_t)atomic_load(&place->where)].held,
		atomic_load(&place->nbytes));
	atomic_store(&place->address, 0);
}

void cuda_memory_returned(uint64_t address)
{
	struct memory_slot *bucket = bucket_of(address);

	for (int i = 0; i < PLACES && address > CLAIMED; i++)
		if (atomic_load(&bucket[i].address) == address)
			place_empty(&bucket[i], address);
}

void cuda_memory_lost(uint32_t context)
{
	for (int b = 0; b < BUCKETS; b++)
		for (int i = 0; i < PLACES; i++) {
			struct memory_slot *place = &table[b][i];
			uint64_t address = atomic_load(&place->address);

			if (address > CLAIMED && atomic_load(&place->where) >> 32 == context)
				place_empty(place, address);
		}
}

void cuda_memory_forked(void)
{
	bool any = false;

	for (int d = 0; d < CUDA_MEMORY_DEVICES; d++) {
		any |= atomic_load(&devices[d].most) != 0;
		atomic_store(&devices[d].held, 0);
		atomic_store(&devices[d].most, 0);
		atomic_store(&devices[d].missed, 0);
	}
	for (int b = 0; any && b < BUCKETS; b++)
		for (int i = 0; i < PLACES; i++)
			atomic_store(&table[b][i].address, 0);
}

bool cuda_memory_read(uint32_t device, struct cuda_memory *memory)
{
	*memory = (struct cuda_memory){ .held = atomic_load(&devices[device].held),
		.most = atomic_load(&devices[device].most),
		.missed = atomic_load(&devices[device].missed) };
	return memory->most || memory->missed;
}
