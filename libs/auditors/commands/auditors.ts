import { hash } from 'node:crypto';
import { type Auditor, auditorDecider, auditorStreamId, isAuditorId } from '@app/auditors/domain';
import { containsCardNumber } from '@app/cards';
import {
  assert,
  Clock,
  type CommandContext,
  CommandHandling,
  isoTime,
  Random,
  uuidToBase32,
} from '@app/event-sourcing';
import type { RequestSeed } from '@app/platform/asker';
import type { FieldProblem } from '@app/platform/outcome';
import { Command, CommandHandler, type ICommandHandler, type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { ListedAuditor } from './auditor-index';
import { AuditorDirectory } from './directory';

const SECRET_BYTES = 32;

/** An auditor without the token, which is not stored. */
export type AuditorDescription = Omit<Auditor, 'tokenHash'>;

export type RegisterAuditorResult =
  | { readonly kind: 'done'; readonly auditorToken: string; readonly auditor: AuditorDescription }
  | { readonly kind: 'refused'; readonly problems: readonly FieldProblem[] };

export class RegisterAuditorCommand extends Command<RegisterAuditorResult> {
  constructor(
    readonly context: CommandContext,
    readonly name: string,
    /** RFC 3339 UTC with milliseconds. */
    readonly expiresAt: string,
    readonly seed: RequestSeed | null = null,
  ) {
    super();
  }
}

/** Registers an auditor with its token; only the response holds that in clear. */
@CommandHandler(RegisterAuditorCommand)
export class RegisterAuditorHandler implements ICommandHandler<RegisterAuditorCommand> {
  constructor(
    private readonly handling: CommandHandling,
    private readonly random: Random,
    private readonly clock: Clock,
    private readonly directory: AuditorDirectory,
  ) {}

  /** @throws EventStoreUnavailableError: the outcome is unknown, and the token is lost. */
  async execute({ context, name, expiresAt, seed }: RegisterAuditorCommand): Promise<RegisterAuditorResult> {
    if (containsCardNumber(name)) return refused('name', 'CARD_DATA_NOT_ALLOWED', 'This holds a card number.');
    const random = seed?.random ?? this.random;
    const auditorId = `aud_${uuidToBase32(random.uuid())}`;
    const auditorToken = `cfa_${Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url')}`;
    const tokenHash = hash('sha256', auditorToken, 'hex');
    const now = isoTime(this.clock.nowMs());
    const command = { type: 'RegisterAuditor', auditorId, name, tokenHash, expiresAt, now } as const;
    const handled = await this.handling.handle(auditorDecider, auditorStreamId(auditorId), command, context);
    if (handled.kind === 'rejected') {
      if (handled.rejection === 'EXPIRY_TOO_FAR')
        return refused('expiresAt', 'INVALID_FORMAT', 'At most 366 days ahead.');
      assert(handled.rejection === 'EXPIRY_NOT_IN_FUTURE', `a registration was refused with ${handled.rejection}`);
      return refused('expiresAt', 'INVALID_FORMAT', 'This must be in the future.');
    }
    await this.directory.refreshBestEffort();
    assert(handled.loaded.state, 'an auditor who was registered is there');
    return { kind: 'done', auditorToken, auditor: descriptionOf(handled.loaded.state) };
  }
}

function refused(field: string, code: FieldProblem['code'], message: string): RegisterAuditorResult {
  return { kind: 'refused', problems: [{ field, code, message }] };
}

export class RevokeAuditorCommand extends Command<'done' | 'AUDITOR_NOT_FOUND'> {
  constructor(
    readonly context: CommandContext,
    readonly auditorId: string,
  ) {
    super();
  }
}

/** Repeating it changes nothing. Once this is answered, this process no longer accepts the token. */
@CommandHandler(RevokeAuditorCommand)
export class RevokeAuditorHandler implements ICommandHandler<RevokeAuditorCommand> {
  constructor(
    private readonly handling: CommandHandling,
    private readonly directory: AuditorDirectory,
  ) {}

  /** @throws EventStoreUnavailableError: the outcome is unknown and the token may still be accepted; repeat it. */
  async execute({ context, auditorId }: RevokeAuditorCommand): Promise<'done' | 'AUDITOR_NOT_FOUND'> {
    if (!isAuditorId(auditorId)) return 'AUDITOR_NOT_FOUND';
    const streamId = auditorStreamId(auditorId);
    const handled = await this.handling.handle(auditorDecider, streamId, { type: 'RevokeAuditor' }, context);
    if (handled.kind === 'rejected') {
      assert(handled.rejection === 'AUDITOR_NOT_FOUND', `a revocation was refused with ${handled.rejection}`);
      return handled.rejection;
    }
    await this.directory.refresh();
    return 'done';
  }
}

/** All auditors, unordered, damaged ones too. */
export class ListAuditorsQuery extends Query<readonly ListedAuditor[]> {}

@QueryHandler(ListAuditorsQuery)
export class ListAuditorsHandler implements IQueryHandler<ListAuditorsQuery> {
  constructor(private readonly directory: AuditorDirectory) {}

  /** @throws EventStoreUnavailableError */
  async execute(): Promise<readonly ListedAuditor[]> {
    await this.directory.refresh();
    return this.directory.listed();
  }
}

/** Null if there is no such auditor. */
export class DescribeAuditorQuery extends Query<AuditorDescription | null> {
  constructor(readonly auditorId: string) {
    super();
  }
}

@QueryHandler(DescribeAuditorQuery)
export class DescribeAuditorHandler implements IQueryHandler<DescribeAuditorQuery> {
  constructor(private readonly handling: CommandHandling) {}

  /** @throws EventStoreUnavailableError, DamagedHistoryError */
  async execute({ auditorId }: DescribeAuditorQuery): Promise<AuditorDescription | null> {
    if (!isAuditorId(auditorId)) return null;
    const { state } = await this.handling.loadExisting(auditorDecider, auditorStreamId(auditorId));
    return state && descriptionOf(state);
  }
}

function descriptionOf({ tokenHash: _hash, ...description }: Auditor): AuditorDescription {
  return description;
}
