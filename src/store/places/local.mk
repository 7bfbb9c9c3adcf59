# src/store/places - the kinds of places where stores are

src_store_libstore_a_SOURCES += \
	src/store/places/places.c \
	src/store/places/places.h
