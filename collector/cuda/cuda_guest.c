/*
 * cuda_guest.c - see cuda_guest.h.
 *
 * RATIONALE: CUPTI before 13.3 has one subscriber and one owner of buffers. PyTorch's profiler subscribes
 * once and never leaves, but enables kinds of activities only while it profiles. So it gets a subscriber
 * that lives on ours; from its first kind on to its last the buffers are its own, and what is in them
 * is read here before it gets them. What it has not asked for, kernels and copies that we need, exists,
 * too: tools pass over kinds that they do not know. Streams, waits and CUPTI's overhead are missing then.
 */
#include "config.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cuda/cuda_callbacks.h"
#include "cuda/cuda_guest.h"
#include "core/define.h"
#include "core/process.h"
#include "core/sys.h"

enum { DOMAINS = 8, NUMBERS = 1024, SLOTS = 1024, KINDS = 64, BACK_TRIES = 50 };

static struct {
	_Atomic uint32_t lock; /* one call at a time, but for callbacks and buffers */
	_Atomic bool is_subscribed, has;
	void *ours; /* subscriber */
	cupti_callback callback;
	void *user;
	_Atomic uint64_t wanted[DOMAINS][NUMBERS / 64];
	_Atomic(cupti_buffer_requested) requested;
	_Atomic(cupti_buffer_completed) completed;
	uint64_t (*now)(void);
	uint64_t kinds;
	_Atomic uint32_t nheld; /* its buffers that CUPTI has */
	struct timespec since;
	unsigned nturns;
} guest;

/* What a guest notes from a call's entry to its exit, by the call's number: ours is in CUPTI's place. */
static uint64_t slots[2][SLOTS];

static void lock(void)
{
	while (atomic_exchange_explicit(&guest.lock, 1, memory_order_acquire))
		sched_yield();
}

static void unlock(void)
{
	atomic_store_explicit(&guest.lock, 0, memory_order_release);
}

void guest_start(void *subscriber)
{
	guest.ours = subscriber;
}

bool guest_is(const void *subscriber)
{
	return subscriber == &guest;
}

/* --- callbacks --- */

bool guest_wants(int domain, uint32_t number)
{
	return domain > 0 && domain < DOMAINS && number < NUMBERS &&
		atomic_load_explicit(&guest.wanted[domain][number / 64], memory_order_relaxed) >>
			(number % 64) &
		1;
}

/* 0, or CUPTI's answer where there is no such callback. */
static int want(bool on, int domain, uint32_t number)
{
	uint64_t bit = 1ull << number % 64;

	if (on)
		atomic_fetch_or(&guest.wanted[domain][number / 64], bit);
	else
		atomic_fetch_and(&guest.wanted[domain][number / 64], ~bit);
	return cuda_callback_is_ours(domain, number)
		? CUPTI_OK
		: tacho_cupti.EnableCallback(on, guest.ours, domain, number);
}

int guest_callback_enable(bool on, int domain, uint32_t number)
{
	int ret = CUPTI_OK;

	if (domain >= DOMAINS || (number != UINT32_MAX && number >= NUMBERS))
		return CUPTI_INVALID_PARAMETER;
	for (int d = domain > 0 ? domain : 1; d <= (domain > 0 ? domain : DOMAINS - 1); d++) {
		if (number != UINT32_MAX) {
			ret = want(on, d, number);
			continue;
		}
		for (uint32_t i = 0; i < NUMBERS; i++)
			want(on, d, i); /* other values are refused */
	}
	return ret;
}

int guest_callback_state(uint32_t *on, int domain, uint32_t number)
{
	if (!on)
		return CUPTI_INVALID_PARAMETER;
	*on = guest_wants(domain, number);
	return CUPTI_OK;
}

int guest_subscribe(void **subscriber, cupti_callback callback, void *user)
{
	int ret = CUPTI_OK;

	if (!subscriber || !callback)
		return CUPTI_INVALID_PARAMETER;
	lock();
	if (atomic_load(&guest.is_subscribed)) {
		ret = CUPTI_BUSY;
	} else {
		guest.callback = callback;
		guest.user = user;
		*subscriber = &guest;
		atomic_store(&guest.is_subscribed, true);
	}
	unlock();
	return ret;
}

int guest_unsubscribe(void)
{
	if (!atomic_exchange(&guest.is_subscribed, false))
		return CUPTI_INVALID_PARAMETER;
	return guest_callback_enable(false, -1, UINT32_MAX);
}

void guest_call(int domain, uint32_t number, const void *data)
{
	struct cupti_call call;

	if (likely(!atomic_load_explicit(&guest.is_subscribed, memory_order_acquire)) ||
		!guest_wants(domain, number))
		return;
	if (domain == DOMAIN_RUNTIME || domain == DOMAIN_DRIVER) {
		call = *(const struct cupti_call *)data;
		call.own = &slots[domain == DOMAIN_DRIVER][call.correlation % SLOTS];
		if (call.site == CUPTI_ENTER)
			*call.own = 0;
		data = &call;
	}
	guest.callback(guest.user, domain, number, data);
}

