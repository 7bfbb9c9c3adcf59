// SPDX-License-Identifier: Apache-2.0
module mill

go 1.21
