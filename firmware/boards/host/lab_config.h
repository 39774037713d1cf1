// SPDX-License-Identifier: GPL-2.0-or-later
/* The PC as a board: the firmware's sources built for their tests. The keys are explained in boards/at89c51ed2/lab_config.h and docs/firmware.md. */
#ifndef LAB_CONFIG_H
#define LAB_CONFIG_H

#define LAB_BOARD "host-test"
#define LAB_STACK "labnet"

#define NET_MEM
#define LAB_FLASH
#define LAB_AT(address)

#define LAB_BUFFER_BYTES 1460
#define NET_WINDOW_BYTES 64
#ifndef NET_CHECK_RX
#define NET_CHECK_RX 1
#endif

#endif
