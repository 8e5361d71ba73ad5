/*
 * nvtx_ranges.c - NVTX ranges of all kinds, through the real header; prints
 * what NVTX answered. The argument: ranges, steps, torch, names, marked, or serve, with the
 * milliseconds of a request.
 */
#define _GNU_SOURCE
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../collector/nvtx/nvtx.h"
#include "tacho.h"

/* What the collector assumes of the header that it is built without. */
#define SAME(ours, theirs)                                                                         \
	_Static_assert(offsetof(struct nvtx_attributes, ours) ==                                   \
			offsetof(nvtxEventAttributes_t, theirs),                                   \
		#theirs)
SAME(version, version);
SAME(size, size);
SAME(payload, payload);
SAME(text_type, messageType);
SAME(text, message);
_Static_assert(sizeof(struct nvtx_attributes) == sizeof(nvtxEventAttributes_t),
	"size of attributes");
_Static_assert((int)NVTX_TEXT_ASCII == (int)NVTX_MESSAGE_TYPE_ASCII &&
		(int)NVTX_TEXT_WIDE == (int)NVTX_MESSAGE_TYPE_UNICODE &&
		(int)NVTX_TEXT_REGISTERED == (int)NVTX_MESSAGE_TYPE_REGISTERED,
	"kinds of text");
_Static_assert((int)NVTX_TABLE_CALLBACKS == (int)NVTX_ETID_CALLBACKS, "table of callbacks");
/* The places of all functions in the tables of collector/nvtx/nvtx.c. */
#define AT(place, function) _Static_assert(NVTX_CBID_##function == (place), #function)
AT(1, CORE_MarkEx);
AT(2, CORE_MarkA);
AT(3, CORE_MarkW);
AT(4, CORE_RangeStartEx);
AT(5, CORE_RangeStartA);
AT(6, CORE_RangeStartW);
AT(7, CORE_RangeEnd);
AT(8, CORE_RangePushEx);
AT(9, CORE_RangePushA);
AT(10, CORE_RangePushW);
AT(11, CORE_RangePop);
AT(1, CORE2_DomainMarkEx);
AT(2, CORE2_DomainRangeStartEx);
AT(3, CORE2_DomainRangeEnd);
AT(4, CORE2_DomainRangePushEx);
AT(5, CORE2_DomainRangePop);
AT(10, CORE2_DomainRegisterStringA);
AT(11, CORE2_DomainRegisterStringW);
AT(12, CORE2_DomainCreateA);
AT(13, CORE2_DomainCreateW);
_Static_assert((int)NVTX_MODULE_CORE == (int)NVTX_CB_MODULE_CORE &&
		(int)NVTX_MODULE_CORE2 == (int)NVTX_CB_MODULE_CORE2,
	"modules");

static nvtxEventAttributes_t attributes(int type)
{
	nvtxEventAttributes_t a = { 0 };

	a.version = NVTX_VERSION;
	a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	a.messageType = type;
	return a;
}

static nvtxEventAttributes_t named(const char *text)
{
	nvtxEventAttributes_t a = attributes(NVTX_MESSAGE_TYPE_ASCII);

	a.message.ascii = text;
	return a;
}

static void *end_elsewhere(void *arg)
{
	nvtxRangeEnd(*(nvtxRangeId_t *)arg);
	return NULL;
}

static void ranges(void)
{
	nvtxDomainHandle_t domain = nvtxDomainCreateA("library"), nccl = nvtxDomainCreateA("NCCL");
	nvtxStringHandle_t string = nvtxDomainRegisterStringA(domain, "registered");
	nvtxEventAttributes_t a = attributes(NVTX_MESSAGE_TYPE_REGISTERED),
			      b = named("inner of a domain");
	nvtxEventAttributes_t ignored = named("ncclAllReduce");
	nvtxRangeId_t first, second, third;
	pthread_t thread;

	a.message.registered = string;
	printf("depth %d\n", nvtxRangePushA("outer"));
	printf("depth %d\n", nvtxRangePushW(L"wide \u00e9"));
	printf("depth %d\n", nvtxDomainRangePushEx(domain, &a));
	printf("depth %d\n", nvtxDomainRangePushEx(domain, &b));
	printf("depth %d\n", nvtxDomainRangePushEx(nccl, &ignored));
	printf("left %d\n", nvtxDomainRangePop(nccl));
	printf("left %d\n", nvtxDomainRangePop(domain));
	printf("left %d\n", nvtxDomainRangePop(domain));
	nvtxMarkA("a mark");
	printf("left %d\n", nvtxRangePop());
	printf("left %d\n", nvtxRangePop());
	printf("left %d\n", nvtxRangePop());
	/* overlapping, and ended by another thread */
	first = nvtxRangeStartA("first");
	second = nvtxRangeStartA("second");
	nvtxRangeEnd(first);
	nvtxRangeEnd(second);
	third = nvtxRangeStartA("third");
	pthread_create(&thread, NULL, end_elsewhere, &third);
	pthread_join(thread, NULL);
	nvtxRangePushA("behind");
	nvtxRangePop();
	printf("numbers differ: %d\n", first != second && second != third && first != 0);
}

/* A framework's loop; the optimizer's "step" inside is none. */
static void steps(void)
{
	char name[32];

	for (int i = 5; i < 8; i++) {
		snprintf(name, sizeof(name), "iteration %d", i);
		nvtxRangePushA(name);
		nvtxRangePushA("forward");
		nvtxRangePop();
		nvtxRangePushA("step");
		nvtxRangePop();
		nvtxRangePop();
	}
	nvtxRangePushA("iteration without end");
	nvtxRangePop();
	nvtxRangePushA("stepwise");
	nvtxRangePop();
}

/* As torch.autograd.profiler.emit_nvtx and torch.profiler do. */
static void torch(void)
{
	char name[128];

	for (int i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "ProfilerStep#%d", i);
		nvtxRangePushA(name);
		for (int k = 0; k < 40; k++) {
			snprintf(name, sizeof(name),
				"aten::mm, seq = %d, op_id = %d, sizes = [[%d, 4]]", 40 * i + k,
				40 * i + k, k);
			nvtxRangePushA(name);
			nvtxRangePop();
		}
		nvtxRangePushA("Optimizer.step#SGD.step");
		nvtxRangePop();
		nvtxRangePop();
	}
}

