// A tour of the running service from a merchant's point of view: 3DS, webhooks, a refund, a declined card, a batch
// query. Every step is checked; the exit code is 0 only if all of them succeed. By default it uses the service started
// in this checkout; DATA_DIR, COUNTERFOIL_URL, or HOST and PORT select another one.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { findService } from './demo/address.mjs';
import { DemoFailure, PATIENCE_MS } from './demo/checks.mjs';
import { Client, request } from './demo/client.mjs';
import { bold, green, line, red } from './demo/output.mjs';
import { Receiver } from './demo/receiver.mjs';
import { tour } from './demo/tour.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const READY_POLL_MS = 200;

async function main() {
  const { url: baseUrl, dataDir, told } = findService(process.env, root);
  const credentialsFile = join(dataDir, 'sandbox.json');
  await untilReady(baseUrl, told);
  const credentials = readCredentials(credentialsFile);
  const client = new Client(baseUrl, credentials);
  await ofThisService(client, credentialsFile);
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

/** A service that was just started may still be reading its log. */
async function untilReady(baseUrl, told) {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const { status, reasons } = await readiness(baseUrl, told);
    if (status === 200) return;
    if (performance.now() >= giveUpAt) {
      throw new DemoFailure(
        `Waited ${PATIENCE_MS / 1000} s for ${baseUrl} to be ready; it answers ${status}: ${reasons}`,
      );
    }
    await sleep(READY_POLL_MS);
  }
}

async function readiness(baseUrl, told) {
  try {
    const response = await request(`${baseUrl}/health/ready`);
    return { status: response.status, reasons: await response.text() };
  } catch (error) {
    const killed = `${told} says that one listens there: it was killed, or another one has taken its place.`;
    const startIt = 'Start the service with `npm start` in another shell, then run `npm run demo` again.';
    const elsewhere = 'If it listens elsewhere, set HOST and PORT as it has them, or COUNTERFOIL_URL to its URL.';
    const lines = [error.message, ...(told === null ? [] : [killed]), startIt, elsewhere];
    throw new DemoFailure(lines.join('\n'), { cause: error });
  }
}

function readCredentials(credentialsFile) {
  try {
    return JSON.parse(readFileSync(credentialsFile, 'utf8'));
  } catch (error) {
    const where = "Set DATA_DIR to the running service's, which holds its sandbox merchant in development mode.";
    throw new DemoFailure(`${credentialsFile} could not be read (${error.code ?? error.message}). ${where}`, {
      cause: error,
    });
  }
}

async function ofThisService(client, credentialsFile) {
  const { status } = await client.get('/api/v2/payments?limit=1');
  if (status !== 401) return;
  throw new DemoFailure(
    `${credentialsFile} is of another service than the one at ${client.baseUrl}. Set DATA_DIR to the folder of that one.`,
  );
}

main().catch((error) => {
  line();
  // Printed without the width limit: the error may be longer than a line and must be readable in full.
  console.error(red(error instanceof DemoFailure ? error.message : error.stack));
  process.exitCode = 1;
});
