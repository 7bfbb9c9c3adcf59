/*
 * gcp.c - the sink of Google's Cloud Profiler
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Offline, a profile is one request. Online, the server says when it wants one: it creates a profile, which waits up to a minute and may
 * be refused with the time to wait, and then its bytes are sent. A heap is two profiles. So that a repetition sends none of them again,
 * the sink remembers how much of the last item was sent, and the name that the server created.
 */
#include "config.h"

#include "sinks/gcp/gcp.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "sinks/gcp/gcp_int.h"
#include "sinks/outcome.h"
#include "sinks/request.h"
#include "store/gcp/gcp_store.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ONLINE_SECONDS = 120, GCP_UNAUTHENTICATED = 401 };

/* The newest time of a deployment, whose profiles must be sent in the order of time. */
struct gcp_deployment {
	uint64_t hash;
	int64_t last_ns;
};

struct gcp {
	struct sink sink;
	struct url offline, create; /* of createOffline, and of the profiles of the project */
	char *project;
	const char *language;
	struct fetch_options fetch;
	struct gcp_token token;
	bool is_online;
	uint8_t id[16];    /* of the last item */
	size_t n_sent;     /* parts of it */
	struct buf opened; /* the name of the profile that was created for its next part; "" if there is none */
	struct gcp_deployment *deployment; /* [n_deployments] */
	size_t n_deployments, cap;
	struct idtab by_hash;
};

static void gcp_close(struct sink *sink)
{
	struct gcp *s = (struct gcp *)sink;

	url_release(&s->offline);
	url_release(&s->create);
	gcp_token_release(&s->token);
	buf_release(&s->opened);
	idtab_release(&s->by_hash);
	free(s->deployment);
	free(s->project);
	free(s);
}

static int gcp_set(struct gcp *s, const char *url, const char *online, const char *metadata, struct err *err)
{
	int rc = sink_flag("online", online, &s->is_online, err);

	s->project = gcpstore_find_project(url);
	if (rc == 0 && !s->project)
		rc = err_set(err, ERR_USAGE, "the URL does not end with /v2/projects/PROJECT");
	rc = rc < 0 ? rc : sink_parse_url(url, "gcp+", "/profiles:createOffline", &s->offline, err);
	rc = rc < 0 ? rc : sink_parse_url(url, "gcp+", "/profiles", &s->create, err);
	if (rc == 0 && metadata)
		rc = gcp_token_init(metadata, &s->token, err);
	if (rc == 0 && s->is_online && s->fetch.timeout <= 0)
		s->fetch.timeout = ONLINE_SECONDS;
	return rc;
}

static int gcp_open(const char *url, const struct sink_options *o, struct sink **out, struct err *err)
{
	struct gcp *s = mem_zalloc(1, sizeof(*s));
	const char *online = "no", *metadata = NULL;
	const struct sink_word words[] = { { "online", &online },
					   { "metadata", &metadata },
					   { "language", &s->language } };
	int rc;

	*s = (struct gcp){ .sink.kind = &sink_gcp, .fetch = o->fetch, .language = "go" };
	idtab_init(&s->by_hash, 0);
	rc = sink_words(o, words, sizeof(words) / sizeof(words[0]), err);
	rc = rc < 0 ? rc : gcp_set(s, url, online, metadata, err);
	if (rc < 0)
		gcp_close(&s->sink);
	else
		*out = &s->sink;
	return rc;
}

/* The record of a deployment, added if it is new. */
static struct gcp_deployment *gcp_find(struct gcp *s, const struct buf *deployment)
{
	uint64_t hash = hash_bytes(deployment->data, deployment->len);
	uint32_t id;

	for (size_t at = idtab_start(&s->by_hash, hash); idtab_next(&s->by_hash, hash, &at, &id);)
		if (s->deployment[id].hash == hash)
			return &s->deployment[id];
	s->deployment = mem_grow(s->deployment, &s->cap, s->n_deployments + 1, sizeof(*s->deployment));
	s->deployment[s->n_deployments] = (struct gcp_deployment){ .hash = hash, .last_ns = INT64_MIN };
	idtab_put(&s->by_hash, hash, (uint32_t)s->n_deployments);
	return &s->deployment[s->n_deployments++];
}

/* Send a request with a JSON body. The response is released by the caller. */
static int gcp_request(struct gcp *s, struct fetch_request *r, const struct buf *body, struct stop *stop,
		       struct sink_result *out, struct err *err)
{
	const char *header[1];
	int rc = gcp_token_read(&s->token, stop, out, err);

	if (rc < 0 || out->outcome != SINK_SENT)
		return rc;
	header[0] = buf_text(&s->token.line);
	r->header = header;
	r->n_headers = s->token.line.len > 0;
	r->body = body->data;
	r->n_body = body->len;
	r->content_type = "application/json";
	rc = sink_send(r, &s->fetch, stop, out, err);
	r->header = NULL;
	r->n_headers = 0;
	if (rc < 0 || out->outcome == SINK_SENT)
		return rc;
	gcp_read_error(r, out);
	if (r->status == GCP_UNAUTHENTICATED && s->token.line.len) {
		out->outcome = s->token.is_new ? SINK_DENIED : SINK_LATER;
		gcp_token_forget(&s->token);
	}
	return 0;
}

