/* sources_net.c - network interfaces and InfiniBand ports; see sources.h. */
#include "config.h"

#include <string.h>

#include "counters/sources.h"
#include "core/proc_file.h"
#include "tacho/trace.h"

#define IB_WORD_BYTES	  4
#define ARPHRD_INFINIBAND "32" /* content of /sys/class/net/<if>/type */
#define KINDS		  64   /* interfaces with a remembered kind */

/* What an interface is: physical ones have a device behind them. */
static const char *interface_kind(const char *name)
{
	char path[128];
	const char *type, *word;
	size_t len;

	if (path_build(path, sizeof(path), "/sys/class/net", name, "type", NULL) &&
		(type = file_text_once(path)) && word_take(&type, &word, &len) &&
		len == strlen(ARPHRD_INFINIBAND) && !memcmp(word, ARPHRD_INFINIBAND, len))
		return METRIC_INTERFACE_IPOIB;
	if (path_build(path, sizeof(path), "/sys/class/net", name, "device", NULL) &&
		file_exists(path))
		return METRIC_INTERFACE_PHYSICAL;
	return METRIC_INTERFACE_VIRTUAL;
}

/* An interface of net/dev with its kind, which is asked for once. */
struct interface {
	char name[32];
	const char *kind;
	uint64_t received, sent;
};

static const char *interface_remember(const char *name)
{
	static struct {
		char name[32];
		const char *kind;
	} known[KINDS];
	static unsigned nknown;
	const char *kind;

	for (unsigned i = 0; i < nknown; i++)
		if (!strcmp(known[i].name, name))
			return known[i].kind;
	kind = interface_kind(name);
	if (nknown < KINDS) {
		strcpy(known[nknown].name, name);
		known[nknown++].kind = kind;
	}
	return kind;
}

/* One line; false when it is none of an interface. */
static bool interface_parse(struct interface *interface, const char *line)
{
	size_t nline = strcspn(line, "\n"), blanks = strspn(line, " \t");
	const char *name = line + blanks, *colon = memchr(line, ':', nline), *at;

	if (!colon || colon <= name || (size_t)(colon - name) >= sizeof(interface->name))
		return false;
	memcpy(interface->name, name, (size_t)(colon - name));
	interface->name[colon - name] = '\0';
	at = colon + 1;
	return strcmp(interface->name, "lo") && number_take(&at, &interface->received) &&
		words_skip(&at, 7) && number_take(&at, &interface->sent);
}

/* Parses all lines before it determines the interfaces' kinds, which overwrites the text. */
void net_read(const struct counter *source, struct sample_set *set)
{
	static struct interface interfaces[SOURCE_MAX_METRICS / 2];
	const char *text = file_text(source->path);
	unsigned n = 0;

	if (!text)
		return;
	for (const char *at = text; *at && n < SOURCE_MAX_METRICS / 2; at = line_next(at))
		n += interface_parse(&interfaces[n], at);
	for (unsigned i = 0; i < n; i++) {
		struct interface *it = &interfaces[i];
		const char *kind = interface_remember(it->name);

		set_add(set,
			&(struct metric_kind){ "net.", ".rx_bytes", "bytes", kind,
				METRIC_ACCUMULATED },
			it->name, strlen(it->name), it->received);
		set_add(set,
			&(struct metric_kind){ "net.", ".tx_bytes", "bytes", kind,
				METRIC_ACCUMULATED },
			it->name, strlen(it->name), it->sent);
	}
}

static void port_read(struct sample_set *set, const char *ports, const char *device,
	const char *port)
{
	static const struct {
		const char *file;
		struct metric_kind kind;
	} members[] = {
		{ "counters/port_rcv_data",
			{ "ib.", ".rx_bytes", "bytes", "InfiniBand port", METRIC_ACCUMULATED } },
		{ "counters/port_xmit_data",
			{ "ib.", ".tx_bytes", "bytes", "InfiniBand port", METRIC_ACCUMULATED } },
	};
	char path[256], key[2 * FOLDER_ENTRY_SIZE];
	size_t ndevice = strlen(device);
	uint64_t words;

	memcpy(key, device, ndevice);
	key[ndevice] = '.';
	strcpy(key + ndevice + 1, port);
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
		const char *text = NULL;

		if (path_build(path, sizeof(path), ports, port, members[i].file, NULL))
			text = file_text(path);
		if (text && number_take(&text, &words))
			set_add(set, &members[i].kind, key, strlen(key), words * IB_WORD_BYTES);
	}
}

void infiniband_read(const struct counter *source, struct sample_set *set)
{
	static struct folder devices, ports[FOLDER_MAX_ENTRIES];
	char path[256];

	folder_read(&devices, source->path);
	for (unsigned d = 0; d < devices.count; d++) {
		if (!path_build(path, sizeof(path), source->path, devices.names[d], "ports", NULL))
			continue;
		folder_read(&ports[d], path);
		for (unsigned p = 0; p < ports[d].count; p++)
			port_read(set, path, devices.names[d], ports[d].names[p]);
	}
}
