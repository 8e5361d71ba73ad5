/* Capturing streams into graphs: which streams take part, and which nodes precede the next one. */
#include "standin.h"

#include <stdlib.h>
#include <string.h>

/* One capture; stays after its end, since events may name it. */
struct standin_session {
	struct standin_session *next;
	uint64_t id;
	CUgraph graph;
	CUstream origin;
	CUstream *members;
	size_t nmembers;
	bool ended;
};

/* A stream that takes part in a capture. */
struct standin_capture {
	struct standin_session *session;
	CUgraphNode *last; /* the nodes that precede the stream's next one */
	size_t nlast;
};

static pthread_mutex_t capture_lock = PTHREAD_MUTEX_INITIALIZER;
static struct standin_session *sessions;
static atomic_ullong capture_ids;

static void capture_join(struct standin_session *session, CUstream stream)
{
	struct standin_capture *capture = calloc(1, sizeof(*capture));
	CUstream *grown = realloc(session->members, (session->nmembers + 1) * sizeof(*grown));

	if (!capture || !grown)
		abort();
	capture->session = session;
	session->members = grown;
	session->members[session->nmembers++] = stream;
	stream->capture = capture;
}

/* Adds the event's nodes to the ones that precede the stream's next node. */
static void capture_after(struct standin_capture *capture, CUevent event)
{
	for (unsigned i = 0; i < event->nnodes; i++) {
		size_t k = 0;

		while (k < capture->nlast && capture->last[k] != event->nodes[i])
			k++;
		if (k < capture->nlast)
			continue;
		capture->last = realloc(capture->last,
			(capture->nlast + 1) * sizeof(*capture->last));
		if (!capture->last)
			abort();
		capture->last[capture->nlast++] = event->nodes[i];
	}
}

STANDIN_EXPORT CUresult standin_capture_begin(CUstream stream)
{
	struct standin_session *session;

	if (stream->capture)
		return CUDA_ERROR_ILLEGAL_STATE;
	if (stream == stream->ctx->legacy)
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	session = calloc(1, sizeof(*session));
	if (!session)
		return CUDA_ERROR_OUT_OF_MEMORY;
	session->id = atomic_fetch_add(&capture_ids, 1) + 1;
	session->graph = standin_graph_create();
	session->origin = stream;
	pthread_mutex_lock(&capture_lock);
	session->next = sessions;
	sessions = session;
	capture_join(session, stream);
	pthread_mutex_unlock(&capture_lock);
	return CUDA_SUCCESS;
}

bool standin_capture_wants(CUstream stream, CUevent after)
{
	return stream->capture || (after && after->session && !after->session->ended);
}

CUresult standin_capture_add(CUstream stream, struct standin_op *op, CUevent after)
{
	struct standin_capture *capture;

	pthread_mutex_lock(&capture_lock);
	if (!stream->capture)
		capture_join(after->session, stream);
	capture = stream->capture;
	if (after && after->session == capture->session)
		capture_after(capture, after);
	if (op) {
		CUgraphNode node = standin_graph_add(capture->session->graph, op, capture->last,
			capture->nlast);

		capture->last = realloc(capture->last, sizeof(*capture->last));
		if (!capture->last)
			abort();
		capture->last[0] = node;
		capture->nlast = 1;
	}
	pthread_mutex_unlock(&capture_lock);
	return CUDA_SUCCESS;
}

void standin_capture_event(CUevent event, CUstream stream)
{
	struct standin_capture *capture = stream->capture;

	pthread_mutex_lock(&capture_lock);
	free(event->nodes);
	event->nodes = malloc((capture->nlast + 1) * sizeof(*event->nodes));
	if (!event->nodes)
		abort();
	if (capture->nlast)
		memcpy(event->nodes, capture->last, capture->nlast * sizeof(*event->nodes));
	event->nnodes = (unsigned)capture->nlast;
	event->session = capture->session;
	pthread_mutex_unlock(&capture_lock);
}

STANDIN_EXPORT CUresult standin_capture_end(CUstream stream, CUgraph *graph)
{
	struct standin_session *session;

	if (!stream->capture)
		return CUDA_ERROR_ILLEGAL_STATE;
	session = stream->capture->session;
	if (session->origin != stream)
		return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
	pthread_mutex_lock(&capture_lock);
	for (size_t i = 0; i < session->nmembers; i++) {
		free(session->members[i]->capture->last);
		free(session->members[i]->capture);
		session->members[i]->capture = NULL;
	}
	free(session->members);
	session->members = NULL;
	session->ended = true;
	pthread_mutex_unlock(&capture_lock);
	*graph = session->graph;
	return CUDA_SUCCESS;
}

STANDIN_EXPORT uint64_t standin_capture_id(CUstream stream, CUgraph *graph, CUgraphNode **nodes,
	size_t *count)
{
	struct standin_capture *capture = stream->capture;

	if (!capture)
		return 0;
	*graph = capture->session->graph;
	*nodes = capture->last;
	*count = capture->nlast;
	return capture->session->id;
}
