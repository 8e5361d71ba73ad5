/*
 * call_path.h - which regions of a process's main thread were entered inside of which, and how long
 * they took: the rows of the table call_path.
 */
#ifndef ANALYZER_CALL_PATH_H
#define ANALYZER_CALL_PATH_H

#include <stdint.h>

#include "base/containers.h"
#include "db/db.h"
#include "model/model.h"

struct call_node {
	uint32_t region, caller;
	uint32_t recent; /* its most recent callee; 0: none yet */
	uint64_t calls, ns;
};

/* Nodes from 1 on; node 0 represents the outside of all regions. */
struct call_tree {
	ARRAY_OF(struct call_node) nodes;
	struct idmap places;
};

/*
 * The node of a region that is entered in node `caller`. Where there are too many, or it is too
 * deep, that is the caller itself. All steps are one region.
 */
uint32_t call_path_enter(struct call_tree *tree, const struct model *model, uint32_t caller,
	uint32_t region);

/* It was left: so many calls took `ns` together. `caller`: the node that it was entered in. */
void call_path_leave(struct call_tree *tree, uint32_t node, uint32_t caller, uint64_t calls,
	uint64_t ns);

/* Writes the rows of a process. */
void call_paths_write(const struct call_tree *tree, struct db *db, const struct model *model,
	uint32_t process);

void call_tree_free(struct call_tree *tree);

#endif