/* --- activities --- */

bool guest_has_activities(void)
{
	return atomic_load(&guest.has);
}

void guest_buffer_requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
	cupti_buffer_requested requested = atomic_load(&guest.requested);

	*buffer = NULL;
	requested(buffer, size, max_records);
	if (!*buffer)
		return;
	memset(*buffer, 0, *size); /* as we have promised of ours, for all */
	atomic_fetch_add(&guest.nheld, 1);
}

void guest_buffer_completed(void *context, uint32_t stream, uint8_t *buffer, size_t size,
	size_t valid)
{
	cupti_buffer_completed completed = atomic_load(&guest.completed);

	cuda_buffer_look(buffer, valid);
	if (completed)
		completed(context, stream, buffer, size, valid);
	atomic_fetch_sub(&guest.nheld, 1);
}

/*
 * The lock is held. Activities of kernels and copies continue, which we read in the guest's
 * buffers. Only where the guest has its own clock all of them stop while CUPTI takes it.
 */
static void take_over(void)
{
	if (atomic_load(&guest.has) || !atomic_load(&guest.requested))
		return;
	cuda_activities_share(guest.now ? SHARE_NONE : SHARE_WORK);
	clock_gettime(CLOCK_REALTIME, &guest.since);
	atomic_store(&guest.has, true);
	cuda_activities_deliver();
	if (guest.now) {
		cuda_clock_change(guest.now);
		cuda_activities_share(SHARE_WORK);
	}
	for (int kind = 0; kind < KINDS; kind++)
		if (guest.kinds >> kind & 1)
			tacho_cupti.ActivityEnable(kind);
}

static void turn_note(void)
{
	char name[40], text[80];
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(name, sizeof(name), "process.gpu_guest.%u", ++guest.nturns);
	snprintf(text, sizeof(text), "%lld.%03ld %lld.%03ld", (long long)guest.since.tv_sec,
		guest.since.tv_nsec / 1000000, (long long)now.tv_sec, now.tv_nsec / 1000000);
	process_define_property(name, text);
}

static bool buffers_come(void)
{
	const struct timespec wait = { .tv_nsec = 1000000 };

	for (int i = 0; i < BACK_TRIES && atomic_load(&guest.nheld); i++)
		syscall(SYS_nanosleep, &wait, NULL);
	return !atomic_load(&guest.nheld);
}

/* Its last kind is off. Its buffers are its own: they are delivered before the clock changes back. */
static void give_back(void)
{
	if (!atomic_load(&guest.has))
		return;
	if (guest.now)
		cuda_activities_share(SHARE_NONE);
	atomic_store(&guest.has, false);
	tacho_cupti.ActivityFlushAll(0);
	if (!buffers_come()) {
		tacho_cupti.ActivityFlushAll(CUPTI_FLUSH_FORCED);
		buffers_come();
	}
	if (guest.now)
		cuda_clock_change(NULL);
	turn_note();
	cuda_activities_share(SHARE_ALL);
}

int guest_register(cupti_buffer_requested requested, cupti_buffer_completed completed)
{
	if (!requested || !completed)
		return CUPTI_INVALID_PARAMETER;
	lock();
	atomic_store(&guest.completed, completed);
	atomic_store(&guest.requested, requested);
	if (guest.kinds)
		take_over();
	unlock();
	return CUPTI_OK;
}

int guest_clock(uint64_t (*now)(void))
{
	int ret = CUPTI_OK;

	if (!now)
		return CUPTI_INVALID_PARAMETER;
	lock();
	if (atomic_load(&guest.has)) /* as CUPTI itself, in some versions */
		ret = CUPTI_INVALID_OPERATION;
	else
		guest.now = now;
	unlock();
	return ret;
}

int guest_enable(int kind)
{
	int ret = CUPTI_OK;

	if (kind < 0 || kind >= KINDS)
		return CUPTI_INVALID_KIND;
	lock();
	take_over();
	if (atomic_load(&guest.has))
		ret = tacho_cupti.ActivityEnable(kind);
	if (ret == CUPTI_OK)
		guest.kinds |= 1ull << kind;
	if (!guest.kinds)
		give_back();
	unlock();
	return ret;
}

int guest_disable(int kind)
{
	int ret = CUPTI_OK;

	if (kind < 0 || kind >= KINDS)
		return CUPTI_INVALID_KIND;
	lock();
	if (guest.kinds >> kind & 1) {
		if (atomic_load(&guest.has) && !cuda_activities_need(kind))
			ret = tacho_cupti.ActivityDisable(kind);
		guest.kinds &= ~(1ull << kind);
		if (!guest.kinds)
			give_back();
	}
	unlock();
	return ret;
}

/* It would end our recording as well: all that is its own ends. */
int guest_finalize(void)
{
	for (int kind = 0; kind < KINDS; kind++)
		guest_disable(kind);
	if (atomic_load(&guest.is_subscribed))
		guest_unsubscribe();
	return CUPTI_OK;
}
