/*
 * torch.hpp - the methods of libtorch that tacho is about, as headers of releases declare them whose
 * libraries are not at hand (docs/torch.md): a stand-in has their names.
 *
 *	-DRELEASE=202 -D_GLIBCXX_USE_CXX11_ABI=0	2.2 as its wheels were built; 1 from 2.7 on
 *
 * Only what a header was seen to declare is here; what is not, is not known to be gone.
 */
#ifndef STANDIN_TORCH_HPP
#define STANDIN_TORCH_HPP

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace c10
{
namespace detail
{
template <class T> struct intrusive_target_default_null_type;
}
/* Counts nothing: what it points to stays. */
template <class T, class Null = detail::intrusive_target_default_null_type<T>>
struct intrusive_ptr {
	T *target;
	intrusive_ptr(T *t) : target(t)
	{
	}
	intrusive_ptr(const intrusive_ptr &other) : target(other.target)
	{
	}
	~intrusive_ptr()
	{
	}
};

#if RELEASE < 206
template <class T> struct optional {
	bool is;
};
#else
using std::optional;
#endif
} // namespace c10

namespace at
{
/* As c10::TensorImpl has it, up to the type of the elements. */
struct TensorImpl {
	uint64_t head[8], dims;
	int64_t sizes[5], strides[5], offset, elements;
	uint16_t type;
};
struct Tensor {
	TensorImpl *impl;
};
enum class RecordScope : uint8_t { FUNCTION, USER = 7 };
struct RecordFunction {
	RecordFunction(RecordScope);
	void end();
};
} // namespace at

namespace torch
{
namespace autograd
{
namespace profiler
{
struct PythonRecordFunction {
	at::RecordFunction record;
};
c10::intrusive_ptr<PythonRecordFunction> record_function_enter_new(const std::string &name,
	const c10::optional<std::string> &arguments);
} // namespace profiler
} // namespace autograd
} // namespace torch

namespace caffe2
{
namespace serialize
{
struct PyTorchStreamWriter {
	void setup(const std::string &name);
	void writeEndOfFile();
};
} // namespace serialize
} // namespace caffe2

namespace c10d
{
using at::Tensor;
using Tensors = std::vector<Tensor>;
using Lists = std::vector<Tensors>;
using Counts = std::vector<int64_t>;
struct Store {
};

struct AllgatherOptions {
};
struct AllreduceCoalescedOptions {
};
struct AllreduceOptions {
};
struct AllToAllOptions {
};
struct BarrierOptions {
};
struct BroadcastOptions {
	int64_t root;
};
struct GatherOptions {
	int64_t root;
};
/* The operation is an object of four words from 2.8 or so on, of five before. */
struct ReduceOptions {
	int64_t operation[5], root;
};
struct ReduceScatterOptions {
};
struct ScatterOptions {
	int64_t root;
};

struct PrefixStore : Store {
#if RELEASE < 200
	PrefixStore(const std::string &prefix, c10::intrusive_ptr<Store> inner);
#else
	PrefixStore(std::string prefix, c10::intrusive_ptr<Store> inner);
#endif
};

struct Work {
	Work *inner; /* whose wait is a part of its own */
	Work(Work *of) : inner(of)
	{
	}
	bool wait(std::chrono::milliseconds timeout);
	bool isCompleted();
	~Work();
};

struct Reducer {
	struct Bucket;
	void prepare_for_forward();
	void finalize_backward();
	void all_reduce_bucket(Bucket &bucket);
};

struct ProcessGroupGloo {
	struct Options {
	};
	struct RecvWork {
		bool wait(std::chrono::milliseconds timeout);
	};
	struct SendWork {
		bool wait(std::chrono::milliseconds timeout);
	};
	struct AsyncWork {
		void finishWorkGloo();
		void *getFuture();
	};
	ProcessGroupGloo(const c10::intrusive_ptr<Store> &store, int rank, int size,
		c10::intrusive_ptr<Options> options);
#define OPERATION(name, ...) c10::intrusive_ptr<Work> name(__VA_ARGS__);
#include "operations.def"
#undef OPERATION
	void monitoredBarrier(const BarrierOptions &options, bool all);
};
} // namespace c10d
#endif
