# src/formats/dump - text dumps of stacks

src_formats_libformats_a_SOURCES += \
	src/formats/dump/stacks.c \
	src/formats/dump/stacks.h
