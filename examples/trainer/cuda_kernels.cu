/*
 * cuda_kernels.cu - the kernels of cuda_kernels.def. Each body works on item i alone; around it
 * stand the kernel, the host's version for stand-ins (tests/standin/README.md) and the launch.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <utility>

#define TRAINER_CUDA_BODIES
extern "C" {
#include "cuda_kernels.h"
#include "layer.h"
}

#define BODY static __host__ __device__ inline

BODY float get(float x)
{
	return x;
}
BODY float get(__half x)
{
	return __half2float(x);
}
BODY float get(__nv_bfloat16 x)
{
	return __bfloat162float(x);
}
BODY void put(float *to, float x)
{
	*to = x;
}
BODY void put(__half *to, float x)
{
	*to = __float2half(x);
}
BODY void put(__nv_bfloat16 *to, float x)
{
	*to = __float2bfloat16(x);
}

template <typename T> BODY void convert_at(size_t i, const float *in, T *out)
{
	put(out + i, in[i]);
}

/* Element i of the columns is pixel (y, x) of a sample, seen by line (channel, ky, kx). */
template <typename T> BODY void columns_fill_at(size_t i, const T *in, T *columns, struct windows w)
{
	int x = i % w.width, y = i / w.width % w.height;
	int n = i / (w.width * w.height) % w.batch;
	int line = i / ((size_t)w.width * w.height * w.batch);
	int channel = line / (w.kernel * w.kernel);

	x += line % w.kernel - w.kernel / 2;
	y += line / w.kernel % w.kernel - w.kernel / 2;
	if (x < 0 || x >= w.width || y < 0 || y >= w.height)
		put(columns + i, 0);
	else
		columns[i] = in[(size_t)channel * w.channel_stride + (size_t)n * w.sample_stride +
			y * w.width + x];
}

/* Item i is a pixel of the picture; it was copied to up to kernel² columns. */
template <typename T> BODY void columns_add_at(size_t i, const T *columns, T *out, struct windows w)
{
	int x = i % w.width, y = i / w.width % w.height, pixels = w.width * w.height;
	int n = i / pixels % w.batch, channel = i / ((size_t)pixels * w.batch);
	const T *lines = columns + (size_t)channel * w.kernel * w.kernel * w.batch * pixels;
	float sum = 0;

	for (int ky = 0; ky < w.kernel; ky++)
		for (int kx = 0; kx < w.kernel; kx++, lines += (size_t)w.batch * pixels) {
			int cy = y - ky + w.kernel / 2, cx = x - kx + w.kernel / 2;

			if (cx >= 0 && cx < w.width && cy >= 0 && cy < w.height)
				sum += get(lines[(size_t)n * pixels + cy * w.width + cx]);
		}
	put(out + (size_t)channel * w.channel_stride + (size_t)n * w.sample_stride + y * w.width +
			x,
		sum);
}

template <typename T>
BODY void bias_add_at(size_t i, T *values, const T *bias, int stride, int count)
{
	put(values + i, get(values[i]) + get(bias[i / stride % count]));
}

template <typename T> BODY void smooth_forward_at(size_t i, const T *in, T *out)
{
	float x = get(in[i]);

	put(out + i, 0.5f * (x + sqrtf(x * x + SQUAREPLUS_B) - SQUAREPLUS_ROOT));
}

template <typename T>
BODY void smooth_backward_at(size_t i, const T *in, const T *grad_out, T *grad_in)
{
	float x = get(in[i]);

	put(grad_in + i, get(grad_out[i]) * (0.5f + 0.5f * x / sqrtf(x * x + SQUAREPLUS_B)));
}

/* The first of the four pixels behind pixel i of the pooled picture; width of the large one. */
BODY size_t pool_corner(size_t i, int width)
{
	return i / (width / 2) * 2 * width + i % (width / 2) * 2;
}

template <typename T> BODY void pool_forward_at(size_t i, const T *in, T *out, int width)
{
	const T *four = in + pool_corner(i, width);

	put(out + i,
		0.5f * (get(four[0]) + get(four[1]) + get(four[width]) + get(four[width + 1])));
}

template <typename T> BODY void pool_backward_at(size_t i, const T *grad_out, T *grad_in, int width)
{
	T *four = grad_in + pool_corner(i, width);

	put(four, 0.5f * get(grad_out[i]));
	four[1] = four[width] = four[width + 1] = four[0];
}

template <typename T>
BODY void mean_forward_at(size_t i, const T *in, T *out, int places, int width)
{
	const T *first = in + i / width * places * width + i % width;
	float sum = 0;

	for (int p = 0; p < places; p++)
		sum += get(first[(size_t)p * width]) / places;
	put(out + i, sum);
}

template <typename T>
BODY void mean_backward_at(size_t i, const T *grad_out, T *grad_in, int places, int width)
{
	put(grad_in + i, get(grad_out[i / width / places * width + i % width]) / places);
}

template <typename T>
BODY void swap_axes_at(size_t i, const T *in, T *out, int a, int b, int pixels)
{
	size_t pixel = i % pixels, row = i / pixels;

	out[(row % b * a + row / b) * pixels + pixel] = in[i];
}

BODY double target_share(const struct target *target, int label)
{
	return (label == target->label[0] ? 1 - target->mix : 0) +
		(label == target->label[1] ? target->mix : 0);
}

template <typename T> BODY int greatest(const T *values, int count)
{
	int best = 0;

	for (int i = 1; i < count; i++)
		if (get(values[i]) > get(values[best]))
			best = i;
	return best;
}

