# tests/shell - the full-screen shell: keys in, screens as text out
#
# A new test: its name here. Golden files are distributed with the folder.

shell_tests = \
	tests/shell/t330-tree.t

TESTS += $(shell_tests)
EXTRA_DIST += $(shell_tests) tests/shell/lib.sh tests/shell/golden
