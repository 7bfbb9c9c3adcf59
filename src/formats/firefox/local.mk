# src/formats/firefox - processed profiles of the Firefox Profiler

src_formats_libformats_a_SOURCES += \
	src/formats/firefox/firefox.h \
	src/formats/firefox/firefox_int.h \
	src/formats/firefox/read.c \
	src/formats/firefox/tables.c
