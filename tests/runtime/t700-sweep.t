#!/bin/sh
# t700-sweep.t - programs of Debian do under cpa run what they do alone: the quick ones; all: sweep.sh
# SPDX-License-Identifier: Apache-2.0
exec sh "${top_srcdir:?}/tests/runtime/sweep.sh" -q 2>/dev/null
