/*
 * xml.h - XML written by libxml2, which is loaded when it is first needed
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_XML_H
#define VIEWERS_XML_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* A document on its way into a buffer. Names of elements and attributes are constants. Without a writer nothing
   is written, which is for measuring. */
struct xml {
	struct _xmlTextWriter *writer;
	struct buf scratch;
	bool failed;
};

/*
 * Begin a document at the end of out.
 *
 * what    the kind of document, for the error: "SVG"
 * Fails   ERR_IO when libxml2 is not there
 */
int xml_open(struct xml *x, const char *what, struct buf *out, struct err *err);

/* End it; x holds nothing afterwards. Fails ERR_IO when libxml2 could not write. */
int xml_close(struct xml *x, struct err *err);

void xml_begin(struct xml *x, const char *element);
void xml_end(struct xml *x);

/* Text from anywhere: it is escaped, and the two characters of UTF-8 that XML forbids are spelt out. Other
   controls are the caller's to keep away: see text_add_safe. */
void xml_text(struct xml *x, const char *text);
void xml_attribute(struct xml *x, const char *name, const char *text);

/* A number in thousandths, without zeros at its end. */
void xml_number(struct xml *x, const char *name, int64_t thousandths);

/* A constant that may not hold ]]> */
void xml_code(struct xml *x, const char *code);

/* The next element begins on a new line. */
void xml_line(struct xml *x);

#endif