template <typename T>
BODY void loss_at(size_t i, const T *logits, const struct target *targets,
	const struct step_values *values, const struct scaler *scaler, T *grad,
	struct sample_loss *each, int classes)
{
	const struct target *target = targets + i;
	double total = 0, loss = 0, top;
	int best;

	logits += i * classes;
	best = greatest(logits, classes);
	top = get(logits[best]);
	for (int c = 0; c < classes; c++)
		total += exp(get(logits[c]) - top);
	for (int c = 0; c < classes; c++) {
		double log_p = get(logits[c]) - top - log(total), share = target_share(target, c);

		loss -= share * log_p;
		if (grad)
			put(grad + i * classes + c,
				scaler->scale * values->share * (exp(log_p) - share));
	}
	each[i].loss = loss;
	each[i].correct = best == target->label[target->mix > 0.5f];
}

template <typename T>
BODY void optimizer_at(size_t i, float *weights, T *copy, float *velocity, const float *grads,
	const struct step_values *values, const struct scaler *scaler, float momentum, float decay)
{
	if (scaler->overflow)
		return;
	velocity[i] = momentum * velocity[i] + grads[i] / scaler->scale + decay * weights[i];
	weights[i] -= values->rate * velocity[i];
	if (copy)
		put(copy + i, weights[i]);
}

BODY void loss_total_at(size_t, const struct sample_loss *each, struct total_loss *total, int count)
{
	for (int n = 0; n < count; n++) {
		total->sum += each[n].loss;
		total->correct += each[n].correct;
	}
	total->samples += count;
}

BODY void grads_check_at(size_t i, const float *grads, struct scaler *scaler)
{
	if (!(fabsf(grads[i]) <= 3e38f))
		scaler->overflow = 1;
}

#define SCALE_GROWTH_STEPS 200

BODY void scale_update_at(size_t, struct scaler *s)
{
	if (s->overflow) {
		s->skipped++;
		s->good = 0;
		s->scale = s->scale > 1 ? s->scale / 2 : 1;
	} else if (++s->good == SCALE_GROWTH_STEPS) {
		s->good = 0;
		s->scale *= 2;
	}
	s->overflow = 0;
}

/* The host's version: all items of the launch, one after the other; args: the range, then P. */
template <auto body, typename... P, size_t... I>
static void host_run(void (*)(size_t, P...), void **args, std::index_sequence<I...>)
{
	size_t first = *(size_t *)args[0], end = *(size_t *)args[1];
	auto all = [first, end](P... p) {
		for (size_t i = first; i < end; i++)
			body(i, p...);
	};

	all(*(P *)args[I + 2]...);
}

template <auto body, typename... P> static void host_kernel(void (*f)(size_t, P...), void **args)
{
	host_run<body>(f, args, std::make_index_sequence<sizeof...(P)>());
}

#define CAT_(a, b) a##b
#define CAT(a, b)  CAT_(a, b)
#define ITEM_LOOP                                                                                  \
	for (size_t i = first + blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < end;            \
		i += (size_t)gridDim.x * blockDim.x)

#define KERNEL(symbol, at, params, args)                                                           \
	extern "C" __global__ void CAT(trainer_, symbol)(size_t first, size_t end, STRIP params)   \
	{                                                                                          \
		ITEM_LOOP                                                                          \
		at(i, STRIP args);                                                                 \
	}                                                                                          \
	extern "C" void CAT(tacho_host_trainer_, symbol)(void **a, const unsigned *,               \
		const unsigned *)                                                                  \
	{                                                                                          \
		host_kernel<at>(at, a);                                                            \
	}

#define PLAIN(name, params, args)
#define TYPED(name, params, args) KERNEL(CAT(name, SUFFIX), name##_at<T>, params, args)
#define SUFFIX			  _fp32
namespace fp32
{
typedef float T;
#include "cuda_kernels.def"
} // namespace fp32
#undef SUFFIX
#define SUFFIX _fp16
namespace fp16
{
typedef __half T;
#include "cuda_kernels.def"
} // namespace fp16
#undef SUFFIX
#define SUFFIX _bf16
namespace bf16
{
typedef __nv_bfloat16 T;
#include "cuda_kernels.def"
} // namespace bf16
#undef TYPED
#undef PLAIN
#define TYPED(name, params, args)
#define PLAIN(name, params, args) KERNEL(name, name##_at, params, args)
#include "cuda_kernels.def"
#undef TYPED
#undef PLAIN

/* The launches, which the C side sees with T = void. */
template <typename... P>
static void launch(const struct launch *l, enum kernel kernel, const void *function, size_t count,
	P... p)
{
	void *args[] = { &p... };

	kernel_launch(l, kernel, function, count, args, sizeof...(P));
}

#define TYPED(name, params, args)                                                                  \
	extern "C" void launch_##name(const struct launch *l, size_t items, STRIP params)          \
	{                                                                                          \
		static const void *const kernels[] = {                                             \
			(const void *)fp32::trainer_##name##_fp32,                                 \
			(const void *)fp16::trainer_##name##_fp16,                                 \
			(const void *)bf16::trainer_##name##_bf16,                                 \
		};                                                                                 \
		launch(l, KERNEL_##name, kernels[l->precision], items, STRIP args);                \
	}
#define PLAIN(name, params, args)                                                                  \
	extern "C" void launch_##name(const struct launch *l, size_t items, STRIP params)          \
	{                                                                                          \
		launch(l, KERNEL_##name, (const void *)trainer_##name, items, STRIP args);         \
	}
namespace untyped
{
typedef void T;
#include "cuda_kernels.def"
} // namespace untyped
