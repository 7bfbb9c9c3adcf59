# src/store/local/upkeep - opens a store for writing, and keeps it in order: compaction, pins, removal, repair

src_store_libstore_a_SOURCES += \
	src/store/local/upkeep/compaction.c \
	src/store/local/upkeep/compaction_find.c \
	src/store/local/upkeep/compaction.h \
	src/store/local/upkeep/copy.c \
	src/store/local/upkeep/copy.h \
	src/store/local/upkeep/downsample.c \
	src/store/local/upkeep/downsample.h \
	src/store/local/upkeep/estimate.c \
	src/store/local/upkeep/estimate.h \
	src/store/local/upkeep/export.c \
	src/store/local/upkeep/maintain.c \
	src/store/local/upkeep/open.c \
	src/store/local/upkeep/pin.c \
	src/store/local/upkeep/remove.c \
	src/store/local/upkeep/repair.c \
	src/store/local/upkeep/repeats.c \
	src/store/local/upkeep/upkeep.h \
	src/store/local/upkeep/upkeep_int.h \
	src/store/local/upkeep/verify_all.c
