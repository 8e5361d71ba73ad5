/*
 * cuda_capture.h - between the parts of GPU tracing: attaching to CUPTI
 * (cuda_attach.c), calls of the runtime and the driver (cuda_calls.c), numbers
 * of devices and streams (cuda_ids.c, cuda_device.c), activity records
 * (cuda_buffer.c, cuda_decode.c) and their names (cuda_kernel.c).
 *
 * No lock is held while CUPTI is called, and CUPTI calls back on threads of its
 * own and several at once; so all of it is made of atomic words.
 */
#ifndef COLLECTOR_CUDA_CAPTURE_H
#define COLLECTOR_CUDA_CAPTURE_H

#include "core/source.h"
#include "cuda/cupti_api.h"

/* Whether the calling process is the one that traces GPUs: not a forked child of it. */
bool cuda_is_on(void) HIDDEN;
void cuda_turn(bool is_on) HIDDEN;

/* GPU tracing as core/ calls it. */
extern const struct source tacho_cuda_source HIDDEN;

/*
 * Functions of CUPTI that another profiler must not call while GPUs are recorded get a wrapper
 * (cuda_rivals.c).
 */
extern const struct source tacho_rival_source HIDDEN;

/* Delivers what CUPTI has, and leaves CUPTI to another profiler; `comes_back`: until cuda_attach_again(). */
void cuda_detach(bool comes_back) HIDDEN;
bool cuda_is_away(void) HIDDEN;

/* 0, or CUPTI's error: then CUPTI is not ours any more. */
int cuda_attach_again(void) HIDDEN;

/*
 * TACHO_GPU_HARDWARE=1: times of kernels by events of the hardware, which Blackwell has. Asked for again
 * with each context until the driver is initialised.
 */
void cuda_hardware_ask(void) HIDDEN;

/*
 * TACHO_GPU_GRAPHS=whole: one record for each launch of a CUDA graph. From the first graph with a call of
 * NCCL on all graphs are recorded by node again, since only nodes show communication.
 */
void cuda_graphs_by_node(void) HIDDEN;

/* Which activities CUPTI reports: ours, those that another profiler may have beside its own, none. */
enum share { SHARE_ALL, SHARE_WORK, SHARE_NONE };
void cuda_activities_share(enum share share) HIDDEN;
bool cuda_activities_need(int kind) HIDDEN;

/* Records of kernels and of whole graphs, between and in sampled steps. */
void cuda_kernels_turn(bool is_on) HIDDEN;

/* Turns them on, those first without which there is nothing worth an analysis: 0, or CUPTI's first error. */
int cuda_activities_enable(void) HIDDEN;

/* What CUPTI has of ours: by force, so what still runs is lost, and counted. */
void cuda_activities_deliver(void) HIDDEN;

/*
 * Whether CUDA's first initialisation in this process is over. Known by the first call that had a
 * context; where others have CUPTI, or nobody, cuda_look() asks the driver, on a thread.
 */
bool cuda_has_begun(void) HIDDEN;
void cuda_look(void) HIDDEN;

/* CUPTI reports nothing to us: the driver is to be asked. */
void cuda_is_silent(void) HIDDEN;

/* In a forked child, where CUDA does not work. */
void cuda_device_forked(void) HIDDEN;

/* For the thread of NVML, once a second: says so where another tool has the driver's ear. */
void cuda_beat(void) HIDDEN;

/* --- calls --- */

/* Turns callbacks of launches of kernels of our subscriber, but those that another profiler has asked for. */
void cuda_calls_launches(void *subscriber, bool on) HIDDEN;
void cuda_callback(void *user, int domain, uint32_t number, const void *data) HIDDEN;

/* Whether the call of the correlation lay in the capture window; where that is limited, notes one that does, or not. */
bool cuda_was_captured(uint32_t correlation) HIDDEN;
void cuda_captured(uint32_t correlation) HIDDEN;
void cuda_not_captured(void) HIDDEN;

/* --- graphs --- */

/* Something of a graph was made: `number` is one of enum cupti_resource. */
void cuda_graph_resource(uint32_t number, const struct cupti_graph *graph) HIDDEN;

/* At the end of calls that begin and end captures; `result` of the call. */
void cuda_graph_call(unsigned region, int result) HIDDEN;

#define CUDA_CAPTURE_INVALIDATED 901 /* the capture has ended all the same */

/* --- numbers --- */

