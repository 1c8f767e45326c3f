import { RotateSecretCommand } from '@app/merchants/commands';
import type { SecretKind } from '@app/merchants/domain';
import { Controller, Header, HttpCode, Param, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { Operator } from '@app/platform/http/authentication/access';
import { ApiError } from '@app/platform/http/errors/api-error';
import { seedOf } from '@app/platform/http/request-state';
import { operatorContext } from '@app/platform/http/operator-context';

interface Rotated {
  readonly merchantId: string;
  /** The replaced secret remains valid until then. */
  readonly previousSecretExpiresAt: string;
}

/** Rotations: each response shows the new secret, only once. */
@Controller('admin/v1/merchants/:merchantId')
export class SecretsController {
  constructor(private readonly commands: CommandBus) {}

  @Post('signing-secret/rotate')
  @HttpCode(200)
  @Operator({ idempotencyKey: 'optional' })
  @Header('Cache-Control', 'no-store')
  async rotateSigningSecret(
    @Param('merchantId') merchantId: string,
    @Req() request: FastifyRequest,
  ): Promise<Rotated & { readonly signingSecret: string }> {
    const { secret: signingSecret, previousSecretExpiresAt } = await this.rotate(merchantId, 'signing', request);
    return { merchantId, signingSecret, previousSecretExpiresAt };
  }

  @Post('webhook-secret/rotate')
  @HttpCode(200)
  @Operator({ idempotencyKey: 'optional' })
  @Header('Cache-Control', 'no-store')
  async rotateWebhookSecret(
    @Param('merchantId') merchantId: string,
    @Req() request: FastifyRequest,
  ): Promise<Rotated & { readonly webhookSecret: string }> {
    const { secret: webhookSecret, previousSecretExpiresAt } = await this.rotate(merchantId, 'webhook', request);
    return { merchantId, webhookSecret, previousSecretExpiresAt };
  }

  private async rotate(merchantId: string, which: SecretKind, request: FastifyRequest) {
    const command = new RotateSecretCommand(operatorContext(request), merchantId, which, seedOf(request));
    const result = await this.commands.execute(command);
    if (result.kind === 'refused') throw new ApiError(result.code);
    return result;
  }
}
