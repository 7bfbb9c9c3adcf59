/*
 * check.c - is what a server sent what was asked for? Then comments are put into it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "snapshot/snapshot.h"

#include "base/mem.h"
#include "base/texts.h"
#include "base/utf8.h"
#include "reader/annotate.h"
#include "viewers/export/export.h"
#include "viewers/export/gzip.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TYPES_MAX = 8 };

/* Sample types of which a profile of a kind has at least one; of other kinds nothing is known. */
static const struct {
	const char *kind, *type[TYPES_MAX];
} types_of[] = {
	{ "cpu", { "cpu", "samples", "sample", "wall" } },
	{ "heap", { "inuse_space", "inuse_objects", "alloc_space", "alloc_objects", "space", "objects" } },
	{ "allocs", { "inuse_space", "inuse_objects", "alloc_space", "alloc_objects", "space", "objects" } },
	{ "goroutine", { "goroutine", "goroutines", "threads", "thread" } },
	{ "threads", { "threads", "thread", "goroutine" } },
	{ "block", { "contentions", "delay" } },
	{ "mutex", { "contentions", "delay" } },
	{ "threadcreate", { "threadcreate" } },
};

void snapshot_add_time(struct buf *out, int64_t ns)
{
	time_t seconds = (time_t)(ns / 1000000000);
	char text[32] = "";
	struct tm utc;

	if (gmtime_r(&seconds, &utc))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	buf_addz(out, text);
}

static void add_types(const struct profile *p, struct buf *out)
{
	for (uint32_t t = 0; t < p->n_types && t < TYPES_MAX; t++)
		buf_addf(out, "%s%.64s", t ? ", " : "", profile_text(p, p->type[t].name));
}

static int check_kind(const struct shot *x, struct err *err)
{
	const char *const *type = NULL;
	struct buf has = { 0 };
	int rc = 0;

	for (size_t i = 0; i < sizeof(types_of) / sizeof(types_of[0]); i++)
		if (strcmp(types_of[i].kind, x->kind) == 0)
			type = types_of[i].type;
	for (uint32_t t = 0; type && t < x->p->n_types; t++)
		for (size_t i = 0; i < TYPES_MAX && type[i]; i++)
			if (strcmp(profile_text(x->p, x->p->type[t].name), type[i]) == 0)
				return 0;
	if (type) {
		add_types(x->p, &has);
		rc = err_set(err, ERR_FORMAT, "the server sent another profile, of %s",
			     has.len ? has.data : "nothing at all");
	}
	buf_release(&has);
	return rc;
}

static void end_comment(struct texts *t)
{
	buf_add(&t->all, "", 1);
	texts_end(t);
}

/* "cmdline: ./prog -x": words that have blanks in them stay as they are, as in ps. */
static void comment_cmdline(const struct snapshot *s, struct texts *t)
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

static void make_comments(const struct snapshot *s, const struct shot *x, struct texts *t)
{
	struct url plain = x->url;

	if (*s->options->version) {
		buf_addf(&t->all, "version: %s", s->options->version);
		end_comment(t);
	}
	buf_addf(&t->all, "host: %s", s->host);
	end_comment(t);
	plain.query = (char *)(uintptr_t) ""; /* it may have a secret in it */
	buf_addz(&t->all, "url: ");
	url_show(&plain, &t->all);
	end_comment(t);
	buf_addz(&t->all, "time: ");
	snapshot_add_time(&t->all, s->begin_ns);
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

static struct reader_limits limits_of(const struct snapshot *s)
{
	struct reader_limits limits = reader_limits_default;

	limits.max_inflated = s->options->max_inflated;
	return limits;
}

/* Comments are strings of a message that must be UTF-8. */
static char *clean(const char *s)
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

/* Unpacked, with its comments, and read. Fails as annotate_read. */
static int take(const struct snapshot *s, struct shot *x, struct bytes *in, struct buf *out, struct err *err)
{
	struct reader_limits limits = limits_of(s);
	struct texts t = { 0 };
	char **comment;
	int rc;

	make_comments(s, x, &t);
	comment = mem_alloc(t.n, sizeof(*comment));
	for (size_t i = 0, n; i < t.n; i++)
		comment[i] = clean(texts_at(&t, i, &n));
	rc = annotate_read(in, &limits, (const char *const *)comment, t.n, out, &x->p, err);
	for (size_t i = 0; i < t.n; i++)
		free(comment[i]);
	free(comment);
	texts_release(&t);
	return rc;
}

static int put_all(void *arg, struct gzip *g, struct err *err)
{
	const struct buf *all = arg;

	return export_gzip_put(g, all->data, all->len) ? 0 : err_set(err, ERR_LIMIT, "out of memory");
}

/* What is in an older format becomes profile.proto first: it has no place for comments. */
static int take_legacy(const struct snapshot *s, struct shot *x, struct bytes *in, struct buf *out, struct err *err)
{
	struct reader_limits limits = limits_of(s);
	struct profile *p = NULL;
	struct buf packed = { 0 };
	struct bytes proto;
	int rc = reader_read(in, &limits, &p, err);

	if (rc == 0)
		rc = export_proto(p, 1, &packed, err);
	profile_free(p);
	proto = (struct bytes){ (uint8_t *)packed.data, packed.len };
	if (rc == 0)
		rc = take(s, x, &proto, out, err);
	if (rc == 0)
		buf_addz(&x->note, "was in an older format");
	free(proto.data);
	return rc;
}

static void note_empty(struct shot *x)
{
	if (x->p->n_rows > 0)
		return;
	buf_addf(&x->note, "%s%s", x->note.len ? ", " : "",
		 strcmp(x->kind, "cpu") == 0 ? "no samples: it used no CPU time" : "no samples");
}

static int make_profile(const struct snapshot *s, struct shot *x, struct err *err)
{
	struct buf plain = { 0 };
	int rc = take(s, x, &x->get.bytes, &plain, err);

	assert(rc < 0 || x->p);
	if (rc == ERR_UNKNOWN)
		rc = take_legacy(s, x, &x->get.bytes, &plain, err);
	if (rc == 0)
		rc = check_kind(x, err);
	if (rc == 0)
		rc = export_gzip_pack(put_all, &plain, 1, &x->packed, err);
	if (rc == 0)
		note_empty(x);
	buf_release(&plain);
	return rc;
}

/* The text of stacks: heads of goroutines or threads are in it. */
static int make_dump(struct shot *x, struct err *err)
{
	const char *text = (const char *)x->get.bytes.data;
	size_t n = x->get.bytes.n, length = strlen(x->kind);

	if (n <= length || memcmp(text, x->kind, length - (strcmp(x->kind, "threads") == 0)) != 0 ||
	    !memmem(text, n, "]:\n", 3))
		return err_set(err, ERR_FORMAT, "the server sent no dump of stacks");
	buf_add(&x->packed, text, n);
	return 0;
}

void snapshot_check_shot(const struct snapshot *s, struct shot *x)
{
	int rc;

	assert(x >= s->shot && x < s->shot + s->n && x->state != SHOT_WRITTEN);
	if (x->get.rc < 0)
		return;
	rc = x->is_dump ? make_dump(x, &x->err) : make_profile(s, x, &x->err);
	free(x->get.bytes.data);
	x->get.bytes = (struct bytes){ 0 };
	x->n_bytes = x->packed.len;
	x->state = rc < 0 ? SHOT_FAILED : SHOT_WRITTEN;
	if (rc < 0) {
		profile_free(x->p);
		x->p = NULL;
	}
}
