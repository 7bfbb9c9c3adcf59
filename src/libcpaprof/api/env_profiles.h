/*
 * env_profiles.h - profiles requested by environment variables
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_API_ENV_PROFILES_H
#define LIBCPAPROF_API_ENV_PROFILES_H

/* Read the environment and start the profiles, when the library is loaded. */
void env_profiles_begin(void);

/*
 * Write the running profiles when the process ends. May be called more than once. Called in signal handlers as well,
 * where it may do nothing.
 */
void env_profiles_end(void);

/*
 * Write the profiles before this process executes another program. If exec fails, sampling continues and the files
 * are written again at the end.
 */
void env_profiles_before_exec(void);

/* In the child of fork, after it has got its own collector: continue with other file names, if requested. */
void env_profiles_after_fork(void);

#endif
