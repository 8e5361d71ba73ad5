/*
 * torch.cpp - a library with the names and conventions of libtorch, whose operations end at once and
 * move nothing.
 */
#include "torch.hpp"

namespace at
{
RecordFunction::RecordFunction(RecordScope)
{
}
void RecordFunction::end()
{
}
} // namespace at

namespace torch
{
namespace autograd
{
namespace profiler
{
c10::intrusive_ptr<PythonRecordFunction> record_function_enter_new(const std::string &,
	const c10::optional<std::string> &)
{
	return new PythonRecordFunction{ at::RecordScope::USER };
}
} // namespace profiler
} // namespace autograd
} // namespace torch

namespace caffe2
{
namespace serialize
{
void PyTorchStreamWriter::setup(const std::string &)
{
}
void PyTorchStreamWriter::writeEndOfFile()
{
}
} // namespace serialize
} // namespace caffe2

namespace c10d
{
#if RELEASE < 200
PrefixStore::PrefixStore(const std::string &, c10::intrusive_ptr<Store>)
{
}
#else
PrefixStore::PrefixStore(std::string, c10::intrusive_ptr<Store>)
{
}
#endif
/* A function that calls itself does so without the PLT. */
static bool inner_wait(Work *work, std::chrono::milliseconds timeout)
{
	return work->wait(timeout);
}
bool Work::wait(std::chrono::milliseconds timeout)
{
	return !inner || inner_wait(inner, timeout);
}
bool Work::isCompleted()
{
	return true;
}
Work::~Work()
{
}
void Reducer::prepare_for_forward()
{
}
void Reducer::finalize_backward()
{
}
void Reducer::all_reduce_bucket(Bucket &)
{
}
bool ProcessGroupGloo::RecvWork::wait(std::chrono::milliseconds)
{
	return true;
}
bool ProcessGroupGloo::SendWork::wait(std::chrono::milliseconds)
{
	return true;
}
void ProcessGroupGloo::AsyncWork::finishWorkGloo()
{
}
void *ProcessGroupGloo::AsyncWork::getFuture()
{
	return nullptr;
}
ProcessGroupGloo::ProcessGroupGloo(const c10::intrusive_ptr<Store> &, int, int,
	c10::intrusive_ptr<Options>)
{
}
#define OPERATION(name, ...)                                                                       \
	c10::intrusive_ptr<Work> ProcessGroupGloo::name(__VA_ARGS__)                               \
	{                                                                                          \
		return new Work(nullptr);                                                          \
	}
#define APART (RELEASE == 206)
#include "operations.def"
#undef OPERATION
#if RELEASE == 206
/* Made of another one, which has a Work of its own. */
c10::intrusive_ptr<Work> ProcessGroupGloo::_reduce_scatter_base(Tensor &, Tensor &input,
	const ReduceScatterOptions &)
{
	Tensors all{ input };

	return new Work(allreduce(all, AllreduceOptions()).target);
}
#endif
void ProcessGroupGloo::monitoredBarrier(const BarrierOptions &, bool)
{
}
} // namespace c10d