/* Notes a context's device. */
void cuda_context_learn(uint32_t context, uint32_t device) HIDDEN;

/* The same as it is made; its handle is known until it is destroyed. */
void cuda_context_created(void *handle, uint32_t context, uint32_t device) HIDDEN;
void cuda_context_destroyed(void *handle) HIDDEN;

/* Number of a context that was reported as it was made, 0 when not known. */
uint32_t cuda_context_of(const void *handle) HIDDEN;

/* Device of a context, SPOOL_DEVICE_NONE when not known. */
uint32_t cuda_context_device(uint32_t context) HIDDEN;

/*
 * CUPTI's stream id as it is recorded: of further contexts of a device other numbers than of the
 * first.
 */
uint32_t cuda_stream_number(uint32_t context, uint32_t stream) HIDDEN;

/*
 * The number of a stream by its handle; `per_thread`: 0 is the thread's default stream. `context`
 * and *id: the one that is current; *id becomes that of the stream's own.
 */
uint32_t cuda_stream_find(void *context, uint32_t *id, void *stream, bool per_thread) HIDDEN;

/* Handles may be used again: what is known of them is forgotten. */
void cuda_streams_forget(void) HIDDEN;

/* At the end of the first call that had a context: defines the process's devices. Calls the driver. */
void cuda_begins(void) HIDDEN;

/* Number of a kernel's name, defined when new; 0 without. */
uint32_t cuda_kernel_number(const char *name) HIDDEN;
void cuda_kernels_forked(void) HIDDEN;

/* --- activities --- */

/* Gives CUPTI a buffer, if there is one. */
void cuda_buffer_give(uint8_t **buffer, size_t *size, size_t *max_records) HIDDEN;

/* Records what is in one that CUPTI gives back; false: it is none of ours. */
bool cuda_buffer_take_back(void *context, uint32_t stream, uint8_t *buffer, size_t valid) HIDDEN;
void cuda_buffers_forked(void) HIDDEN;

/* Records what is in another profiler's buffer, before that one reads it. */
void cuda_buffer_look(uint8_t *buffer, size_t valid) HIDDEN;

/* Whether CUPTI has given back every buffer; the same, waiting so many times a millisecond. */
bool cuda_buffers_are_back(void) HIDDEN;
bool cuda_buffers_come(int tries) HIDDEN;

/* How long CUPTI has buffers and gives none back; 0: it has none. */
uint64_t cuda_buffers_stalled_ns(void) HIDDEN;

/* --- time --- */

/* Before any kind is enabled: CUPTI keeps the clock that it has then. Returns which it has. */
const char *cuda_clock_start(void) HIDDEN;

/* CUPTI gets another profiler's clock, which is paired with ours, or NULL: ours again. While nothing is enabled. */
void cuda_clock_change(uint64_t (*other)(void)) HIDDEN;

/* Reads CUPTI's time and ours together: once a second. */
void cuda_clock_pair(void) HIDDEN;

/* One pair has no rate: before activities are decoded, reads the second. */
void cuda_clock_rate(void) HIDDEN;

/* CUPTI's time in ticks. */
uint64_t cuda_ticks(uint64_t time) HIDDEN;

/* Whether such ticks are in the recording, so between the attaching and now. */
bool cuda_is_recorded(uint64_t start, uint64_t end) HIDDEN;

/* --- records --- */

/* One decoded record of an activity; `nwords` of words from w3 on. */
struct gpu_record {
	unsigned type;	 /* enum spool_type */
	unsigned region; /* of SPOOL_LAUNCH */
	uint32_t a;
	uint64_t start, end; /* ticks */
	uint64_t words[5];
	unsigned nwords;
	uint32_t correlation;		  /* 0: none */
	uint32_t device, context, stream; /* of SPOOL_KERNEL and SPOOL_COPY */
};

enum decoded {
	DECODED_NOTHING, /* of no interest, or a definition that was written */
	DECODED_RECORD,
	DECODED_UNTIMED, /* it reports no time */
	DECODED_SHORT,	 /* truncated */
};

/* Whether it looks like a kernel, copy or memset that was launched and has not ended. */
bool cuda_is_incomplete(const void *activity, size_t room) HIDDEN;

/* Makes a record of CUPTI's, of which `room` bytes may be read. */
enum decoded cuda_decode(const void *activity, size_t room, struct gpu_record *record) HIDDEN;

#endif
