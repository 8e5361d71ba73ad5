/* The one subscriber, and the callbacks around API calls and for resources. */
#include "cupti_parts.h"

#include <stdio.h>
#include <string.h>

enum { CALLBACKS = 1024 };

struct CUpti_Subscriber_st {
	CUpti_CallbackFunc callback;
	void *userdata;
	atomic_bool on[CUPTI_CB_DOMAIN_SIZE][CALLBACKS];
};

static struct CUpti_Subscriber_st subscriber;
static atomic_bool taken;

bool cupti_subscribed(void)
{
	return atomic_load(&taken);
}

STANDIN_EXPORT CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *handle,
	CUpti_CallbackFunc callback, void *userdata)
{
	CUptiResult ret = cupti_driver_error();
	bool expected = false;

	if (ret != CUPTI_SUCCESS)
		return ret;
	if (!handle)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (standin_fault("taken") || !atomic_compare_exchange_strong(&taken, &expected, true))
		return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
	memset(subscriber.on, 0, sizeof(subscriber.on));
	subscriber.callback = callback;
	subscriber.userdata = userdata;
	*handle = &subscriber;
	cupti_hooks_update();
	return CUPTI_SUCCESS;
}

/* The newer form says who is in the way. */
STANDIN_EXPORT CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *handle,
	CUpti_CallbackFunc callback, void *userdata, CUpti_SubscriberParams *params)
{
	static char name[CUPTI_SUBSCRIBER_NAME_MAX_LEN] = "another tool";
	CUptiResult ret = cuptiSubscribe(handle, callback, userdata);

	if (params && ret == CUPTI_SUCCESS && params->subscriberName)
		snprintf(name, sizeof(name), "%s", params->subscriberName);
	if (params && ret == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED &&
		params->oldSubscriberName)
		snprintf(params->oldSubscriberName, params->oldSubscriberSize, "%s", name);
	return ret;
}

STANDIN_EXPORT CUptiResult cuptiFinalize(void)
{
	for (unsigned kind = 0; cuptiActivityDisable((CUpti_ActivityKind)kind) == CUPTI_SUCCESS;
		kind++)
		;
	if (cupti_subscribed())
		cuptiUnsubscribe(&subscriber);
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiSupportedDomains(size_t *count, CUpti_DomainTable *table)
{
	static CUpti_CallbackDomain domains[] = { CUPTI_CB_DOMAIN_DRIVER_API,
		CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_RESOURCE };

	*count = sizeof(domains) / sizeof(domains[0]);
	*table = domains;
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle handle)
{
	if (handle != &subscriber || !atomic_exchange(&taken, false))
		return CUPTI_ERROR_INVALID_PARAMETER;
	cupti_hooks_update();
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle handle,
	CUpti_CallbackDomain domain, CUpti_CallbackId cbid)
{
	if (handle != &subscriber || domain >= CUPTI_CB_DOMAIN_SIZE || cbid >= CALLBACKS)
		return CUPTI_ERROR_INVALID_PARAMETER;
	atomic_store(&subscriber.on[domain][cbid], enable != 0);
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle handle,
	CUpti_CallbackDomain domain)
{
	CUptiResult ret = CUPTI_SUCCESS;

	for (unsigned i = 0; i < CALLBACKS && ret == CUPTI_SUCCESS; i++)
		ret = cuptiEnableCallback(enable, handle, domain, i);
	return ret;
}

STANDIN_EXPORT CUptiResult cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle handle)
{
	CUptiResult ret = CUPTI_SUCCESS;

	for (unsigned d = 1; d < CUPTI_CB_DOMAIN_SIZE && ret == CUPTI_SUCCESS; d++)
		ret = cuptiEnableDomain(enable, handle, (CUpti_CallbackDomain)d);
	return ret;
}

STANDIN_EXPORT CUptiResult cuptiGetCallbackState(uint32_t *enable, CUpti_SubscriberHandle handle,
	CUpti_CallbackDomain domain, CUpti_CallbackId cbid)
{
	if (handle != &subscriber || domain >= CUPTI_CB_DOMAIN_SIZE || cbid >= CALLBACKS)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*enable = atomic_load(&subscriber.on[domain][cbid]);
	return CUPTI_SUCCESS;
}

