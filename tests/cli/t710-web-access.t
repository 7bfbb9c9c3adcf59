#!/bin/sh
# t710-web-access.t - cpa -http: addresses, messages and access control (docs/web.md, "Access")
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
export XDG_CONFIG_HOME="$tmp/home/config"
python3 -B "$top_srcdir/tests/cli/web_access.py" go-cpu.pb.gz "$tmp"
