# src/sinks/otlp - OpenTelemetry

src_sinks_libsinks_a_SOURCES += \
	src/sinks/otlp/otlp_sink.c \
	src/sinks/otlp/otlp_sink.h
