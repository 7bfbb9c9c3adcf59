/*
 * daemon.c - continues to serve profiles when a program moves to the background
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The process that calls daemon exits, and its child continues the program. So the child takes over the address of the
 * server. Other forked children leave it to their parent.
 */
#include "config.h"

#include "libcpaprof/api/http.h"

#include "libcpaprof/target/next.h"
#include "libcpaprof/target/target.h"

#include <errno.h>

CPA_EXPORT int daemon(int nochdir, int noclose)
{
	bool serves = cpi_endpoint_pause();
	int rc = cpi_next()->daemon(nochdir, noclose), error = errno;

	if (serves)
		cpi_endpoint_resume();
	errno = error;
	return rc;
}
