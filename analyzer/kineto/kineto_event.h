/* kineto_event.h - one event of a trace, by its members. */
#ifndef ANALYZER_KINETO_EVENT_H
#define ANALYZER_KINETO_EVENT_H

#include "base/json_in.h"
#include "kineto/kineto_rank.h"

enum { KINETO_TEXT = 4096 };

/* Arguments that are numbers. NUMBER(member, key) */
#define KINETO_NUMBERS(NUMBER)                                                                     \
	NUMBER(correlation, "correlation")                                                         \
	NUMBER(device, "device")                                                                   \
	NUMBER(stream, "stream")                                                                   \
	NUMBER(bytes, "bytes")                                                                     \
	NUMBER(in_elements, "In msg nelems")                                                       \
	NUMBER(out_elements, "Out msg nelems")                                                     \
	NUMBER(group_size, "Group size")                                                           \
	NUMBER(first, "Global rank start")                                                         \
	NUMBER(stride, "Global rank stride")                                                       \
	NUMBER(source, "Src Rank")                                                                 \
	NUMBER(target, "Dst Rank")                                                                 \
	NUMBER(root, "Root Rank")                                                                  \
	NUMBER(seq, "Seq")                                                                         \
	NUMBER(recorded_stream, "wait_on_stream")                                                  \
	NUMBER(recorded_event, "wait_on_cuda_event_id")                                            \
	NUMBER(recorded_by, "wait_on_cuda_event_record_corr_id")

/* Those that are text. TEXT(member, key, longest) */
#define KINETO_TEXTS(TEXT)                                                                         \
	TEXT(collective, "Collective name", 64)                                                    \
	TEXT(type, "dtype", 32)                                                                    \
	TEXT(group, "Process Group Name", 256)                                                     \
	TEXT(description, "Process Group Description", 256)                                        \
	TEXT(ranks, "Process Group Ranks", 1024)

struct kineto_raw {
	enum kineto_class class;
	bool has_class, is_complete; /* "ph": "X" */
	bool is_plain_op;	     /* as PyTorch writes it that was built without Kineto */
	char name[KINETO_TEXT];
	int64_t pid, tid, start, length;
#define NUMBER(member, key) int64_t member;
	KINETO_NUMBERS(NUMBER)
#undef NUMBER
#define TEXT(member, key, longest) char member[longest];
	KINETO_TEXTS(TEXT)
#undef TEXT
};

/* Nothing is known of it. */
void kineto_raw_clear(struct kineto_raw *raw);

/* Reads the object that has just begun. False: it is not JSON. */
bool kineto_raw_read(struct json_in *in, struct kineto_raw *raw);

/* Adds the event to the rank's data, and may change it. 0, or -1 without memory (reported). */
int kineto_take(struct kineto_rank *rank, struct kineto_raw *raw);

#endif
