# src/formats/jfr - recordings of Java Flight Recorder

src_formats_libformats_a_SOURCES += \
	src/formats/jfr/chunk.c \
	src/formats/jfr/chunk.h \
	src/formats/jfr/constants.c \
	src/formats/jfr/contexts.c \
	src/formats/jfr/cursor.c \
	src/formats/jfr/cursor.h \
	src/formats/jfr/events.c \
	src/formats/jfr/frames.c \
	src/formats/jfr/jfr.h \
	src/formats/jfr/jfr_int.h \
	src/formats/jfr/metadata.c \
	src/formats/jfr/read.c \
	src/formats/jfr/settings.c
