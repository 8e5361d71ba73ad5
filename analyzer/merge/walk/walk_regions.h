/*
 * walk_regions.h - what merge knows of every recordable call beyond its name:
 * from the tables include/tacho/…_calls.def, by name.
 */
#ifndef ANALYZER_WALK_REGIONS_H
#define ANALYZER_WALK_REGIONS_H

#include <otf2/otf2.h>
#include <stdbool.h>

#include "merge/walk/walk_requests.h"
#include "tacho/regions.h"

enum io_op {
	IO_OP_NONE,
	IO_OP_READ,
	IO_OP_WRITE,
	IO_OP_FLUSH,
	IO_OP_CREATE,
	IO_OP_DESTROY,
	IO_OP_SEEK,
	IO_OP_DELETE
};

#define COLLECTIVE_NONE 0xff

enum cuda_word { CUDA_WORD_NONE, CUDA_WORD_EVENT, CUDA_WORD_BYTES, CUDA_WORD_GRAPH };

struct region_info {
	const char *name;
	OTF2_RegionRole role;
	OTF2_Paradigm paradigm;
	unsigned char p2p;	  /* REQUEST_SEND, REQUEST_RECV or 0 */
	unsigned char collective; /* OTF2_CollectiveOp or COLLECTIVE_NONE */
	bool neighbours;	  /* of a communicator's topology */
	unsigned char io;	  /* enum io_op */
	unsigned char rma;	  /* 'p'ut, 'g'et, 'a'tomic, 0 */
	unsigned char word;	  /* enum cuda_word: what a CUDA call's last word is */
	bool by_all;		  /* a transfer of all ranks that share the file */
	bool launches;		  /* a CUDA call that puts work on a device */
};

/* Regions that merge adds after those of the tables. */
enum {
	REGION_THREAD_END = REGION_SEEN_FUTEX + 1,
	REGION_EPOLL_TIMEOUT,
	REGION_POLL_HANGUP,
	REGION_FIXED_COUNT
};

extern struct region_info region_infos[REGION_FIXED_COUNT];

/* Fills region_infos; once, before threads start. */
void regions_init(void);

#endif
