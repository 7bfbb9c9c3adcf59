#!/bin/sh
# t830-served.t - a program that links the library serves /debug/pprof
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/served.sh"
exec_python served_api.py
