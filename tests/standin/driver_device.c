/* Driver calls about devices, contexts and errors. */
#include "driver.h"

#include <stdio.h>
#include <string.h>

enum { PUSHED_MAX = 64, DRIVER_VERSION = 13000 };

static _Thread_local CUcontext pushed[PUSHED_MAX];
static _Thread_local unsigned npushed;

CUresult do_cuDriverGetVersion(int *version)
{
	*version = DRIVER_VERSION;
	return CUDA_SUCCESS;
}

/*
 * Only this call without a context reports whether cuInit was called: cuda.h,
 * CUDA_ERROR_NOT_INITIALIZED.
 */
CUresult do_cuDeviceGetCount(int *count)
{
	CUresult ret = standin_is_initialised() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;

	*count = ret == CUDA_SUCCESS ? standin_config()->devices : 0;
	return ret;
}

/* A CUdevice is the ordinal. */
CUresult do_cuDeviceGet(CUdevice *device, int ordinal)
{
	*device = ordinal;
	return standin_device(ordinal) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult do_cuDeviceGetName(char *name, int len, CUdevice dev)
{
	struct standin_device *device = standin_device(dev);

	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	snprintf(name, (size_t)len, "%s", device->name);
	return CUDA_SUCCESS;
}

CUresult do_cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
	struct standin_device *device = standin_device(dev);

	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	*uuid = device->uuid;
	return CUDA_SUCCESS;
}

CUresult do_cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev)
{
	return do_cuDeviceGetUuid(uuid, dev);
}

CUresult do_cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
	*bytes = standin_config()->memory;
	return standin_device(dev) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult do_cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice dev)
{
	struct standin_device *device = standin_device(dev);

	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	*value = standin_attribute(device, attribute);
	return CUDA_SUCCESS;
}

CUresult do_cuDeviceGetPCIBusId(char *id, int len, CUdevice dev)
{
	struct standin_device *device = standin_device(dev);

	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	snprintf(id, (size_t)len, "%s", device->pci);
	return CUDA_SUCCESS;
}

CUresult do_cuDeviceGetByPCIBusId(CUdevice *dev, const char *id)
{
	for (int i = 0; i < standin_config()->devices; i++) {
		if (strcmp(standin_device(i)->pci, id) != 0)
			continue;
		*dev = i;
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_DEVICE;
}

CUresult do_cuDevicePrimaryCtxRetain(CUcontext *ctx, CUdevice dev)
{
	struct standin_device *device = standin_device(dev);

	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	*ctx = standin_primary(device);
	return CUDA_SUCCESS;
}

CUresult do_cuDevicePrimaryCtxRelease_v2(CUdevice dev)
{
	return standin_device(dev) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult do_cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
	struct standin_device *device = standin_device(dev);

	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	*flags = 0;
	*active = device->primary != NULL;
	return CUDA_SUCCESS;
}

CUresult do_cuCtxGetCurrent(CUcontext *ctx)
{
	*ctx = standin_context_peek();
	return standin_init();
}

CUresult do_cuCtxSetCurrent(CUcontext ctx)
{
	standin_context_set(ctx);
	return standin_init();
}

CUresult do_cuCtxPushCurrent_v2(CUcontext ctx)
{
	if (npushed == PUSHED_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	pushed[npushed++] = standin_context_peek();
	standin_context_set(ctx);
	return CUDA_SUCCESS;
}

CUresult do_cuCtxPopCurrent_v2(CUcontext *ctx)
{
	if (!npushed)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (ctx)
		*ctx = standin_context_peek();
	standin_context_set(pushed[--npushed]);
	return CUDA_SUCCESS;
}

CUresult do_cuCtxGetDevice(CUdevice *dev)
{
	CUcontext ctx = standin_context_peek();

	if (!ctx)
		return CUDA_ERROR_INVALID_CONTEXT;
	*dev = ctx->device->ordinal;
	return CUDA_SUCCESS;
}

CUresult do_cuCtxGetId(CUcontext ctx, unsigned long long *id)
{
	ctx = ctx ? ctx : standin_context_peek();
	if (!ctx)
		return CUDA_ERROR_INVALID_CONTEXT;
	*id = ctx->id;
	return CUDA_SUCCESS;
}

CUresult do_cuCtxSynchronize(void)
{
	CUcontext ctx;
	CUresult ret = standin_context(&ctx);

	return ret == CUDA_SUCCESS ? standin_context_sync(ctx) : ret;
}

CUresult do_cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	*least = 0;
	*greatest = -5;
	return CUDA_SUCCESS;
}

static const struct {
	CUresult code;
	const char *name, *text;
} ERRORS[] = {
	{ CUDA_SUCCESS, "CUDA_SUCCESS", "no error" },
	{ CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument" },
	{ CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory" },
	{ CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error" },
	{ CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected" },
	{ CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal" },
	{ CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context" },
	{ CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle" },
	{ CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready" },
	{ CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
		"operation not permitted when stream is capturing" },
};

STANDIN_EXPORT CUresult cuGetErrorName(CUresult error, const char **text)
{
	*text = "CUDA_ERROR_UNKNOWN";
	for (size_t i = 0; i < sizeof(ERRORS) / sizeof(ERRORS[0]); i++)
		if (ERRORS[i].code == error)
			*text = ERRORS[i].name;
	return CUDA_SUCCESS;
}

STANDIN_EXPORT CUresult cuGetErrorString(CUresult error, const char **text)
{
	*text = "error of a stand-in without text";
	for (size_t i = 0; i < sizeof(ERRORS) / sizeof(ERRORS[0]); i++)
		if (ERRORS[i].code == error)
			*text = ERRORS[i].text;
	return CUDA_SUCCESS;
}
