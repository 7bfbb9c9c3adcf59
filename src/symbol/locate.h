/*
 * locate.h - find the binaries of a profile on this machine
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_LOCATE_H
#define SYMBOL_LOCATE_H

#include "base/buf.h"
#include "profile/profile.h"
#include "symbol/object.h"
#include "symbol/options.h"

/* The memory range of a mapping's object; texts are the profile's. */
struct object_map locate_map(const struct profile *p, const struct mapping *m);

/*
 * Set the file of every mapping to the first binary in w->binary_path that matches it.
 *
 * notes   a line is appended per binary with the right name and another build id
 * Like    pprof internal/driver/fetch.go, locateBinaries
 */
void locate_mappings(struct profile *p, const struct symbol_options *w, struct buf *notes);

/*
 * Open the binary of a mapping. Candidates are its file, also below symfs, a file with its build id in the usual
 * places, and a file from debuginfod. A binary whose build id differs from the mapping's is rejected.
 *
 * tried   a line is appended per path tried, with the reason for rejecting it; may be NULL
 * Fails   with the message for the user, which names the file and the build id
 */
int locate_object(const struct profile *p, const struct mapping *m, const struct symbol_options *w, struct buf *tried,
		  struct object **out, struct err *err);

#endif
