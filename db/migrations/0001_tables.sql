-- SPDX-License-Identifier: GPL-2.0-or-later
-- The tables of the lab. Times ending in _ms are UTC milliseconds since 1970; durations end in _ns and are measured, never derived; sizes end in
-- _bytes. What is not known is NULL, never 0. docs/store.md explains how the tables belong together.

CREATE TABLE host (
	id            INTEGER PRIMARY KEY,
	name          TEXT NOT NULL,                       -- of the computer labd runs on
	kernel        TEXT NOT NULL,                       -- uname: system, release, machine
	cpu           TEXT NOT NULL,                       -- model name and number of cores
	labd          TEXT NOT NULL,                       -- version of the daemon
	UNIQUE (name, kernel, cpu, labd)
);

CREATE TABLE process (
	pid           INTEGER NOT NULL,
	started_ticks INTEGER NOT NULL,                    -- field 22 of /proc/PID/stat: with it, a recycled pid is not mistaken for our child
	boot_id       TEXT NOT NULL,                       -- /proc/sys/kernel/random/boot_id: ticks mean something within one boot only
	role          TEXT NOT NULL,                       -- "vboard", "openocd", ...
	noted_ms      INTEGER NOT NULL,
	PRIMARY KEY (pid, started_ticks)
);

CREATE TABLE board (
	name          TEXT PRIMARY KEY,                    -- as in the bench file
	board_type    TEXT NOT NULL,
	virtual       INTEGER NOT NULL CHECK (virtual IN (0, 1)),
	present       INTEGER NOT NULL DEFAULT 1,          -- in the bench file that the daemon runs with
	state         TEXT NOT NULL DEFAULT 'idle' CHECK (state IN ('idle', 'reserved', 'running', 'recovering')),
	health        TEXT NOT NULL DEFAULT 'unknown' CHECK (health IN ('good', 'unknown', 'bad', 'maintenance', 'quarantined')),
	health_reason TEXT,                                -- one sentence, when health is not good
	flash_cycles  INTEGER NOT NULL DEFAULT 0,          -- times that the whole image was written
	flash_rated   INTEGER,                             -- the part's rated endurance
	holds_sha256  TEXT,                                -- image file in its flash; NULL: not known
	holds_build   TEXT,                                -- build id of that image
	holds_identity TEXT,                               -- "mac ip" patched into it
	first_seen_ms INTEGER NOT NULL,
	last_seen_ms  INTEGER NOT NULL
);

CREATE TABLE image (
	sha256        TEXT PRIMARY KEY,                    -- of the file
	build         TEXT NOT NULL,                       -- 12 hex digits over the load segments
	board_type    TEXT NOT NULL,
	variant       TEXT NOT NULL,                       -- JSON object, keys sorted, defaults filled in
	file          TEXT NOT NULL,
	format        TEXT NOT NULL,                       -- "ihex", "elf", ...
	toolchain     TEXT NOT NULL,
	flags         TEXT NOT NULL,
	source_commit TEXT,
	sections      TEXT NOT NULL,                       -- JSON object: section -> bytes
	added_ms      INTEGER NOT NULL
);

CREATE TABLE matrix (
	id            INTEGER PRIMARY KEY,
	name          TEXT NOT NULL,
	version       INTEGER NOT NULL,                    -- counts up when a changed document of that name is imported
	document      TEXT NOT NULL,                       -- JSON, as it was checked
	author        TEXT NOT NULL,
	created_ms    INTEGER NOT NULL,
	UNIQUE (name, version)
);

CREATE TABLE schedule (
	id            INTEGER PRIMARY KEY,
	name          TEXT NOT NULL UNIQUE,
	cron          TEXT NOT NULL,                       -- five fields
	zone          TEXT NOT NULL,                       -- IANA name
	matrix        TEXT NOT NULL,                       -- name; the newest version at the time it fires
	board         TEXT,                                -- name or type; NULL = all
	cell          TEXT,                                -- glob; NULL = all
	catch_up      TEXT NOT NULL DEFAULT 'one' CHECK (catch_up IN ('none', 'one')),
	enabled       INTEGER NOT NULL DEFAULT 1,
	next_ms       INTEGER,                             -- when it is due; NULL while disabled
	author        TEXT NOT NULL,
	created_ms    INTEGER NOT NULL
);

