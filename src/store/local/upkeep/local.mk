# src/store/local/upkeep - opens a store for writing, and keeps it in order: compaction, pins, removal, repair

src_store_libstore_a_SOURCES += \
	src/store/local/upkeep/chapter_copy.c \
	src/store/local/upkeep/chapter_copy.h \
	src/store/local/upkeep/compaction.c \
	src/store/local/upkeep/compaction.h \
	src/store/local/upkeep/compaction_plan.c \
	src/store/local/upkeep/copy.c \
	src/store/local/upkeep/copy.h \
	src/store/local/upkeep/export.c \
	src/store/local/upkeep/idset.c \
	src/store/local/upkeep/idset.h \
	src/store/local/upkeep/maintain.c \
	src/store/local/upkeep/open.c \
	src/store/local/upkeep/pin.c \
	src/store/local/upkeep/pin_repair.c \
	src/store/local/upkeep/pin_repair.h \
	src/store/local/upkeep/recover.c \
	src/store/local/upkeep/recover.h \
	src/store/local/upkeep/remove.c \
	src/store/local/upkeep/repair.c \
	src/store/local/upkeep/repair.h \
	src/store/local/upkeep/repeats.c \
	src/store/local/upkeep/repeats.h \
	src/store/local/upkeep/upkeep.h \
	src/store/local/upkeep/verify_all.c
