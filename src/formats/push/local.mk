# src/formats/push - requests with which agents push profiles

src_formats_libformats_a_SOURCES += \
	src/formats/push/push.c \
	src/formats/push/push.h \
	src/formats/push/push_datadog.c \
	src/formats/push/push_grpc_web.c \
	src/formats/push/push_int.h \
	src/formats/push/push_multipart.c \
	src/formats/push/push_otlp.c \
	src/formats/push/push_parts.c \
	src/formats/push/push_query.c \
	src/formats/push/push_recording.c \
	src/formats/push/push_split.c \
	src/formats/push/push_split.h
