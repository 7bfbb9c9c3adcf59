/*
 * datadog.c - the sink of Datadog: the agent, and the intake of the company
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sinks/datadog/datadog.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/str.h"
#include "fetch/fetch.h"
#include "sinks/datadog/datadog_int.h"
#include "sinks/outcome.h"
#include "sinks/request.h"

#include <stdlib.h>
#include <string.h>

enum { UPLOAD_SECONDS = 10, NOT_FOUND = 404 }; /* dd-trace-go profiler/options.go, DefaultUploadTimeout */

/* A process, and the number of its next upload. */
struct datadog_process {
	uint64_t hash; /* of its id */
	uint64_t seq;
};

struct datadog {
	struct sink sink;
	struct url url;
	struct fetch_options fetch;
	const char *family;
	bool is_intake;
	struct datadog_process *process; /* [n_processes] */
	size_t n_processes, cap;
	struct idtab by_hash;
};

/* Set the URL: that of the agent, also at a Unix socket, or of the intake. */
static int datadog_set_url(struct datadog *s, const char *url, struct err *err)
{
	static const char agent_path[] = "/profiling/v1/input", socket_path[] = ":/profiling/v1/input";

	s->is_intake = starts_with(url, "datadog+https://intake.profile.");
	if (s->is_intake)
		return sink_parse_url(url, "datadog+", "/api/v2/profile", &s->url, err);
	return sink_parse_url(url, "datadog+", starts_with(url, "datadog+unix:") ? socket_path : agent_path, &s->url,
			      err);
}

static int datadog_open(const char *url, const struct sink_options *o, struct sink **out, struct err *err)
{
	struct datadog s = { .sink.kind = &sink_datadog, .fetch = o->fetch, .family = "go" }, *opened;
	const struct sink_word words[] = { { "family", &s.family } };
	int rc = sink_words(o, words, sizeof(words) / sizeof(words[0]), err);
	struct buf name = { 0 };

	if (rc < 0)
		return rc;
	sink_add_name(&name, s.family, "_-");
	if (!*s.family || strcmp(buf_text(&name), s.family) != 0)
		rc = err_set(err, ERR_USAGE, "family=%.100s: use a language, such as family=go", s.family);
	buf_release(&name);
	rc = rc < 0 ? rc : datadog_set_url(&s, url, err);
	if (rc < 0)
		return rc;
	if (s.is_intake && !*s.fetch.header_file) {
		url_release(&s.url);
		return err_set(err, ERR_USAGE,
			       "the intake of Datadog needs a key; write \"DD-API-KEY: KEY\" to a file, and use "
			       "header-file=FILE");
	}
	if (s.fetch.timeout <= 0)
		s.fetch.timeout = UPLOAD_SECONDS;
	idtab_init(&s.by_hash, 0);
	opened = mem_alloc(1, sizeof(*opened));
	*opened = s;
	*out = &opened->sink;
	return 0;
}

/* The process of an item, added with number 0 if it is new. Processes whose hash is the same, one of 2^64, would share it. */
static struct datadog_process *datadog_find(struct datadog *s, const struct sink_item *item)
{
	struct buf name = { 0 };
	uint64_t hash;
	uint32_t id;

	datadog_add_runtime_id(item, &name);
	hash = hash_bytes(name.data, name.len);
	buf_release(&name);
	for (size_t at = idtab_start(&s->by_hash, hash); idtab_next(&s->by_hash, hash, &at, &id);)
		if (s->process[id].hash == hash)
			return &s->process[id];
	s->process = mem_grow(s->process, &s->cap, s->n_processes + 1, sizeof(*s->process));
	s->process[s->n_processes] = (struct datadog_process){ .hash = hash };
	idtab_put(&s->by_hash, hash, (uint32_t)s->n_processes);
	return &s->process[s->n_processes++];
}

static int datadog_post(const struct datadog *s, const struct buf *body, const char *type, struct stop *stop,
			struct sink_result *out, struct err *err)
{
	static const char *const header[] = { "DD-EVP-ORIGIN: " PACKAGE_NAME,
					      "DD-EVP-ORIGIN-VERSION: " PACKAGE_VERSION };
	struct fetch_request r = { .url = &s->url,
				   .body = body->data,
				   .n_body = body->len,
				   .content_type = type,
				   .header = header,
				   .n_headers = sizeof(header) / sizeof(header[0]) };
	int rc = sink_send(&r, &s->fetch, stop, out, err);

	if (rc == 0 && r.status == NOT_FOUND && !s->is_intake)
		sink_setf(out, SINK_DENIED,
			  "HTTP 404: the agent has no endpoint for profiles; it needs Datadog Agent 7.20 or later");
	sink_release_response(&r);
	return rc;
}

static int datadog_send_item(struct datadog *s, const struct sink_item *item, struct stop *stop,
			     struct sink_result *out, struct err *err)
{
	struct datadog_process *process = datadog_find(s, item);
	struct buf body = { 0 }, type = { 0 };
	int rc = 0;

	if (!datadog_attachment(s->family, item->kind)) {
		sink_setf(out, SINK_REFUSED, "Datadog has no profiles of the kind %s in the family %s", item->kind,
			  s->family);
		return 0;
	}
	if (datadog_add_form(item, s->family, process->seq, &body, &type, out))
		rc = datadog_post(s, &body, buf_text(&type), stop, out, err);
	if (rc == 0 && out->outcome == SINK_SENT)
		process->seq++;
	buf_release(&body);
	buf_release(&type);
	return rc;
}

static int datadog_send(struct sink *sink, const struct sink_item *item, size_t n, struct stop *stop,
			struct sink_result *result, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = datadog_send_item((struct datadog *)sink, &item[i], stop, &result[i], err);
	return rc;
}

static void datadog_close(struct sink *sink)
{
	struct datadog *s = (struct datadog *)sink;

	url_release(&s->url);
	idtab_release(&s->by_hash);
	free(s->process);
	free(s);
}

static const char *const datadog_prefixes[] = { "datadog+http://", "datadog+https://", "datadog+unix:", NULL };

const struct sink_kind sink_datadog = {
	.name = "datadog",
	.prefix = datadog_prefixes,
	.help = "Datadog's agent and intake, tried with a contract test only",
	.batch_max = 1,
	.open = datadog_open,
	.send = datadog_send,
	.close = datadog_close,
};
