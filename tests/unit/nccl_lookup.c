/*
 * nccl_lookup.c - how NCCL's functions and others are found: prints a line per
 * finding. Arguments: two libraries of nccl_fake.c, two of nccl_user.c that
 * are linked with them, and one of dlsym_chain.c (another is linked).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int chain_depth(void);

struct id {
	char bytes[128];
};

static void *library(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		fprintf(stderr, "%s\n", dlerror());
	return handle;
}

static int version(void *handle)
{
	int (*get)(int *) = (int (*)(int *))dlsym(handle, "ncclGetVersion"), found = 0;

	return get && !get(&found) ? found : -1;
}

/* A communicator of one library, used through the functions of another. */
static int mixed(void *maker, void *other)
{
	int (*id_get)(struct id *) = (int (*)(struct id *))dlsym(maker, "ncclGetUniqueId");
	int (*init)(void **, int, struct id,
		int) = (int (*)(void **, int, struct id, int))dlsym(maker, "ncclCommInitRank");
	int (*reduce)(const void *, void *, size_t, int, int, void *,
		void *) = (int (*)(const void *, void *, size_t, int, int, void *,
		void *))dlsym(other, "ncclAllReduce");
	struct id id;
	void *comm;

	if (id_get(&id) || init(&comm, 1, id, 0))
		return -1;
	return reduce(NULL, NULL, 1, 7, 0, comm, NULL);
}

static int user(const char *path)
{
	void *handle = library(path);
	int (*get)(void) = handle ? (int (*)(void))dlsym(handle, "user_version") : NULL;

	return get ? get() : -1;
}

int main(int argc, char **argv)
{
	void *first, *second, *chain;
	void *(*everywhere)(void);

	if (argc != 6)
		return 2;
	printf("nothing loaded: %s\n",
		dlsym(RTLD_DEFAULT, "ncclAllReduce") ? "found" : "not found");
	printf("the users' libraries are %d and %d\n", user(argv[3]), user(argv[4]));
	first = library(argv[1]);
	second = library(argv[2]);
	printf("versions %d and %d\n", version(first), version(second));
	printf("a function of one only: %s, %s\n",
		dlsym(first, "ncclAlltoAll") ? "found" : "not found",
		dlsym(second, "ncclAlltoAll") ? "found" : "not found");
	printf("no function of NCCL: %s\n",
		dlsym(first, "ncclNoSuchThing") ? "found" : "not found");
	printf("the error is reported: %s\n", dlerror() ? "yes" : "no");
	printf("own communicator %d, the other's %d\n", mixed(second, second),
		mixed(first, second));
	chain = library(argv[5]);
	everywhere = (void *(*)(void))dlsym(chain, "chain_default");
	printf("chain of %d\n", chain_depth());
	printf("in the caller's own scope: %s\n",
		everywhere && everywhere() ? "found" : "not found");
	printf("in ours: %s\n", dlsym(RTLD_DEFAULT, "chain_local") ? "found" : "not found");
	return 0;
}
