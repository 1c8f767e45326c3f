import {
  type AccessToken,
  isMerchantId,
  merchantDecider,
  type MerchantRejection,
  merchantStreamId,
  type Scope,
} from '@app/merchants/domain';
import { assert, Clock, type CommandContext, CommandHandling, isoTime, Random } from '@app/event-sourcing';
import { Command, CommandHandler, type ICommandHandler, type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { RequestSeed } from '@app/platform/asker';
import { cardDataRefusal, type CardDataRefused } from './card-data';
import { makeAccessToken, newToken } from './credentials';
import { MerchantDirectory } from './directory';

/** An access token as the operator sees it: without the token itself, which is not stored. */
export type AccessTokenDescription = Omit<AccessToken, 'tokenHash'>;

export interface IssueAccessTokenRequest {
  readonly name?: string | undefined;
  /** All scopes when absent. */
  readonly scopes?: readonly Scope[] | undefined;
  /** RFC 3339 UTC with milliseconds; when absent, the token is valid until it is revoked. */
  readonly expiresAt?: string | undefined;
}

export type IssueAccessTokenResult =
  | { readonly kind: 'done'; readonly accessToken: string; readonly token: AccessTokenDescription }
  | {
      readonly kind: 'refused';
      readonly code: 'MERCHANT_NOT_FOUND' | 'TOKEN_EXPIRY_NOT_IN_FUTURE' | 'TOKEN_WITHOUT_SCOPES' | 'TOO_MANY_TOKENS';
    }
  | CardDataRefused;

export class IssueAccessTokenCommand extends Command<IssueAccessTokenResult> {
  constructor(
    readonly context: CommandContext,
    readonly merchantId: string,
    readonly request: IssueAccessTokenRequest,
    readonly seed: RequestSeed | null = null,
  ) {
    super();
  }
}

/** Issues an additional token; only the response holds it in clear. It is valid at once in this process. */
@CommandHandler(IssueAccessTokenCommand)
export class IssueAccessTokenHandler implements ICommandHandler<IssueAccessTokenCommand> {
  constructor(
    private readonly handling: CommandHandling,
    private readonly random: Random,
    private readonly clock: Clock,
    private readonly directory: MerchantDirectory,
  ) {}

  /** @throws EventStoreUnavailableError: the outcome is unknown, and the token is lost. */
  async execute({ context, merchantId, request, seed }: IssueAccessTokenCommand): Promise<IssueAccessTokenResult> {
    if (!isMerchantId(merchantId)) return { kind: 'refused', code: 'MERCHANT_NOT_FOUND' };
    const { scopes, expiresAt = null, name } = request;
    const refused = cardDataRefusal({ name });
    if (refused !== null) return refused;
    const random = seed?.random ?? this.random;
    const accessToken = makeAccessToken(random);
    const token = newToken(random, accessToken, {
      ...(scopes === undefined ? {} : { scopes }),
      expiresAt,
      name: name ?? null,
    });
    const command = { type: 'IssueAccessToken', token, now: isoTime(this.clock.nowMs()) } as const;
    const handled = await this.handling.handle(merchantDecider, merchantStreamId(merchantId), command, context);
    if (handled.kind === 'rejected') return { kind: 'refused', code: issueRefusal(handled.rejection) };
    await this.directory.refreshBestEffort();
    const issued = handled.loaded.state?.tokens[token.tokenId];
    assert(issued, 'a token that was issued is in the state after it');
    return { kind: 'done', accessToken, token: descriptionOf(issued) };
  }
}

function issueRefusal(rejection: MerchantRejection) {
  switch (rejection) {
    case 'MERCHANT_NOT_FOUND':
    case 'TOKEN_EXPIRY_NOT_IN_FUTURE':
    case 'TOKEN_WITHOUT_SCOPES':
    case 'TOO_MANY_TOKENS':
      return rejection;
    default:
      assert(false, `a new token was refused with ${rejection}`);
  }
}

export type RevokeAccessTokenResult =
  { readonly kind: 'done' } | { readonly kind: 'refused'; readonly code: 'MERCHANT_NOT_FOUND' | 'TOKEN_NOT_FOUND' };

export class RevokeAccessTokenCommand extends Command<RevokeAccessTokenResult> {
  constructor(
    readonly context: CommandContext,
    readonly merchantId: string,
    readonly tokenId: string,
  ) {
    super();
  }
}

/** Revokes a token; repeating it changes nothing. Once this is answered, this process no longer accepts the token. */
@CommandHandler(RevokeAccessTokenCommand)
export class RevokeAccessTokenHandler implements ICommandHandler<RevokeAccessTokenCommand> {
  constructor(
    private readonly handling: CommandHandling,
    private readonly directory: MerchantDirectory,
  ) {}

  /**
   * @throws EventStoreUnavailableError: the outcome is unknown and the token may still be accepted; repeat the command.
   */
  async execute({ context, merchantId, tokenId }: RevokeAccessTokenCommand): Promise<RevokeAccessTokenResult> {
    if (!isMerchantId(merchantId)) return { kind: 'refused', code: 'MERCHANT_NOT_FOUND' };
    const command = { type: 'RevokeAccessToken', tokenId } as const;
    const handled = await this.handling.handle(merchantDecider, merchantStreamId(merchantId), command, context);
    if (handled.kind === 'rejected') {
      const { rejection } = handled;
      assert(
        rejection === 'MERCHANT_NOT_FOUND' || rejection === 'TOKEN_NOT_FOUND',
        `a revocation was refused with ${rejection}`,
      );
      return { kind: 'refused', code: rejection };
    }
    await this.directory.refresh();
    return { kind: 'done' };
  }
}

/** All tokens that the merchant ever had, newest first; null for an unknown merchant. */
export class ListAccessTokensQuery extends Query<readonly AccessTokenDescription[] | null> {
  constructor(readonly merchantId: string) {
    super();
  }
}

@QueryHandler(ListAccessTokensQuery)
export class ListAccessTokensHandler implements IQueryHandler<ListAccessTokensQuery> {
  constructor(private readonly handling: CommandHandling) {}

  /** @throws EventStoreUnavailableError */
  async execute({ merchantId }: ListAccessTokensQuery): Promise<readonly AccessTokenDescription[] | null> {
    if (!isMerchantId(merchantId)) return null;
    const { state } = await this.handling.load(merchantDecider, merchantStreamId(merchantId));
    return state === null ? null : Object.values(state.tokens).map(descriptionOf).reverse();
  }
}

function descriptionOf({ tokenHash: _hash, ...description }: AccessToken): AccessTokenDescription {
  return description;
}
