import 'reflect-metadata';
import { Body, Controller, Injectable, Module, Post, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandBus, CqrsModule } from '@nestjs/cqrs';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { IsInt, IsString } from 'class-validator';

class CreateDto {
  @IsInt()
  amount!: number;

  @IsString()
  currency!: string;
}

@Injectable()
class Formatter {
  format(dto: CreateDto): string {
    return `${dto.amount} ${dto.currency}`;
  }
}

@Controller('amounts')
class AmountsController {
  constructor(
    private readonly formatter: Formatter,
    private readonly bus: CommandBus,
  ) {}

  @Post()
  create(@Body() dto: CreateDto): { text: string; hasBus: boolean } {
    return { text: this.formatter.format(dto), hasBus: this.bus instanceof CommandBus };
  }
}

@Module({ imports: [CqrsModule.forRoot()], controllers: [AmountsController], providers: [Formatter] })
class AmountsModule {}

/** Injection and body validation both rest on the decorator metadata that the compiler emits. */
describe('NestJS compiled by this toolchain', () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    app = await NestFactory.create<NestFastifyApplication>(AmountsModule, new FastifyAdapter(), { logger: false });
    app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true }));
    await app.init();
  });

  afterAll(() => app.close());

  it('injects by type', async () => {
    const answer = await app.inject({ method: 'POST', url: '/amounts', payload: { amount: 1, currency: 'EUR' } });
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toEqual({ text: '1 EUR', hasBus: true });
  });

  it('validates by type', async () => {
    const answer = await app.inject({ method: 'POST', url: '/amounts', payload: { amount: '1' } });
    expect(answer.statusCode).toBe(400);
  });
});
