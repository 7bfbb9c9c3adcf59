# src/sinks/coroot - Coroot

src_sinks_libsinks_a_SOURCES += \
	src/sinks/coroot/coroot.c \
	src/sinks/coroot/coroot.h
