/*
 * options.c - the names in the option table, for man.t
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * This file is only preprocessed: each line of the result is "kind name".
 */
#define OPTION(type, name, ...) option name
#define OWN(type, name, ...) option name
#define PICK(name, ...) option name
#define OWN_PICK(name, ...) option name
#include "engine/query.def"