/* Ask for a profile, and remember its name. */
static int gcp_create(struct gcp *s, const struct buf *deployment, const char *type, struct stop *stop,
		      struct sink_result *out, struct err *err)
{
	struct fetch_request r = { .url = &s->create };
	struct buf body = { 0 };
	int rc;

	buf_addf(&body, "{\"deployment\":%s,\"profileType\":[\"%s\"]}", buf_text(deployment), type);
	rc = gcp_request(s, &r, &body, stop, out, err);
	if (rc == 0 && out->outcome == SINK_SENT) {
		gcp_read_string(&r.bytes, "name", &s->opened);
		for (const char *c = buf_text(&s->opened); *c; c++)
			if (!isalnum((unsigned char)*c) && !strchr("-_.:/", *c))
				s->opened.len = 0;
		if (!starts_with(buf_text(&s->opened), "projects/") || !s->opened.len) {
			s->opened.len = 0;
			sink_setf(out, SINK_LATER, "the response has no name of a profile");
		}
	}
	sink_release_response(&r);
	buf_release(&body);
	return rc;
}

/* Send the bytes of the profile that the server created. */
static int gcp_patch(struct gcp *s, const struct buf *body, struct stop *stop, struct sink_result *out, struct err *err)
{
	struct url url;
	struct fetch_request r = { .url = &url, .method = "PATCH" };
	struct buf path = { 0 };
	int rc;

	url_copy(&s->create, &url);
	buf_add(&path, url.path, (size_t)(strstr(url.path, "/v2/projects/") - url.path));
	buf_addf(&path, "/v2/%s", buf_text(&s->opened));
	free(url.path);
	url.path = mem_strndup(path.data, path.len);
	rc = gcp_request(s, &r, body, stop, out, err);
	sink_release_response(&r);
	url_release(&url);
	buf_release(&path);
	if (rc == 0 && out->outcome != SINK_LATER)
		s->opened.len = 0;
	return rc;
}

static int gcp_send_part(struct gcp *s, const struct sink_item *item, const struct gcp_part *part,
			 const struct buf *deployment, struct stop *stop, struct sink_result *out, struct err *err)
{
	struct fetch_request r = { .url = &s->offline };
	struct buf body = { 0 };
	struct err item_err;
	int rc = 0;

	buf_addf(&body, "{\"deployment\":%s", buf_text(deployment));
	if (gcp_add_profile(item, part, &body, &item_err) < 0) {
		sink_setf(out, SINK_REFUSED, "%s", item_err.msg);
	} else if (!s->is_online) {
		buf_addz(&body, "}");
		rc = gcp_request(s, &r, &body, stop, out, err);
		sink_release_response(&r);
	} else {
		buf_addf(&body, ",\"name\":\"");
		if (!s->opened.len)
			rc = gcp_create(s, deployment, part->type, stop, out, err);
		buf_addf(&body, "%s\"}", buf_text(&s->opened));
		if (rc == 0 && out->outcome == SINK_SENT)
			rc = gcp_patch(s, &body, stop, out, err);
	}
	buf_release(&body);
	return rc;
}

/* Forget what was sent of the item before, unless this is the same. */
static void gcp_begin(struct gcp *s, const struct sink_item *item)
{
	if (memcmp(s->id, item->id, sizeof(s->id)) == 0)
		return;
	memcpy(s->id, item->id, sizeof(s->id));
	s->n_sent = 0;
	s->opened.len = 0;
}

static int gcp_send_item(struct gcp *s, const struct sink_item *item, struct stop *stop, struct sink_result *out,
			 struct err *err)
{
	struct gcp_part part[GCP_PARTS_MAX];
	size_t n = gcp_parts(item, part);
	struct buf deployment = { 0 };
	struct gcp_deployment *known;
	int rc = 0;

	gcp_begin(s, item);
	if (!gcp_add_deployment(item, s->project, s->language, &deployment, out)) {
		sink_setf(out, SINK_REFUSED, "the name of the service has no letter and no digit");
		n = 0;
	} else if (n == 0) {
		sink_setf(out, SINK_REFUSED, "Cloud Profiler has no profiles of the kind %s", item->kind);
	}
	known = gcp_find(s, &deployment);
	if (n > 0 && item->start_ns < known->last_ns) {
		sink_setf(out, SINK_REFUSED,
			  "the profile is older than another of its series that was sent, by %" PRId64 " s",
			  (known->last_ns - item->start_ns) / NS_PER_S);
		n = 0;
	}
	for (; s->n_sent < n && rc == 0 && out->outcome == SINK_SENT; s->n_sent += rc == 0 && out->outcome == SINK_SENT)
		rc = gcp_send_part(s, item, &part[s->n_sent], &deployment, stop, out, err);
	if (rc == 0 && out->outcome == SINK_SENT)
		known->last_ns = item->start_ns;
	buf_release(&deployment);
	return rc;
}

static int gcp_send(struct sink *sink, const struct sink_item *item, size_t n, struct stop *stop,
		    struct sink_result *result, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = gcp_send_item((struct gcp *)sink, &item[i], stop, &result[i], err);
	return rc;
}

static const char *const gcp_prefixes[] = { "gcp+https://", "gcp+http://", NULL };

const struct sink_kind sink_gcp = {
	.name = "gcp",
	.prefix = gcp_prefixes,
	.help = "Google's Cloud Profiler, with the path /v2/projects/PROJECT, tried with a contract test only",
	.batch_max = 1,
	.open = gcp_open,
	.send = gcp_send,
	.close = gcp_close,
};
