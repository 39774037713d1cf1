// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the common sources need to know of this board: names, where variables and constants live, sizes.
 *
 * The 8051 has several memories, and a pointer says into which it points. Packets and the 1460-byte buffer are in the 1792 bytes of on-chip
 * XRAM (`NET_MEM`), constants in flash (`LAB_FLASH`). Boards with one memory define both as nothing.
 */
#ifndef LAB_CONFIG_H
#define LAB_CONFIG_H

#define LAB_BOARD "at89c51ed2-cs8900a"           /* the board type, as in fixtures/boards/ */
#define LAB_STACK "labnet"                        /* the TCP/IP stack, as in images.json */

#define NET_MEM __xdata
#define LAB_FLASH __code
#define LAB_AT(address) __at(address)

/* The two fields that are written after linking share one 128-byte flash page of their own, so that a new identity costs one page. */
#define LAB_IDENTITY_AT 0x7F80
#define LAB_BUILD_AT 0x7FA0

#define LAB_BUFFER_BYTES 1460                     /* the application's buffer: the largest payload */
#define NET_WINDOW_BYTES 64                       /* the TCP receive window: holds a trigger line (48 bytes) */
#ifndef NET_CHECK_RX
#define NET_CHECK_RX 1                            /* 1: verify the checksums of received packets; the Ethernet CRC is verified by the chip */
#endif

#endif
