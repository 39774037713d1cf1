// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Internet checksum in MCS-51 assembly, instead of net/checksum.c: 7 machine cycles a byte, where SDCC's C takes 34.
 *
 * One chain of additions goes through all bytes. The carry of a word's low byte belongs into the next high byte, and the carry of a high byte, worth
 * 65536, belongs back into the low byte (RFC 1071: the end-around carry): so ADDC adds each carry where it belongs, and no byte needs more. MOVX, INC DPTR,
 * DJNZ, MOV and CLR A leave the carry alone. The chain never makes zero of what is not zero, so the result is that of the C function, bit by bit.
 */
#include "net/checksum.h"

/* sum in DPTR, p and n in the compiler's variables for the second and third argument; R4 to R7 are free to use, the result goes back in DPTR. */
#pragma save
#pragma disable_warning 85
uint16_t checksum_add(uint16_t sum, const uint8_t NET_MEM *p, uint16_t n) __naked
{
	__asm
	mov	r6,dpl                  ; low byte of the sum
	mov	r7,dph                  ; high byte
	mov	dpl,_checksum_add_PARM_2
	mov	dph,(_checksum_add_PARM_2 + 1)
	clr	c
	mov	a,(_checksum_add_PARM_3 + 1)
	rrc	a
	mov	r4,a
	mov	a,_checksum_add_PARM_3
	rrc	a
	mov	r5,a                    ; R4:R5 = words
	clr	c
	orl	a,r4
	jz	00113$
	mov	a,r5
	jz	00111$                  ; 256 turns of the inner loop are one of the outer
	inc	r4
00111$:
	movx	a,@dptr
	addc	a,r7
	mov	r7,a
	inc	dptr
	movx	a,@dptr
	addc	a,r6
	mov	r6,a
	inc	dptr
	djnz	r5,00111$
	djnz	r4,00111$
00113$:
	mov	a,_checksum_add_PARM_3
	jb	acc.0,00114$
	clr	a
	sjmp	00115$
00114$:
	movx	a,@dptr                 ; an odd byte is a high one
00115$:
	addc	a,r7
	mov	r7,a
	clr	a
	addc	a,r6
	mov	r6,a
	clr	a
	addc	a,r7
	mov	r7,a
	clr	a
	addc	a,r6
	mov	dpl,a
	mov	dph,r7
	ret
	__endasm;
}
#pragma restore
