/*
 * frames.c - the beginning of a program that is linked with src/base, to look into
 *
 * SPDX-License-Identifier: Apache-2.0
 */
int main(void)
{
	return 0;
}
