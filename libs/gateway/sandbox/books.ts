import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';

import { type Clock, WriteWatch } from '@app/kernel';

import { GatewayUnavailableError } from '../port';
import type { GatewayAmount } from '../port';
import { openBooksFile } from './books-file';
import { challengeFrom, registrationFrom, transactionFrom, verdictColumns } from './entries';
import type { Challenge, RegistrationEntry, TransactionEntry } from './entries';
import { GroupCommit } from './group-commit';

const SQL = {
  registration: 'SELECT * FROM registrations WHERE gateway_reference = ?',
  challenge: 'SELECT * FROM challenges WHERE gateway_reference = ?',
  challengeByPageToken: 'SELECT * FROM challenges WHERE page_token = ?',
  challengeByFormToken: 'SELECT * FROM challenges WHERE form_token = ?',
  transaction: 'SELECT * FROM transactions WHERE reference = ?',
  transactionsOf: 'SELECT * FROM transactions WHERE gateway_reference = ? ORDER BY recorded_at_ms, reference',
  addRegistration: `INSERT INTO registrations
    (gateway_reference, payment_id, scenario, amount_minor, currency, registered_at_ms) VALUES (?, ?, ?, ?, ?, ?)`,
  addChallenge: `INSERT INTO challenges
    (gateway_reference, page_token, form_token, public_url, merchant_name, order_id, return_url, expires_at_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  addTransaction: `INSERT INTO transactions
    (reference, gateway_reference, kind, amount_minor, currency, recorded_at_ms,
     verdict, decline_code, response_code, response_message, settles_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  closeRegistration: 'UPDATE registrations SET closed = 1 WHERE gateway_reference = ?',
  answerChallenge: 'UPDATE challenges SET answer = ? WHERE gateway_reference = ? AND answer IS NULL',
  prolongChallenge: `UPDATE challenges SET expires_at_ms = ?
    WHERE gateway_reference = ? AND answer IS NULL AND expires_at_ms < ?`,
} as const;

/**
 * The sandbox's books: registrations, challenges and transactions. Writing methods belong inside `writes.run`; nothing is
 * ever deleted, and only a registration's closing and a challenge's answer or end are ever changed.
 */
export class Books {
  /** The one way to write. */
  readonly writes: GroupCommit;
  private readonly statements: Readonly<Record<keyof typeof SQL, StatementSync>>;

  private readonly watch: WriteWatch;

  constructor(
    private readonly db: DatabaseSync,
    clock: Clock,
  ) {
    this.writes = new GroupCommit(db, (written) => (written ? this.watch.succeeded() : this.watch.failed()));
    this.watch = new WriteWatch(clock, () => this.writes.run(() => db.exec('PRAGMA user_version = 0')));
    this.statements = Object.fromEntries(
      Object.entries(SQL).map(([name, sql]) => [name, prepare(db, sql)]),
    ) as typeof this.statements;
  }

  static open(file: string, clock: Clock, busyTimeoutMs?: number): Books {
    return new Books(openBooksFile(file, busyTimeoutMs), clock);
  }

  /** Whether the latest transaction could not be written. Answers at once. */
  get failing(): boolean {
    return this.watch.failing;
  }

  registration(gatewayReference: string): RegistrationEntry | null {
    const row = this.get('registration', gatewayReference);
    return row === undefined ? null : registrationFrom(row);
  }

  challenge(gatewayReference: string): Challenge | null {
    const row = this.get('challenge', gatewayReference);
    return row === undefined ? null : challengeFrom(row);
  }

  challengeByToken(column: 'pageToken' | 'formToken', token: string): Challenge | null {
    const row = this.get(column === 'pageToken' ? 'challengeByPageToken' : 'challengeByFormToken', token);
    return row === undefined ? null : challengeFrom(row);
  }

  transaction(reference: string): TransactionEntry | null {
    const row = this.get('transaction', reference);
    return row === undefined ? null : transactionFrom(row);
  }

  transactionsOf(gatewayReference: string): TransactionEntry[] {
    return reading(() => this.statements.transactionsOf.all(gatewayReference)).map(transactionFrom);
  }

  addRegistration(entry: RegistrationEntry): void {
    this.statements.addRegistration.run(
      entry.gatewayReference,
      entry.paymentId,
      entry.scenario,
      ...amountColumns(entry.amount),
      entry.registeredAtMs,
    );
  }

  addChallenge(challenge: Challenge): void {
    this.statements.addChallenge.run(
      challenge.gatewayReference,
      challenge.pageToken,
      challenge.formToken,
      challenge.publicUrl,
      challenge.merchantName,
      challenge.orderId,
      challenge.returnUrl,
      challenge.expiresAtMs,
    );
  }

  addTransaction(entry: TransactionEntry): void {
    this.statements.addTransaction.run(
      entry.reference,
      entry.gatewayReference,
      entry.kind,
      ...amountColumns(entry.amount),
      entry.recordedAtMs,
      ...verdictColumns(entry.verdict),
    );
  }

  /** Nothing but refunds and repeated answers comes out of a closed registration. */
  closeRegistration(gatewayReference: string): void {
    this.statements.closeRegistration.run(gatewayReference);
  }

  /** The first answer stands; a later one changes nothing. */
  answerChallenge(gatewayReference: string, answer: 'succeeded' | 'failed'): void {
    this.statements.answerChallenge.run(answer, gatewayReference);
  }

  /** An end only ever moves back, and none that was reached with an answer moves at all. */
  prolongChallenge(gatewayReference: string, expiresAtMs: number): void {
    this.statements.prolongChallenge.run(expiresAtMs, gatewayReference, expiresAtMs);
  }

  /** Carries out what is waiting, then closes the file. */
  close(): void {
    if (!this.db.isOpen) return;
    this.writes.close();
    this.db.close();
  }

  private get(statement: keyof typeof SQL, key: string): Record<string, SQLOutputValue> | undefined {
    return reading(() => this.statements[statement].get(key));
  }
}

/** Amounts go beyond 2^53, so every integer is read as a bigint. */
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
