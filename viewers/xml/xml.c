/*
 * xml.c - XML written by libxml2, which is loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/xml/xml.h"

#include "base/library.h"

#include <assert.h>
#include <inttypes.h>
#include <libxml/xmlwriter.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
#define XML_FUNCTIONS(F) \
	F(InitParser) F(OutputBufferCreateIO) F(NewTextWriter) F(FreeTextWriter) F(TextWriterStartDocument) \
	F(TextWriterEndDocument) F(TextWriterStartElement) F(TextWriterEndElement) \
	F(TextWriterWriteAttribute) F(TextWriterWriteString) F(TextWriterWriteRaw) F(TextWriterWriteCDATA) \
	F(TextWriterFlush)

/* The functions of libxml2 that are used, without the prefix xml. */
struct xml_library {
#define FUNCTION(name) __typeof__(xml##name) *name;
	XML_FUNCTIONS(FUNCTION)
#undef FUNCTION
};
/* clang-format on */

/* Set by the first successful xml_open; constant afterwards. */
static struct xml_library lib;
static bool is_loaded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards loading */

/* clang-format off */
static const struct library_function functions[] = {
#define FUNCTION(name) { "xml" #name, offsetof(struct xml_library, name) },
	XML_FUNCTIONS(FUNCTION)
#undef FUNCTION
};
/* clang-format on */

static int xml_load(const char *kind, struct err *err)
{
	char advice[120];
	int rc = 0;

	snprintf(advice, sizeof(advice), "libxml2 is needed to write %s; install it with: apt-get install libxml2",
		 kind);
	pthread_mutex_lock(&lock);
	if (!is_loaded)
		rc = library_load("libxml2.so.2", functions, sizeof(functions) / sizeof(functions[0]), &lib, advice,
				  err);
	if (!is_loaded && rc == 0)
		lib.InitParser(); /* else two threads could initialize it at the same time */
	is_loaded = rc == 0;
	pthread_mutex_unlock(&lock);
	return rc;
}

static int xml_append(void *out, const char *data, int n)
{
	buf_add(out, data, (size_t)n);
	return n;
}

int xml_open_element(struct xml *x, const char *kind, struct buf *out, struct err *err)
{
	xmlOutputBufferPtr to;
	int rc = xml_load(kind, err);

	if (rc < 0)
		return rc;
	*x = (struct xml){ .out = out };
	to = lib.OutputBufferCreateIO(xml_append, NULL, out, NULL);
	x->writer = to ? lib.NewTextWriter(to) : NULL;
	if (!x->writer)
		return err_set(err, ERR_IO, "libxml2 failed to create a writer");
	return 0;
}

int xml_open(struct xml *x, const char *kind, struct buf *out, struct err *err)
{
	int rc = xml_open_element(x, kind, out, err);

	if (rc == 0)
		x->failed = lib.TextWriterStartDocument(x->writer, NULL, NULL, NULL) < 0;
	return rc;
}

int xml_close(struct xml *x, struct err *err)
{
	x->failed |= x->writer && lib.TextWriterEndDocument(x->writer) < 0;
	lib.FreeTextWriter(x->writer);
	buf_release(&x->scratch);
	return x->failed ? err_set(err, ERR_IO, "libxml2 failed to write the document") : 0;
}

void xml_begin(struct xml *x, const char *element)
{
	assert(element);
	x->failed |= x->writer && lib.TextWriterStartElement(x->writer, (const xmlChar *)element) < 0;
}

void xml_end(struct xml *x)
{
	x->failed |= x->writer && lib.TextWriterEndElement(x->writer) < 0;
}

/* The text with U+FFFE and U+FFFF escaped; valid until the next call. */
static const xmlChar *escape_forbidden(struct xml *x, const char *text)
{
	static const char lead[] = "\xef\xbf";
	const char *at = strstr(text, lead);

	if (!at)
		return (const xmlChar *)text;
	x->scratch.len = 0;
	for (; at; at = strstr(text, lead)) {
		unsigned char last = (unsigned char)at[2];

		buf_add(&x->scratch, text, (size_t)(at - text));
		text = at + 2;
		if (last == 0xbe || last == 0xbf) {
			buf_addz(&x->scratch, last == 0xbe ? "\\u{fffe}" : "\\u{ffff}");
			text++;
		} else {
			buf_addz(&x->scratch, lead);
		}
	}
	buf_addz(&x->scratch, text);
	return (const xmlChar *)buf_text(&x->scratch);
}

