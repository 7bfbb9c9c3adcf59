/*
 * parca.c - the sink of Parca and of Polar Signals
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sinks/parca/parca.h"

#include "base/mem.h"
#include "base/str.h"
#include "sinks/parca/parca_int.h"
#include "sinks/outcome.h"
#include "sinks/request.h"

#include <stdlib.h>
#include <string.h>

struct writeraw {
	struct sink sink;
	struct url url;
	struct fetch_options fetch;
	bool is_web;
};

static int writeraw_open(const char *url, const struct sink_options *o, struct sink **out, struct err *err)
{
	static const char path[] = "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw";
	bool is_polarsignals = starts_with(url, "polarsignals+");
	const char *rpc = is_polarsignals ? "grpc" : "grpc-web";
	const struct sink_word words[] = { { "rpc", &rpc } };
	struct writeraw s = { .sink.kind = &sink_parca, .fetch = o->fetch };
	struct writeraw *opened;
	int rc = sink_words(o, words, sizeof(words) / sizeof(words[0]), err);

	if (rc < 0)
		return rc;
	s.is_web = strcmp(rpc, "grpc-web") == 0;
	if (!s.is_web && strcmp(rpc, "grpc") != 0)
		return err_set(err, ERR_USAGE, "rpc=%.100s: use rpc=grpc or rpc=grpc-web", rpc);
	rc = sink_parse_url(url, is_polarsignals ? "polarsignals+" : "parca+", path, &s.url, err);
	if (rc < 0)
		return rc;
	opened = mem_alloc(1, sizeof(*opened));
	*opened = s;
	*out = &opened->sink;
	return 0;
}

static int writeraw_send(struct sink *sink, const struct sink_item *item, size_t n, struct stop *stop,
			 struct sink_result *result, struct err *err)
{
	const struct writeraw *s = (const struct writeraw *)sink;
	struct buf message = { 0 };
	const struct grpc_call call = { &s->url, s->is_web, &s->fetch, &message };
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		message.len = 0;
		if (writeraw_add_request(&item[i], &message, &result[i]))
			rc = grpc_run(&call, stop, &result[i], err);
	}
	buf_release(&message);
	return rc;
}

static void writeraw_close(struct sink *sink)
{
	struct writeraw *s = (struct writeraw *)sink;

	url_release(&s->url);
	free(s);
}

static const char *const writeraw_prefixes[] = { "parca+http://", "parca+https://", "polarsignals+https://", NULL };

const struct sink_kind sink_parca = {
	.name = "parca",
	.prefix = writeraw_prefixes,
	.help = "Parca (gRPC-web), tried with a version of July 2026; Polar Signals (gRPC), tried with a contract test "
		"only",
	.batch_max = 1,
	.open = writeraw_open,
	.send = writeraw_send,
	.close = writeraw_close,
};
