/*
 * write.c - write the files of a snapshot and its manifest, and print a table of them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "snapshot/snapshot.h"

#include "base/io.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/unit.h"
#include "base/utf8.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const state_name[N_SNAPSHOT_STATES] = {
	[SNAPSHOT_WRITTEN] = "written",
	[SNAPSHOT_MISSING] = "missing",
	[SNAPSHOT_FAILED] = "failed",
	[SNAPSHOT_INTERRUPTED] = "interrupted",
};

static void add_null(struct json *j, const char *key)
{
	jsonw_key(j, key);
	jsonw_raw(j, "null", 4);
}

static void add_text_or_null(struct json *j, const char *key, const char *text)
{
	if (text && *text)
		jsonw_add_text(j, key, text);
	else
		add_null(j, key);
}

static void snapshot_write_add_time(struct json *j, const char *key, int64_t ns)
{
	struct buf text = { 0 };

	if (ns > 0)
		time_add_utc(&text, ns, TIME_ISO);
	add_text_or_null(j, key, buf_text(&text));
	buf_release(&text);
}

static void snapshot_write_add_type(struct json *j, const struct profile *p, const struct value_type *t)
{
	jsonw_open(j, '{');
	jsonw_add_text(j, "type", profile_text(p, t->name));
	jsonw_add_text(j, "unit", profile_text(p, t->unit));
	jsonw_close(j, '}');
}

/* Add the properties of a profile. */
static void snapshot_write_add_profile(struct json *j, const struct profile *p)
{
	const struct mapping *program = p->n_maps ? &p->map[0] : NULL;

	jsonw_add_int(j, "samples", p->n_rows);
	jsonw_open_key(j, "sample_types", '[');
	for (uint32_t t = 0; t < p->n_types; t++)
		snapshot_write_add_type(j, p, &p->type[t]);
	jsonw_close(j, ']');
	add_text_or_null(j, "default_type", profile_text(p, p->meta.default_type));
	jsonw_key(j, "period_type");
	if (p->meta.has_period_type)
		snapshot_write_add_type(j, p, &p->meta.period_type);
	else
		jsonw_raw(j, "null", 4);
	jsonw_add_int(j, "period", p->meta.period);
	snapshot_write_add_time(j, "time", p->meta.time_ns);
	jsonw_add_int(j, "duration_ns", p->meta.duration_ns);
	add_text_or_null(j, "program", program ? profile_text(p, program->file) : NULL);
	add_text_or_null(j, "build_id", program ? profile_text(p, program->build_id) : NULL);
}

static void snapshot_write_add_entry(struct json *j, const struct snapshot_entry *x)
{
	static const char *const profile_keys[] = { "samples", "sample_types", "default_type", "period_type", "period",
						    "time",    "duration_ns",  "program",      "build_id" };
	bool written = x->state == SNAPSHOT_WRITTEN;

	assert(x->state < N_SNAPSHOT_STATES);
	jsonw_open(j, '{');
	jsonw_add_text(j, "name", x->file);
	jsonw_add_text(j, "kind", x->kind);
	jsonw_add_text(j, "form", x->is_dump ? "text" : "profile");
	jsonw_add_text(j, "path", x->url.path);
	jsonw_add_text(j, "state", state_name[x->state]);
	add_text_or_null(j, "error", written ? NULL : x->err.msg);
	add_text_or_null(j, "note", buf_text(&x->note));
	jsonw_key(j, "bytes");
	if (written)
		jsonw_int(j, (int64_t)x->n_bytes);
	else
		jsonw_raw(j, "null", 4);
	if (x->p)
		snapshot_write_add_profile(j, x->p);
	for (size_t i = 0; !x->p && i < sizeof(profile_keys) / sizeof(profile_keys[0]); i++)
		add_null(j, profile_keys[i]);
	jsonw_close(j, '}');
}

static void add_cmdline(struct json *j, const struct buf *cmdline)
{
	const char *at = buf_text(cmdline), *end = at + cmdline->len;

	jsonw_key(j, "cmdline");
	if (at == end) {
		jsonw_raw(j, "null", 4);
		return;
	}
	jsonw_open(j, '[');
	while (at < end) {
		const char *nul = memchr(at, 0, (size_t)(end - at)), *stop = nul ? nul : end;

		jsonw_text(j, at, (size_t)(stop - at));
		at = stop + (nul != NULL);
	}
	jsonw_close(j, ']');
}

