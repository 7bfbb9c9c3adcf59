/*
 * names.h - symbolize the addresses of a live profile, from the files of this machine
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ATTACH_NAMES_H
#define ATTACH_NAMES_H

#include "base/err.h"
#include "libcpaprof/collector/snap.h"
#include "libcpaprof/collector/write/body.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct attach_names;

/*
 * Look up all addresses of a snap of a running process, like reports do for a profile. Files that only the process has
 * are read through it, as by attach_names_add_process.
 *
 * Fails   like attach_snap_profile and symbolize_local
 */
int attach_names_new(const struct snap *s, struct attach_names **out, struct err *err);

/*
 * Add the names from the files of a running process that a report would not find: of a container, deleted, or replaced
 * since they were mapped. The kernel provides these as /proc/PID/root, exe and map_files, the last one only to root.
 * Mappings with other files are left alone. Names are not demangled.
 *
 * p       a profile of the process alone
 * Fails   like symbolize_local
 */
int attach_names_add_process(struct profile *p, pid_t pid, struct err *err);

/* Add the names of kernel functions to a profile of this machine, while its kernel runs. Fails like symbolize_kernel. */
int attach_names_add_kernel(struct profile *p, struct err *err);

/* Takes NULL. */
void attach_names_free(struct attach_names *n);

/* A snap_names_fn; arg is a struct attach_names. */
bool attach_names_at(void *arg, const struct process *p, uint64_t addr, uint32_t map, uint32_t i,
		     struct snap_name *out);

/*
 * The callbacks names_take, names_find, names_write and names_close of struct serve_host (libcpaprof/endpoint/serve.h);
 * names_at is attach_names_at. arg is not used. Any thread may call them.
 */
void *attach_names_serve_take(void *arg, const struct snap *s);
int attach_names_serve_find(void *arg, void *names);
int attach_names_serve_write(void *arg, void *names, struct body *out);
void attach_names_serve_close(void *arg, void *names);

#endif
