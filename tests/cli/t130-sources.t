#!/bin/sh
# t130-sources.t - several sources, and dropped frames
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

golden top -nodecount=5 go-heap1.pb.gz go-heap2.pb.gz
golden top edge/merge-ms.pb.gz edge/merge-ns.pb.gz
golden top -all_frames edge/drop-frames.pb.gz
fails 'no common sample type: go-cpu.pb.gz has' top go-cpu.pb.gz go-heap1.pb.gz
done_testing