CREATE TABLE run (
	id            INTEGER PRIMARY KEY AUTOINCREMENT,
	matrix_id     INTEGER REFERENCES matrix (id),      -- NULL: a request without matrix (flash)
	reason        TEXT NOT NULL,                       -- "manual", "schedule", "up", "flash"
	schedule_id   INTEGER REFERENCES schedule (id) ON DELETE SET NULL,
	due_ms        INTEGER,                             -- the due time of the schedule that it stands for
	requested_by  TEXT NOT NULL,
	request       TEXT NOT NULL,                       -- JSON: board and cell filters, order
	host_id       INTEGER NOT NULL REFERENCES host (id),
	state         TEXT NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'finished')),
	cancelled_by  TEXT,                                -- who asked for the end
	created_ms    INTEGER NOT NULL,
	started_ms    INTEGER,
	finished_ms   INTEGER,
	UNIQUE (schedule_id, due_ms)                       -- a due time makes one run, whatever happens to the daemon
);

CREATE TABLE schedule_event (
	id            INTEGER PRIMARY KEY,
	schedule_id   INTEGER NOT NULL REFERENCES schedule (id) ON DELETE CASCADE,
	due_ms        INTEGER NOT NULL,
	happened_ms   INTEGER NOT NULL,
	what          TEXT NOT NULL CHECK (what IN ('fired', 'caught_up', 'missed', 'overlap', 'failed')),
	run_id        INTEGER REFERENCES run (id),
	note          TEXT,
	UNIQUE (schedule_id, due_ms)
);

CREATE TABLE cell (
	id            INTEGER PRIMARY KEY,
	run_id        INTEGER NOT NULL REFERENCES run (id),
	ordinal       INTEGER NOT NULL,                    -- position in the matrix
	name          TEXT NOT NULL,                       -- trigger/at89c51ed2-cs8900a/payload_bytes=1460
	board         TEXT,                                -- NULL: no board of that type on the bench
	board_type    TEXT NOT NULL,
	virtual       INTEGER NOT NULL CHECK (virtual IN (0, 1)),
	workload      TEXT NOT NULL,
	variant       TEXT NOT NULL,                       -- JSON object, keys sorted, defaults filled in
	params        TEXT NOT NULL,                       -- JSON object, keys sorted
	payload_bytes INTEGER,                             -- parameters that charts use, NULL where the workload has none
	frame_count   INTEGER,
	transport     TEXT,
	repeats       INTEGER NOT NULL,
	deadline_ms   INTEGER NOT NULL,                    -- wall time one attempt may take
	UNIQUE (run_id, ordinal)
);

CREATE INDEX cell_name ON cell (name, board, run_id);

CREATE TABLE attempt (
	id            INTEGER PRIMARY KEY AUTOINCREMENT,
	run_id        INTEGER NOT NULL REFERENCES run (id),
	cell_id       INTEGER NOT NULL REFERENCES cell (id),
	repeat        INTEGER NOT NULL,                    -- from 0
	attempt       INTEGER NOT NULL,                    -- from 1; a retry or a restart adds one, nothing is overwritten
	position      INTEGER NOT NULL,                    -- order within the run: repeats are interleaved
	board         TEXT,
	state         TEXT NOT NULL CHECK (state IN ('queued', 'running', 'finished')),
	step          TEXT,                                -- while running: "power", "flash", "boot", "drive", "measure"; afterwards where it ended
	verdict       TEXT CHECK (verdict IN ('pass', 'fail', 'error', 'skipped', 'cancelled', 'timeout')),
	cause         TEXT CHECK (cause IN ('none', 'board', 'firmware', 'flash', 'probe', 'power', 'line', 'network', 'host', 'daemon', 'image',
	                                    'unsupported', 'request', 'no_board')),
	error         TEXT,                                -- one sentence; NULL when passed
	queued_ms     INTEGER NOT NULL,
	started_ms    INTEGER,
	finished_ms   INTEGER,
	wall_ns       INTEGER,                             -- from start to end on the monotonic clock
	flash_ns      INTEGER,                             -- of it: in the flasher, in the board's own time; NULL: not flashed
	flash_bytes   INTEGER,
	boot_ns       INTEGER,                             -- power-on to the net line, in the board's own time
	image_sha256  TEXT,
	image_build   TEXT,
	toolchain     TEXT,
	proof         TEXT,                                -- how it is known which image ran: "banner", "verify", "none"
	mode          TEXT,                                -- of the wire: "gate", "tap", "nic"
	pace          TEXT,                                -- "turns", "wall"; mode and pace are part of what makes two results comparable
	host_id       INTEGER REFERENCES host (id),
	virtual       INTEGER NOT NULL CHECK (virtual IN (0, 1)),
	capture       TEXT,                                -- pcap file, relative to the state folder
	bad_lines     INTEGER,                             -- console lines with a wrong sum
	CHECK ((state = 'finished') = (verdict IS NOT NULL)),
	CHECK ((verdict IS NULL) = (cause IS NULL)),
	UNIQUE (run_id, cell_id, repeat, attempt)
);
CREATE INDEX attempt_queue ON attempt (board, state, run_id, position);
CREATE INDEX attempt_cell ON attempt (cell_id, repeat, attempt);