static bool wanted(unsigned domain, unsigned cbid)
{
	return cupti_subscribed() && cbid < CALLBACKS && atomic_load(&subscriber.on[domain][cbid]);
}

void cupti_cost(const char *name)
{
	double ns = standin_setting(name, 0, 0);

	if (ns > 0)
		standin_wait_until(standin_monotonic() + (uint64_t)ns);
}

static void call_tell(struct standin_call *call, CUpti_ApiCallbackSite site)
{
	CUcontext ctx = standin_context_peek();
	CUpti_CallbackData data = { .callbackSite = site,
		.functionName = call->name,
		.functionParams = call->params,
		.functionReturnValue = site == CUPTI_API_EXIT ? call->ret : NULL,
		.symbolName = call->symbol,
		.context = ctx,
		.contextUid = ctx ? ctx->id : 0,
		.correlationData = &call->data,
		.correlationId = call->correlation };

	cupti_cost("STANDIN_CALLBACK_NS");
	subscriber.callback(subscriber.userdata, (CUpti_CallbackDomain)call->domain, call->cbid,
		&data);
}

void cupti_call_enter(struct standin_call *call)
{
	if (wanted(call->domain, call->cbid))
		call_tell(call, CUPTI_API_ENTER);
	call->start = cupti_now();
}

void cupti_call_leave(struct standin_call *call)
{
	uint64_t end = cupti_now();

	if (call->start)
		cupti_record_api(call, end);
	if (wanted(call->domain, call->cbid))
		call_tell(call, CUPTI_API_EXIT);
}

static const CUpti_CallbackIdResource RESOURCES[] = {
	[STANDIN_CONTEXT_CREATED] = CUPTI_CBID_RESOURCE_CONTEXT_CREATED,
	[STANDIN_STREAM_CREATED] = CUPTI_CBID_RESOURCE_STREAM_CREATED,
	[STANDIN_STREAM_DESTROYED] = CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING,
	[STANDIN_GRAPH_CREATED] = CUPTI_CBID_RESOURCE_GRAPH_CREATED,
	[STANDIN_GRAPHNODE_CREATED] = CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
	[STANDIN_GRAPHNODE_CLONED] = CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
	[STANDIN_GRAPHEXEC_CREATED] = CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED,
};

static void graph_describe(enum standin_resource what, void *object, void *from,
	CUpti_GraphData *data)
{
	if (what == STANDIN_GRAPH_CREATED) {
		data->graph = object;
	} else if (what == STANDIN_GRAPHEXEC_CREATED) {
		data->graphExec = object;
		data->graph = from;
	} else {
		data->node = object;
		data->nodeType = standin_node_type(object);
		if (what == STANDIN_GRAPHNODE_CLONED)
			data->originalNode = from;
		else
			data->graph = from;
	}
}

void cupti_resource(enum standin_resource what, CUcontext ctx, void *object, void *from)
{
	CUpti_GraphData graph = { .graph = NULL };
	CUpti_ResourceData data = { .context = ctx };

	if (what == STANDIN_CONTEXT_CREATED)
		cupti_record_context(ctx);
	if (what == STANDIN_STREAM_CREATED || what == STANDIN_STREAM_OF_GRAPH)
		cupti_record_stream(object);
	if (what == STANDIN_STREAM_OF_GRAPH || !wanted(CUPTI_CB_DOMAIN_RESOURCE, RESOURCES[what]))
		return;
	if (what == STANDIN_STREAM_CREATED || what == STANDIN_STREAM_DESTROYED) {
		data.resourceHandle.stream = object;
	} else if (what >= STANDIN_GRAPH_CREATED) {
		graph_describe(what, object, from, &graph);
		data.resourceDescriptor = &graph;
	}
	subscriber.callback(subscriber.userdata, CUPTI_CB_DOMAIN_RESOURCE, RESOURCES[what], &data);
}
