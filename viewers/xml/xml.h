/*
 * xml.h - write XML
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_XML_H
#define VIEWERS_XML_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum { XML_DEPTH_MAX = 16 };

/* A document that is being written. Names of elements and attributes are constants. While out is NULL nothing is
   written, which serves to measure. */
struct xml {
	struct buf *out;
	const char *element[XML_DEPTH_MAX]; /* [depth] open elements, the outermost first */
	unsigned depth;
	bool is_in_tag; /* attributes may follow */
};

/* Begin a document at the end of out. */
void xml_open(struct xml *x, struct buf *out);

/* Like xml_open, for an element inside another document, such as a web page: without an XML declaration. */
void xml_open_element(struct xml *x, struct buf *out);

/* End the document, whose elements have ended. */
void xml_close(struct xml *x);

void xml_begin(struct xml *x, const char *element);
void xml_end(struct xml *x);

/* Untrusted text: it is escaped, including U+FFFE and U+FFFF, which XML forbids. The caller must remove control
   characters: see utf8_add_safe. */
void xml_text(struct xml *x, const char *text);
void xml_attribute(struct xml *x, const char *name, const char *text);

/* An attribute with a number in thousandths, without trailing zeros. */
void xml_number(struct xml *x, const char *name, int64_t thousandths);

/* A CDATA section of a constant, which must not contain ]]> */
void xml_cdata(struct xml *x, const char *code);

/* Start a new line before the next element. */
void xml_newline(struct xml *x);

#endif
