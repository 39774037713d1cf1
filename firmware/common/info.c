// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fields that are written after linking, at their addresses. They stand alone in this file so that no compiler reads their first contents
 * into the code that uses them. A fresh image has no valid identity: its CRC is wrong on purpose.
 */
#include "common/identity.h"

const uint8_t LAB_FLASH LAB_AT(LAB_IDENTITY_AT) lab_identity[LAB_IDENTITY_BYTES] = {
	'L', 'A', 'B', '1', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0,
};

const char LAB_FLASH LAB_AT(LAB_BUILD_AT) lab_build[LAB_BUILD_BYTES] = { '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0' };
