/*
 * xml.c - write XML
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * In text, quotes are escaped too; in attributes, also white space other than blanks, which readers normalize, and
 * characters beyond ASCII, so that an attribute does not depend on the encoding.
 */
#include "config.h"

#include "viewers/xml/xml.h"

#include "base/num.h"
#include "base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static void xml_add(struct xml *x, const char *text)
{
	buf_addz(x->out, text);
}

/* End the start tag of the current element. */
static void xml_end_tag(struct xml *x)
{
	if (x->is_in_tag)
		xml_add(x, ">");
	x->is_in_tag = false;
}

void xml_open_element(struct xml *x, struct buf *out)
{
	*x = (struct xml){ .out = out };
}

void xml_open(struct xml *x, struct buf *out)
{
	xml_open_element(x, out);
	xml_add(x, "<?xml version=\"1.0\"?>\n");
}

void xml_close(struct xml *x)
{
	assert(x->out && x->depth == 0);
	xml_add(x, "\n");
}

void xml_begin(struct xml *x, const char *element)
{
	assert(element && x->depth < XML_DEPTH_MAX);
	if (!x->out)
		return;
	xml_end_tag(x);
	xml_add(x, "<");
	xml_add(x, element);
	x->element[x->depth++] = element;
	x->is_in_tag = true;
}

void xml_end(struct xml *x)
{
	if (!x->out)
		return;
	assert(x->depth > 0);
	x->depth--;
	if (x->is_in_tag) {
		xml_add(x, "/>");
	} else {
		xml_add(x, "</");
		xml_add(x, x->element[x->depth]);
		xml_add(x, ">");
	}
	x->is_in_tag = false;
}

/* The escape of an ASCII character in text or in an attribute; NULL if it has none. */
static const char *xml_escape_of(char c, bool is_attribute)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\r':
		return "&#13;";
	case '\n':
		return is_attribute ? "&#10;" : NULL;
	case '\t':
		return is_attribute ? "&#9;" : NULL;
	default:
		return NULL;
	}
}

/* Append the character at the start of a text that ASCII lacks. Returns its size. */
static size_t xml_add_character(struct xml *x, const char *text, size_t n, bool is_attribute)
{
	uint32_t c = (unsigned char)*text;
	size_t size = utf8_decode(text, n, &c);

	if (size && (c == 0xfffe || c == 0xffff))
		buf_addf(x->out, "\\u{%" PRIx32 "}", c);
	else if (is_attribute)
		buf_addf(x->out, "&#x%" PRIX32 ";", size ? c : (unsigned char)*text);
	else
		buf_add(x->out, text, size ? size : 1);
	return size ? size : 1;
}

static void xml_escape(struct xml *x, const char *text, bool is_attribute)
{
	size_t n = strlen(text), done = 0;

	for (size_t i = 0; i < n;) {
		const char *escape = xml_escape_of(text[i], is_attribute);

		if (!escape && (unsigned char)text[i] < 0x80) {
			i++;
			continue;
		}
		buf_add(x->out, text + done, i - done);
		if (escape)
			xml_add(x, escape);
		i += escape ? 1 : xml_add_character(x, text + i, n - i, is_attribute);
		done = i;
	}
	buf_add(x->out, text + done, n - done);
}

void xml_text(struct xml *x, const char *text)
{
	if (!x->out)
		return;
	xml_end_tag(x);
	xml_escape(x, text, false);
}

void xml_attribute(struct xml *x, const char *name, const char *text)
{
	assert(name && text);
	if (!x->out)
		return;
	assert(x->is_in_tag);
	xml_add(x, " ");
	xml_add(x, name);
	xml_add(x, "=\"");
	xml_escape(x, text, true);
	xml_add(x, "\"");
}

void xml_number(struct xml *x, const char *name, int64_t thousandths)
{
	uint64_t size = num_abs(thousandths);
	char text[32], *end = text + sizeof(text) - 1, *at = end;

	*at = '\0';
	for (int i = 0; i < 3; i++, size /= 10)
		if (at != end || size % 10)
			*--at = (char)('0' + size % 10);
	if (at != end)
		*--at = '.';
	do
		*--at = (char)('0' + size % 10);
	while (size /= 10);
	if (thousandths < 0)
		*--at = '-';
	xml_attribute(x, name, at);
}

void xml_cdata(struct xml *x, const char *code)
{
	if (!x->out)
		return;
	xml_end_tag(x);
	xml_add(x, "<![CDATA[");
	xml_add(x, code);
	xml_add(x, "]]>");
}

void xml_newline(struct xml *x)
{
	if (!x->out)
		return;
	xml_end_tag(x);
	xml_add(x, "\n");
}
