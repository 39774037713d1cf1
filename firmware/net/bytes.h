// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers in network byte order (big-endian) at any address. */
#ifndef NET_BYTES_H
#define NET_BYTES_H

#include <stdint.h>

#include "lab_config.h"

uint16_t get16(const uint8_t NET_MEM *p);
uint32_t get32(const uint8_t NET_MEM *p);
void put16(uint8_t NET_MEM *p, uint16_t v);
void put32(uint8_t NET_MEM *p, uint32_t v);

#endif
