# src/store/local/tier - profiles of a slot as one: 10 minutes, an hour, a day

src_store_libstore_a_SOURCES += \
	src/store/local/tier/tier.c \
	src/store/local/tier/tier.h \
	src/store/local/tier/tier_combine.c \
	src/store/local/tier/tier_fold.c \
	src/store/local/tier/tier_history.c \
	src/store/local/tier/tier_int.h \
	src/store/local/tier/tier_make.c \
	src/store/local/tier/tier_view.c
