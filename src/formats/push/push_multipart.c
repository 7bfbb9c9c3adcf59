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

enum { CONFIG_MAX = 64 << 10 };

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

/* Find a parameter in the head of a part, such as name=. Returns its length; 0 if there is none. */
static size_t push_form_parameter(const char *head, size_t n, const char *parameter, const char **out)
{
	size_t n_parameter = strlen(parameter);
	const char *at = head, *end = head + n;

	*out = "";
	while ((at = memmem(at, (size_t)(end - at), parameter, n_parameter))) {
		/* filename= is another parameter than name= */
		bool is_whole = at > head && !isalnum((unsigned char)at[-1]) && !strchr("*-_", at[-1]);
		const char *stop = "; \t\r\n";

		at += n_parameter;
		if (!is_whole)
			continue;
		if (at < end && *at == '"') {
			stop = "\"\r\n";
			at++;
		}
		*out = at;
		while (at < end && *at && !strchr(stop, *at))
			at++;
		return (size_t)(at - *out);
	}
	return 0;
}

int push_form_open(struct push_form *f, const char *content_type, const uint8_t *data, size_t n, struct err *err)
{
	const char *boundary = "";
	size_t n_boundary = find_boundary(content_type, &boundary);

	*f = (struct push_form){ .end = data + n };
	if (n_boundary == 0)
		return err_set(err, ERR_FORMAT, "the content type has no boundary");
	buf_addf(&f->mark, "\r\n--%.*s", (int)n_boundary, boundary);
	f->at = memmem(data, n, f->mark.data + 2, f->mark.len - 2); /* the first line of the body has none before it */
	if (f->at)
		f->at += f->mark.len - 2;
	return 0;
}

void push_form_release(struct push_form *f)
{
	buf_release(&f->mark);
}

bool push_form_next(struct push_form *f, struct push_form_part *out)
{
	const uint8_t *head = f->at, *body, *next;
	size_t n_head;

	body = head ? memmem(head, (size_t)(f->end - head), "\r\n\r\n", 4) : NULL;
	/* an empty part has no line break of its own before the mark */
	next = body ? memmem(body + 2, (size_t)(f->end - body) - 2, f->mark.data, f->mark.len) : NULL;
	if (!next)
		return false;
	n_head = (size_t)(body - head);
	out->n_name = push_form_parameter((const char *)head, n_head, "name=", &out->name);
	out->n_file = push_form_parameter((const char *)head, n_head, "filename=", &out->file);
	body += 4;
	out->data = body;
	out->n = next > body ? (size_t)(next - body) : 0;
	f->at = next + f->mark.len;
	return true;
}

bool push_form_is(const struct push_form_part *part, const char *name)
{
	return part->n_name == strlen(name) && memcmp(part->name, name, part->n_name) == 0;
}

const char *push_kind_of_name(const char *name)
{
	return starts_with(name, "mutex") ? "mutex" : starts_with(name, "block") ? "block" : "";
}

/*
 * Read sample_type_config: {"contentions":{"display-name":"mutex_count","units":"lock_samples","cumulative":false},...}.
 * Without libjansson it is ignored.
 */
static int push_form_read_config(struct push_item *item, const uint8_t *data, size_t n, struct err *err)
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

		item->kind = *kind ? kind : item->kind;
		item->is_cumulative |= json_is_true(lib->object_get(type, "cumulative"));
	}
	lib->delete (root);
	return 0;
}

int push_read_form(const char *content_type, struct push_item *item, struct err *err)
{
	struct push_form f;
	struct push_form_part part;
	bool has_profile = false;
	int rc = push_form_open(&f, content_type, item->data, item->n, err);

	for (int i = 0; i < PUSH_FORM_PARTS_MAX && rc == 0 && push_form_next(&f, &part); i++) {
		if ((push_form_is(&part, "profile") || push_form_is(&part, "jfr")) && !has_profile) {
			item->data = part.data;
			item->n = part.n;
			has_profile = true;
		} else if (push_form_is(&part, "labels")) {
			item->contexts = part.data;
			item->n_contexts = part.n;
		} else if (push_form_is(&part, "sample_type_config")) {
			rc = push_form_read_config(item, part.data, part.n, err);
		}
	}
	push_form_release(&f);
	if (rc == 0 && !has_profile)
		rc = err_set(err, ERR_FORMAT, "the multipart body has no complete part named profile");
	return rc;
}
