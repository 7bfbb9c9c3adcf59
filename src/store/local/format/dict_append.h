/*
 * dict_append.h - append entries to a dictionary without looking for equal ones
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The id of an entry is the previous count of its table. An entry refers to earlier ones only. Fail with ERR_LIMIT.
 */
#ifndef STORE_LOCAL_FORMAT_DICT_APPEND_H
#define STORE_LOCAL_FORMAT_DICT_APPEND_H

#include "base/err.h"
#include "profile/builder.h"
#include "store/local/format/dict.h"

#include <stddef.h>
#include <stdint.h>

int dict_append_function(struct dict *d, const struct builder_function *f, struct err *err);
int dict_append_mapping(struct dict *d, const struct mapping *m, struct err *err);
int dict_append_location(struct dict *d, const struct builder_location *l, const struct builder_line *lines, size_t n,
			 struct err *err);
int dict_append_node(struct dict *d, uint32_t parent, uint32_t loc, struct err *err);
int dict_append_label(struct dict *d, const struct builder_label *l, struct err *err);
int dict_append_label_set(struct dict *d, const uint32_t *labels, size_t n, struct err *err);
int dict_append_row(struct dict *d, uint32_t node, uint32_t labels, struct err *err);

/* The lists of m are borrowed from d->mem or from an earlier meta. */
int dict_append_meta(struct dict *d, const struct dict_meta *m, struct err *err);
int dict_append_series(struct dict *d, const struct dict_series *s, struct err *err);

/* A copy of a list in d->mem; NULL if it is empty. */
void *dict_copy_list(struct dict *d, const void *list, size_t n, size_t size);

#endif
