# src/sinks - systems to which profiles are sent; each directory adds its files

noinst_LIBRARIES += src/sinks/libsinks.a
src_sinks_libsinks_a_SOURCES = \
	src/sinks/copy.c \
	src/sinks/copy.h \
	src/sinks/exchange.c \
	src/sinks/exchange.h \
	src/sinks/sink.h \
	src/sinks/sinks.c

include src/sinks/otlp/local.mk
include src/sinks/parca/local.mk
include src/sinks/kinds/local.mk
