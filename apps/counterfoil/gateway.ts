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

/** The gateway that the configuration names, with what it needs of the process that serves HTTP. */
export interface OpenedGateway {
  readonly gateway: PaymentGateway;
  /** What is heard of it in the process that has the module below. */
  readonly notices: GatewayNotices;
  /** The sandbox's pages, or where another gateway's callbacks come in. */
  readonly module: DynamicModule;
  /** The patterns of the module's routes, which need no token. */
  readonly publicRoutes: readonly string[];
  /** Why no card can be taken, in words that anybody may read; null when all is well. Answers at once. */
  problem(): string | null;
  close(): Promise<void>;
}

/** `publicUrl` is asked for with each address of the sandbox's pages. */
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
