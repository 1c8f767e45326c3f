import { join } from 'node:path';
import type { Configuration } from '@app/platform/configuration';
import {
  GATEWAY_CALLBACK_ROUTES,
  GatewayCallbacks,
  GatewayCallbacksModule,
  type GatewayNotices,
  HttpGateway,
  type PaymentGateway,
  SANDBOX_PAGE_ROUTES,
  SandboxGateway,
  SandboxPagesModule,
} from '@app/gateway';
import type { Clock, Random } from '@app/event-sourcing';
import type { DynamicModule } from '@nestjs/common';

/** The configured gateway, with what it needs from the process that serves HTTP. */
export interface OpenedGateway {
  readonly gateway: PaymentGateway;
  /** Its notices, in the process that has the module below. */
  readonly notices: GatewayNotices;
  /** Serves the sandbox's pages, or receives another gateway's callbacks. */
  readonly module: DynamicModule;
  /** Patterns of the module's routes, which need no token. */
  readonly publicRoutes: readonly string[];
  /** Why cards cannot be accepted, without secrets; null if they can. Never waits. */
  problem(): string | null;
  close(): Promise<void>;
}

/** `publicUrl` is called for each URL of the sandbox's pages. */
export function openGateway(
  { gateway: remote, dataDir, mode }: Configuration,
  { clock, random, publicUrl }: { readonly clock: Clock; readonly random: Random; readonly publicUrl: () => string },
): OpenedGateway {
  if (remote === null) {
    const sandbox = SandboxGateway.open({ file: join(dataDir, 'gateway.sqlite'), publicUrl, clock, random });
    return {
      gateway: sandbox,
      notices: sandbox.notices,
      module: SandboxPagesModule.of(sandbox.challenges),
      publicRoutes: SANDBOX_PAGE_ROUTES,
      problem: () => sandbox.problem(),
      close: () => sandbox.close(),
    };
  }
  const secret = remote.secret.reveal();
  const gateway = new HttpGateway({ url: remote.url, secret, allowsSandbox: mode === 'development', clock, random });
  const callbacks = new GatewayCallbacks({ secret, clock });
  return {
    gateway,
    notices: callbacks,
    module: GatewayCallbacksModule.of(callbacks),
    publicRoutes: GATEWAY_CALLBACK_ROUTES,
    problem: () => gateway.problem(),
    close: () => gateway.close(),
  };
}
