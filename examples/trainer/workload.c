/* workload.c - see workload.h. */
#include "config.h"

#include <math.h>

#include "dataset.h"
#include "rng.h"
#include "say.h"
#include "workload.h"

/*
 * resnet50: parameters and multiply-adds from torchvision's metadata of the
 *   model (num_params 25557032, 4.089 G at 224×224); ILSVRC 2012's training
 *   archive has 147.9 GB and 1,281,167 pictures; 256 per V100 (mixed precision).
 * ssd: SSD-ResNet34, 20.058 M parameters and 433.4 GFLOP (216.7 G multiply-
 *   adds) at 1200×1200 from OpenVINO's page of ssd-resnet34-1200, so 13.5 G at
 *   MLPerf's 300×300; COCO train2017 has 19.3 GB and 118,287 pictures; 120 per
 *   V100.
 * maskrcnn: torchvision's metadata of maskrcnn_resnet50_fpn (num_params
 *   44401393, 134.38 G); COCO; 4 per V100.
 * gnmt: four LSTM layers of 1024 on each side, the first of the encoder in both
 *   directions, vocabulary 32,320, summed: embeddings 33.1 M, encoder 46.2,
 *   decoder 46.1, attention 2.1, output 33.1. A sentence has about 30 tokens, so
 *   30 · (46.2 + 81.3) M multiply-adds. WMT English-German: 4.5 M pairs with
 *   116 M and 110 M words (Luong, Pham, Manning 2015), so about 300 bytes a
 *   pair; 256 pairs per V100.
 * transformer: 213 M parameters of the big model (Vaswani et al. 2017, table 3),
 *   all of them used per token; the same text; 5,120 tokens, so 170 pairs.
 * Batches are those of MLPerf Training 0.6 and 0.7 submissions on V100.
 */
static const struct workload workloads[] = {
	/* name, title, parameters, multiply-adds, bytes, batch, layers */
	{ "resnet50", "ResNet-50", 25557032, 4.089e9, 147.9e9 / 1281167, 256, 4 },
	{ "ssd", "SSD-ResNet34", 20.058e6, 13.5e9, 19.3e9 / 118287, 120, 3 },
	{ "maskrcnn", "Mask R-CNN", 44401393, 134.38e9, 19.3e9 / 118287, 4, 4 },
	{ "gnmt", "GNMT", 160.6e6, 3.8e9, 300, 256, 8 },
	{ "transformer", "Transformer", 213e6, 6.4e9, 300, 170, 12 },
};

struct proxy workload_proxy(int number, double scale)
{
	const struct workload *w = &workloads[number - 1];
	double share = w->batch / WORKLOAD_BATCH; /* published samples in one here */
	double bytes = share * w->sample_bytes / scale;
	struct proxy p = { .workload = w, .scale = scale };

	p.width = fmax(round(sqrt(w->parameters / scale / w->layers)), 2);
	p.positions = fmax(round(share * w->macs / w->parameters), 1);
	p.record_bytes = fmax(round(bytes), RECORD_HEAD + 2);
	return p;
}

void workload_say(const struct proxy *p)
{
	const struct workload *w = p->workload;

	say("a proxy of %s, not the network itself; a step is scaled by 1/%g:", w->title, p->scale);
	say("  gradients  %.0f of %.0f parameters in %d layers",
		(double)w->layers * p->width * p->width, w->parameters, w->layers);
	say("  samples    %d of %zu bytes stand for %.0f of %.0f bytes", WORKLOAD_BATCH,
		p->record_bytes, w->batch, w->sample_bytes);
	say("  computing  %.1f M multiply-adds forward for %.1f G",
		1e-6 * WORKLOAD_BATCH * p->positions * w->layers * p->width * p->width,
		1e-9 * w->batch * w->macs);
}

int workload_model(const struct proxy *p, struct model *model, int max_batch)
{
	struct shape in = { p->positions, 1, p->width };
	int layers = p->workload->layers;

	if (model_init(model, in, 2 * layers + 2, max_batch) < 0)
		return -1;
	for (int i = 0; i < layers; i++) {
		struct layer *layer = &model->layers[model->nlayers];

		if (model_add(model, layer_dense_shared(layer, p->positions, p->width, p->width)) <
				0 ||
			model_add(model, layer_smooth(layer + 1, in)) < 0)
			return -1;
	}
	if (model_add(model, layer_mean(&model->layers[model->nlayers], in)) < 0)
		return -1;
	in = model->layers[model->nlayers - 1].out;
	return model_add(model, layer_dense(&model->layers[model->nlayers], in, WORKLOAD_CLASSES));
}

/* its own pattern for each class, under noise. */
int workload_draw(const struct proxy *p, uint64_t seed, uint64_t index, uint8_t *pixels)
{
	struct rng r = rng_stream(seed, RNG_PROXY, index);
	int class = rng_below(&r, WORKLOAD_CLASSES);
	struct rng pattern = rng_stream(seed, RNG_PROXY, UINT64_MAX - class);

	for (size_t i = 0; i < p->record_bytes - RECORD_HEAD; i++)
		pixels[i] = rng_range(&pattern, 40, 170) + rng_range(&r, 0, 45);
	return class;
}
