// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The two fields of an image that are written after linking (docs/workloads.md, "Identity"): lab_identity says which unit this is, lab_build
 * which image. They are defined in info.c at the addresses of lab_config.h.
 */
#ifndef COMMON_IDENTITY_H
#define COMMON_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "lab_config.h"

#define LAB_IDENTITY_BYTES 32
#define LAB_BUILD_BYTES 12

extern const uint8_t LAB_FLASH LAB_AT(LAB_IDENTITY_AT) lab_identity[LAB_IDENTITY_BYTES];
extern const char LAB_FLASH LAB_AT(LAB_BUILD_AT) lab_build[LAB_BUILD_BYTES];

/* Copies the addresses into net_self, right or wrong. False: the magic or the CRC is wrong, and they must not be used on a network. */
bool identity_load(void);

/* CRC-16/CCITT-FALSE, one more byte; starts at FFFFh. */
uint16_t identity_crc(uint16_t crc, uint8_t byte);

#endif
