# src/formats/push - requests with which agents push profiles

src_formats_libformats_a_SOURCES += \
	src/formats/push/names.c \
	src/formats/push/names.h \
	src/formats/push/push.c \
	src/formats/push/push.h \
	src/formats/push/push_int.h \
	src/formats/push/push_multipart.c \
	src/formats/push/push_query.c
