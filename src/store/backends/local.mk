# src/store/backends - the kinds of places where stores are

src_store_libstore_a_SOURCES += \
	src/store/backends/backends.c \
	src/store/backends/backends.h
