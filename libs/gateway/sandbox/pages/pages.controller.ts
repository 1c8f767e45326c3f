import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

import { assert } from '@app/event-sourcing';

import { GatewayOutcomeUnknownError, GatewayUnavailableError } from '../../port';
import { SandboxChallenges } from '../challenges';
import type { ChallengePage } from '../challenges';
import { readDecision } from './form';
import { decisionPage, outcomePage, returnAnswer, unavailablePage, unknownPage } from './page';
import type { PageAnswer } from './page';

/** The patterns of the routes below: the token in them is all that is asked for. */
export const SANDBOX_PAGE_ROUTES = ['/sandbox/3ds/:token', '/sandbox/3ds/:token/form'];

/**
 * The sandbox issuer's 3DS step, as a page and as a plain form, each under its own token. The token is all that is asked for:
 * it is secret, and good for this one decision. Reading never changes anything.
 */
@Controller('sandbox/3ds')
export class SandboxPagesController {
  constructor(private readonly challenges: SandboxChallenges) {}

  @Get(':token')
  showPage(@Param('token') token: string, @Res() reply: FastifyReply): Promise<void> {
    return send(reply, async () => this.show('page', token));
  }

  @Get(':token/form')
  showForm(@Param('token') token: string, @Res() reply: FastifyReply): Promise<void> {
    return send(reply, async () => this.show('form', token));
  }

  @Post(':token')
  decideOnPage(@Param('token') token: string, @Body() body: unknown, @Res() reply: FastifyReply): Promise<void> {
    return send(reply, () => this.decide('page', token, body));
  }

  @Post(':token/form')
  decideOnForm(@Param('token') token: string, @Body() body: unknown, @Res() reply: FastifyReply): Promise<void> {
    return send(reply, () => this.decide('form', token, body));
  }

  private show(page: ChallengePage, token: string, problem: string | null = null): PageAnswer {
    const view = this.challenges.find(page, token);
    if (view === null) return unknownPage();
    return view.state === 'pending' ? decisionPage(page, view, problem) : outcomePage(view, view.state);
  }

  /** A second answer, from a double click or from the other page, leads where the first one led. */
  private async decide(page: ChallengePage, token: string, body: unknown): Promise<PageAnswer> {
    const decision = readDecision(body);
    if (decision === null) return this.show(page, token, 'Please choose one of the two buttons.');
    const view = await this.challenges.answer(page, token, decision);
    if (view === null) return unknownPage();
    assert(view.state !== 'pending', 'An answered challenge is not pending');
    const isOver = view.state === 'expired' || view.state === 'cancelled';
    const sentBack = isOver ? null : returnAnswer(view, view.state);
    return sentBack ?? outcomePage(view, view.state);
  }
}

/** The customer sees a page also when the books are out of reach. */
async function send(reply: FastifyReply, make: () => Promise<PageAnswer>): Promise<void> {
  const { status, headers, body } = await make().catch((error: unknown) => {
    if (error instanceof GatewayUnavailableError || error instanceof GatewayOutcomeUnknownError)
      return unavailablePage();
    throw error;
  });
  await reply.code(status).headers(headers).send(body);
}
