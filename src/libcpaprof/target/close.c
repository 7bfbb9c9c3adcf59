/*
 * close.c - closes files without the interceptor of ThreadSanitizer
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The linker replaces close in the library by this function. ThreadSanitizer's close uses its state of the calling thread, which our
 * threads do not have: they are created by the C library's pthread_create.
 */
#include "config.h"

#include "libcpaprof/target/sys.h"

#include <errno.h>

int __wrap_close(int fd);

int __wrap_close(int fd)
{
	long rc = sys_call(SYS_close, fd, 0, 0, 0);

	if (rc >= 0)
		return 0;
	errno = (int)-rc;
	return -1;
}
