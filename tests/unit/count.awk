# count.awk - count the results of tests, from the *.trs files of automake
# SPDX-License-Identifier: Apache-2.0
#
# usage: awk -v broken=N -f count.awk     N: steps that failed, such as a build
# Exits 1 when something failed or nothing passed.
/^:test-result: PASS/ { passed++ }
/^:test-result: (FAIL|XPASS|ERROR)/ { failed++ }
/^:test-result: SKIP/ { skipped++ }
END {
	if (broken)
		print "test: steps that failed: " broken
	printf "%d passed, %d failed, %d skipped\n", passed, failed + broken, skipped
	exit failed + broken > 0 || passed == 0
}
