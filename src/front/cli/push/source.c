/*
 * source.c - the profiles that cpa push sends: files, servers, and each profile of a window of a store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/push/push.h"

#include "base/io.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/time.h"
#include "engine/query.h"
#include "fetch/url.h"
#include "formats/formats.h"
#include "front/cli/messages.h"
#include "profile/temporality.h"
#include "sources/sources.h"
#include "sources/stored.h"
#include "store/local/format/block.h"
#include "store/local/format/dict.h"
#include "store/store.h"
#include "store/window/window.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The value of --label=NAME=VALUE for a name; NULL if there is none. */
static const char *push_option_label(const struct push_args *a, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < a->label.n; i++)
		if (strncmp(a->label.item[i], name, n) == 0 && a->label.item[i][n] == '=')
			return a->label.item[i] + n + 1;
	return NULL;
}

static int push_compare_labels(const void *a, const void *b)
{
	return strcmp(((const struct store_label *)a)->name, ((const struct store_label *)b)->name);
}

/* The labels of the options, sorted by name; text [PUSH_LABELS]: their memory. Returns their number. */
static size_t push_make_labels(const struct push_args *a, struct store_label *label, char **text)
{
	size_t n = 0;

	for (size_t i = 0; i < a->label.n; i++) {
		const char *sign = strchr(a->label.item[i], '=');
		size_t n_name = (size_t)(sign - a->label.item[i]);

		if ((n_name == 7 && starts_with(a->label.item[i], "service")) ||
		    (n_name == 4 && starts_with(a->label.item[i], "kind")))
			continue;
		text[n] = mem_strndup(a->label.item[i], strlen(a->label.item[i]));
		text[n][n_name] = '\0';
		label[n] = (struct store_label){ text[n], text[n] + n_name + 1 };
		n++;
	}
	qsort(label, n, sizeof(*label), push_compare_labels);
	return n;
}

/* Add a profile of a file or server. */
static int push_add_profile(struct push_run *p, const char *name, struct profile *profile, struct err *err)
{
	const char *program = profile->n_maps ? path_base(profile_text(profile, profile->map[0].file)) : "";
	const char *service = push_option_label(p->a, "service"), *kind = push_option_label(p->a, "kind");
	struct store_label label[PUSH_LABELS];
	char *text[PUSH_LABELS];
	struct sink_item item = { .label = label, .n_labels = push_make_labels(p->a, label, text) };
	uint8_t hash[16];
	int rc = 0;

	item.service = *p->a->service ? p->a->service : service ? service : *program ? program : "unknown";
	item.kind = *p->a->kind ? p->a->kind : kind ? kind : profile_kind(profile);
	if (profile->n_types == 0)
		rc = err_set(err, ERR_FORMAT, "%s: the profile has no sample type", name);
	else if (*p->a->kind || kind)
		rc = profile_check_kind(profile, item.kind, err);
	else if (profile_kind_is_unsure(profile))
		say("%s: could be of kind block or mutex, and is sent as mutex; use --kind=block or --kind=mutex",
		    name);
	if (profile->meta.time_ns == 0)
		profile->meta.time_ns = clock_wall_ns();
	item.start_ns = profile->meta.time_ns;
	item.duration_ns = profile->meta.duration_ns;
	dict_series_hash(item.service, item.kind, label, item.n_labels, hash);
	block_profile_id(hash, item.start_ns, item.id);
	if (rc == 0)
		rc = cmd_push_add(p, &item, name, profile, err);
	else
		profile_free(profile);
	for (size_t i = 0; i < item.n_labels; i++)
		free(text[i]);
	return rc;
}

static int push_decode(struct push_run *p, const char *name, struct bytes *bytes, struct err *err)
{
	struct profile *profile = NULL;
	struct query q;
	int rc;

	query_init(&q);
	q.input_format = p->a->input_format;
	rc = sources_decode(bytes, &q, &profile, err);
	query_release(&q);
	return rc < 0 ? err_wrap(err, "%s", name) : push_add_profile(p, name, profile, err);
}

