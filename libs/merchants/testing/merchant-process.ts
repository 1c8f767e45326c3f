import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import {
  type Merchant,
  type MerchantCommand,
  merchantDecider,
  type MerchantEvent,
  type MerchantRejection,
  merchantStreamId,
} from '@app/merchants/domain';
import { CommandHandling, type EventStore, type Handled } from '@app/event-sourcing';
import { ManualClock } from '@app/platform/testing/manual-clock';
import { RecordingFindings } from '@app/platform/testing/recording-findings';
import { SeededRandom } from '@app/platform/testing/seeded-random';
import { KeyRing, SecretCipher } from '@app/keys';
import { MerchantDirectory } from '@app/merchants/commands/directory';
import { RegisterMerchantHandler } from '@app/merchants/commands/register-merchant';
import { MerchantRegistration } from '@app/merchants/commands/registration';

const masterKey = (fill: number) => new Uint8Array(32).fill(fill);

export const operator = { correlationId: 'req-1', causationId: null, actor: 'operator' } as const;

/** One process's view of the merchants, for specs. */
export function startProcess(
  eventStore: EventStore,
  seed = 1,
  clock = new ManualClock(),
  masterKeys: { readonly current: number; readonly previous?: number } = { current: 1 },
) {
  const random = new SeededRandom(seed);
  const { current, previous } = masterKeys;
  const cipher = new SecretCipher(masterKey(current), previous === undefined ? null : masterKey(previous), random);
  const keyRing = new KeyRing({ eventStore, cipher, clock, random });
  const findings = new RecordingFindings();
  const handling = new CommandHandling({ eventStore, clock, random, proofs: new SpecProofs() });
  const directory = new MerchantDirectory(eventStore, clock, cipher, findings.damaged);
  const registration = new MerchantRegistration(handling, cipher, random, directory);
  const registerMerchant = new RegisterMerchantHandler(registration, random);
  const decide = (
    merchantId: string,
    command: MerchantCommand,
  ): Promise<Handled<Merchant | null, MerchantEvent, MerchantRejection>> =>
    handling.handle(merchantDecider, merchantStreamId(merchantId), command, operator);
  return { clock, random, cipher, keyRing, findings, handling, directory, registration, registerMerchant, decide };
}
