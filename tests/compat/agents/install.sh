#!/bin/sh
# install.sh - install the agents that agents.t runs
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: install.sh FOLDER
# Uses the package managers of Python, Node and Go, whichever exist. Run it again to build the Go programs again. The newest
# versions are installed.
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:?}" && cd "$1" || exit 2
[ -x py/bin/python ] || { python3 -m venv py && py/bin/pip install -q pyroscope-io; }
[ -d node/node_modules/@pyroscope ] || { mkdir -p node && (cd node && npm install --no-fund --no-audit @pyroscope/nodejs); }
[ -x py-datadog/bin/python ] || { python3 -m venv py-datadog && py-datadog/bin/pip install -q ddtrace; }
[ -d node-datadog/node_modules/dd-trace ] || { mkdir -p node-datadog && (cd node-datadog && npm install --no-fund --no-audit dd-trace); }
# newest versions of Maven's central repository
for jar in pyroscope:io.pyroscope:agent datadog:com.datadoghq:dd-java-agent; do
	[ -f "java/${jar%%:*}.jar" ] || { mvn -q -B dependency:copy "-Dartifact=${jar#*:}:RELEASE" -Dmdep.stripVersion -DoutputDirectory=java &&
		mv "java/${jar##*:}.jar" "java/${jar%%:*}.jar"; }
done
# decode reads the recorded requests; the others push
for program in decode datadog otlp parca; do
	mkdir -p "$program"
	cp "$here/$program/main.go" "$program/" || exit 2
	# modules whose path begins with that of another module are not found by themselves
	(cd "$program" && { [ -f go.mod ] || go mod init agent; } && go get github.com/parca-dev/parca@v0.28.0 \
		go.opentelemetry.io/proto/otlp/collector/profiles/v1development@v0.4.0 && go get . && go build -o agent .)
done
# the newest patches of 1.1 and 1.2, and the newest version in 2026-11
for version in 1.1.2 1.2.7 1.5.0; do
	mkdir -p "go$version"
	cp "$here/main.go" "go$version/" || exit 2
	(cd "go$version" && { [ -f go.mod ] || go mod init agent; } && go get "github.com/grafana/pyroscope-go@v$version" &&
		go mod tidy && go build -o agent .)
done
