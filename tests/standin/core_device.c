/* Configuration, devices, contexts, and starting the driver. */
#include "standin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

STANDIN_EXPORT int tacho_standin = 1; /* by this a stand-in is known from a device */

static struct standin_config config;
static struct standin_device boards[STANDIN_DEVICES_MAX]; /* all of the node */
static struct standin_device shares[STANDIN_DEVICES_MAX][STANDIN_INSTANCES];
static struct standin_device *devices[STANDIN_DEVICES_MAX]; /* that CUDA may use */
static struct CUctx_st contexts[STANDIN_DEVICES_MAX];
static pthread_once_t config_once = PTHREAD_ONCE_INIT;
static pthread_once_t init_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t context_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool forked, initialising, initialised;
static _Thread_local CUcontext thread_context;
static _Thread_local bool
	starting; /* an injected library may ask for the driver while it is started */

static uint64_t env_number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static double env_real(const char *name, double otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtod(text, NULL) : otherwise;
}

STANDIN_EXPORT double standin_setting(const char *name, int i, double otherwise)
{
	const char *list = getenv(name), *comma;
	long whole;

	if (!list || !*list)
		return otherwise;
	while (i-- > 0 && (comma = strchr(list, ',')))
		list = comma + 1;
	whole = strtol(list, NULL, 0); /* hexadecimal ones too */
	return whole ? (double)whole : strtod(list, NULL);
}

STANDIN_EXPORT unsigned standin_fault(const char *name)
{
	const char *list = getenv("STANDIN_FAULT");
	size_t len = strlen(name);

	while (list && *list) {
		if (!strncmp(list, name, len) && strchr("=,", list[len]))
			return list[len] == '=' ? (unsigned)strtoul(list + len + 1, NULL, 10) : 1;
		list = strchr(list, ',');
		list += list != NULL;
	}
	return 0;
}

/* The same on every run: processes of a node must see the same devices. */
static void uuid_make(CUuuid *uuid, int ordinal, int instance)
{
	char host[65] = "";
	uint64_t hash = 14695981039346656037u;

	gethostname(host, sizeof(host) - 1);
	for (const char *p = host; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 1099511628211u;
	memcpy(uuid->bytes, "stand-in", 8);
	memcpy(uuid->bytes + 8, &hash, 7);
	uuid->bytes[14] ^= (char)(instance + 1);
	uuid->bytes[15] = (char)ordinal;
}

STANDIN_EXPORT void standin_uuid_text(const struct standin_device *device, char text[48])
{
	int at = sprintf(text, "%s", device->instance < 0 ? "GPU" : "MIG");

	for (unsigned i = 0; i < sizeof(device->uuid.bytes); i++)
		at += sprintf(text + at, "%s%02x",
			i == 0 || i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			(unsigned char)device->uuid.bytes[i]);
}

static void fork_child(void)
{
	atomic_store(&forked,
		true); /* no stream thread lives on: the real driver refuses as well */
}

static void injection_load(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *lib = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	int (*start)(void) = NULL;

	if (lib)
		*(void **)&start = dlsym(lib, "InitializeInjection");
	if (start)
		start();
}

static void device_make(struct standin_device *device, int board, int instance)
{
	device->board = board;
	device->instance = instance;
	device->ordinal = -1;
	uuid_make(&device->uuid, board, instance);
	/* an instance's name contains its profile, as CUDA's does */
	snprintf(device->name, sizeof(device->name), "tacho stand-in device%s",
		instance < 0 ? "" : " MIG 1g.5gb");
	device->slowness = standin_setting("STANDIN_SM_CLOCK_MAX", board, 1980) /
		standin_setting("STANDIN_SM_CLOCK", board, 1980);
	snprintf(device->pci, sizeof(device->pci), "0000:%02X:00.0",
		(0x10u + (unsigned)board) & 0xff);
}

static void boards_make(void)
{
	for (int i = 0; i < config.boards; i++) {
		device_make(&boards[i], i, -1);
		for (int k = 0; k < STANDIN_INSTANCES; k++)
			device_make(&shares[i][k], i, k);
	}
}

STANDIN_EXPORT int standin_instances(int board)
{
	int n = (int)standin_setting("STANDIN_MIG", board, 0);

	return n < STANDIN_INSTANCES / 2 ? n : STANDIN_INSTANCES / 2;
}

/*
 * nvml.h of nvmlDeviceGetMigDeviceHandleByIndex: NVML_ERROR_NOT_FOUND "if no valid MIG device
 * exists at index"; so every other place is free.
 */
STANDIN_EXPORT struct standin_device *standin_instance(int board, int index)
{
	return index >= 0 && index % 2 == 0 && index / 2 < standin_instances(board)
		? &shares[board][index]
		: NULL;
}

static bool device_show(struct standin_device *device)
{
	if (!device || device->ordinal >= 0)
		return false;
	device->ordinal = config.devices;
	devices[config.devices++] = device;
	return true;
}

/* By its number; of a board that is shared out its first instance. */
static bool board_show(long board)
{
	if (board < 0 || board >= config.boards)
		return false;
	return device_show(
		standin_instances((int)board) ? standin_instance((int)board, 0) : &boards[board]);
}

static bool uuid_show(const char *uuid)
{
	char own[48];

	for (int i = 0; i < config.boards; i++)
		for (int k = 0; k < STANDIN_INSTANCES; k++) {
			struct standin_device *device = standin_instance(i, k);

			if (device)
				standin_uuid_text(device, own);
			if (device && !strncmp(own, uuid, strlen(own)))
				return device_show(device);
		}
	return false;
}

/*
 * CUDA_VISIBLE_DEVICES: numbers, and instances by their UUIDs; the first that is neither ends the
 * list, as with the real driver.
 */
static void devices_choose(void)
{
	const char *list = getenv("CUDA_VISIBLE_DEVICES");
	char *end;

	for (int i = 0; !list && i < config.boards; i++)
		board_show(i);
	while (list && *list) {
		if (!strncmp(list, "MIG-", 4)) {
			if (!uuid_show(list))
				break;
			end = (char *)list + strcspn(list, ",");
		} else {
			long board = strtol(list, &end, 10);

			if (end == list || !board_show(board))
				break;
		}
		list = end + (*end == ',');
	}
}

static void config_read(void)
{
	config.boards = (int)env_number("STANDIN_DEVICES", 2);
	if (config.boards > STANDIN_DEVICES_MAX)
		config.boards = STANDIN_DEVICES_MAX;
	config.kernel_ns_set = getenv("STANDIN_KERNEL_NS") != NULL;
	config.kernel_ns = env_number("STANDIN_KERNEL_NS", 2000);
	config.launch_ns = env_number("STANDIN_LAUNCH_NS", 0);
	config.copy_gbs = env_real("STANDIN_COPY_GBS", 0);
	config.pageable_gbs = env_real("STANDIN_PAGEABLE_GBS", config.copy_gbs);
	config.memory = env_number("STANDIN_MEMORY_MB", 8192) << 20;
	boards_make();
	devices_choose();
}

STANDIN_EXPORT const struct standin_config *standin_config(void)
{
	pthread_once(&config_once, config_read);
	return &config;
}

static void init_run(void)
{
	unsigned ms = standin_fault("init");

	pthread_atfork(NULL, NULL, fork_child);
	starting = true;
	atomic_store(&initialising, true);
	injection_load();
	nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L }, NULL);
	atomic_store(&initialising, false);
	atomic_store(&initialised, true);
	starting = false;
}

