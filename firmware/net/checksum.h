// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Internet checksum (RFC 1071): the ones' complement sum of 16-bit words. It is in a file of its own, so that a board can bring
 * another implementation of the same function.
 */
#ifndef NET_CHECKSUM_H
#define NET_CHECKSUM_H

#include <stdint.h>

#include "lab_config.h"

/* Adds n bytes to a sum, which starts at 0. Only the last piece of a packet may have an odd length. The checksum field is the complement. */
uint16_t checksum_add(uint16_t sum, const uint8_t NET_MEM *p, uint16_t n);

#endif
