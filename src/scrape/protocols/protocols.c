/*
 * protocols.c - the table of the protocols of pushes, and the responses that several of them have
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "scrape/protocols/protocol.h"

#include "base/str.h"

#include <string.h>
#include <strings.h>

const struct protocol *const protocols[] = { &protocol_pprof, &protocol_ingest,  &protocol_connect,
					     &protocol_otlp,  &protocol_datadog, &protocol_parca };
const size_t n_protocols = sizeof(protocols) / sizeof(protocols[0]);

const struct protocol *protocol_find_path(const char *path)
{
	for (size_t i = 0; i < n_protocols; i++)
		for (size_t k = 0; protocols[i]->path[k]; k++)
			if (strcmp(protocols[i]->path[k], path) == 0)
				return protocols[i];
	return NULL;
}

const struct protocol *protocol_find_name(const char *name)
{
	for (size_t i = 0; i < n_protocols; i++)
		if (strcmp(protocols[i]->name, name) == 0)
			return protocols[i];
	return NULL;
}

unsigned protocol_bit(const struct protocol *p)
{
	size_t i = 0;

	while (protocols[i] != p)
		i++;
	return 1U << i;
}

unsigned protocol_all(void)
{
	return (1U << n_protocols) - 1;
}

bool protocol_has_type(const struct http_request *q, const char *type)
{
	const char *given = http_request_header(q, "Content-Type");
	size_t n = strlen(type);

	/* strchr also finds the NUL at the end */
	return given && strncasecmp(given, type, n) == 0 && strchr("; \t", given[n]);
}

void protocol_succeed(const struct http_request *q, const struct push *p, struct http_response *out)
{
	(void)q, (void)p;
	out->status = 200;
}

void protocol_fail_text(const struct http_request *q, int status, const char *text, struct http_response *out)
{
	(void)q;
	out->status = status;
	out->type = "text/plain; charset=utf-8";
	buf_addf(&out->body, "%s\n", text);
}

int protocol_grpc_code(int status)
{
	enum { INVALID_ARGUMENT = 3, PERMISSION_DENIED = 7, RESOURCE_EXHAUSTED = 8, INTERNAL = 13, UNAVAILABLE = 14 };

	switch (status) {
	case PROTOCOL_FORBIDDEN:
		return PERMISSION_DENIED;
	case PROTOCOL_TOO_LARGE:
	case PROTOCOL_TOO_MANY:
		return RESOURCE_EXHAUSTED;
	case PROTOCOL_UNAVAILABLE:
		return UNAVAILABLE;
	default:
		return status >= PROTOCOL_ERROR ? INTERNAL : INVALID_ARGUMENT;
	}
}
