#!/bin/sh
# t840-served-life.t - programs that serve their profiles fork, exec, become daemons, close all descriptors, and end
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/served.sh"
exec_python served_life.py
