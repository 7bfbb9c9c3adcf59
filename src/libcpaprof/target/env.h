/*
 * env.h - the environment variables that bring this library into a program
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_ENV_H
#define LIBCPAPROF_TARGET_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct env {
	char path[64]; /* of the segment */
	uint64_t nonce[2];
};
/* Read CPA_SEGMENT out of the environment. False when there is none that is whole. */
bool cpi_env_read(struct env *e);
/* Take it and our library out of the environment: what this program executes is not profiled. */
void cpi_env_remove(void);
/* An environment without them: how many bytes it takes (0: they are not in this one), and it, made there. */
size_t cpi_env_room_sig(char *const env[]);
char **cpi_env_without_sig(char *const env[], void *room);
/* Is the CPA_SEGMENT in it that of this process? */
bool cpi_env_is_ours_sig(char *const env[]);

#endif
