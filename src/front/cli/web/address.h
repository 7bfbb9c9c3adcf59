/*
 * address.h - the value of -http, and amounts with units
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_WEB_ADDRESS_H
#define FRONT_CLI_WEB_ADDRESS_H

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>

/*
 * Read the value of -http: HOST:PORT, HOST:, :PORT, :, PORT, unix:/PATH. Without a host it is localhost, without a port
 * a free one.
 *
 * out     "HOST:PORT" with an IPv6 address in brackets, or "unix:/PATH", as listen_open expects it
 * Fails   ERR_USAGE, in pprof's words where pprof refuses too
 * Like    pprof internal/driver/webui.go, getHostAndPort
 */
int cmd_web_parse_address(const char *text, struct buf *out, struct err *err);

#endif