static int push_add_file(struct push_run *p, const char *name, struct err *err)
{
	struct bytes bytes = { 0 };
	int rc = strcmp(name, "-") == 0 ? io_read_fd(STDIN_FILENO, mem_quarter_of_ram(), NULL, &bytes, err)
					: io_read_file(name, mem_quarter_of_ram(), NULL, &bytes, err);

	return rc < 0 ? err_wrap(err, "%s", name) : push_decode(p, name, &bytes, err);
}

static int push_read_server(struct push_run *p, const char *name, const struct url *url, struct err *err)
{
	struct fetch_request get = { .url = url };
	struct http_options http = p->a->http;
	struct buf shown = { 0 };
	int rc;

	url_add_redacted(url, &shown);
	http.header_file = http.bearer_file = ""; /* they are for the system that receives */
	if (cmd_http_fetch(&http, &get, 1, name)) {
		free(get.bytes.data);
		rc = err_set(err, ERR_STOPPED, "cancelled");
	} else if (get.rc < 0) {
		*err = get.err;
		rc = err_wrap(err, "%s", shown.data);
	} else {
		rc = push_decode(p, shown.data, &get.bytes, err);
	}
	buf_release(&shown);
	return rc;
}

/* Called for each profile of a window. */
static int push_take_stored(void *arg, const struct store_item *stored, struct profile *profile, struct err *err)
{
	struct push_run *p = arg;
	struct sink_item item = { .service = stored->service,
				  .kind = stored->kind,
				  .label = stored->label,
				  .n_labels = stored->n_labels,
				  .start_ns = stored->start_ns,
				  .duration_ns = stored->duration_ns };
	struct buf name = { 0 };
	int rc;

	memcpy(item.id, stored->id, sizeof(item.id));
	buf_addf(&name, "%s/%s ", stored->service, stored->kind);
	time_add_utc(&name, stored->start_ns, TIME_ISO);
	rc = cmd_push_add(p, &item, name.data, profile, err);
	buf_release(&name);
	return rc;
}

static int push_read_stored(struct push_run *p, const char *word, struct err *err)
{
	struct stored_source s = { 0 };
	struct query q;
	uint64_t before = p->n;
	int rc;

	if (*p->a->service || *p->a->kind || p->a->label.n)
		return err_set(err, ERR_USAGE, "%s: stored profiles have their service, kind and labels", word);
	query_init(&q);
	q.store = p->a->store;
	rc = stored_open(word, &q, &s, err);
	if (rc == 0) {
		s.query.kind = window_kind(s.window);
		p->store = s.store;
		rc = store_each_profile(s.store, &s.query, p->stop, push_take_stored, p, err);
	}
	if (rc == 0 && *store_get_damage(s.store)) {
		say_error("%s: profiles of a damaged journal are missing", word);
		p->n_failed++;
	}
	if (rc == 0 && p->n == before)
		rc = err_set(err, ERR_IO, "%s: there is no profile", word);
	p->store = NULL;
	stored_close(&s);
	query_release(&q);
	return rc;
}

int cmd_push_read(struct push_run *p, const char *word, struct err *err)
{
	struct url url;
	int rc;

	if (stored_is_source(word))
		return push_read_stored(p, word, err);
	if (url_is_process(word))
		return err_set(err, ERR_USAGE, "%s: record the process first: cpa record -p PID -o FILE", word);
	if (strcmp(word, "-") == 0 || access(word, F_OK) == 0)
		return push_add_file(p, word, err);
	rc = url_parse(word, 0, &url, err);
	if (rc == ERR_UNKNOWN)
		return push_add_file(p, word, err);
	if (rc < 0)
		return err_wrap(err, "%.200s", word);
	rc = push_read_server(p, word, &url, err);
	url_release(&url);
	return rc;
}
