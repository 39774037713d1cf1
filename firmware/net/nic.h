// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A network chip as a cursor: a frame is read or written front to back, in pieces, because a small chip cannot hold one.
 *
 * A driver in drivers/ implements it for a chip; net/fake_nic.c implements it for the tests. Frames are counted from the destination address,
 * without FCS. One caller, never from an interrupt. A reception is ended before a transmission begins. Every wait inside is bounded.
 */
#ifndef NET_NIC_H
#define NET_NIC_H

#include <stdbool.h>
#include <stdint.h>

#include "lab_config.h"

#define NIC_FRAME_BYTES 1514                      /* the longest frame without FCS */

/* Resets the chip and gives it its address (six bytes, as on the wire). False: no chip answers, or it does not come out of its reset. */
bool nic_init(const uint8_t NET_MEM *mac);

/* True while the cable carries a link. */
bool nic_link(void);

/* Frames the chip lost for want of room since the last call. */
uint16_t nic_missed(void);

/* True: a frame has begun, *len is its length; it must be ended. False: there is none. */
bool nic_rx_begin(uint16_t *len);
void nic_rx_bytes(uint8_t NET_MEM *dst, uint16_t n);
void nic_rx_skip(uint16_t n);
/* Frees the frame, read to its end or not. */
void nic_rx_end(void);

/* Reserves room for a frame of len bytes. False: the chip gave none in time; nothing may be written then, and nothing is sent. */
bool nic_tx_begin(uint16_t len);
/* The pieces' lengths must sum to len. */
void nic_tx_bytes(const uint8_t NET_MEM *src, uint16_t n);
/* The frame goes out, padded to 60 bytes and with FCS. Does not wait for its end. */
void nic_tx_end(void);

#endif