void xml_text(struct xml *x, const char *text)
{
	x->failed |= x->writer && lib.TextWriterWriteString(x->writer, escape_forbidden(x, text)) < 0;
}

void xml_attribute(struct xml *x, const char *name, const char *text)
{
	assert(name && text);
	x->failed |= x->writer &&
		     lib.TextWriterWriteAttribute(x->writer, (const xmlChar *)name, escape_forbidden(x, text)) < 0;
}

enum { XML_NUMBER_SIZE = 32 };

/* Put a number at the end of text. Returns its start. */
static const char *xml_put_number(char text[XML_NUMBER_SIZE], int64_t thousandths)
{
	uint64_t size = thousandths < 0 ? 0 - (uint64_t)thousandths : (uint64_t)thousandths;
	char *end = text + XML_NUMBER_SIZE - 1, *at = end;

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
	return at;
}

void xml_number(struct xml *x, const char *name, int64_t thousandths)
{
	char text[XML_NUMBER_SIZE];

	xml_attribute(x, name, xml_put_number(text, thousandths));
}

void xml_add_number(struct buf *out, const char *name, int64_t thousandths)
{
	char text[XML_NUMBER_SIZE];
	const char *number = xml_put_number(text, thousandths);
	size_t n = strlen(name), digits = (size_t)(text + sizeof(text) - 1 - number);
	char *to = buf_room(out, n + digits + 4);

	*to++ = ' ';
	to = mempcpy(to, name, n);
	*to++ = '=';
	*to++ = '"';
	to = mempcpy(to, number, digits);
	*to++ = '"';
	*to = '\0';
	out->len = (size_t)(to - out->data);
}

/* The escape at the start of text, and its length; NULL if there is none. Like xmlEncodeSpecialChars and escape_forbidden. */
static const char *xml_escape_of(const char *text, size_t *n)
{
	const unsigned char *c = (const unsigned char *)text;

	*n = 1;
	switch (c[0]) {
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
	case 0xef:
		*n = 3;
		return c[1] != 0xbf ? NULL : c[2] == 0xbe ? "\\u{fffe}" : c[2] == 0xbf ? "\\u{ffff}" : NULL;
	default:
		return NULL;
	}
}

void xml_add_text(struct buf *out, const char *text)
{
	static const bool is_special[UCHAR_MAX + 1] = {
		['\0'] = true, ['<'] = true, ['>'] = true, ['&'] = true, ['"'] = true, ['\r'] = true, [0xef] = true
	};
	const char *plain = text; /* start of the bytes not copied yet */

	for (;; text++) {
		const char *escape;
		size_t n;

		while (!is_special[(unsigned char)*text])
			text++;
		if (!*text)
			break;
		escape = xml_escape_of(text, &n);
		if (!escape)
			continue;
		buf_add(out, plain, (size_t)(text - plain));
		buf_addz(out, escape);
		plain = text + n;
		text = plain - 1;
	}
	buf_add(out, plain, (size_t)(text - plain));
}

struct buf *xml_flush(struct xml *x)
{
	assert(x->writer);
	x->failed |= lib.TextWriterWriteRaw(x->writer, (const xmlChar *)"") < 0; /* the end of a start tag */
	x->failed |= lib.TextWriterFlush(x->writer) < 0;
	return x->out;
}

void xml_cdata(struct xml *x, const char *code)
{
	x->failed |= x->writer && lib.TextWriterWriteCDATA(x->writer, (const xmlChar *)code) < 0;
}

void xml_newline(struct xml *x)
{
	x->failed |= x->writer && lib.TextWriterWriteRaw(x->writer, (const xmlChar *)"\n") < 0;
}
