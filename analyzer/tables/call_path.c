/* call_path.c - see call_path.h. */
#include "config.h"

#include <stdlib.h>

#include "tables/call_path.def"
#include "tables/call_path.h"

enum { NODES_MOST = 4096 };

static uint32_t region_shared(const struct model *model, uint32_t region)
{
	return model->regions.at[region].mark == MARK_STEP ? MODEL_NONE - 1 : region;
}

static uint32_t node_make(struct call_tree *tree, uint64_t key, uint32_t caller, uint32_t region)
{
	struct call_node *node;

	/* node 0: calls made outside of all regions */
	if (!tree->nodes.n && (node = ARRAY_ADD(&tree->nodes)))
		*node = (struct call_node){ .region = MODEL_NONE };
	if (!tree->nodes.n || tree->nodes.n > NODES_MOST || !(node = ARRAY_ADD(&tree->nodes)))
		return caller;
	*node = (struct call_node){ .region = region, .caller = caller };
	if (idmap_set(&tree->places, key, tree->nodes.n - 1) < 0)
		return caller;
	return tree->nodes.n - 1;
}

uint32_t call_path_enter(struct call_tree *tree, const struct model *model, uint32_t caller,
	uint32_t region)
{
	uint32_t shared = region_shared(model, region), place;
	uint64_t key;

	if (tree->nodes.n) {
		uint32_t recent = tree->nodes.at[caller].recent;

		if (recent && region_shared(model, tree->nodes.at[recent].region) == shared)
			return recent;
	}
	key = idmap_key((uint64_t)caller << 32 | shared);
	place = idmap_find(&tree->places, key);
	if (place == IDMAP_NONE)
		place = node_make(tree, key, caller, region);
	if (place != caller)
		tree->nodes.at[caller].recent = place;
	return place;
}

void call_path_leave(struct call_tree *tree, uint32_t node, uint32_t caller, uint64_t calls,
	uint64_t ns)
{
	if (!node || node == caller || node >= tree->nodes.n)
		return;
	tree->nodes.at[node].calls += calls;
	tree->nodes.at[node].ns += ns;
}

static const struct db_table table = DB_TABLE(call_path, "insert", CALL_PATH_COLUMNS);

void call_paths_write(const struct call_tree *tree, struct db *db, const struct model *model,
	uint32_t process)
{
	for (size_t i = 1; i < tree->nodes.n; i++) {
		const struct call_node *node = &tree->nodes.at[i];
		const struct region *region = &model->regions.at[node->region];
		const char *name = region->mark == MARK_STEP ? "step" : region->name;

		db_put_row(db, &table, DB_ROW(CALL_PATH_COLUMNS));
	}
}

void call_tree_free(struct call_tree *tree)
{
	free(tree->nodes.at);
	idmap_free(&tree->places);
	*tree = (struct call_tree){ 0 };
}
