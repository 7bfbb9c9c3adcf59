#!/bin/sh
# t700-sweep.t - quick programs of Debian behave the same under cpa run as without cpa; sweep.sh runs all
# SPDX-License-Identifier: Apache-2.0
exec sh "${top_srcdir:?}/tests/runtime/sweep.sh" -q 2>/dev/null
