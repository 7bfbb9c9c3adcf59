/*
 * release.h - releases: pins with the profiles of a version of a service
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A release is a pin named release+VERSION+SERVICE. Bytes of the service that a name of a pin cannot have are "_".
 */
#ifndef STORE_RELEASE_H
#define STORE_RELEASE_H

#include "base/buf.h"
#include "base/err.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>

/* The label of series of profiles that cpa snapshot --release adds. */
#define RELEASE_LABEL "release"

/* Append the name of the pin. Fails with ERR_USAGE if the version has characters other than letters, digits and . _ - + */
int release_pin_name(const char *version, const char *service, struct buf *out, struct err *err);

/* Is this the name of the pin of a release? version: n bytes */
bool release_is_pin(const char *name, const char **version, size_t *n);

/* Call fn for the pin of each release. Unlike store_each_pin, fn may use the store. spec is not set. */
int release_each_pin(struct store *s, store_pin_fn *fn, void *arg, struct err *err);

/* Append the services of a pin, separated by ", "; those of a release are one. Fails as store_each_series. */
int release_add_services(struct store *s, const char *pin, struct buf *out, struct err *err);

#endif
