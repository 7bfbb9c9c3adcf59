# locks.sh - helpers for tests of waits; source lib.sh first
# SPDX-License-Identifier: Apache-2.0

waits() { # BLOCK-RATE MUTEX-FRACTION COMMAND...: write profiles to b.pb.gz, m.pb.gz, c.pb.gz
	rate=$1 fraction=$2
	shift 2
	rm -f ./?.pb.gz
	"$CPA" run --quiet --block=b.pb.gz --block-rate="$rate" --mutex=m.pb.gz --mutex-fraction="$fraction" \
		--threadcreate=c.pb.gz -- "$@" >out 2>err
	# shellcheck disable=SC2034 # for the tests that source this
	status=$?
}

said() { # NAME: print the value that the program printed for it
	sed -n "s/^$1 //p" out
}

counts() { # FILE FUNCTION: print its count in the profile
	"$CPA" top -sample_index=0 -nodecount=0 -trim=false "$1" 2>/dev/null |
		awk -v name="$2" '{ f = $6; for (i = 7; i <= NF; i++) f = f " " $i } f == name { print $4 }'
}
