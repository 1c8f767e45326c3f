import { Service, type SandboxCredentials } from './service';
import { MerchantClient } from './merchant-client';

/** A running service, and a merchant's client. */
export interface Ledger {
  service: Service;
  client: MerchantClient;
}

/** The service that the suites of one file share, and how many of them still need it. */
const shared = { service: null as Service | null, users: 0 };

/**
 * A running service with a merchant. Suites of one file that start it with the same options share it, each with its own
 * merchant. After the last suite it must stop cleanly and must not have logged any error.
 */
export function useLedger(env: Readonly<Record<string, string>> = {}): Ledger {
  const place = Object.keys(env).length === 0 ? shared : { service: null as Service | null, users: 0 };
  place.users += 1;
  const ledger = {
    get service() {
      if (place.service === null) throw new Error('The service has not been started');
      return place.service;
    },
    set service(service) {
      place.service = service;
    },
  } as Ledger;
  beforeAll(async () => {
    const isFirst = place.service === null;
    place.service ??= await Service.start({ env });
    ledger.client = isFirst
      ? new MerchantClient(ledger.service.url, ledger.service.credentials)
      : await registerMerchant(ledger.service, 'Another Shop');
  });
  afterAll(async () => {
    place.users -= 1;
    if (place.users > 0) return;
    const { service } = ledger;
    const code = await service.stop();
    await service.removeData();
    expect({ code, errors: service.errors }).toEqual({ code: 0, errors: [] });
  });
  return ledger;
}

/** A client for another merchant, which is registered by the operator. */
export async function registerMerchant(service: Service, name: string): Promise<MerchantClient> {
  const response = await fetch(`${service.url}/admin/v1/merchants`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.operatorToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`The merchant was not registered: ${response.status} ${text}`);
  return new MerchantClient(service.url, JSON.parse(text) as SandboxCredentials);
}
