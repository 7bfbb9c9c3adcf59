/*
 * push_multipart.c - the parts of a form that is pushed: a profile, and what its sample types mean
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/push/push_int.h"

#include "base/buf.h"
#include "base/jansson.h"
#include "base/str.h"

#include <ctype.h>
#include <string.h>

enum { PARTS_MAX = 16, CONFIG_MAX = 64 << 10 };

/* A part of a form. Borrows from the body. */
struct form_part {
	const char *name; /* [n_name] */
	size_t n_name;
	const uint8_t *data;
	size_t n;
};

struct form_reader {
	struct buf mark; /* CR LF and the boundary */
	const uint8_t *at, *end;
};

/* The boundary of a form: a parameter of the content type. Returns its length; 0 if there is none. */
static size_t find_boundary(const char *content_type, const char **out)
{
	const char *at = strcasestr(content_type, "boundary=");

	if (!at)
		return 0;
	at += strlen("boundary=");
	if (*at == '"') {
		*out = at + 1;
		return strcspn(at + 1, "\"");
	}
	*out = at;
	return strcspn(at, "; \t");
}

/* Find the parameter name in the head of a part; filename= is another one. */
static void find_part_name(const char *head, size_t n, struct form_part *out)
{
	const char *at = head, *end = head + n;

	out->name = "";
	out->n_name = 0;
	while ((at = memmem(at, (size_t)(end - at), "name=", 5))) {
		bool is_whole = at > head && !isalnum((unsigned char)at[-1]) && !strchr("*-_", at[-1]);
		const char *stop = "; \t\r\n";

		at += 5;
		if (!is_whole)
			continue;
		if (at < end && *at == '"') {
			stop = "\"\r\n";
			at++;
		}
		out->name = at;
		while (at < end && *at && !strchr(stop, *at))
			at++;
		out->n_name = (size_t)(at - out->name);
		return;
	}
}

/* Read the next part. Returns false after the last complete one. */
static bool push_form_next_part(struct form_reader *r, struct form_part *out)
{
	const uint8_t *head = r->at, *body, *next;

	body = head ? memmem(head, (size_t)(r->end - head), "\r\n\r\n", 4) : NULL;
	/* an empty part has no line break of its own before the mark */
	next = body ? memmem(body + 2, (size_t)(r->end - body) - 2, r->mark.data, r->mark.len) : NULL;
	if (!next)
		return false;
	find_part_name((const char *)head, (size_t)(body - head), out);
	body += 4;
	out->data = body;
	out->n = next > body ? (size_t)(next - body) : 0;
	r->at = next + r->mark.len;
	return true;
}

const char *push_kind_of_name(const char *name)
{
	return starts_with(name, "mutex") ? "mutex" : starts_with(name, "block") ? "block" : "";
}

/*
 * Read sample_type_config: {"contentions":{"display-name":"mutex_count","units":"lock_samples","cumulative":false},...}.
 * Without libjansson it is ignored.
 */
static int push_form_read_config(struct push *p, const uint8_t *data, size_t n, struct err *err)
{
	const struct jansson *lib;
	struct err ignored;
	json_error_t problem;
	json_t *root;

	if (n > CONFIG_MAX || push_is_deep(data, n))
		return err_set(err, ERR_FORMAT, "sample_type_config is too large");
	if (jansson_load(&lib, &ignored) < 0)
		return 0;
	root = lib->loadb((const char *)data, n, 0, &problem);
	if (!root)
		return err_set(err, ERR_FORMAT, "sample_type_config is not JSON: line %d: %s", problem.line,
			       problem.text);
	for (void *i = lib->object_iter(root); i; i = lib->object_iter_next(root, i)) {
		const json_t *type = lib->object_iter_value(i);
		const char *name = lib->string_value(lib->object_get(type, "display-name"));
		const char *kind = name ? push_kind_of_name(name) : "";

		p->kind = *kind ? kind : p->kind;
		p->is_cumulative |= json_is_true(lib->object_get(type, "cumulative"));
	}
	lib->delete (root);
	return 0;
}

static bool part_is(const struct form_part *part, const char *name)
{
	return part->n_name == strlen(name) && memcmp(part->name, name, part->n_name) == 0;
}

int push_read_form(struct push *p, const char *content_type, const uint8_t **data, size_t *n, struct err *err)
{
	struct form_reader r = { .at = *data, .end = *data + *n };
	const char *boundary = "";
	size_t n_boundary = find_boundary(content_type, &boundary);
	struct form_part part;
	bool has_profile = false;
	int rc = 0;

	if (n_boundary == 0)
		return err_set(err, ERR_FORMAT, "the content type has no boundary");
	buf_addf(&r.mark, "\r\n--%.*s", (int)n_boundary, boundary);
	r.at = memmem(r.at, *n, r.mark.data + 2, r.mark.len - 2); /* the first line of the body has none before it */
	r.at += r.at ? r.mark.len - 2 : 0;
	for (int i = 0; i < PARTS_MAX && rc == 0 && push_form_next_part(&r, &part); i++) {
		if ((part_is(&part, "profile") || part_is(&part, "jfr")) && !has_profile) {
			*data = part.data;
			*n = part.n;
			has_profile = true;
		} else if (part_is(&part, "sample_type_config")) {
			rc = push_form_read_config(p, part.data, part.n, err);
		}
	}
	buf_release(&r.mark);
	if (rc == 0 && !has_profile)
		rc = err_set(err, ERR_FORMAT, "the multipart body has no complete part named profile");
	return rc;
}
