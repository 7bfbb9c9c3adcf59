# src/front/web/actions - what requests that change the state do

src_front_web_libweb_a_SOURCES += \
	src/front/web/actions/capture.c \
	src/front/web/actions/post.c \
	src/front/web/actions/post.h \
	src/front/web/actions/profiles.c \
	src/front/web/actions/save.c \
	src/front/web/actions/store.c \
	src/front/web/actions/upload.c
