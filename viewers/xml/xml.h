/*
 * xml.h - XML written by libxml2, which is loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_XML_H
#define VIEWERS_XML_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* A document that is being written. Names of elements and attributes are constants. Without a writer nothing is
   written, which serves to measure. */
struct xml {
	struct _xmlTextWriter *writer;
	struct buf *out, scratch;
	bool failed;
};

/*
 * Begin a document at the end of out.
 *
 * kind    of document, for the error: "SVG"
 * Fails   ERR_IO when libxml2 is missing
 */
int xml_open(struct xml *x, const char *kind, struct buf *out, struct err *err);

/* Like xml_open, for an element inside another document, such as a web page: without an XML declaration. */
int xml_open_element(struct xml *x, const char *kind, struct buf *out, struct err *err);

/* End the document and release what x owns. Fails ERR_IO when libxml2 could not write. */
int xml_close(struct xml *x, struct err *err);

void xml_begin(struct xml *x, const char *element);
void xml_end(struct xml *x);

/* Untrusted text: it is escaped, including U+FFFE and U+FFFF, which XML forbids. The caller must remove control
   characters: see utf8_add_safe. */
void xml_text(struct xml *x, const char *text);
void xml_attribute(struct xml *x, const char *name, const char *text);

/* An attribute with a number in thousandths, without trailing zeros. */
void xml_number(struct xml *x, const char *name, int64_t thousandths);

/*
 * Thousands of small elements take less time if the caller writes them into a buffer, in which xml_add_text and
 * xml_add_number append what xml_text and xml_number write. xml_flush returns the text of the document, with all that was
 * written so far, to which whole elements may be appended until the next call. It needs a writer.
 */
void xml_add_text(struct buf *out, const char *text);
void xml_add_number(struct buf *out, const char *name, int64_t thousandths);
struct buf *xml_flush(struct xml *x);

/* A CDATA section of a constant, which must not contain ]]> */
void xml_cdata(struct xml *x, const char *code);

/* Start a new line before the next element. */
void xml_newline(struct xml *x);

#endif
