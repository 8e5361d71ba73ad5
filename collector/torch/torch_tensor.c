/*
 * torch_tensor.c - bytes of tensors. A Tensor is a pointer to a TensorImpl, whose members have
 * moved over the versions; where its sizes are is searched for once and checked at each use: the
 * number of elements must be the product of the sizes, and the type one that there is.
 */
#include "config.h"

#include "torch/torch.h"

#define SIZES_INLINE 5	/* c10/core/impl/SizesAndStrides.h: more dimensions are elsewhere */
#define DIMS_MAX     64 /* of torch */
#define FIRST_WORD   5	/* counts, storage and others come before */
#define LAST_WORD    12

/*
 * Bytes of an element by c10/core/ScalarType.h, from Byte on; those after quint2x4 are 2.x's: bits,
 * float8, unsigned, numbers of 1 to 7 bits, and what 2.7 and 2.8 added.
 */
static const uint8_t element_bytes[] = { 1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4, 2, 1, 1, 1,
	1, 1, 1, 2, 1, 1, 1, 1, 2, 4, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };

/* Words from a TensorImpl's begin to the number of its dimensions; 0: not found yet. */
static _Atomic unsigned sizes_at;

/* What follows the number of dimensions: sizes, strides, offset in the storage, elements, type. */
enum {
	ELEMENTS = 1 + 2 * SIZES_INLINE + 1,
	TYPE,
};

/* Whether the number of dimensions is at `dims`, judged by what follows. */
static bool fits(const uint64_t *dims)
{
	uint64_t n = *dims, product = 1;

	if (n > DIMS_MAX || (uint16_t)dims[TYPE] >= sizeof(element_bytes) ||
		(int64_t)dims[ELEMENTS] < 0)
		return false;
	for (uint64_t i = 0; n <= SIZES_INLINE && i < n; i++)
		product *= dims[1 + i];
	return n > SIZES_INLINE || product == dims[ELEMENTS];
}

/* A tensor that cannot be taken for another: of one dimension to five, with more than one element. */
static bool tells(const uint64_t *dims)
{
	return *dims && *dims <= SIZES_INLINE && dims[ELEMENTS] > 1 && fits(dims);
}

static unsigned sizes_find(const uint64_t *impl)
{
	unsigned found = atomic_load_explicit(&sizes_at, memory_order_relaxed);

	for (unsigned at = FIRST_WORD; !found && at <= LAST_WORD; at++)
		if (tells(impl + at)) {
			found = at;
			atomic_store_explicit(&sizes_at, found, memory_order_relaxed);
		}
	return found;
}

/* Of a tensor of one element, before any has told: where it fits, if that is one place; else 0. */
static unsigned sizes_guess(const uint64_t *impl)
{
	unsigned found = 0;

	for (unsigned at = FIRST_WORD; at <= LAST_WORD; at++)
		if (impl[at + ELEMENTS] == 1 && fits(impl + at)) {
			if (found)
				return 0;
			found = at;
		}
	return found;
}

uint64_t torch_tensor_bytes(const void *tensor)
{
	const uint64_t *impl = tensor ? *(const uint64_t *const *)tensor : NULL, *dims;
	unsigned at = impl ? sizes_find(impl) : 0;

	if (impl && !at)
		at = sizes_guess(impl);
	dims = impl + at;
	return at && fits(dims) ? dims[ELEMENTS] * element_bytes[(uint16_t)dims[TYPE]] : 0;
}

/* std::vector: begin, end, end of its room. */
uint64_t torch_list_bytes(const void *list)
{
	const uintptr_t *vector = list;
	uint64_t sum = 0;

	for (uintptr_t at = vector[0]; at < vector[1]; at += sizeof(void *))
		sum += torch_tensor_bytes((const void *)at);
	return sum;
}

uint64_t torch_parts_bytes(const void *parts)
{
	const uintptr_t *vector = parts;
	uint64_t sum = 0;

	for (uintptr_t at = vector[0]; at < vector[1]; at += 3 * sizeof(void *))
		sum += torch_list_bytes((const void *)at);
	return sum;
}

bool torch_counts_are_words(const void *list)
{
	const uintptr_t *vector = list;
	const uint64_t *impl = vector[0] < vector[1] ? *(const uint64_t *const *)vector[0] : NULL;

	return impl && impl[2] < UINT32_MAX; /* the second count; else a pointer */
}