CREATE TABLE figures (
	attempt_id    INTEGER PRIMARY KEY REFERENCES attempt (id),   -- there only if the attempt passed
	elapsed_ns    INTEGER NOT NULL CHECK (elapsed_ns > 0),       -- trigger to last acknowledgement, on the wire
	payload_bytes INTEGER NOT NULL,                    -- application bytes acknowledged in that time
	wire_bytes    INTEGER NOT NULL,                    -- frames of the board, FCS included, preamble and gap not
	frames        INTEGER NOT NULL,
	retransmissions INTEGER NOT NULL,
	duplicate_acks  INTEGER NOT NULL,
	zero_windows    INTEGER NOT NULL,
	out_of_order    INTEGER NOT NULL,
	bad_checksums   INTEGER NOT NULL,
	merged_frames   INTEGER NOT NULL,                  -- longer than the medium allows: offloads were on
	window_min    INTEGER,
	window_max    INTEGER,
	mss           INTEGER,
	ack_paced     INTEGER NOT NULL CHECK (ack_paced IN (0, 1)),
	ack_pace_ms   INTEGER,
	captured_frames INTEGER NOT NULL,
	captured_bytes  INTEGER NOT NULL,
	link_type     TEXT NOT NULL
);

CREATE TABLE frame (
	attempt_id    INTEGER NOT NULL REFERENCES attempt (id),
	n             INTEGER NOT NULL,                    -- from 0
	begin_ns      INTEGER NOT NULL,                    -- all since the trigger
	sent_ns       INTEGER NOT NULL,                    -- end of its first transmission
	end_ns        INTEGER NOT NULL,                    -- end of the frame that acknowledges it
	transmissions INTEGER NOT NULL,
	PRIMARY KEY (attempt_id, n)
) WITHOUT ROWID;

CREATE TABLE console (
	attempt_id    INTEGER NOT NULL REFERENCES attempt (id),
	n             INTEGER NOT NULL,
	at_ns         INTEGER NOT NULL,                    -- time of the board's pace when the bytes arrived
	power         INTEGER NOT NULL,                    -- which power-on of the attempt that time counts from, from 1
	bytes         BLOB NOT NULL,                       -- raw
	PRIMARY KEY (attempt_id, n)
) WITHOUT ROWID;

CREATE TABLE exclusion (
	id            INTEGER PRIMARY KEY,
	attempt_id    INTEGER NOT NULL REFERENCES attempt (id),
	reason        TEXT NOT NULL,
	author        TEXT NOT NULL,
	created_ms    INTEGER NOT NULL,
	lifted_ms     INTEGER                              -- an exclusion is taken back, not deleted
);

CREATE TABLE reference (
	id            TEXT PRIMARY KEY,
	board_type    TEXT NOT NULL,
	workload      TEXT NOT NULL,
	payload_bytes INTEGER,
	conditions    TEXT NOT NULL,                       -- JSON object: what a matrix can vary, as the source had it
	figure        TEXT NOT NULL,                       -- "goodput_byte_per_s", "elapsed_s", "frames_per_s"
	value         REAL NOT NULL,                       -- in the unit of figure
	unit          TEXT NOT NULL,
	printed       TEXT NOT NULL,                       -- number and unit as the source has them
	kind          TEXT NOT NULL,                       -- "measured", "derived by the author"
	source        TEXT NOT NULL,
	description   TEXT NOT NULL,                       -- board and conditions in words
	grade         TEXT NOT NULL CHECK (grade IN ('A', 'B', 'C', 'D'))
);
