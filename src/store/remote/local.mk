# src/store/remote - stores of collectors, over HTTP

src_store_libstore_a_SOURCES += \
	src/store/remote/fields.c \
	src/store/remote/remote.c \
	src/store/remote/remote.h \
	src/store/remote/remote_int.h \
	src/store/remote/serve.c
