/*
 * version.c - the version of a scraped program, and marks for new versions
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "scrape/version.h"

#include "base/jansson.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/utf8.h"
#include "scrape/tally.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
	BUILD_ID_DIGITS = 12,
	SERVICE_MAX = 255,   /* bytes */
	VERSIONS_MAX = 1000, /* of a service and env; further ones have no marks */
	FIELD_MAX = 256,     /* bytes of a name in the path of a member */
};

/* Append the text up to the first control character, without white space around it, shortened to max bytes. */
static void scrape_version_add_line(struct buf *out, const char *text, size_t n, size_t max)
{
	size_t end = 0;

	while (n && (*text == ' ' || *text == '\t')) {
		text++;
		n--;
	}
	while (end < n && (unsigned char)text[end] >= 0x20 && text[end] != 0x7f)
		end++;
	end = utf8_prefix(text, end, max);
	while (end && text[end - 1] == ' ')
		end--;
	buf_add(out, text, end);
}

void scrape_version_service(const struct profile *p, struct buf *out)
{
	static const char deleted[] = " (deleted)";
	const char *name = p->n_maps ? path_base(profile_text(p, p->map[0].file)) : "";
	size_t n = strlen(name), before = out->len;

	if (ends_with(name, deleted))
		n -= sizeof(deleted) - 1;
	scrape_version_add_line(out, name, n, SERVICE_MAX);
	if (out->len == before)
		buf_addz(out, "unknown");
}

static void scrape_version_add_comment(const struct profile *p, struct buf *out)
{
	static const char start[] = "version: ";

	for (uint32_t i = 0; i < p->meta.n_comments; i++) {
		const char *text = profile_text(p, p->meta.comment[i]);

		if (!starts_with(text, start))
			continue;
		text += sizeof(start) - 1;
		scrape_version_add_line(out, text, strlen(text), SCRAPE_VERSION_MAX);
		return;
	}
}

static void add_build_id(const struct profile *p, struct buf *out)
{
	const char *id = p->n_maps ? profile_text(p, p->map[0].build_id) : "";

	if (!*id)
		return;
	buf_addz(out, "b:");
	scrape_version_add_line(out, id, strlen(id), BUILD_ID_DIGITS);
}

enum scrape_version_source scrape_version_find(const struct scrape_job *job, const struct store_label *label, size_t n,
					       const struct profile *p, const char *url, struct buf *out)
{
	size_t before = out->len;

	for (size_t i = 0; i < job->n_versions; i++) {
		switch (job->version[i]) {
		case SCRAPE_VERSION_LABEL:
			for (size_t k = 0; k < n; k++)
				if (strcmp(label[k].name, "version") == 0)
					buf_addz(out, label[k].value);
			break;
		case SCRAPE_VERSION_COMMENT:
			scrape_version_add_comment(p, out);
			break;
		case SCRAPE_VERSION_URL:
			scrape_version_add_line(out, url, strlen(url), SCRAPE_VERSION_MAX);
			break;
		case SCRAPE_VERSION_BUILD_ID:
			add_build_id(p, out);
			break;
		default:
			break;
		}
		if (out->len > before)
			return job->version[i];
	}
	return N_SCRAPE_VERSION_SOURCES;
}

void scrape_version_make_url(const struct scrape_job *job, const struct url *folder, struct url *out)
{
	const char *query = strchr(job->version_url, '?');

	url_copy(folder, out);
	free(out->path);
	free(out->query);
	out->path = mem_strndup(job->version_url, strcspn(job->version_url, "?"));
	out->query = query ? mem_strndup(query + 1, strlen(query + 1)) : mem_strndup("", 0);
	out->seconds = 0;
}

/* The member of an object with this path; NULL if there is none. */
static const json_t *find_member(const struct jansson *lib, const json_t *at, const char *path)
{
	while (at && *path) {
		char name[FIELD_MAX];
		size_t n = strcspn(path, ".");

		if (n >= sizeof(name))
			return NULL;
		memcpy(name, path, n);
		name[n] = '\0';
		at = lib->object_get(at, name);
		path += n + (path[n] == '.');
	}
	return at;
}

static int parse_json(const char *body, size_t n, const char *field, struct buf *out, struct err *err)
{
	const struct jansson *lib;
	const json_t *value;
	json_error_t reason;
	size_t before = out->len;
	json_t *root;
	int rc = jansson_load(&lib, err);

	if (rc < 0)
		return rc;
	root = lib->loadb(body, n, 0, &reason);
	if (!root)
		return err_set(err, ERR_FORMAT, "the version is not JSON: %s", reason.text);
	value = find_member(lib, root, field);
	if (json_is_string(value))
		scrape_version_add_line(out, lib->string_value(value), lib->string_length(value), SCRAPE_VERSION_MAX);
	else if (json_is_integer(value))
		buf_addf(out, "%lld", (long long)lib->integer_value(value));
	lib->delete (root);
	return out->len > before ? 0 : err_set(err, ERR_FORMAT, "the response has no text %s", field);
}

int scrape_version_parse(const char *body, size_t n, const char *field, struct buf *out, struct err *err)
{
	size_t before = out->len;

	if (*field)
		return parse_json(body, n, field, out, err);
	while (n && isspace((unsigned char)*body)) {
		body++;
		n--;
	}
	if (n && (*body == '{' || *body == '<'))
		return err_set(err, ERR_FORMAT, "the response is %s; name the member with field=",
			       *body == '{' ? "a JSON object" : "a web page");
	scrape_version_add_line(out, body, n, SCRAPE_VERSION_MAX);
	return out->len > before ? 0 : err_set(err, ERR_FORMAT, "the version is empty");
}

struct scrape_versions {
	pthread_mutex_t lock;
	struct scrape_tally known; /* by service and env: number of versions; by service, env and version: 1 */
};

struct scrape_versions *scrape_versions_new(void)
{
	struct scrape_versions *v = mem_zalloc(1, sizeof(*v));

	pthread_mutex_init(&v->lock, NULL);
	return v;
}

void scrape_versions_free(struct scrape_versions *v)
{
	if (!v)
		return;
	scrape_tally_release(&v->known);
	pthread_mutex_destroy(&v->lock);
	free(v);
}

bool scrape_versions_add(struct scrape_versions *v, const char *service, const char *env, const char *version)
{
	uint64_t key = scrape_tally_key(scrape_tally_key(0, service, strlen(service)), env, strlen(env));
	uint32_t *count;
	bool is_new = false;

	pthread_mutex_lock(&v->lock);
	count = scrape_tally_get(&v->known, key, true);
	key = scrape_tally_key(key, version, strlen(version));
	if (*count < VERSIONS_MAX && !scrape_tally_get(&v->known, key, false)) {
		++*count;
		++*scrape_tally_get(&v->known, key, true);
		is_new = true;
	}
	pthread_mutex_unlock(&v->lock);
	return is_new;
}

static int version_marks_add_mark(void *arg, const char *service, const struct store_mark *m, struct err *err)
{
	(void)err;
	scrape_versions_add(arg, service, m->env ? m->env : "", m->text ? m->text : "");
	return 0;
}

int scrape_versions_load(struct scrape_versions *v, struct store *s, struct err *err)
{
	return store_each_mark(s, "*", true, "deploy", version_marks_add_mark, v, err);
}
