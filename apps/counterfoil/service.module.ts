import { ApiModule } from '@app/api/api.module';
import { MerchantDirectoryModule } from '@app/merchants/merchants.module';
import { OperationsModule } from '@app/platform/http/operations/operations.module';
import { type DynamicModule, Module } from '@nestjs/common';
import type { Infrastructure } from './infrastructure';
import { PortsModule } from './ports.module';
import { knowsMerchants } from './role';

/** What a process with these roles serves over HTTP, and what its workers ask for. */
@Module({})
export class ServiceModule {
  static of(infrastructure: Infrastructure): DynamicModule {
    const { roles, gateway } = infrastructure;
    const imports: NonNullable<DynamicModule['imports']> = [PortsModule.of(infrastructure), OperationsModule];
    const isApi = roles.includes('api');
    if (isApi) imports.push(ApiModule);
    if (isApi && gateway !== null) imports.push(gateway.module);
    if (knowsMerchants(roles)) imports.push(MerchantDirectoryModule);
    return { module: ServiceModule, imports };
  }
}
