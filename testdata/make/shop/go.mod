// SPDX-License-Identifier: Apache-2.0
module shop

go 1.21
