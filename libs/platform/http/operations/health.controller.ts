import { BUILD_INFO, type BuildInfo } from '@app/platform/configuration';
import { HealthRegistry } from '@app/platform/telemetry';
import { Controller, Get, Header, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Public } from '../authentication/access';

interface ReadinessBody extends BuildInfo {
  readonly status: 'ready' | 'not ready';
  readonly reasons: readonly { readonly name: string; readonly reason: string }[];
}

@Controller('health')
export class HealthController {
  constructor(private readonly health: HealthRegistry) {}

  /** Liveness: if there is no answer, restart the process. */
  @Get('live')
  @Public()
  @Header('Cache-Control', 'no-store')
  live(): { readonly status: 'live' } & BuildInfo {
    return { status: 'live', ...BUILD_INFO };
  }

  /** Readiness: whether requests should be sent here. */
  @Get('ready')
  @Public()
  @Header('Cache-Control', 'no-store')
  ready(@Res({ passthrough: true }) reply: FastifyReply): ReadinessBody {
    const { ready, reasons } = this.health.readiness();
    if (!ready) reply.code(503);
    return { status: ready ? 'ready' : 'not ready', reasons, ...BUILD_INFO };
  }
}
