/*
 * make_labels.h - rows with labels, for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_UNIT_MAKE_LABELS_H
#define TESTS_UNIT_MAKE_LABELS_H

#include "tests/unit/make_profile.h"

enum { LABELS_MAX = 8 };

static inline uint32_t labels_one(struct make *m, const char *key, const char *text, int64_t number, const char *unit)
{
	struct builder_label l = { .key = make_text(m, key, strlen(key)), .is_text = text != NULL };
	uint32_t id = 0;

	l.text = text ? make_text(m, text, strlen(text)) : 0;
	l.num = number;
	l.unit = make_text(m, unit, strlen(unit));
	builder_label(m->b, &l, &id, NULL);
	return id;
}

/* Append a row of one value; words are its labels: "key=text", "key:number" or "key:number:unit". */
static inline void labels_row(struct make *m, const char *stack, int64_t value, const char *words)
{
	uint32_t label[LABELS_MAX];
	size_t n = 0;

	for (char *copy = strdup(words), *rest = copy, *word; copy; copy = NULL) {
		while (n < LABELS_MAX && (word = strsep(&rest, " "))) {
			char *number = strchr(word, ':'), *text = strchr(word, '='), *unit = NULL;

			if (text) {
				*text++ = 0;
			} else if (number) {
				*number++ = 0;
				if ((unit = strchr(number, ':')))
					*unit++ = 0;
			} else {
				continue;
			}
			label[n++] = labels_one(m, word, text, text ? 0 : atoll(number), unit ? unit : "");
		}
		free(copy);
	}
	make_row(m, stack, &value, label, n);
}

#endif
