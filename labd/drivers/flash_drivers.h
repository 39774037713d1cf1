// SPDX-License-Identifier: GPL-2.0-or-later
/* The flashers there are. The caller fills flash_base, flash_size, reserved and expected_id of what it gets (board_open does). */
#ifndef LAB_DRIVERS_FLASH_DRIVERS_H
#define LAB_DRIVERS_FLASH_DRIVERS_H

#include "bench/flasher.h"
#include "bench/line.h"
#include "drivers/isp_session.h"

/*
 * Atmel's UART boot loader (AT89C51RD2/ED2). line: borrowed. The id of a part is manufacturer, family and device: 58D7ECh for an AT89C51ED2.
 *
 * program() first sets the boot status byte to FFh, so that a half-written application never starts; reset(verified) sets it to 00h, last, so that the
 * application starts and the loader stays reachable through PSEN. The loader's own security bytes and fuses are never written.
 */
struct flasher *atmel_isp_create(struct line *line, const struct isp_config *config);

/* For the benchmark "flash time beside its limit": the least time in which bytes at addresses of an image can go through the line: every record, its page
   write, its three characters of answer, and nothing else. */
uint64_t atmel_isp_limit_ns(const struct image *img, uint32_t baud, uint32_t page_write_us);

#endif
