# src/store/pyroscope - Pyroscope: names and messages of its API, and its servers as stores

src_store_libstore_a_SOURCES += \
	src/store/pyroscope/message.c \
	src/store/pyroscope/message.h \
	src/store/pyroscope/names.c \
	src/store/pyroscope/names.h \
	src/store/pyroscope/pyroscope.c \
	src/store/pyroscope/pyroscope.h \
	src/store/pyroscope/schema.c \
	src/store/pyroscope/selector.c \
	src/store/pyroscope/series.c \
	src/store/pyroscope/server_int.h \
	src/store/pyroscope/sum.c \
	src/store/pyroscope/sum.h \
	src/store/pyroscope/summed.c \
	src/store/pyroscope/summed.h