static void add_manifest(const struct snapshot *s, struct buf *out)
{
	struct url folder_url = s->folder;
	struct buf url = { 0 };
	struct json j = { .out = out };

	folder_url.query = (char *)(uintptr_t) "";
	url_add_redacted(&folder_url, &url);
	jsonw_open(&j, '{');
	jsonw_add_text(&j, "schema", SNAPSHOT_SCHEMA);
	jsonw_add_text(&j, "cpa", PACKAGE_VERSION);
	jsonw_add_text(&j, "url", url.data);
	jsonw_add_text(&j, "host", s->host);
	add_text_or_null(&j, "version", s->options->version);
	jsonw_add_texts(&j, "comments", s->options->comment, s->options->n_comments);
	add_cmdline(&j, &s->cmdline);
	jsonw_add_int(&j, "seconds", s->options->seconds);
	snapshot_write_add_time(&j, "begin", s->begin_ns);
	snapshot_write_add_time(&j, "end", s->end_ns);
	jsonw_add_bool(&j, "interrupted", s->interrupted);
	jsonw_open_key(&j, "files", '[');
	for (size_t i = 0; i < s->n; i++)
		snapshot_write_add_entry(&j, &s->entry[i]);
	jsonw_close(&j, ']');
	jsonw_close(&j, '}');
	buf_addz(out, "\n");
	buf_release(&url);
}

static void add_amount(const struct snapshot_entry *x, struct buf *out)
{
	struct buf size = { 0 }, n = { 0 };

	unit_add_label(&size, (int64_t)x->n_bytes, "bytes", "auto");
	buf_addf(out, " %10s", size.data);
	if (x->p) {
		unit_add_count(&n, x->p->n_rows);
		buf_addf(out, " %9s sample%s", n.data, x->p->n_rows == 1 ? " " : "s");
	}
	buf_release(&size);
	buf_release(&n);
}

static void snapshot_write_add_safe(struct buf *out, const char *text)
{
	utf8_add_safe(out, text, strlen(text));
}

void snapshot_table(const struct snapshot *s, struct buf *out)
{
	size_t width = 0;

	for (size_t i = 0; i < s->n; i++) {
		size_t n = utf8_count(s->entry[i].file, strlen(s->entry[i].file));

		width = n > width ? n : width;
	}
	snapshot_write_add_safe(out, s->options->folder);
	buf_addz(out, ":\n");
	for (size_t i = 0; i < s->n; i++) {
		const struct snapshot_entry *x = &s->entry[i];

		buf_addz(out, "  ");
		snapshot_write_add_safe(out, x->file);
		buf_fill(out, ' ', width - utf8_count(x->file, strlen(x->file)));
		if (x->state == SNAPSHOT_WRITTEN)
			add_amount(x, out);
		else
			buf_addf(out, "  %s",
				 x->state == SNAPSHOT_MISSING ? "the server has no such profile"
							      : state_name[x->state]);
		if (x->note.len)
			buf_addf(out, "  (%s)", x->note.data);
		buf_addz(out, "\n");
	}
}

int snapshot_make_folder(const struct snapshot *s, struct err *err)
{
	const char *path = s->options->folder;
	char *copy = mem_strndup(path, strlen(path));
	size_t n = strlen(copy);
	int rc;

	while (n > 1 && copy[n - 1] == '/')
		copy[--n] = '\0';
	for (char *slash = copy; (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(copy, 0777);
		*slash = '/';
	}
	rc = mkdir(copy, 0777) == 0 ? 1 : errno == EEXIST ? 0 : err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	if (rc == 0 && access(copy, W_OK | X_OK) != 0)
		rc = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	free(copy);
	return rc;
}

/* Write a file atomically. */
static int snapshot_write_file(const char *folder, const char *file, const struct buf *bytes, struct err *err)
{
	struct buf path = { 0 };
	struct io_out out;
	int rc;

	buf_addf(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", file);
	rc = io_out_open_replace(path.data, 0666, &out, err);
	if (rc == 0) {
		rc = io_write_fd(out.fd, bytes->data, bytes->len, err);
		if (rc < 0)
			err_wrap(err, "%s", path.data);
		if (io_out_close(&out, rc == 0, rc == 0 ? err : NULL) < 0 && rc == 0)
			rc = ERR_IO;
	}
	buf_release(&path);
	return rc;
}

void snapshot_write_entry(const struct snapshot *s, struct snapshot_entry *x)
{
	snapshot_check_entry(s, x);
	if (x->state == SNAPSHOT_WRITTEN && snapshot_write_file(s->options->folder, x->file, &x->packed, &x->err) < 0)
		x->state = SNAPSHOT_FAILED;
	assert(x->state != SNAPSHOT_WRITTEN || x->n_bytes > 0);
	buf_release(&x->packed);
}

int snapshot_write_manifest(const struct snapshot *s, struct err *err)
{
	struct buf text = { 0 };
	int rc;

	add_manifest(s, &text);
	rc = snapshot_write_file(s->options->folder, SNAPSHOT_MANIFEST, &text, err);
	buf_release(&text);
	return rc;
}
