# locks.sh - what the tests of waits share; source lib.sh first
# SPDX-License-Identifier: Apache-2.0

waits() { # BLOCK-RATE MUTEX-FRACTION COMMAND...: profiles in b.pb.gz, m.pb.gz, c.pb.gz
	rate=$1 fraction=$2
	shift 2
	rm -f ./?.pb.gz
	"$CPA" run --block=b.pb.gz --block-rate="$rate" --mutex=m.pb.gz --mutex-fraction="$fraction" \
		--threadcreate=c.pb.gz -- "$@" >out 2>err
	# shellcheck disable=SC2034 # for those who source this
	status=$?
}

said() { # NAME: what the program printed for it
	sed -n "s/^$1 //p" out
}

counts() { # FILE FUNCTION: how often it is in the profile
	"$CPA" top -sample_index=0 -nodecount=0 -trim=false "$1" 2>/dev/null |
		awk -v name="$2" '{ f = $6; for (i = 7; i <= NF; i++) f = f " " $i } f == name { print $4 }'
}
