/* nccl_reduce.c - sums of the stand-in for NCCL, rank after rank, rounded to the type each time. */
#include <math.h>
#include <string.h>

#include "nccl_standin.h"

size_t type_size(ncclDataType_t type)
{
	static const uint8_t sizes[] = { 1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1 };

	return type >= 0 && (size_t)type < sizeof(sizes) ? sizes[type] : 0;
}

bool reduce_can(ncclDataType_t type)
{
	return type >= 0 && type <= ncclBfloat16;
}

typedef uint16_t half, bfloat;

static float half_float(half value)
{
	uint32_t sign = (uint32_t)(value & 0x8000) << 16, mantissa = value & 0x3ff, bits;
	int exponent = value >> 10 & 0x1f;
	float f;

	if (exponent == 0)
		return (sign ? -1.0f : 1.0f) * ldexpf((float)mantissa, -24);
	bits = sign | (exponent == 31 ? 0x7f800000u : (uint32_t)(exponent + 112) << 23) |
		mantissa << 13;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* To nearest, ties to even. */
static half float_half(float f)
{
	uint32_t bits, sign;
	int exponent;
	float scaled;

	memcpy(&bits, &f, sizeof(bits));
	sign = bits >> 16 & 0x8000;
	exponent = (int)(bits >> 23 & 0xff) - 127;
	if (exponent == 128)
		return (half)(sign | 0x7c00 | (bits & 0x7fffff ? 0x200 : 0));
	if (exponent < -14) {
		scaled = rintf(ldexpf(fabsf(f), 24));
		return (half)(sign | (uint32_t)scaled);
	}
	bits = (bits & 0x7fffffff) - (112u << 23);
	bits = (bits + 0xfff + (bits >> 13 & 1)) >> 13;
	return (half)(sign | (bits >= 0x7c00 ? 0x7c00 : bits));
}

static float bfloat_float(bfloat value)
{
	uint32_t bits = (uint32_t)value << 16;
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static bfloat float_bfloat(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	if (isnan(f))
		return (bfloat)(bits >> 16 | 0x40);
	return (bfloat)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#define SAME(x) (x)

/* TYPE(enumerator, stored as, computed as, to compute, to store) */
#define TYPES(TYPE)                                                                                \
	TYPE(ncclInt8, int8_t, int64_t, SAME, SAME)                                                \
	TYPE(ncclUint8, uint8_t, uint64_t, SAME, SAME)                                             \
	TYPE(ncclInt32, int32_t, int64_t, SAME, SAME)                                              \
	TYPE(ncclUint32, uint32_t, uint64_t, SAME, SAME)                                           \
	TYPE(ncclInt64, int64_t, int64_t, SAME, SAME)                                              \
	TYPE(ncclUint64, uint64_t, uint64_t, SAME, SAME)                                           \
	TYPE(ncclFloat16, half, float, half_float, float_half)                                     \
	TYPE(ncclFloat32, float, float, SAME, SAME)                                                \
	TYPE(ncclFloat64, double, double, SAME, SAME)                                              \
	TYPE(ncclBfloat16, bfloat, float, bfloat_float, float_bfloat)

#define TYPE(id, stored, computed, load, store)                                                    \
	static void reduce_##id(stored *out, void *const *parts, int nparts, size_t count,         \
		ncclRedOp_t op)                                                                    \
	{                                                                                          \
		for (size_t i = 0; i < count; i++) {                                               \
			stored sum = ((const stored *)parts[0])[i];                                \
                                                                                                   \
			for (int p = 1; p < nparts; p++) {                                         \
				computed a = (computed)load(sum);                                  \
				computed b = (computed)load(((const stored *)parts[p])[i]);        \
				computed c = op == ncclProd ? a * b                                \
					: op == ncclMax	    ? (a > b ? a : b)                      \
					: op == ncclMin	    ? (a < b ? a : b)                      \
							    : a + b;                                   \
                                                                                                   \
				sum = (stored)store(c);                                            \
			}                                                                          \
			if (op == ncclAvg)                                                         \
				sum = (stored)store((computed)load(sum) / (computed)nparts);       \
			out[i] = sum;                                                              \
		}                                                                                  \
	}                                                                                          \
	static void scale_##id(stored *data, size_t count, double factor)                          \
	{                                                                                          \
		for (size_t i = 0; i < count; i++)                                                 \
			data[i] = (stored)store((computed)((double)load(data[i]) * factor));       \
	}
TYPES(TYPE)
#undef TYPE

void reduce(const struct ncclComm *comm, void *out, void *const *parts, size_t count,
	ncclDataType_t type, ncclRedOp_t op)
{
	if (op >= ncclNumOps)
		op = ncclSum; /* the factor is in the parts */
	switch (type) {
#define TYPE(id, stored, ...)                                                                      \
	case id: reduce_##id(out, parts, comm->size, count, op); break;
		TYPES(TYPE)
#undef TYPE
	default: break;
	}
}

void reduce_prepare(const struct ncclComm *comm, void *data, size_t count, ncclDataType_t type,
	ncclRedOp_t op)
{
	if (op < ncclNumOps || op - ncclNumOps >= OPERATORS)
		return;
	switch (type) {
#define TYPE(id, stored, ...)                                                                      \
	case id: scale_##id(data, count, comm->operators[op - ncclNumOps].value); break;
		TYPES(TYPE)
#undef TYPE
	default: break;
	}
}
