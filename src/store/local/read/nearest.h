/*
 * nearest.h - why a query found nothing
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_READ_NEAREST_H
#define STORE_LOCAL_READ_NEAREST_H

#include "base/err.h"
#include "store/store.h"

/*
 * The error of a query without profiles: the nearest profile before or after its window; or similar services; or the kinds of
 * the service; or the labels that no series has.
 *
 * Returns ERR_IO; another error if the store cannot be read
 */
int nearest_error(struct store *s, const struct store_query *q, struct err *err);

#endif
