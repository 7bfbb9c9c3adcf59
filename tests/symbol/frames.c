/*
 * frames.c - main of a program that is linked with src/base, for frames.t
 *
 * SPDX-License-Identifier: Apache-2.0
 */
int main(void)
{
	return 0;
}
