-- SPDX-License-Identifier: GPL-2.0-or-later
-- The 8051's image got two more choices, checksum (c, asm) and clock (x1, x2). What was built before is c and x1, and says so from here on: so the same
-- image in the same cell is one series, before and after. Keys sorted and no spaces, as labd writes them.

UPDATE cell SET variant = json_object('check_rx', json_extract(variant, '$.check_rx'), 'checksum', 'c', 'clock', 'x1', 'stack', json_extract(variant, '$.stack'))
	WHERE board_type = 'at89c51ed2-cs8900a' AND json_extract(variant, '$.check_rx') IN ('0', '1') AND json_extract(variant, '$.stack') IS NOT NULL
	AND json_extract(variant, '$.checksum') IS NULL AND json_extract(variant, '$.clock') IS NULL;
