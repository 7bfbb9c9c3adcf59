# src/sinks - systems to which profiles are sent, and the queue that follows the journals of a store

noinst_LIBRARIES += src/sinks/libsinks.a
src_sinks_libsinks_a_SOURCES = \
	src/sinks/increase.c \
	src/sinks/increase.h \
	src/sinks/outcome.c \
	src/sinks/outcome.h \
	src/sinks/queue.c \
	src/sinks/queue.h \
	src/sinks/queue_int.h \
	src/sinks/queue_marks.c \
	src/sinks/queue_send.c \
	src/sinks/request.c \
	src/sinks/request.h \
	src/sinks/sink.h

include src/sinks/clickhouse/local.mk
include src/sinks/coroot/local.mk
include src/sinks/datadog/local.mk
include src/sinks/gcp/local.mk
include src/sinks/otlp/local.mk
include src/sinks/parca/local.mk
include src/sinks/pyroscope/local.mk
include src/sinks/kinds/local.mk
