import { timingSafeEqual } from 'node:crypto';
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';

import { type Clock, WriteWatch } from '@app/event-sourcing';

import { GatewayUnavailableError } from '../port';
import type { DisputeChanges, GatewayAmount, GatewayDispute } from '../port';
import { DisputeBooks } from './dispute-books';
import { openBooksFile } from './books-file';
import { challengeFrom, openedRegistration, registrationFrom, transactionFrom, verdictColumns } from './entries';
import type { Challenge, NewRegistration, RegistrationEntry, TransactionEntry } from './entries';
import type { PlannedChange } from './disputes';
import { GroupCommit } from './group-commit';
import { registrationIdIn, tokenParts } from './references';

const SQL = {
  registration: 'SELECT * FROM registrations WHERE id = ?',
  registrationsOfPayment: 'SELECT * FROM registrations WHERE payment_id = ?',
  challenge: 'SELECT * FROM challenges WHERE registration_id = ?',
  transaction: 'SELECT * FROM transactions WHERE reference = ?',
  transactionsOf: 'SELECT * FROM transactions WHERE registration_id = ? ORDER BY id',
  addRegistration: `INSERT INTO registrations
    (digest, payment_id, scenario, amount_minor, currency, registered_at_ms) VALUES (?, ?, ?, ?, ?, ?)`,
  addChallenge: `INSERT INTO challenges
    (registration_id, page_secret, form_secret, public_url, merchant_name, order_id, return_url, expires_at_ms,
     description, card_last_four)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  addTransaction: `INSERT INTO transactions
    (reference, gateway_reference, registration_id, kind, amount_minor, currency, recorded_at_ms,
     verdict, decline_code, response_code, response_message, settles_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  closeRegistration: 'UPDATE registrations SET closed = 1 WHERE id = ?',
  answerChallenge: 'UPDATE challenges SET answer = ? WHERE registration_id = ? AND answer IS NULL',
  prolongChallenge: `UPDATE challenges SET expires_at_ms = ?
    WHERE registration_id = ? AND answer IS NULL AND expires_at_ms < ?`,
} as const;

/**
 * The sandbox's books: registrations, challenges and transactions. Call writing methods inside `writes.run`. Nothing is
 * ever deleted; the only changes are closing a registration, answering a challenge and extending its time.
 */
export class Books {
  /** All writes go through it. */
  readonly writes: GroupCommit;
  private readonly disputeBooks: DisputeBooks;
  private readonly statements: Readonly<Record<keyof typeof SQL, StatementSync>>;

  private readonly watch: WriteWatch;

  constructor(
    private readonly db: DatabaseSync,
    clock: Clock,
  ) {
    this.disputeBooks = new DisputeBooks(db);
    this.writes = new GroupCommit(db, (written) => (written ? this.watch.succeeded() : this.watch.failed()));
    this.watch = new WriteWatch(clock, () => this.writes.run(() => touch(db)));
    this.statements = Object.fromEntries(
      Object.entries(SQL).map(([name, sql]) => [name, prepare(db, sql)]),
    ) as typeof this.statements;
  }

  static open(file: string, clock: Clock, busyTimeoutMs?: number): Books {
    return new Books(openBooksFile(file, busyTimeoutMs), clock);
  }

  /** Whether the latest transaction failed to be written. Returns at once. */
  get failing(): boolean {
    return this.watch.failing;
  }

  /** The registration with this reference; null if the reference is not from this sandbox. */
  registration(gatewayReference: string): RegistrationEntry | null {
    const id = registrationIdIn(gatewayReference);
    const registration = id === null ? null : this.registrationAt(id);
    return registration?.gatewayReference === gatewayReference ? registration : null;
  }

  /** @param digest see `registrationDigest`. */
  registrationOf(paymentId: string, digest: string): RegistrationEntry | null {
    const rows = reading(() => this.statements.registrationsOfPayment.all(paymentId));
    const row = rows.find((candidate) => candidate['digest'] === digest);
    return row === undefined ? null : registrationFrom(row);
  }

  challenge({ id }: RegistrationEntry): Challenge | null {
    const row = this.get('challenge', id);
    return row === undefined ? null : challengeFrom(row);
  }

  challengeByToken(
    which: 'pageSecret' | 'formSecret',
    token: string,
  ): { readonly challenge: Challenge; readonly registration: RegistrationEntry } | null {
    const parts = tokenParts(token);
    const registration = parts === null ? null : this.registrationAt(parts.id);
    const challenge = registration === null ? null : this.challenge(registration);
    if (parts === null || registration === null || challenge === null) return null;
    return isEqual(challenge[which], parts.secret) ? { challenge, registration } : null;
  }

  transaction(reference: string): TransactionEntry | null {
    const row = this.get('transaction', reference);
    return row === undefined ? null : transactionFrom(row);
  }

  transactionsOf({ id }: RegistrationEntry): TransactionEntry[] {
    return reading(() => this.statements.transactionsOf.all(id)).map(transactionFrom);
  }

  addRegistration(entry: NewRegistration): RegistrationEntry {
    const { lastInsertRowid } = this.statements.addRegistration.run(
      entry.digest,
      entry.paymentId,
      entry.scenario,
      ...amountColumns(entry.amount),
      entry.registeredAtMs,
    );
    return openedRegistration(Number(lastInsertRowid), entry);
  }

  addChallenge(challenge: Challenge): void {
    this.statements.addChallenge.run(
      challenge.registrationId,
      challenge.pageSecret,
      challenge.formSecret,
      challenge.publicUrl,
      challenge.merchantName,
      challenge.orderId,
      challenge.returnUrl,
      challenge.expiresAtMs,
      challenge.description,
      challenge.cardLastFour,
    );
  }

  /** @param registration null if the gateway does not know the gateway reference. */
  addTransaction(entry: TransactionEntry, registration: RegistrationEntry | null): void {
    this.statements.addTransaction.run(
      entry.reference,
      entry.gatewayReference,
      registration?.id ?? null,
      entry.kind,
      ...amountColumns(entry.amount),
      entry.recordedAtMs,
      ...verdictColumns(entry.verdict),
    );
  }

  /** A closed registration allows only refunds and repeated answers. */
  closeRegistration({ id }: RegistrationEntry): void {
    this.statements.closeRegistration.run(id);
  }

  /** The first answer stands; later ones have no effect. */
  answerChallenge({ registrationId }: Challenge, answer: 'succeeded' | 'failed'): void {
    this.statements.answerChallenge.run(answer, registrationId);
  }

  /** Only extends the time, and only while there is no answer. */
  prolongChallenge({ id }: RegistrationEntry, expiresAtMs: number): void {
    this.statements.prolongChallenge.run(expiresAtMs, id, expiresAtMs);
  }

  /** What will happen to the disputes of a capture; written with it. */
  addDisputes(registration: RegistrationEntry, changes: readonly PlannedChange[]): void {
    this.disputeBooks.add(registration, changes);
  }

  disputesOf(registration: RegistrationEntry, nowMs: number): readonly GatewayDispute[] {
    return reading(() => this.disputeBooks.disputesOf(registration, nowMs));
  }

  async disputeChanges(cursor: string | null, nowMs: number): Promise<DisputeChanges> {
    const { disputeBooks } = this;
    if (reading(() => disputeBooks.hasUnnumbered(nowMs))) await this.writes.run(() => disputeBooks.numberDue(nowMs));
    return reading(() => disputeBooks.changesAfter(cursor));
  }

  /** Executes what is waiting, then closes the file. */
  close(): void {
    if (!this.db.isOpen) return;
    this.writes.close();
    this.db.close();
  }

  private registrationAt(id: number): RegistrationEntry | null {
    const row = this.get('registration', id);
    return row === undefined ? null : registrationFrom(row);
  }

  private get(statement: keyof typeof SQL, key: string | number): Record<string, SQLOutputValue> | undefined {
    return reading(() => this.statements[statement].get(key));
  }
}

/** Constant time for values of equal length. */
function isEqual(stored: string, given: string): boolean {
  const [a, b] = [Buffer.from(stored), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Rewrites an existing value: the probe needs a transaction that changes the file. */
function touch(db: DatabaseSync): void {
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  db.exec(`PRAGMA user_version = ${version}`);
}

/** Amounts may exceed 2^53, so every integer is read as a bigint. */
function prepare(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new GatewayUnavailableError('The sandbox books cannot be read', { cause });
  }
}

function amountColumns({ amountMinor, currency }: GatewayAmount): [bigint, string] {
  return [amountMinor, currency];
}
