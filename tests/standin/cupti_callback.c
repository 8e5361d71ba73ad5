/* Subscribers, and the callbacks around API calls and for resources. */
#include "cupti_parts.h"

#include <string.h>

enum { CALLBACKS = 1024 };

struct CUpti_Subscriber_st cupti_subscribers[CLIENTS];

bool cupti_subscribed(void)
{
	bool any = false;

	for (unsigned i = 0; i < CLIENTS; i++)
		any = any || atomic_load(&cupti_subscribers[i].taken);
	return any;
}

bool cupti_client_take(unsigned client, CUpti_CallbackFunc callback, void *userdata)
{
	struct CUpti_Subscriber_st *own = &cupti_subscribers[client];
	bool expected = false;

	if (!atomic_compare_exchange_strong(&own->taken, &expected, true))
		return false;
	memset(own->on, 0, sizeof(own->on));
	own->callback = callback;
	own->userdata = userdata;
	return true;
}

CUptiResult cupti_global_error(void)
{
	CUptiResult ret = cupti_driver_error();

	return ret == CUPTI_SUCCESS && cupti_is_scoped() ? CUPTI_ERROR_NOT_COMPATIBLE : ret;
}

STANDIN_EXPORT CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *handle,
	CUpti_CallbackFunc callback, void *userdata)
{
	CUptiResult ret = cupti_driver_error();

	if (ret != CUPTI_SUCCESS)
		return ret;
	if (!handle)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (standin_fault("taken") || cupti_is_scoped() ||
		!cupti_client_take(0, callback, userdata))
		return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
	*handle = &cupti_subscribers[0];
	cupti_hooks_update();
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiFinalize(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < CLIENTS; i++)
		n += atomic_load(&cupti_subscribers[i].taken);
	if (n > 1) /* "will return early without performing a tear-down" */
		return CUPTI_SUCCESS;
	for (unsigned i = 0; i < CLIENTS; i++) {
		for (unsigned kind = 0;
			cupti_client_disable(i, (CUpti_ActivityKind)kind) == CUPTI_SUCCESS; kind++)
			;
		if (atomic_load(&cupti_subscribers[i].taken))
			cuptiUnsubscribe(&cupti_subscribers[i]);
	}
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

static bool is_known(CUpti_SubscriberHandle handle)
{
	for (unsigned i = 0; i < CLIENTS; i++)
		if (handle == &cupti_subscribers[i])
			return atomic_load(&handle->taken);
	return false;
}

STANDIN_EXPORT CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle handle)
{
	if (!is_known(handle) || !atomic_exchange(&handle->taken, false))
		return CUPTI_ERROR_INVALID_PARAMETER;
	cupti_scope_left((unsigned)(handle - cupti_subscribers));
	cupti_hooks_update();
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle handle,
	CUpti_CallbackDomain domain, CUpti_CallbackId cbid)
{
	if (!is_known(handle) || domain >= CUPTI_CB_DOMAIN_SIZE || cbid >= CALLBACKS)
		return CUPTI_ERROR_INVALID_PARAMETER;
	atomic_store(&handle->on[domain][cbid], enable != 0);
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
	if (!is_known(handle) || domain >= CUPTI_CB_DOMAIN_SIZE || cbid >= CALLBACKS)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*enable = atomic_load(&handle->on[domain][cbid]);
	return CUPTI_SUCCESS;
}

static bool wanted(unsigned client, unsigned domain, unsigned cbid)
{
	struct CUpti_Subscriber_st *own = &cupti_subscribers[client];

	return atomic_load(&own->taken) && cbid < CALLBACKS && atomic_load(&own->on[domain][cbid]);
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
		.correlationId = call->correlation };

	for (unsigned i = 0; i < CLIENTS; i++) {
		struct CUpti_Subscriber_st *own = &cupti_subscribers[i];

		if (!wanted(i, call->domain, call->cbid))
			continue;
		data.correlationData = &call->data[i];
		cupti_cost("STANDIN_CALLBACK_NS");
		own->callback(own->userdata, (CUpti_CallbackDomain)call->domain, call->cbid, &data);
	}
}

void cupti_call_enter(struct standin_call *call)
{
	call_tell(call, CUPTI_API_ENTER);
	call->start = cupti_now();
}

void cupti_call_leave(struct standin_call *call)
{
	uint64_t end = cupti_now();

	if (call->start)
		cupti_record_api(call, end);
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

	if (what == STANDIN_CONTEXT_CREATED) {
		cupti_context_seen();
		cupti_record_context(ctx);
	}
	if (what == STANDIN_STREAM_CREATED || what == STANDIN_STREAM_OF_GRAPH)
		cupti_record_stream(object);
	if (what == STANDIN_STREAM_OF_GRAPH)
		return;
	if (what == STANDIN_STREAM_CREATED || what == STANDIN_STREAM_DESTROYED) {
		data.resourceHandle.stream = object;
	} else if (what >= STANDIN_GRAPH_CREATED) {
		graph_describe(what, object, from, &graph);
		data.resourceDescriptor = &graph;
	}
	for (unsigned i = 0; i < CLIENTS; i++)
		if (wanted(i, CUPTI_CB_DOMAIN_RESOURCE, RESOURCES[what]))
			cupti_subscribers[i].callback(cupti_subscribers[i].userdata,
				CUPTI_CB_DOMAIN_RESOURCE, RESOURCES[what], &data);
}
