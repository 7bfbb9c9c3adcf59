/*
 * names.h - symbolize the addresses of a live profile, from the files of this machine
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ATTACH_NAMES_H
#define ATTACH_NAMES_H

#include "base/err.h"
#include "libcpaprof/collector/body.h"
#include "libcpaprof/collector/snap.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct attach_names;

/*
 * Look up all addresses of a snap, like reports do for a profile.
 *
 * Fails   like reader_read and symbolize_local
 */
int attach_names_new(const struct snap *s, struct attach_names **out, struct err *err);

/*
 * Like attach_names_new, without debuginfod. root is a folder that contains the files of the mappings, such as
 * "/proc/4711/root" for a process in a container.
 */
int attach_names_new_in(const struct snap *s, const char *root, struct attach_names **out, struct err *err);

/* Add the names of kernel functions to a profile of this machine, while its kernel runs. Fails like symbolize_kernel. */
int attach_names_add_kernel(struct profile *p, struct err *err);

/* Takes NULL. */
void attach_names_free(struct attach_names *n);

/* A snap_names_fn; arg is a struct attach_names. */
bool attach_names_at(void *arg, const struct process *p, uint64_t addr, uint32_t map, uint32_t i,
		     struct snap_name *out);

/*
 * The callbacks names_open, names_close and symbolize of struct serve_host (libcpaprof/endpoint/serve.h). arg is not
 * used. Any thread may call them.
 */
int attach_names_open(void *arg, const struct body *profile, snap_names_fn **fn, void **names);
void attach_names_close(void *arg, void *names);
int attach_names_symbolize(void *arg, struct body *profile);

#endif
