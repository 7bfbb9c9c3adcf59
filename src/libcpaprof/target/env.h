/*
 * env.h - the environment variables that load this library into a program
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_ENV_H
#define LIBCPAPROF_TARGET_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct env {
	char path[64]; /* path of the segment */
	uint64_t nonce[2];
};
/* Read CPA_SEGMENT from the environment. Returns false if it is missing or malformed. */
bool cpi_env_read(struct env *e);
/* Find a variable of this process without getenv, which programs replace. Returns its entry or value; NULL: not set. */
char **cpi_env_find_sig(const char *name);
const char *cpi_env_value_sig(const char *name);
/* Remove the variable at this place of environ; NULL: none. */
void cpi_env_remove_variable(char **at);
/* Remove CPA_SEGMENT and our library from the environment, so that programs this one executes are not profiled. */
void cpi_env_remove(void);
/*
 * Copy an environment without CPA_SEGMENT and our library. The first function returns the size of the copy in bytes, 0
 * if env contains neither. The second one writes the copy to room.
 */
size_t cpi_env_stripped_size_sig(char *const env[]);
char **cpi_env_strip_sig(char *const env[], void *room);
/* Find the path of our library in LD_PRELOAD of env. Returns its length, 0 if it is not there. */
size_t cpi_env_library_sig(char *const env[], const char **path);
/* Does CPA_SEGMENT in env name the segment of this process? */
bool cpi_env_is_ours_sig(char *const env[]);

#endif
