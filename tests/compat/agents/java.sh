#!/bin/sh
# java.sh - runs Agent.java with an agent
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: java.sh pyroscope|pyroscope-otlp|datadog JAR URL SERVICE SECONDS
here=$(cd "$(dirname "$0")" && pwd)
case $1 in
datadog)
	exec java "-javaagent:$2" -Ddd.profiling.enabled=true "-Ddd.trace.agent.url=$3" "-Ddd.service=$4" -Ddd.env=test \
		-Ddd.version=1.2.3 -Ddd.tags=region:eu -Ddd.profiling.upload.period=10 -Ddd.profiling.start-force-first=true \
		-Ddd.trace.enabled=false -Ddd.instrumentation.telemetry.enabled=false -Ddd.remote_config.enabled=false \
		-Ddd.profiling.start-delay=0 "$here/Agent.java" "$5"
	;;
*)
	format=jfr
	[ "$1" = pyroscope ] || format=otlp
	export PYROSCOPE_SERVER_ADDRESS="$3" PYROSCOPE_APPLICATION_NAME="$4" PYROSCOPE_FORMAT=$format PYROSCOPE_UPLOAD_INTERVAL=5s \
		PYROSCOPE_PROFILER_EVENT=itimer PYROSCOPE_LABELS=region=eu
	# OTLP has one kind of events
	[ $format = otlp ] || export PYROSCOPE_PROFILER_ALLOC=64k PYROSCOPE_PROFILER_LOCK=1ms
	exec java "-javaagent:$2" "$here/Agent.java" "$5"
	;;
esac
