# src/sinks/pyroscope - the sink of Pyroscope

src_sinks_libsinks_a_SOURCES += \
	src/sinks/pyroscope/pyroscope.c \
	src/sinks/pyroscope/pyroscope.h
