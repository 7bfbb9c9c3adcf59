# tests/lint - rules of docs/DESIGN.md and of the style that a machine can check

LINT_TESTS = \
	tests/lint/source.t \
	tests/lint/symbols.t \
	tests/lint/shell.t \
	tests/lint/format.t \
	tests/lint/dist.t \
	tests/lint/debian.t \
	tests/lint/warnings.t \
	tests/lint/man.t \
	tests/lint/spelling.t \
	tests/lint/wording.t

TESTS += $(LINT_TESTS)
EXTRA_DIST += $(LINT_TESTS) \
	tests/lint/layers.txt \
	tests/lint/man-allowed.txt \
	tests/lint/options.c \
	tests/lint/source.py \
	tests/lint/symbols.py \
	tests/lint/wording-allowed.txt \
	tests/lint/wording-examples.txt \
	tests/lint/wording-rules.txt \
	tests/lint/wording.py \
	tests/lint/words.txt
