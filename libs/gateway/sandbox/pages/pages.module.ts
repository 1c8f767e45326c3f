import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';

import { SandboxChallenges } from '../challenges';
import { SandboxPagesController } from './pages.controller';

/** The pages of `redirectUrl` and `fallbackUrl`; for the process that serves `publicUrl`. */
@Module({})
export class SandboxPagesModule {
  static of(challenges: SandboxChallenges): DynamicModule {
    return {
      module: SandboxPagesModule,
      controllers: [SandboxPagesController],
      providers: [{ provide: SandboxChallenges, useValue: challenges }],
    };
  }
}
