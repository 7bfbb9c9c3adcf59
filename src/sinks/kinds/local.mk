# src/sinks/kinds - the kinds of sinks

src_sinks_libsinks_a_SOURCES += \
	src/sinks/kinds/kinds.c \
	src/sinks/kinds/kinds.h
