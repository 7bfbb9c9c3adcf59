/*
 * gcp_store.c - the functions of the backend for Google's Cloud Profiler
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/gcp/gcp_store.h"

#include "base/mem.h"
#include "base/str.h"
#include "store/gcp/gcp_store_int.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define GCPSTORE_PREFIX "gcp+"
#define GCPSTORE_TOKEN "CLOUDSDK_AUTH_ACCESS_TOKEN" /* of gcloud */

static void gcpstore_close(struct store *s)
{
	struct gcpstore *c = gcpstore_of(s);

	gcpstore_forget(c);
	free(c->entry);
	free(c->page);
	free(c->server);
	free(c->project);
	buf_release(&c->name);
	if (c->token.data)
		explicit_bzero(c->token.data, c->token.cap);
	buf_release(&c->token);
	buf_release(&s->damage);
	free(c);
}

/* Begin a function of the interface. */
static struct gcpstore *gcpstore_begin(struct store *s, struct stop *stop)
{
	struct gcpstore *c = gcpstore_of(s);

	c->stop = stop;
	c->wants_heads = false;
	return c;
}

static int gcpstore_read(struct store *s, const struct store_query *q, struct stop *stop, struct profile **out,
			 struct store_sum *sum, struct err *err)
{
	struct gcpstore *c = gcpstore_begin(s, stop);
	int rc = local_read(s, q, stop, out, sum, err);

	if (rc == 0 && !c->is_noted)
		buf_addf(&sum->notes, "store: %zu page%s of the project %s list %zu profiles\n", c->n_pages,
			 c->n_pages == 1 ? "" : "s", c->project, c->n);
	c->is_noted |= rc == 0;
	return rc;
}

static int gcpstore_describe_samples(struct store *s, const struct store_query *q, struct buf *out, struct err *err)
{
	gcpstore_begin(s, NULL);
	return local_describe_samples(s, q, out, err);
}

static int gcpstore_list_items(struct store *s, const struct store_query *q, struct stop *stop, store_item_fn *fn,
			       void *arg, struct err *err)
{
	gcpstore_begin(s, stop);
	return local_list(s, q, stop, fn, arg, err);
}

static int gcpstore_totals(struct store *s, const struct store_query *q, struct stop *stop, store_total_fn *fn,
			   void *arg, struct err *err)
{
	gcpstore_begin(s, stop);
	return local_totals(s, q, stop, fn, arg, err);
}

static int gcpstore_each_increase(struct store *s, const struct store_query *q, struct stop *stop,
				  store_increase_fn *fn, void *arg, struct err *err)
{
	gcpstore_begin(s, stop);
	return local_each_increase(s, q, stop, fn, arg, err);
}

static int gcpstore_each_profile(struct store *s, const struct store_query *q, struct stop *stop, store_profile_fn *fn,
				 void *arg, struct err *err)
{
	gcpstore_begin(s, stop);
	return local_each_profile(s, q, stop, fn, arg, err);
}

static int gcpstore_each_series(struct store *s, const struct store_query *q, store_series_fn *fn, void *arg,
				struct err *err)
{
	gcpstore_begin(s, NULL)->wants_heads = true;
	return local_each_series(s, q, fn, arg, err);
}

static int gcpstore_each_mark(struct store *s, const char *service, bool is_pattern, const char *kind,
			      store_mark_fn *fn, void *arg, struct err *err)
{
	(void)s, (void)service, (void)is_pattern, (void)kind, (void)fn, (void)arg, (void)err;
	return 0; /* there are none */
}

static int gcpstore_each_pin(struct store *s, store_pin_fn *fn, void *arg, struct err *err)
{
	(void)s, (void)fn, (void)arg, (void)err;
	return 0; /* there are none */
}

static const struct local_source gcpstore_source = { gcpstore_open_chapters, gcpstore_each_label,
						     gcpstore_each_catalogue_series };

static const struct store_backend gcpstore_backend = {
	.close = gcpstore_close,
	.read = gcpstore_read,
	.describe_samples = gcpstore_describe_samples,
	.list = gcpstore_list_items,
	.totals = gcpstore_totals,
	.each_increase = gcpstore_each_increase,
	.each_profile = gcpstore_each_profile,
	.each_series = gcpstore_each_series,
	.each_mark = gcpstore_each_mark,
	.each_pin = gcpstore_each_pin,
};

/* Take the token of the environment, which is not sent without TLS to another machine. */
static int gcpstore_set_token(struct gcpstore *c, const struct url *url, struct err *err)
{
	const char *token = getenv(GCPSTORE_TOKEN);

	if (!token || !*token || *c->options.bearer_file || *c->options.header_file)
		return 0;
	for (const char *at = token; *at; at++)
		if (!isgraph((unsigned char)*at))
			return err_set(err, ERR_USAGE, "$%s is not a single token", GCPSTORE_TOKEN);
	if (strcmp(url->scheme, "https") != 0 && !url_is_local(url))
		return err_set(err, ERR_USAGE, "the token of $%s is not sent without TLS", GCPSTORE_TOKEN);
	buf_addf(&c->token, "Authorization: Bearer %s", token);
	return 0;
}

int gcpstore_open(const char *where, const struct fetch_options *options, struct store **out, struct err *err)
{
	const char *server = where + strlen(GCPSTORE_PREFIX);
	size_t n = strlen(server);
	struct gcpstore *c;
	struct url url;
	char *project;
	int rc = url_parse(server, 0, &url, err);

	if (rc < 0)
		return rc;
	project = gcpstore_find_project(server);
	if (!project) {
		url_release(&url);
		return err_set(err, ERR_USAGE, "the URL does not end with /v2/projects/PROJECT");
	}
	c = mem_zalloc(1, sizeof(*c));
	n -= server[n - 1] == '/';
	c->server = mem_strndup(server, n);
	c->project = project;
	c->options = *options;
	c->options.stays_on_server = true;
	url_redact(c->server, &c->name);
	c->local.store.backend = &gcpstore_backend;
	c->local.source = &gcpstore_source;
	c->local.dir = -1;
	rc = gcpstore_set_token(c, &url, err);
	url_release(&url);
	if (rc < 0)
		gcpstore_close(&c->local.store);
	else
		*out = &c->local.store;
	return rc;
}
