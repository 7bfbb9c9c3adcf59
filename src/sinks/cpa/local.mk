# src/sinks/cpa - the sink of another collector

src_sinks_libsinks_a_SOURCES += \
	src/sinks/cpa/cpa.c \
	src/sinks/cpa/cpa.h
