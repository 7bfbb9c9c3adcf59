#!/bin/sh
# t320-web-requests.t - cpa -http: random requests, slow clients, many connections, kill -9
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
export XDG_CONFIG_HOME="$tmp/home/config"
python3 -B "$top_srcdir/tests/cli/web_requests.py" go-cpu.pb.gz
