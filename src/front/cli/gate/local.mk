# src/front/cli/gate - cpa gate: the exit status for CI if a function became slower

src_cpa_SOURCES += \
	src/front/cli/gate/discard.c \
	src/front/cli/gate/flame.c \
	src/front/cli/gate/gate.c \
	src/front/cli/gate/gate.h \
	src/front/cli/gate/self_test.c \
	src/front/cli/gate/write.c
