#!/bin/sh
# service.sh - build the servers of rt_answers.py: a small one, one with 60 MB of DWARF, one in Go
# SPDX-License-Identifier: Apache-2.0
# usage: service.sh TOP FOLDER     the large one is built only once; without Go that server is missing
set -eu
top=$1 bin=$2
cd "$bin"
${CXX:-c++} -O2 -g -o rt_service "$top/tests/bench/rt_service.cc" -pthread
if [ ! -s rt_service_large ]; then
	mkdir -p copies && cd copies && sh "$top/tests/bench/copies.sh" 15 "$top/tests/bench/symbols.cc"
	${CC:-cc} -O1 -g -c others.c
	${CXX:-c++} -O2 -g -Wl,-z,muldefs -Wl,--build-id -o ../rt_service_large "$top/tests/bench/rt_service.cc" \
		others.o copy*.o -pthread -lm 2>link.log
	cd .. && rm -rf copies
fi
rm -f rt_service_go
! command -v go >/dev/null || go build -o rt_service_go "$top/tests/bench/rt_service.go" || true
