import { Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { GatewayProtocol, type Operation } from './protocol';

/** The patterns of the routes below. They are public: each request carries a signature that is checked here. */
export const GATEWAY_PROTOCOL_ROUTES = [
  '/v1/registrations',
  '/v1/registrations/:gatewayReference/challenge',
  '/v1/registrations/:gatewayReference/disputes',
  '/v1/authorizations',
  '/v1/captures',
  '/v1/voids',
  '/v1/refunds',
  '/v1/transactions/:reference',
  '/v1/disputes',
];

/** The protocol's routes. Bodies must arrive as raw bytes, because signatures cover them. */
@Controller('v1')
export class GatewayProtocolController {
  constructor(private readonly protocol: GatewayProtocol) {}

  @Post('registrations')
  register(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle({ name: 'register' }, request, reply);
  }

  @Get('registrations/:gatewayReference/challenge')
  challenge(
    @Param('gatewayReference') argument: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.handle({ name: 'challenge', argument }, request, reply);
  }

  @Post('authorizations')
  authorize(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle({ name: 'authorize' }, request, reply);
  }

  @Post('captures')
  capture(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle({ name: 'capture' }, request, reply);
  }

  @Post('voids')
  void(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle({ name: 'void' }, request, reply);
  }

  @Post('refunds')
  refund(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle({ name: 'refund' }, request, reply);
  }

  @Get('transactions/:reference')
  inquire(
    @Param('reference') argument: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.handle({ name: 'inquire', argument }, request, reply);
  }

  @Get('registrations/:gatewayReference/disputes')
  disputesOf(
    @Param('gatewayReference') argument: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.handle({ name: 'disputesOf', argument }, request, reply);
  }

  @Get('disputes')
  disputeChanges(
    @Query('after') after: string | readonly string[] | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    // Given twice, it is an array, which is no identifier.
    return this.handle({ name: 'disputeChanges', after: after === undefined ? null : String(after) }, request, reply);
  }

  private async handle(operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const gone = callerGone(request, reply);
    const { method, url = '', headers } = request.raw;
    const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
    const incoming = { method: method ?? '', path: url, headers, body };
    const answer = await this.protocol.answer(operation, incoming, gone);
    await reply.code(answer.status).headers(answer.headers).send(answer.body);
  }
}

/**
 * Aborts when nobody waits for the answer any more. A caller that gives up closes the connection; the server only sees
 * the end of incoming data and treats it as a close: no caller half-closes and still reads the answer.
 */
function callerGone({ raw }: FastifyRequest, reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const giveUp = () => gone.abort();
  raw.socket.once('end', giveUp);
  reply.raw.once('close', () => {
    raw.socket.off('end', giveUp);
    giveUp();
  });
  return gone.signal;
}