STANDIN_EXPORT bool standin_is_initialising(void)
{
	return atomic_load(&initialising);
}

STANDIN_EXPORT bool standin_is_initialised(void)
{
	return (starting || atomic_load(&initialised)) && !atomic_load(&forked);
}

STANDIN_EXPORT CUresult standin_init(void)
{
	if (atomic_load(&forked))
		return CUDA_ERROR_NOT_INITIALIZED;
	if (standin_fault("nodriver"))
		return (CUresult)35; /* cudaErrorInsufficientDriver: no driver */
	if (standin_config()->devices == 0)
		return CUDA_ERROR_NO_DEVICE;
	if (!starting)
		pthread_once(&init_once, init_run);
	return CUDA_SUCCESS;
}

STANDIN_EXPORT struct standin_device *standin_device(int ordinal)
{
	return ordinal >= 0 && ordinal < standin_config()->devices ? devices[ordinal] : NULL;
}

STANDIN_EXPORT struct standin_device *standin_board(int board)
{
	return board >= 0 && board < standin_config()->boards ? &boards[board] : NULL;
}

STANDIN_EXPORT CUcontext standin_primary(struct standin_device *device)
{
	CUcontext ctx = &contexts[device->ordinal];
	bool made = false;

	pthread_mutex_lock(&context_lock);
	if (!device->primary) {
		ctx->id = (uint32_t)device->ordinal + 1;
		ctx->device = device;
		ctx->next_stream_id = STANDIN_FIRST_STREAM_ID;
		ctx->legacy = standin_stream_make(ctx, 0, 0);
		made = ctx->legacy != NULL;
		device->primary = ctx;
	}
	pthread_mutex_unlock(&context_lock);
	if (made)
		standin_resource(STANDIN_CONTEXT_CREATED, ctx, NULL, NULL);
	return ctx;
}

STANDIN_EXPORT void standin_context_set(CUcontext ctx)
{
	thread_context = ctx;
}

STANDIN_EXPORT CUcontext standin_context_peek(void)
{
	return thread_context;
}

STANDIN_EXPORT CUresult standin_context(CUcontext *ctx)
{
	CUresult ret = standin_init();

	if (ret != CUDA_SUCCESS)
		return ret;
	if (!thread_context)
		thread_context = standin_primary(devices[0]);
	*ctx = thread_context;
	return CUDA_SUCCESS;
}

/* A middling GPU; programs ask these to size their launches. */
static const struct {
	CUdevice_attribute attribute;
	int value;
} ATTRIBUTES[] = {
	{ CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024 },
	{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024 },
	{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024 },
	{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64 },
	{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647 },
	{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535 },
	{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535 },
	{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152 },
	{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 101376 },
	{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 102400 },
	{ CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536 },
	{ CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32 },
	{ CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536 },
	{ CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536 },
	{ CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1500000 },
	{ CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 5000000 },
	{ CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 256 },
	{ CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 4 << 20 },
	{ CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 8 },
	{ CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 1536 },
	{ CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 16 },
	{ CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1 },
	{ CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 2 },
	{ CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1 },
	{ CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1 },
	{ CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1 },
	{ CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1 },
	{ CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1 },
	{ CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1 },
	{ CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1 },
	{ CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1 },
	{ CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 8 },
	{ CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 6 },
	{ CU_DEVICE_ATTRIBUTE_NUMA_ID, -1 },
};

STANDIN_EXPORT int standin_attribute(const struct standin_device *device,
	CUdevice_attribute attribute)
{
	if (attribute == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)
		return 0x10 + device->board;
	for (size_t i = 0; i < sizeof(ATTRIBUTES) / sizeof(ATTRIBUTES[0]); i++)
		if (ATTRIBUTES[i].attribute == attribute)
			return ATTRIBUTES[i].value;
	return 0;
}
