// A tour of the running service as a merchant sees it: 3DS, webhooks, a refund, a declined card, a batch query. Every step
// is checked; the exit code is 0 only if all was as promised. COUNTERFOIL_URL, or HOST and PORT, and DATA_DIR tell which
// service.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { serviceUrl } from './demo/address.mjs';
import { DemoFailure, PATIENCE_MS } from './demo/checks.mjs';
import { Client, request } from './demo/client.mjs';
import { bold, green, line, red } from './demo/output.mjs';
import { Receiver } from './demo/receiver.mjs';
import { tour } from './demo/tour.mjs';

const baseUrl = serviceUrl(process.env);
const credentialsFile = join(process.env.DATA_DIR || './data', 'sandbox.json');
const READY_POLL_MS = 200;

async function main() {
  await untilReady();
  const credentials = readCredentials();
  const client = new Client(baseUrl, credentials);
  await ofThisService(client);
  line(`Counterfoil at ${baseUrl}, as merchant ${credentials.merchantId}`, bold);
  const receiver = new Receiver(credentials.webhookSecret);
  await receiver.listen();
  line(`Webhooks come to ${receiver.url}`);
  try {
    await tour(client, receiver);
  } finally {
    receiver.close();
  }
  line();
  line('All was as promised.', green);
}

/** A service that has just been started may still be reading its log. */
async function untilReady() {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const { status, reasons } = await readiness();
    if (status === 200) return;
    if (performance.now() >= giveUpAt) {
      throw new DemoFailure(
        `Waited ${PATIENCE_MS / 1000} s for ${baseUrl} to be ready; it answers ${status}: ${reasons}`,
      );
    }
    await sleep(READY_POLL_MS);
  }
}

async function readiness() {
  try {
    const response = await request(`${baseUrl}/health/ready`);
    return { status: response.status, reasons: await response.text() };
  } catch (error) {
    const startIt = 'Start the service with `npm start` in another shell, then run `npm run demo` again.';
    const elsewhere = 'If it listens elsewhere, set HOST and PORT as it has them, or COUNTERFOIL_URL to its URL.';
    throw new DemoFailure(`${error.message}\n${startIt}\n${elsewhere}`, { cause: error });
  }
}

function readCredentials() {
  try {
    return JSON.parse(readFileSync(credentialsFile, 'utf8'));
  } catch (error) {
    const where = "Set DATA_DIR to the running service's, which holds its sandbox merchant in development mode.";
    throw new DemoFailure(`${credentialsFile} could not be read (${error.code ?? error.message}). ${where}`, {
      cause: error,
    });
  }
}

async function ofThisService(client) {
  const { status } = await client.get('/api/v2/payments?limit=1');
  if (status !== 401) return;
  throw new DemoFailure(
    `${credentialsFile} is of another service than the one at ${baseUrl}. Set DATA_DIR to the folder of that one.`,
  );
}

main().catch((error) => {
  line();
  // What is wrong may be longer than a line and has to be read whole.
  console.error(red(error instanceof DemoFailure ? error.message : error.stack));
  process.exitCode = 1;
});
