/*
 * cuda_device.c - the devices that the process may use, as the driver names
 * them; see cuda_capture.h. All that are visible to it count as allocated to
 * it, used or not.
 */
#include "config.h"

#include <dlfcn.h>
#include <stdio.h>

#include "cuda/cuda_capture.h"
#include "core/define.h"
#include "core/process.h"

/* cuDeviceGetAttribute's numbers; cupti_check.c compares them with the headers. */
enum {
	ATTRIBUTE_SMS = 16,
	ATTRIBUTE_PCI_BUS = 33,
	ATTRIBUTE_PCI_DEVICE = 34,
	ATTRIBUTE_PCI_DOMAIN = 50,
	ATTRIBUTE_MAJOR = 75,
	ATTRIBUTE_MINOR = 76
};

/* The driver's functions; any may be missing. */
static struct driver {
	int (*count)(int *n);
	int (*get)(int *device, int ordinal);
	int (*name)(char *name, int size, int device);
	int (*uuid)(uint8_t uuid[16], int device);
	int (*attribute)(int *value, int attribute, int device);
	int (*memory)(size_t *bytes, int device);
	int (*version)(int *version);
	bool is_stand_in;
} driver;

static _Atomic uint32_t has_begun, is_silent;

static void *symbol(void *handle, const char *name, const char *older)
{
	void *found = dlsym(handle, name);

	return found || !older ? found : dlsym(handle, older);
}

static bool driver_find(void)
{
	void *handle = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);

	if (!handle)
		return false;
	driver.count = (int (*)(int *))symbol(handle, "cuDeviceGetCount", NULL);
	driver.get = (int (*)(int *, int))symbol(handle, "cuDeviceGet", NULL);
	driver.name = (int (*)(char *, int, int))symbol(handle, "cuDeviceGetName", NULL);
	driver.uuid = (int (*)(uint8_t *, int))symbol(handle, "cuDeviceGetUuid_v2",
		"cuDeviceGetUuid");
	driver.attribute = (int (*)(int *, int, int))symbol(handle, "cuDeviceGetAttribute", NULL);
	driver.memory = (int (*)(size_t *, int))symbol(handle, "cuDeviceTotalMem_v2",
		"cuDeviceTotalMem");
	driver.version = (int (*)(int *))symbol(handle, "cuDriverGetVersion", NULL);
	driver.is_stand_in = dlsym(handle, "tacho_standin") != NULL;
	dlclose(handle); /* it stays: the program has it */
	return driver.count && driver.get;
}

static uint32_t attribute(int device, int which, uint32_t unknown)
{
	int value;

	return driver.attribute && !driver.attribute(&value, which, device) ? (uint32_t)value
									    : unknown;
}

static void device_define(int ordinal)
{
	struct spool_def_device body = { .ordinal = (uint32_t)ordinal,
		.kind = driver.is_stand_in ? DEVICE_STAND_IN : DEVICE_GPU };
	char name[128] = "";
	size_t memory = 0;
	int device;

	if (driver.get(&device, ordinal))
		return;
	if (!driver.name || driver.name(name, sizeof(name), device))
		*name = '\0';
	name[sizeof(name) - 1] = '\0';
	if (driver.uuid)
		driver.uuid(body.uuid, device);
	if (driver.memory && !driver.memory(&memory, device))
		body.memory = memory;
	body.sms = attribute(device, ATTRIBUTE_SMS, 0);
	body.pci_domain = attribute(device, ATTRIBUTE_PCI_DOMAIN, UINT32_MAX);
	body.pci_bus = attribute(device, ATTRIBUTE_PCI_BUS, UINT32_MAX);
	body.pci_device = attribute(device, ATTRIBUTE_PCI_DEVICE, UINT32_MAX);
	body.major = attribute(device, ATTRIBUTE_MAJOR, 0);
	body.minor = attribute(device, ATTRIBUTE_MINOR, 0);
	process_define(&(struct def){ .type = DEF_DEVICE,
		.id = process_allot(DEF_DEVICE),
		.body = &body,
		.nbody = sizeof(body),
		.text = name });
}

static void devices_define(void)
{
	int n = 0, version = 0;
	char text[32];

	if (!driver_find() || driver.count(&n))
		return;
	for (int i = 0; i < n; i++)
		device_define(i);
	if (driver.version && !driver.version(&version)) {
		snprintf(text, sizeof(text), "%d.%d", version / 1000, version % 1000 / 10);
		process_define_property("process.cuda_driver", text);
	}
}

void cuda_begins(void)
{
	devices_define();
	atomic_store(&has_begun, 1);
}

void cuda_is_silent(void)
{
	atomic_store(&is_silent, 1);
}

void cuda_look(void)
{
	int n = 0;

	/* cuDeviceGetCount fails as long as the driver is not initialised */
	if (!atomic_load(&has_begun) && atomic_load(&is_silent) && driver_find() &&
		!driver.count(&n) && n > 0)
		atomic_store(&has_begun, 1);
}

bool cuda_has_begun(void)
{
	return atomic_load(&has_begun);
}

void cuda_device_forked(void)
{
	atomic_store(&has_begun, 0);
	atomic_store(&is_silent, 0);
}
