# src/profile - the profile: columns, builder, merge, encoder

noinst_LIBRARIES += src/profile/libprofile.a
src_profile_libprofile_a_SOURCES = \
	src/profile/anonymize.c \
	src/profile/anonymize.h \
	src/profile/common_types.c \
	src/profile/common_types.h \
	src/profile/builder.c \
	src/profile/builder.h \
	src/profile/compact.c \
	src/profile/compact.h \
	src/profile/edit.c \
	src/profile/edit.h \
	src/profile/encode.c \
	src/profile/encode.h \
	src/profile/fingerprint.c \
	src/profile/fingerprint.h \
	src/profile/forest.c \
	src/profile/forest.h \
	src/profile/keys.c \
	src/profile/keys.h \
	src/profile/label_order.c \
	src/profile/label_order.h \
	src/profile/lines.c \
	src/profile/lines.h \
	src/profile/merge.c \
	src/profile/merge.h \
	src/profile/merge_header.c \
	src/profile/merge_ids.c \
	src/profile/merge_ids.h \
	src/profile/merge_int.h \
	src/profile/merge_stacks.c \
	src/profile/merge_stacks.h \
	src/profile/merge_sums.c \
	src/profile/merge_sums.h \
	src/profile/normalize.c \
	src/profile/normalize.h \
	src/profile/profile.c \
	src/profile/profile.h \
	src/profile/prune.c \
	src/profile/prune.h \
	src/profile/sample_walk.h \
	src/profile/scale.c \
	src/profile/scale.h \
	src/profile/source.c \
	src/profile/source.h \
	src/profile/stable_names.c \
	src/profile/stack_builder.c \
	src/profile/stack_builder.h \
	src/profile/stack_lists.h \
	src/profile/stack_walk.h \
	src/profile/sums.h \
	src/profile/temporality.c \
	src/profile/temporality.h
