/*
 * component.h - parts of the program that configure may leave out
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_COMPONENT_H
#define BASE_COMPONENT_H

#include "base/err.h"

#include <stddef.h>

struct component {
	const char *name;  /* of the option --without-NAME of configure */
	const char *text;  /* description */
	const char *lacks; /* why it is missing; "": it is built */
};

extern const struct component components[];
extern const size_t n_components;

/* Fails   always, ERR_USAGE: the part of this name is missing; the message names the package or the option that brings it */
int component_missing(const char *name, struct err *err);

#endif
