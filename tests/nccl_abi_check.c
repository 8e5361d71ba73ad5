/*
 * nccl_abi_check.c - what libtacho assumes of NCCL, which it is built without,
 * is what nccl.h says. Compiled by nccl_functions.sh where there is one.
 */
#include <nccl.h>
#include <stddef.h>

#define CHECK(what) _Static_assert(what, #what)

CHECK(sizeof(ncclUniqueId) == 128);
CHECK(sizeof(ncclComm_t) == sizeof(void *));
CHECK(sizeof(ncclResult_t) == sizeof(int));
CHECK(sizeof(ncclDataType_t) == sizeof(int));
CHECK(sizeof(ncclRedOp_t) == sizeof(int));
CHECK(ncclSuccess == 0);
CHECK(ncclInvalidUsage == 5);
CHECK(ncclInProgress == 7);
CHECK(NCCL_SPLIT_NOCOLOR < 0);

/* nccl_type_bytes() counts on this order. */
CHECK(ncclInt8 == 0 && ncclUint8 == 1 && ncclInt32 == 2 && ncclUint32 == 3);
CHECK(ncclInt64 == 4 && ncclUint64 == 5 && ncclFloat16 == 6 && ncclFloat32 == 7);
CHECK(ncclFloat64 == 8 && ncclBfloat16 == 9);
#if NCCL_VERSION_CODE >= 22400
CHECK(ncclFloat8e4m3 == 10 && ncclFloat8e5m2 == 11);
#endif

/*
 * Each wrapper passes the parameters of the real function: the compiler refuses a call with a
 * parameter too few, too many or of another kind.
 */
#define nccl_comm				      ncclComm_t
#define SHAPE_COLLECTIVE(name, op, params, args, ...) SHAPE_ON_COMM(name, params, args)
#define SHAPE_MESSAGE(name, op, params, args, ...)    SHAPE_ON_COMM(name, params, args)
#define SHAPE_ON_COMM(name, params, args)                                                          \
	int check_##name params;                                                                   \
	int check_##name params                                                                    \
	{                                                                                          \
		return name args;                                                                  \
	}
#define SHAPE_BY_LIBRARY(name, result, params, args)                                               \
	result check_##name params;                                                                \
	result check_##name params                                                                 \
	{                                                                                          \
		return name args;                                                                  \
	}
#define SHAPE_BY_LIBRARY_VOID(name, result)                                                        \
	result check_##name(void);                                                                 \
	result check_##name(void)                                                                  \
	{                                                                                          \
		return name();                                                                     \
	}
#define SHAPE_IRREGULAR(name)

/* The table's lines of functions that this header has, with ncclUniqueId for our struct. */
#define CALL(name, role, shape, ...) SHAPE_##shape(name, ##__VA_ARGS__)
#include "known_calls.def"
