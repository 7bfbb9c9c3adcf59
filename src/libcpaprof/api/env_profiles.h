/*
 * env_profiles.h - profiles that the environment asks for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_API_ENV_PROFILES_H
#define LIBCPAPROF_API_ENV_PROFILES_H

/* Read the environment, and begin. When the library is loaded. */
void asked_begin(void);

/* The process ends, in whatever way: write what is on. Safe to be called again, and in signal handlers as far as may be. */
void asked_end(void);

/*
 * This process is about to execute another program: write its profiles. When exec fails, sampling continues and the files
 * are written again at the end.
 */
void asked_before_exec(void);

/* In the child of fork, after the collector is its own: go on under other names, if that was asked for. */
void asked_forked(void);

#endif
