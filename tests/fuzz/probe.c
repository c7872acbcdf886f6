// SPDX-License-Identifier: BSD-2-Clause
/* probe.c - does linking with libFuzzer work here? */
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return !data && size;
}
