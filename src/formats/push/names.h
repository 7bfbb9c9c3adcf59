/*
 * names.h - kinds of profiles as Pyroscope names them, in the label __name__
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_PUSH_NAMES_H
#define FORMATS_PUSH_NAMES_H

/* The kind of a name: "cpu" of "process_cpu"; NULL for a name that is not known. */
const char *push_names_kind(const char *name);

/* The name of a kind: "process_cpu" of "cpu"; the kind itself if Pyroscope has no other name. */
const char *push_names_of_kind(const char *kind);

#endif
