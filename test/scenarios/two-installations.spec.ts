import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Deployment } from '../support/deployment';
import { eventually, Service } from '../support/service';

interface Readiness {
  readonly status: string;
  readonly reasons: readonly { readonly name: string; readonly reason: string }[];
}

async function readiness(url: string): Promise<Readiness> {
  return (await (await fetch(`${url}/health/ready`)).json()) as Readiness;
}

describe('on one log', () => {
  let deployment: Deployment;
  let forgotten: Service | undefined;

  afterEach(async () => {
    await forgotten?.kill();
    await forgotten?.removeData();
    await deployment.end();
  });

  it('roles that share a Redis are one installation; a process with all roles beside them is noticed by everybody', async () => {
    deployment = await Deployment.start({ api: 1, projector: 2, processor: 1, webhooks: 2 });
    const roles = deployment.all.map(({ url }) => url);
    const said = async (url: string) => (await readiness(url)).reasons.some(({ name }) => name === 'installation');
    expect(await Promise.all(roles.map(said))).toEqual(roles.map(() => false));
    const dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-'));
    cpSync(join(deployment.dataDir, 'master.key'), join(dataDir, 'master.key'));
    forgotten = await Service.start({ dataDir, env: { EVENTSTORE_URL: deployment.eventStore.url } });
    for (const url of [forgotten.url, ...roles]) {
      await eventually(`${url} to say so`, () => said(url), 30_000);
      // Both go on: which of them is meant, nobody here can know.
      expect(await readiness(url)).toMatchObject({ status: 'ready' });
    }
    expect(deployment.all[0]?.log.split('another installation, with a read store of its own').length).toBe(2);
  }, 120_000);
});
