# src/formats/foreign - content that cpa does not read, for messages

src_formats_libformats_a_SOURCES += \
	src/formats/foreign/foreign.c \
	src/formats/foreign/foreign.h
