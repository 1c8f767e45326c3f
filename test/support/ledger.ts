import { Service, type SandboxCredentials } from './service';
import { MerchantClient } from './merchant-client';

/** One running service for a spec file, with its sandbox merchant's client. */
export interface Ledger {
  service: Service;
  client: MerchantClient;
}

/** Starts the service before the file's tests; afterwards it has to stop cleanly and must have logged no error. */
export function useLedger(env: Readonly<Record<string, string>> = {}): Ledger {
  const ledger = {} as Ledger;
  beforeAll(async () => {
    ledger.service = await Service.start({ env });
    ledger.client = new MerchantClient(ledger.service.url, ledger.service.credentials);
  });
  afterAll(async () => {
    const { service } = ledger;
    const code = await service.stop();
    await service.removeData();
    expect({ code, errors: service.errors }).toEqual({ code: 0, errors: [] });
  });
  return ledger;
}

/** A client of another merchant's, registered by the operator. */
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
