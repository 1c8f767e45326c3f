import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { GatewayOutcomeUnknownError, GatewayUnavailableError } from '../../port';
import { SandboxChallenges } from '../challenges';
import type { ChallengePage } from '../challenges';
import type { PageAnswer } from './document';
import { readDecision } from './form';
import { textsFor } from './languages';
import { decisionPage, outcomePage, returnAnswer, unavailablePage, unknownPage } from './page';
import type { Texts } from './texts/texts';

/** The patterns of the routes below; the token in them is the only credential. */
export const SANDBOX_PAGE_ROUTES = ['/sandbox/3ds/:token', '/sandbox/3ds/:token/form'];

/**
 * The sandbox issuer's 3DS step, as a page and as a plain form, each with its own token. The token is the only
 * credential: it is secret, and valid for this one decision. GET never changes anything.
 */
@Controller('sandbox/3ds')
export class SandboxPagesController {
  constructor(private readonly challenges: SandboxChallenges) {}

  @Get(':token')
  showPage(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return send(request, reply, async (texts) => this.show(texts, 'page', token, checksIn(request)));
  }

  @Get(':token/form')
  showForm(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return send(request, reply, async (texts) => this.show(texts, 'form', token, checksIn(request)));
  }

  @Post(':token')
  decideOnPage(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return send(request, reply, (texts) => this.decide(texts, 'page', token, request.body));
  }

  @Post(':token/form')
  decideOnForm(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return send(request, reply, (texts) => this.decide(texts, 'form', token, request.body));
  }

  private show(texts: Texts, page: ChallengePage, token: string, checks: number): PageAnswer {
    const view = this.challenges.find(page, token);
    if (view === null) return unknownPage(texts);
    return view.state === 'pending' ? decisionPage(texts, page, view) : outcomePage(texts, view, view.state, checks);
  }

  /** A second answer, from a double click or from the other page, leads to the same place as the first. */
  private async decide(texts: Texts, page: ChallengePage, token: string, body: unknown): Promise<PageAnswer> {
    const decision = readDecision(body);
    const view =
      decision === null ? this.challenges.find(page, token) : await this.challenges.answer(page, token, decision);
    if (view === null) return unknownPage(texts);
    if (view.state === 'pending') return decisionPage(texts, page, view, texts.chooseOne);
    const isOver = view.state === 'expired' || view.state === 'cancelled';
    const sentBack = isOver || decision === null ? null : returnAnswer(texts, view, view.state);
    return sentBack ?? outcomePage(texts, view, view.state);
  }
}

/** How many times the page has reloaded, counted in its own URL. */
function checksIn({ query }: FastifyRequest): number {
  const { checks } = query as Readonly<Record<string, unknown>>;
  return typeof checks === 'string' && /^[0-9]{1,2}$/.test(checks) ? Number(checks) : 0;
}

/** Shows a page even if the books are unavailable. */
async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  make: (texts: Texts) => Promise<PageAnswer>,
): Promise<void> {
  const texts = textsFor(request.headers['accept-language']);
  const { status, headers, body } = await make(texts).catch((error: unknown) => {
    if (error instanceof GatewayUnavailableError || error instanceof GatewayOutcomeUnknownError)
      return unavailablePage(texts);
    throw error;
  });
  await reply.code(status).headers(headers).send(body);
}