/* Numbers in names without end. */
static void names(void)
{
	char name[40];

	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "sample %d of %d", i, i + 3);
		nvtxRangePushA(name);
		nvtxRangePop();
	}
}

/* The program marks its steps itself. */
static void marked(void)
{
	for (uint64_t i = 0; i < 3; i++) {
		tacho_step_begin(i);
		nvtxRangePushA("iteration");
		nvtxRangePop();
		tacho_step_end(1);
	}
}

static double request_ms;

/* Requests, each client's counted from 0, of which the last takes four times as long. */
static void *client(void *arg)
{
	char name[32];

	for (int i = 0; i < 5; i++) {
		double ms = i == 4 ? 4 * request_ms : request_ms;

		snprintf(name, sizeof(name), "request %d", i);
		nvtxRangePushA(name);
		nvtxRangePushA("iteration");
		usleep((useconds_t)(1000 * ms));
		nvtxRangePop();
		nvtxRangePop();
	}
	return arg;
}

static void serve(void)
{
	pthread_t thread;
	bool began = pthread_create(&thread, NULL, client, NULL) == 0;

	client(NULL);
	if (began)
		pthread_join(thread, NULL);
}

static void *one_range(void *arg)
{
	nvtxRangePushA("thread");
	nvtxRangePop();
	return arg;
}

static long resident_kb(void)
{
	long kb = -1;
	char line[100];
	FILE *status = fopen("/proc/self/status", "r");

	while (status && fgets(line, sizeof(line), status))
		sscanf(line, "VmRSS: %ld", &kb);
	if (status)
		fclose(status);
	return kb;
}

/* Threads without end: prints by how much memory has grown, KiB. */
static void threads(void)
{
	pthread_t thread;
	long before = 0;

	for (int i = 0; i < 2100; i++) {
		if (i == 100)
			before = resident_kb();
		if (!pthread_create(&thread, NULL, one_range, NULL))
			pthread_join(thread, NULL);
	}
	printf("%ld\n", resident_kb() - before);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = {
		{ "ranges", ranges },
		{ "steps", steps },
		{ "torch", torch },
		{ "names", names },
		{ "marked", marked },
		{ "threads", threads },
		{ "serve", serve },
	};

	request_ms = argc > 2 ? atof(argv[2]) : 1;
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes) && argc > 1; i++)
		if (!strcmp(argv[1], modes[i].name)) {
			modes[i].run();
			return 0;
		}
	return 2;
}
