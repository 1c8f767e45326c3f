import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/** How long a connection waits for another process's transaction, which takes a few milliseconds at most. */
const BUSY_TIMEOUT_MS = 2_000;
/**
 * SQLITE_BUSY. Switching to WAL fails with it at once, whatever the busy timeout, while another process opens the file.
 */
const SQLITE_BUSY = 5;
/**
 * A checkpoint blocks the event loop. With 32 MiB per checkpoint, most pages are written once instead of eight times.
 */
const CHECKPOINT_PAGES = 8_192;
const OPEN_ATTEMPTS = 100;
const OPEN_PAUSE_MS = 20;

/** Increment with every change of the tables below. */
const SCHEMA_VERSION = 3;

/*
 * Rows are appended in order of arrival, with one randomly ordered index per registration and transaction: each further
 * one would cost a 4 KiB page in the write-ahead log. That is why gateway references and challenge tokens contain their
 * row's number; see ./references.
 *
 * The last two indexes are a second safeguard: an account is never authorized or captured twice, even if the rules have
 * a bug.
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS registrations (
    id                INTEGER PRIMARY KEY,
    digest            TEXT NOT NULL,
    payment_id        TEXT NOT NULL,
    scenario          TEXT NOT NULL,
    amount_minor      INTEGER NOT NULL,
    currency          TEXT NOT NULL,
    registered_at_ms  INTEGER NOT NULL,
    closed            INTEGER NOT NULL DEFAULT 0 CHECK (closed IN (0, 1))
  ) STRICT;
  CREATE INDEX IF NOT EXISTS registrations_by_payment ON registrations (payment_id);

  CREATE TABLE IF NOT EXISTS challenges (
    registration_id   INTEGER PRIMARY KEY REFERENCES registrations,
    page_secret       TEXT NOT NULL,
    form_secret       TEXT NOT NULL,
    public_url        TEXT NOT NULL,
    merchant_name     TEXT NOT NULL,
    order_id          TEXT NOT NULL,
    return_url        TEXT,
    expires_at_ms     INTEGER NOT NULL,
    answer            TEXT CHECK (answer IN ('succeeded', 'failed')),
    description       TEXT,
    card_last_four    TEXT
  ) STRICT;

  CREATE TABLE IF NOT EXISTS transactions (
    id                INTEGER PRIMARY KEY,
    reference         TEXT NOT NULL UNIQUE,
    gateway_reference TEXT NOT NULL,
    registration_id   INTEGER REFERENCES registrations,
    kind              TEXT NOT NULL CHECK (kind IN ('AUTHORIZATION', 'CAPTURE', 'VOID', 'REFUND')),
    amount_minor      INTEGER NOT NULL,
    currency          TEXT NOT NULL,
    recorded_at_ms    INTEGER NOT NULL,
    verdict           TEXT NOT NULL CHECK (verdict IN ('approved', 'declined', 'pending')),
    decline_code      TEXT,
    response_code     TEXT,
    response_message  TEXT,
    settles_at_ms     INTEGER
  ) STRICT;
  CREATE INDEX IF NOT EXISTS transactions_by_registration ON transactions (registration_id);
  CREATE UNIQUE INDEX IF NOT EXISTS one_authorization ON transactions (registration_id)
    WHERE kind = 'AUTHORIZATION' AND verdict = 'approved';
  CREATE UNIQUE INDEX IF NOT EXISTS one_capture ON transactions (registration_id)
    WHERE kind = 'CAPTURE' AND verdict = 'approved';

  /* Written with the capture. A change gets the next number once it is due: so numbers follow the order of the list. */
  CREATE TABLE IF NOT EXISTS dispute_changes (
    id                  INTEGER PRIMARY KEY,
    registration_id     INTEGER NOT NULL REFERENCES registrations,
    dispute_reference   TEXT NOT NULL,
    status              TEXT NOT NULL CHECK (status IN ('OPEN', 'WON', 'LOST')),
    amount_minor        INTEGER NOT NULL,
    currency            TEXT NOT NULL,
    fee_minor           INTEGER NOT NULL,
    reason              TEXT NOT NULL,
    evidence_due_at_ms  INTEGER NOT NULL,
    due_at_ms           INTEGER NOT NULL,
    number              INTEGER UNIQUE
  ) STRICT;
  CREATE INDEX IF NOT EXISTS dispute_changes_by_registration ON dispute_changes (registration_id);
  CREATE INDEX IF NOT EXISTS dispute_changes_to_come ON dispute_changes (due_at_ms) WHERE number IS NULL;
`;

/** Version 1 lacked the description and the card's last digits, which the customer's page shows. */
const FROM_VERSION_1 = `
  ALTER TABLE challenges ADD COLUMN description TEXT;
  ALTER TABLE challenges ADD COLUMN card_last_four TEXT;
`;

/**
 * Opens the books and creates them if needed: readable only by their owner (SQLite gives its -wal and -shm files the
 * same mode), and usable by several processes at once.
 *
 * @throws BooksFormatError if another release created them.
 */
export function openBooksFile(file: string, busyTimeoutMs = BUSY_TIMEOUT_MS): DatabaseSync {
  createPrivately(file);

  const db = new DatabaseSync(file, { timeout: busyTimeoutMs });
  try {
    retryWhileBusy(() => {
      db.exec('PRAGMA journal_mode = WAL');
    });
    db.exec('PRAGMA synchronous = FULL');
    db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    retryWhileBusy(() => {
      db.exec('BEGIN IMMEDIATE');
      makeTables(db, file);
      db.exec('COMMIT');
    });
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Another release created the books, so their open payments cannot be read. */
export class BooksFormatError extends Error {
  constructor(file: string) {
    super(
      `${file} was made by another release; move it away to begin new books (payments that are open will be declined)`,
    );
    this.name = 'BooksFormatError';
  }
}

function makeTables(db: DatabaseSync, file: string): void {
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  const isEmpty = db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  if (!isEmpty && version === 1) db.exec(FROM_VERSION_1);
  // Version 2 lacked the disputes, which are created below.
  else if (!isEmpty && version !== 2 && version !== SCHEMA_VERSION) throw new BooksFormatError(file);
  db.exec(`${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION}`);
}

/**
 * Never opens an existing file: closing a descriptor drops all POSIX locks that the process holds on the file,
 * including those of other SQLite connections.
 */
function createPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (existsSync(file)) {
    chmodSync(file, 0o600);
    return;
  }
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    // Another process has created it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Opens existing books read-only; throws if there are none. */
export function openBooksForReading(file: string): DatabaseSync {
  // Not `mode=ro`: such a connection cannot create the -shm file that WAL needs when there is no writer.
  const url = pathToFileURL(file);
  url.searchParams.set('mode', 'rw');
  const db = new DatabaseSync(url, { timeout: BUSY_TIMEOUT_MS });
  db.exec('PRAGMA query_only = 1');
  return db;
}

function retryWhileBusy(step: () => void): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      step();
      return;
    } catch (error) {
      if (attempt === OPEN_ATTEMPTS || (error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, OPEN_PAUSE_MS);
    }
  }
}
