// SPDX-License-Identifier: GPL-2.0-or-later
/* The special function registers that this board uses (data sheet 4235K, table 12). */
#ifndef BOARD_CHIP_H
#define BOARD_CHIP_H

__sfr __at(0x87) PCON;                            /* b7 SMOD1 */
__sfr __at(0x8e) AUXR;                            /* b5 M0, b4-2 XRS, b1 EXTRAM */
__sfr __at(0x8f) CKCON0;                          /* b0 X2 */
__sfr __at(0x98) SCON;
__sfr __at(0x99) SBUF;
__sfr __at(0x9a) BRL;
__sfr __at(0x9b) BDRCON;                          /* b4 BRR, b3 TBCK, b2 RBCK, b1 SPD */
__sfr __at(0xa8) IEN0;
__sfr __at(0xc8) T2CON;
__sfr __at(0xc9) T2MOD;
__sfr __at(0xca) RCAP2L;
__sfr __at(0xcb) RCAP2H;
__sfr __at(0xcc) TL2;
__sfr __at(0xcd) TH2;

__sbit __at(0x98) RI;
__sbit __at(0x99) TI;
__sbit __at(0xac) ES;
__sbit __at(0xad) ET2;
__sbit __at(0xaf) EA;
__sbit __at(0xca) TR2;
__sbit __at(0xcf) TF2;

#define VECTOR_UART 4
#define VECTOR_TIMER_2 5

#endif
