/*
 * daemon.c - a program goes to the background, and its profiles are served there
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The process that calls daemon ends within it, and its child is what goes on. Else a child leaves the address to its
 * parent.
 */
#include "config.h"

#include "libcpaprof/api/http.h"

#include "libcpaprof/target/next.h"
#include "libcpaprof/target/target.h"

#include <errno.h>

CPA_EXPORT int daemon(int nochdir, int noclose)
{
	bool serves = http_rest();
	int rc = cpi_next()->daemon(nochdir, noclose), error = errno;

	if (serves)
		http_resume();
	errno = error;
	return rc;
}
