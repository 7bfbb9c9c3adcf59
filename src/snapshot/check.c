/*
 * check.c - check the responses of a server, and add comments to the profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "snapshot/snapshot.h"

#include "base/mem.h"
#include "base/string_list.h"
#include "base/time.h"
#include "base/utf8.h"
#include "formats/common/gzip.h"
#include "formats/formats.h"
#include "formats/pprof/pprof.h"
#include "profile/temporality.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int snapshot_check_kind(const struct snapshot_entry *x, struct err *err)
{
	struct err other;

	if (profile_check_kind(x->p, x->kind, &other) == 0)
		return 0;
	return err_set(err, other.code, "the server sent %s", other.msg);
}

static void end_comment(struct string_list *t)
{
	buf_add(&t->all, "", 1);
	string_list_end(t);
}

/* Add the comment "cmdline: ./prog -x". Arguments are not quoted, as in ps. */
static void comment_cmdline(const struct snapshot *s, struct string_list *t)
{
	const char *at = buf_text(&s->cmdline), *end = at + s->cmdline.len;

	if (at == end)
		return;
	buf_addz(&t->all, "cmdline:");
	while (at < end) {
		const char *nul = memchr(at, 0, (size_t)(end - at)), *stop = nul ? nul : end;

		buf_addz(&t->all, " ");
		buf_add(&t->all, at, (size_t)(stop - at));
		at = stop + (nul != NULL);
	}
	end_comment(t);
}

static void snapshot_check_make_comments(const struct snapshot *s, const struct snapshot_entry *x,
					 struct string_list *t)
{
	struct url url = x->url;

	if (*s->options->version) {
		buf_addf(&t->all, "version: %s", s->options->version);
		end_comment(t);
	}
	buf_addf(&t->all, "host: %s", s->host);
	end_comment(t);
	url.query = (char *)(uintptr_t) ""; /* the query may contain a secret */
	buf_addz(&t->all, "url: ");
	url_add_redacted(&url, &t->all);
	end_comment(t);
	buf_addz(&t->all, "time: ");
	time_add_utc(&t->all, s->begin_ns, TIME_ISO);
	end_comment(t);
	comment_cmdline(s, t);
	if (x->url.seconds) {
		buf_addf(&t->all, "seconds: %" PRId64, x->url.seconds);
		end_comment(t);
	}
	buf_addf(&t->all, "snapshot: %s %s", PACKAGE_NAME, PACKAGE_VERSION);
	end_comment(t);
	for (size_t i = 0; i < s->options->n_comments; i++) {
		buf_addz(&t->all, s->options->comment[i]);
		end_comment(t);
	}
}

static struct format_options make_limits(const struct snapshot *s)
{
	struct format_options limits = formats_options_default;

	limits.max_inflated = s->options->max_inflated;
	return limits;
}

/* Copy a string with invalid UTF-8 replaced by U+FFFD, since protobuf strings must be UTF-8. */
static char *copy_valid_utf8(const char *s)
{
	struct buf out = { 0 };
	size_t n = strlen(s);
	char *text;

	for (size_t at = 0, width; at < n; at += width) {
		uint32_t c;

		width = utf8_decode(s + at, n - at, &c);
		if (width)
			buf_add(&out, s + at, width);
		else
			utf8_add_char(&out, 0xfffd);
		width = width ? width : 1;
	}
	text = mem_strndup(buf_text(&out), out.len);
	buf_release(&out);
	return text;
}

/* Decompress a profile.proto, add comments, and read it. Fails like annotate_read. */
static int snapshot_check_add_comments(const struct snapshot *s, struct snapshot_entry *x, struct bytes *in,
				       struct buf *out, struct err *err)
{
	struct format_options limits = make_limits(s);
	struct string_list t = { 0 };
	char **comment;
	int rc;

