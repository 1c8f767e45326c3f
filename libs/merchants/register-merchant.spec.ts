import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { DamagedStreams } from '@app/platform/telemetry';
import 'reflect-metadata';
import { hash } from 'node:crypto';
import { Global, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandBus, CqrsModule } from '@nestjs/cqrs';
import { Clock, CommandHandling, EventStore, EventStoreUnavailableError, Random, ReadStore } from '@app/event-sourcing';
import { ManualClock } from '@app/platform/testing/manual-clock';
import { SeededRandom } from '@app/platform/testing/seeded-random';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import { KeyRing, SecretCipher } from '@app/keys';
import { MerchantsModule } from './merchants.module';
import { MerchantDirectory, RegisterMerchantCommand } from './commands';
import { operator, startProcess } from '@app/merchants/testing/merchant-process';

describe('registering a merchant', () => {
  let eventStore: MemoryEventStore;
  let here: ReturnType<typeof startProcess>;

  beforeEach(() => {
    eventStore = new MemoryEventStore();
    here = startProcess(eventStore);
  });

  const register = (merchantId?: string, name = 'Shop') =>
    here.registerMerchant.execute(new RegisterMerchantCommand(operator, { merchantId, name }));

  it('makes credentials in their documented forms', async () => {
    expect(await register()).toEqual({
      kind: 'done',
      value: {
        merchantId: expect.stringMatching(/^mer_[0-9A-HJKMNP-TV-Z]{26}$/),
        name: 'Shop',
        accessToken: expect.stringMatching(/^cft_[A-Za-z0-9_-]{43}$/),
        signingSecret: expect.stringMatching(/^cfs_[A-Za-z0-9_-]{43}$/),
        webhookSecret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      },
    });
  });

  it('takes no card number for a name or an identifier', async () => {
    const refused = (field: string) => ({
      kind: 'refused',
      code: 'VALIDATION_FAILED',
      problems: [{ field, code: 'CARD_DATA_NOT_ALLOWED', message: expect.any(String) }],
    });
    expect(await register('shop_4111111111111111')).toEqual(refused('merchantId'));
    expect(await register('4111_1111_1111_1111')).toEqual(refused('merchantId'));
    expect(await register('shop_1', 'Shop 4111 1111 1111 1111')).toEqual(refused('name'));
    expect(here.directory.signingSecrets('shop_1')).toEqual([]);
  });

  it('makes other credentials for every merchant', async () => {
    const results = [await register(), await register()];
    const texts = results.flatMap((result) => (result.kind === 'done' ? Object.values(result.value) : []));
    expect(new Set(texts).size).toBe(texts.length - 1); // the name is the same
  });

  it('lets the merchant in at once, with all scopes', async () => {
    const result = await register('shop_1');
    if (result.kind !== 'done') throw new Error(result.code);
    const { accessToken, signingSecret, webhookSecret } = result.value;
    const bearer = here.directory.authenticate(accessToken)!;
    expect(bearer).toMatchObject({ merchantId: 'shop_1', name: 'Shop' });
    expect([...bearer.scopes]).toEqual(['payments:write', 'payments:read', 'refunds:write', 'webhooks:manage']);
    expect(here.directory.signingSecrets('shop_1')).toEqual([signingSecret]);
    expect(here.directory.webhookSecrets('shop_1')).toEqual({ current: webhookSecret, previous: [] });
  });

  it('stores merchant and token in one append, and no secret in clear', async () => {
    const append = jest.spyOn(eventStore, 'append');
    const result = await register('shop_1');
    if (result.kind !== 'done') throw new Error(result.code);
    expect(append).toHaveBeenCalledTimes(1);
    const events = await eventStore.readStream('merchant-shop_1');
    expect(events.map(({ type }) => type)).toEqual(['MerchantRegistered', 'AccessTokenIssued']);
    const stored = JSON.stringify(events.map(({ data, metadata }) => [data, metadata]));
    const { accessToken, signingSecret, webhookSecret } = result.value;
    for (const secret of [accessToken, signingSecret, webhookSecret]) {
      const random = secret.slice(secret.indexOf('_') + 1);
      expect(stored).not.toContain(random);
      expect(stored).not.toContain(Buffer.from(secret).toString('base64'));
    }
    expect(stored).toContain(hash('sha256', accessToken, 'hex'));
    expect(JSON.parse(events[0]!.metadata)).toMatchObject({ actor: 'operator', correlationId: 'req-1' });
  });

  it('refuses an id that is taken', async () => {
    await register('shop_1');
    expect(await register('shop_1')).toEqual({ kind: 'refused', code: 'MERCHANT_EXISTS' });
    expect(await eventStore.readStream('merchant-shop_1')).toHaveLength(2);
  });

  it('gives one of two at the same time the id', async () => {
    const there = startProcess(eventStore, 2, here.clock);
    const command = new RegisterMerchantCommand(operator, { merchantId: 'shop_1', name: 'Shop' });
    const both = Promise.all([here.registerMerchant.execute(command), there.registerMerchant.execute(command)]);
    await here.clock.advance(1_000);
    expect((await both).map(({ kind }) => kind).sort()).toEqual(['done', 'refused']);
  });

  it('answers with the credentials even when the directory can not be refreshed', async () => {
    jest.spyOn(eventStore, 'readAll').mockRejectedValueOnce(new EventStoreUnavailableError('away'));
    const result = await register('shop_1');
    if (result.kind !== 'done') throw new Error(result.code);
    await here.directory.refresh();
    expect(here.directory.authenticate(result.value.accessToken)).not.toBeNull();
  });

  it('takes ids of the documented form only', async () => {
    await expect(register('shop-1')).rejects.toThrow('the form of a merchant id');
  });

  it('is wired by Nest', async () => {
    const random = new SeededRandom();
    const clock = new ManualClock();
    const ports = [
      { provide: EventStore, useValue: eventStore },
      { provide: ReadStore, useValue: new MemoryReadStore() },
      { provide: Clock, useValue: clock },
      { provide: Random, useValue: random },
      { provide: SecretCipher, useValue: here.cipher },
      { provide: KeyRing, useValue: here.keyRing },
      { provide: DamagedStreams, useValue: here.findings.damaged },
      {
        provide: CommandHandling,
        useValue: new CommandHandling({ eventStore, clock, random, proofs: new SpecProofs() }),
      },
    ];

    @Global()
    @Module({ providers: ports, exports: ports })
    class Ports {}

    @Module({ imports: [CqrsModule.forRoot(), Ports, MerchantsModule] })
    class InstallationModule {}
    const context = await NestFactory.createApplicationContext(InstallationModule, { logger: false });
    const result = await context
      .get(CommandBus, { strict: false })
      .execute(new RegisterMerchantCommand(operator, { name: 'Shop' }));
    if (result.kind !== 'done') throw new Error(result.code);
    expect(context.get(MerchantDirectory, { strict: false }).find(result.value.merchantId)).toMatchObject({
      name: 'Shop',
    });
    await context.close();
  });
});
