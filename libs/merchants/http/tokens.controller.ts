import {
  type AccessTokenDescription,
  IssueAccessTokenCommand,
  ListAccessTokensQuery,
  RevokeAccessTokenCommand,
} from '@app/merchants/commands';
import { type KnownUses, TokenUses } from '@app/merchants/commands/token-uses';
import type { Scope } from '@app/merchants/domain';
import { isoTime } from '@app/event-sourcing';
import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { Operator } from '@app/platform/http/authentication/access';
import { IssueTokenDto } from './issue-token.dto';
import { ApiError } from '@app/platform/http/errors/api-error';
import { type PageBody, pageOfAll } from '@app/platform/http/pages';
import { PageQuery } from '@app/platform/http/query-parameters';
import { seedOf } from '@app/platform/http/request-state';
import { noteMade, operatorContext } from '@app/platform/http/operator-context';
import { parseTime } from '@app/platform/http/times';
import { tokenNote } from './token-note';

/** A token without the token itself, which is shown only once, when it is issued. */
interface TokenBody {
  readonly tokenId: string;
  readonly name: string | null;
  readonly scopes: readonly Scope[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** To the minute; null if no use is known. */
  readonly lastUsedAt: string | null;
  /** Earlier uses are unknown; null while the read store is unavailable. */
  readonly usesKnownSince: string | null;
}

/** A new token, shown only once. */
type IssuedToken = Omit<TokenBody, 'revokedAt' | 'lastUsedAt' | 'usesKnownSince'> & {
  readonly accessToken: string;
  /** Warns of rights that the token has by default. */
  readonly note: string | null;
};

@Controller('admin/v1/merchants/:merchantId/tokens')
export class TokensController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly uses: TokenUses,
  ) {}

  /** Newest first, including revoked and expired tokens. */
  @Get()
  @Operator({ query: PageQuery })
  @Header('Cache-Control', 'no-store')
  async list(@Param('merchantId') merchantId: string, @Query() page: PageQuery): Promise<PageBody<TokenBody>> {
    const tokens = await this.queries.execute(new ListAccessTokensQuery(merchantId));
    if (tokens === null) throw new ApiError('MERCHANT_NOT_FOUND');
    const { items, nextCursor } = pageOfAll(`tokens/${merchantId}`, tokens, page, ({ tokenId }) => tokenId);
    const uses = await this.uses.of(items.map(({ tokenId }) => tokenId));
    return { items: items.map((token) => ({ ...presentToken(token), ...presentUse(token, uses) })), nextCursor };
  }

  @Post()
  @Operator({ body: IssueTokenDto, idempotencyKey: 'optional' })
  @Header('Cache-Control', 'no-store')
  async issue(
    @Param('merchantId') merchantId: string,
    @Body() { name, scopes, expiresAt }: IssueTokenDto,
    @Req() request: FastifyRequest,
  ): Promise<IssuedToken> {
    const expiresAtMs = expiresAt === undefined ? null : parseTime(expiresAt);
    const asked = { name, scopes, expiresAt: expiresAtMs === null ? undefined : isoTime(expiresAtMs) };
    const command = new IssueAccessTokenCommand(operatorContext(request), merchantId, asked, seedOf(request));
    const result = await this.commands.execute(command);
    if (result.kind === 'refused') {
      throw 'problems' in result ? new ApiError(result.code, { details: result.problems }) : refusalOf(result.code);
    }
    const { revokedAt: _live, ...token } = presentToken(result.token);
    noteMade(request, token.tokenId);
    return { ...token, accessToken: result.accessToken, note: tokenNote(token) };
  }

  @Delete(':tokenId')
  @HttpCode(204)
  @Operator()
  async revoke(
    @Param('merchantId') merchantId: string,
    @Param('tokenId') tokenId: string,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    const command = new RevokeAccessTokenCommand(operatorContext(request), merchantId, tokenId);
    const result = await this.commands.execute(command);
    if (result.kind === 'refused') throw new ApiError(result.code);
  }
}

function presentToken({ tokenId, name, scopes, issuedAt, expiresAt, revokedAt }: AccessTokenDescription) {
  return { tokenId, name, scopes, createdAt: issuedAt, expiresAt, revokedAt };
}

function presentUse({ tokenId, issuedAt }: AccessTokenDescription, { since, lastUsedAt }: KnownUses) {
  const usesKnownSince = since !== null && since < issuedAt ? issuedAt : since;
  return { lastUsedAt: lastUsedAt.get(tokenId) ?? null, usesKnownSince };
}

type IssueRefusal = 'MERCHANT_NOT_FOUND' | 'TOO_MANY_TOKENS' | 'TOKEN_WITHOUT_SCOPES' | 'TOKEN_EXPIRY_NOT_IN_FUTURE';

function refusalOf(code: IssueRefusal): ApiError {
  switch (code) {
    case 'MERCHANT_NOT_FOUND':
    case 'TOO_MANY_TOKENS':
      return new ApiError(code);
    case 'TOKEN_WITHOUT_SCOPES':
      return invalid('scopes', 'Give at least one scope.');
    case 'TOKEN_EXPIRY_NOT_IN_FUTURE':
      return invalid('expiresAt', 'This must be in the future.');
  }
}

function invalid(field: string, message: string): ApiError {
  return new ApiError('VALIDATION_FAILED', { details: [{ field, code: 'INVALID_FORMAT', message }] });
}