	snapshot_check_make_comments(s, x, &t);
	comment = mem_alloc(t.n, sizeof(*comment));
	for (size_t i = 0, n; i < t.n; i++)
		comment[i] = copy_valid_utf8(string_list_get(&t, i, &n));
	rc = annotate_read(in, &limits, (const char *const *)comment, t.n, out, &x->p, err);
	for (size_t i = 0; i < t.n; i++)
		free(comment[i]);
	free(comment);
	string_list_release(&t);
	return rc;
}

static int snapshot_check_write_buf(void *arg, struct gzip *g, struct err *err)
{
	const struct buf *all = arg;

	return format_gzip_write(g, all->data, all->len) ? 0 : err_set(err, ERR_LIMIT, "out of memory");
}

/* Convert a profile from a legacy format, which cannot have comments, then continue like add_comments. */
static int convert_legacy(const struct snapshot *s, struct snapshot_entry *x, struct bytes *in, struct buf *out,
			  struct err *err)
{
	struct format_options limits = make_limits(s);
	struct profile *p = NULL;
	struct buf packed = { 0 };
	struct bytes proto;
	int rc = formats_read(in, &limits, &p, err);

	if (rc == 0)
		rc = pprof_write(p, 1, &packed, err);
	profile_free(p);
	proto = (struct bytes){ .data = (uint8_t *)packed.data, .n = packed.len };
	if (rc == 0)
		rc = snapshot_check_add_comments(s, x, &proto, out, err);
	if (rc == 0)
		buf_addz(&x->note, "converted from a legacy format");
	free(proto.data);
	return rc;
}

static void snapshot_check_note_empty(struct snapshot_entry *x)
{
	if (x->p->n_rows > 0)
		return;
	buf_addf(&x->note, "%s%s", x->note.len ? ", " : "",
		 strcmp(x->kind, "cpu") == 0 ? "no samples: the program used no CPU time" : "no samples");
}

static int snapshot_check_make_profile(const struct snapshot *s, struct snapshot_entry *x, struct err *err)
{
	struct buf inflated = { 0 };
	int rc = snapshot_check_add_comments(s, x, &x->request.bytes, &inflated, err);

	assert(rc < 0 || x->p);
	if (rc == ERR_UNKNOWN)
		rc = convert_legacy(s, x, &x->request.bytes, &inflated, err);
	if (rc == 0)
		rc = snapshot_check_kind(x, err);
	if (rc == 0)
		rc = format_gzip_pack(snapshot_check_write_buf, &inflated, 1, &x->packed, err);
	if (rc == 0)
		snapshot_check_note_empty(x);
	buf_release(&inflated);
	return rc;
}

/* Check a stack dump: it must contain headers of goroutines or threads. */
static int make_dump(struct snapshot_entry *x, struct err *err)
{
	const char *text = (const char *)x->request.bytes.data;
	size_t n = x->request.bytes.n, length = strlen(x->kind);

	if (n <= length || memcmp(text, x->kind, length - (strcmp(x->kind, "threads") == 0)) != 0 ||
	    !memmem(text, n, "]:\n", 3))
		return err_set(err, ERR_FORMAT, "the server sent something other than a stack dump");
	buf_add(&x->packed, text, n);
	return 0;
}

void snapshot_check_entry(const struct snapshot *s, struct snapshot_entry *x)
{
	int rc;

	assert(x >= s->entry && x < s->entry + s->n && x->state != SNAPSHOT_WRITTEN);
	if (x->request.rc < 0)
		return;
	rc = x->is_dump ? make_dump(x, &x->err) : snapshot_check_make_profile(s, x, &x->err);
	free(x->request.bytes.data);
	x->request.bytes = (struct bytes){ 0 };
	x->n_bytes = x->packed.len;
	x->state = rc < 0 ? SNAPSHOT_FAILED : SNAPSHOT_WRITTEN;
	if (rc < 0) {
		profile_free(x->p);
		x->p = NULL;
	}
}
