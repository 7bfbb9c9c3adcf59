/*
 * locate.h - the binaries of a profile on this machine
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_LOCATE_H
#define SYMBOL_LOCATE_H

#include "base/buf.h"
#include "profile/profile.h"
#include "symbol/object.h"
#include "symbol/where.h"

/* What a mapping says of an object's place in memory; texts are the profile's. */
struct object_map locate_map(const struct profile *p, const struct mapping *m);

/*
 * Name, for every mapping, the first binary in w->binary_path that fits it.
 *
 * notes   a line is appended for each that has the right name and another build id
 * Like    pprof internal/driver/fetch.go, locateBinaries
 */
void locate_mappings(struct profile *p, const struct symbol_where *w, struct buf *notes);

/*
 * Open the binary of a mapping: its file, also below symfs; one with its build id in the usual
 * places; what debuginfod has. One whose build id differs from the mapping's is not taken.
 *
 * tried   NULL, or a line is appended for each place that was tried, with what was wrong with it
 * Fails   with the sentence for the user, which names the file and the build id
 */
int locate_object(const struct profile *p, const struct mapping *m, const struct symbol_where *w, struct buf *tried,
		  struct object **out, struct err *err);

#endif
