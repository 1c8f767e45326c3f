import { type Comparison, compareProjection, MAX_DIFFERENCES } from '@app/audit/comparison/compare-projection';
import type { Difference } from '@app/audit/comparison/difference';
import { PROJECTIONS } from '@app/audit/projections';
import {
  type EventStore,
  type Projection,
  type ReadStoreInspection,
  ReadStoreUnavailableError,
} from '@app/event-sourcing';
import { Partitions } from '@app/projections/partitions';
import { skippedEvents } from '@app/projections/skipped-events';
import { type Lag, lagBehind, MAX_EVENTS_COUNTED } from '@app/projections/state-metrics';
import { FollowedEventStore, nextTurn } from '@app/stores/sqlite';
import { readArguments } from '../arguments';
import { CliError, EXIT } from '../cli-error';
import { grouped } from '../table';
import type { AuditContext } from '.';
import { LOG_HELP, LOG_OPTION } from './open-log';
import { openReadModels, partitionCount, READ_MODELS_HELP } from './open-read-models';
import { readingLog } from './reading-log';

export const COMPARE_USAGE = `  counterfoil audit compare [--log <folder|url>] [--json]
      Compares all read models with the log, document by document, and names each difference: what the log gives, and what the read
      store has. Lag is no difference. Ends with code 0 if all are the same, 4 if any differs, 1 if any could not be compared.`;

/** Characters of documents in memory at once: with their overhead, about 300 MB. */
const MAX_SIZE = 64 * 1024 * 1024;

interface Compared {
  readonly projection: string;
  readonly comparison: Comparison;
  readonly lag: Lag | null;
}

/** @throws CliError */
export async function compareCommand(args: readonly string[], context: AuditContext): Promise<void> {
  const help = `Usage:\n${COMPARE_USAGE}\n\n${LOG_HELP}\n${READ_MODELS_HELP}`;
  const { values } = readArguments(args, { ...LOG_OPTION, json: { type: 'boolean' } } as const, [], help);
  const partitions = new Partitions(partitionCount(context));
  const units = PROJECTIONS.flatMap((projection) => partitions.of(projection));
  const inspection = await openReadModels(context);
  const all: Compared[] = [];
  try {
    await readingLog(values.log, context, async (eventStore) => {
      for (const unit of units) {
        const compared = await compareUnit(unit, { eventStore, inspection }, context);
        all.push(compared);
        if (values.json !== true) context.output.line(describe(compared));
      }
    });
  } catch (error) {
    if (!(error instanceof ReadStoreUnavailableError)) throw error;
    throw new CliError(`The read models can't be read: ${error.message}`, EXIT.unreachable);
  } finally {
    await inspection.close();
  }
  if (values.json === true) context.output.line(JSON.stringify(all.map(jsonOf), null, 2));
  conclude(all);
}

async function compareUnit(
  unit: Projection,
  { eventStore, inspection }: { readonly eventStore: EventStore; readonly inspection: ReadStoreInspection },
  { clock, output }: AuditContext,
): Promise<Compared> {
  let pieces = 0;
  const rest = async () => {
    pieces += 1;
    if (output.isTerminal && pieces % 100 === 0)
      output.transient(`${unit.name}: comparing${'.'.repeat((pieces / 100) % 4)}`);
    await nextTurn();
  };
  const comparison = await compareProjection(unit, {
    eventStore,
    inspection,
    clock,
    maxSize: MAX_SIZE,
    rest,
    skipped: (projection) => skippedEvents(eventStore, projection),
    lookAgain: () => (eventStore instanceof FollowedEventStore ? eventStore.lookAgain() : undefined),
  });
  if (comparison.kind !== 'compared') return { projection: unit.name, comparison, lag: null };
  const { active } = await inspection.versions(unit.name);
  return { projection: unit.name, comparison, lag: await lagBehind(unit, active, { eventStore, clock }) };
}

function describe({ projection, comparison, lag }: Compared): string {
  if (comparison.kind === 'not comparable') return `${projection}: not compared, because ${comparison.why}`;
  const { documents, differences, count } = comparison;
  const verdict =
    count === 0 ? 'as the log gives them' : `${grouped(count)} ${count === 1 ? 'difference' : 'differences'}`;
  const more = count > MAX_DIFFERENCES ? [`  and ${grouped(count - MAX_DIFFERENCES)} more`] : [];
  const title = `${projection}: ${grouped(documents)} documents, ${verdict}${lagText(lag)}`;
  return [title, ...differences.map((difference) => `  ${differenceText(difference)}`), ...more].join('\n');
}

function lagText(lag: Lag | null): string {
  if (lag === null || lag.events === 0) return '';
  const atLeast = lag.events === MAX_EVENTS_COUNTED ? 'at least ' : '';
  return `; ${atLeast}${grouped(lag.events)} events behind the log, which is no difference`;
}

function differenceText({ collection, key, kind, field, expected, found }: Difference): string {
  const place = `${collection} ${key}: ${kind}${field === '' ? '' : ` ${field}`}`;
  if (kind !== 'field') return place;
  return `${place}: the log gives ${JSON.stringify(expected) ?? 'none'}, the read store has ${JSON.stringify(found) ?? 'none'}`;
}

function jsonOf({ projection, comparison, lag }: Compared): object {
  if (comparison.kind === 'not comparable') return { projection, compared: false, why: comparison.why };
  const { version, documents, count, differences } = comparison;
  const position = version.checkpoint === null ? null : String(version.checkpoint.position);
  const told = { projection, compared: true, version: version.version, position, documents };
  return { ...told, lagEvents: lag?.events ?? 0, differenceCount: count, differences };
}

/** @throws CliError unless everything was compared and is the same. */
function conclude(all: readonly Compared[]): void {
  const differing = all.filter(({ comparison }) => comparison.kind === 'compared' && comparison.count > 0);
  if (differing.length > 0) {
    const names = differing.map(({ projection }) => projection).join(', ');
    throw new CliError(
      `Not as the log gives them: ${names}. The log is right: counterfoil projections rebuild makes them anew.`,
      EXIT.differs,
    );
  }
  if (all.some(({ comparison }) => comparison.kind === 'not comparable')) {
    throw new CliError('Not everything could be compared.', EXIT.failed);
  }
}
