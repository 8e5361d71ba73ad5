/*
 * main.cpp - a training of four ranks on the stand-in: two groups of two ranks each way (rows and
 * columns), an operation of each kind of the release in every group, a batch, an optimizer's step, a
 * file. Members meet in shared memory between the post of an operation and its wait. With a second
 * argument stores have no prefixes. main MEET [nameless]: MEET is a file of zeros.
 */
#include <atomic>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "torch.hpp"

using namespace c10d;

struct scope {
	torch::autograd::profiler::PythonRecordFunction *at;
	scope(const char *name)
	    : at(torch::autograd::profiler::record_function_enter_new(name,
		      c10::optional<std::string>())
			      .target)
	{
	}
	~scope()
	{
		at->record.end();
	}
};

static Tensor tensor(int64_t n, uint16_t type = 6 /* float */)
{
	auto impl = new at::TensorImpl();

	impl->dims = 1;
	impl->sizes[0] = impl->elements = n;
	impl->strides[0] = 1;
	impl->type = type;
	return { impl };
}

/* How often ranks have come to an operation, of each group. */
static std::atomic<int> *meeting;

struct group {
	ProcessGroupGloo &gloo;
	int number, size, operations;
};

static void end(group &group, c10::intrusive_ptr<Work> work)
{
	int all = ++group.operations * group.size;

	meeting[group.number]++;
	while (meeting[group.number] < all)
		usleep(100);
	work.target->wait(std::chrono::milliseconds(0));
}

static void operate(group group)
{
	Tensors one{ tensor(10) }, all{ tensor(10 * group.size) };

	end(group, group.gloo.allreduce(one, AllreduceOptions()));
#if RELEASE < 214
	end(group, group.gloo._allgather_base(all[0], one[0], AllgatherOptions()));
#if RELEASE >= 200
	end(group, group.gloo._reduce_scatter_base(one[0], all[0], ReduceScatterOptions()));
#endif
#else
	Counts counts;

	end(group, group.gloo.all_gather_single(all[0], one[0], AllgatherOptions()));
	end(group, group.gloo.reduce_scatter_single(one[0], all[0], ReduceScatterOptions()));
	end(group, group.gloo.all_gather_single_coalesced(all, one, AllgatherOptions()));
	end(group, group.gloo.reduce_scatter_single_coalesced(one, all, ReduceScatterOptions()));
	end(group, group.gloo.all_to_all_single(all[0], all[0], counts, counts, AllToAllOptions()));
	end(group, group.gloo.alltoall(all, all, AllToAllOptions()));
#endif
#if RELEASE >= 206
	Tensors small{ tensor(44, 24 /* float8_e4m3fn */) };

	end(group, group.gloo.allreduce(small, AllreduceOptions()));
#endif
#if RELEASE >= 206 && RELEASE < 214
	end(group, group.gloo.allgather_into_tensor_coalesced(all, one, AllgatherOptions()));
	end(group, group.gloo.reduce_scatter_tensor_coalesced(one, all, ReduceScatterOptions()));
#endif
}

static void group_use(int number, const char *name, int rank, int size, bool is_named)
{
	static Store store;
	Store *own = is_named ? new PrefixStore(name, &store) : new Store;

	operate({ *new ProcessGroupGloo(own, rank, size, nullptr), number, size, 0 });
}

int main(int argc, char **argv)
{
	int rank = atoi(getenv("RANK"));
	bool is_named = argc < 3;
	caffe2::serialize::PyTorchStreamWriter writer;

	meeting = (std::atomic<int> *)mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
		open(argv[1], O_RDWR), 0);
	group_use(0, "0/", rank, 4, is_named);
	group_use(1 + rank / 2,
		rank < 2 ? "row 0, of a name longer than fits a string/"
			 : "row 1, of a name longer than fits a string/",
		rank % 2, 2, is_named);
	group_use(3 + rank % 2, rank % 2 ? "column 1/" : "column 0/", rank / 2, 2, is_named);
	{
		scope loader("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
	}
	{
		scope optimizer("Optimizer.step#SGD.step");
	}
	writer.setup("archive");
	writer.writeEndOfFile();
	return 0;
}
