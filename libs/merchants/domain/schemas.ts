import type { EventSchemas } from '@app/event-sourcing';
import type { MerchantEvent } from './events';

/** The current schema version of every event in a merchant's stream, with the upcasters for older versions. */
export const merchantSchemas: EventSchemas<MerchantEvent> = {
  MerchantRegistered: { version: 1 },
  AccessTokenIssued: { version: 1 },
  AccessTokenRevoked: { version: 1 },
  SigningSecretRotated: { version: 1 },
  WebhookSecretRotated: { version: 1 },
  MerchantSecretsResealed: { version: 1 },
  MerchantSettingsChanged: { version: 1 },
  MerchantRenamed: { version: 1 },
  MerchantSuspended: { version: 1 },
  MerchantReinstated: { version: 1 },
};
