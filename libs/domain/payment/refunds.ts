import type { Failure, RefundRequested } from './events';
import type { Deferral, Origin } from './payment';

export interface Refund {
  readonly request: RefundRequested['data'];
  readonly amountMinor: bigint;
  readonly status: 'PENDING' | 'COMPLETED' | 'FAILED';
  readonly requestedAt: string;
  readonly origin: Origin;
  readonly failure: Failure | null;
  readonly deferral: Deferral | null;
}

/**
 * So many refunds a payment may have, failed ones included: every one makes the payment's stream, its read model and all
 * that is folded from it longer.
 */
export const MAX_REFUNDS = 100;

/**
 * The refunds of one payment. Never changed: putting one in gives a new book that shares all but a few dozen entries with
 * the old one, so that a stream with many refunds is folded in a time that grows with its length alone.
 */
export interface Refunds {
  readonly count: number;
  /** Of all that are pending, in minor units. */
  readonly reservedMinor: bigint;
  /** Of all that were completed, in minor units. */
  readonly refundedMinor: bigint;
  /** Only for the functions of this file. */
  readonly root: Branch;
}

/** A refund and its place in the order in which they were asked for. */
interface Entry {
  readonly refund: Refund;
  readonly place: number;
}

type Leaf = readonly Entry[];

/**
 * A tree by the characters of the ids, the last one first, as ids begin alike. A leaf that gets too full is split by the
 * next character, however alike somebody has made the ids: their keys are the client's choice.
 */
type Branch = ReadonlyMap<string, Branch | Leaf>;

const MAX_LEAF = 16;

export const NO_REFUNDS: Refunds = { count: 0, reservedMinor: 0n, refundedMinor: 0n, root: new Map() };

export function refundIn(refunds: Refunds, refundId: string): Refund | undefined {
  return entryIn(refunds.root, refundId)?.refund;
}

/** In the order in which they were asked for. */
export function* eachRefund(refunds: Refunds): IterableIterator<Refund> {
  const entries = [...entriesOf(refunds.root)].sort((one, other) => one.place - other.place);
  for (const { refund } of entries) yield refund;
}

/** With this refund, in the place of an earlier state of it. */
export function withRefund(refunds: Refunds, refund: Refund): Refunds {
  const known = entryIn(refunds.root, refund.request.refundId);
  const entry = { refund, place: known?.place ?? refunds.count };
  const change = (status: Refund['status']) => share(refund, status) - share(known?.refund, status);
  return {
    count: refunds.count + (known === undefined ? 1 : 0),
    reservedMinor: refunds.reservedMinor + change('PENDING'),
    refundedMinor: refunds.refundedMinor + change('COMPLETED'),
    root: grown(refunds.root, entry, 0),
  };
}

function share(refund: Refund | undefined, status: Refund['status']): bigint {
  return refund?.status === status ? refund.amountMinor : 0n;
}

function idOf({ refund }: Entry): string {
  return refund.request.refundId;
}

/** Empty beyond the id's beginning, where two ids of different lengths still differ. */
function letterOf(refundId: string, depth: number): string {
  return refundId.charAt(refundId.length - 1 - depth);
}

function isLeaf(node: Branch | Leaf): node is Leaf {
  return Array.isArray(node);
}

function entryIn(root: Branch, refundId: string): Entry | undefined {
  let node: Branch | Leaf | undefined = root;
  for (let depth = 0; node !== undefined && !isLeaf(node); depth += 1) node = node.get(letterOf(refundId, depth));
  return node?.find((entry) => idOf(entry) === refundId);
}

function grown(branch: Branch, entry: Entry, depth: number): Branch {
  const letter = letterOf(idOf(entry), depth);
  const child = branch.get(letter) ?? [];
  return new Map(branch).set(letter, isLeaf(child) ? added(child, entry, depth + 1) : grown(child, entry, depth + 1));
}

function added(leaf: Leaf, entry: Entry, depth: number): Branch | Leaf {
  const others = leaf.filter((other) => idOf(other) !== idOf(entry));
  if (others.length < MAX_LEAF) return [...others, entry];
  return [...others, entry].reduce<Branch>((branch, one) => grown(branch, one, depth), new Map());
}

function* entriesOf(node: Branch | Leaf): IterableIterator<Entry> {
  if (isLeaf(node)) yield* node;
  else for (const child of node.values()) yield* entriesOf(child);
}
