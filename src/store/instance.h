/*
 * instance.h - the instance of a series
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * An instance is a place where a program runs. It is named by its service and all labels of its series but those that name the
 * build of the program, so it stays the same when the program is replaced by another version.
 */
#ifndef STORE_INSTANCE_H
#define STORE_INSTANCE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Make the name of an instance: begin with the service, then add the labels of a series in their order. */
void instance_begin(struct buf *name, const char *service);
void instance_add(struct buf *name, const char *label, const char *value);

/* A version of a service; "" if it is not known. */
struct instance_version {
	const char *service, *version;
};

/* Append the versions of services that have several: "versions 1.4, 1.5". v is sorted. */
void instance_describe_versions(struct instance_version *v, size_t n, struct buf *out);

/* Append build number i of a list: "KIND NAME", then ", NAME". Long names and lists are cut. */
void instance_add_build(const char *kind, const char *name, uint32_t i, struct buf *out);

#endif
