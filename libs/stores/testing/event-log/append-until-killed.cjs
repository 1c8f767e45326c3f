'use strict';

// Owns the event log in argv[2] and appends to it until it is killed. Prints `ready`, then one JSON line for each
// append that was acknowledged: {"streamId", "revision", "position", "ids"}. Written synchronously, so that no line is
// lost.
require('./load-typescript.cjs');
const { randomUUID } = require('node:crypto');
const { writeSync } = require('node:fs');
const { EmbeddedEventStore } = require('../../sqlite/event-log/embedded-event-store.ts');

const STREAMS = 16;
const EVENTS_PER_APPEND = 3;

const clock = { nowMs: () => Date.now() };
const store = EmbeddedEventStore.open({ directory: process.argv[2], clock });

/** Repeats writes: the pipe may be full for a moment, or accept only a part, while the reader is busy. */
function print(line) {
  const bytes = Buffer.from(`${line}\n`);
  for (let written = 0; written < bytes.length;) {
    try {
      written += writeSync(1, bytes, written);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

async function appendForEver(streamId) {
  const before = await store.readStream(streamId, { direction: 'backwards', maxCount: 1 });
  let expected = before[0]?.revision ?? 'no-stream';
  for (;;) {
    const ids = Array.from({ length: EVENTS_PER_APPEND }, () => randomUUID());
    const events = ids.map((id) => ({
      id,
      type: 'Ticked',
      data: JSON.stringify({ text: 'x'.repeat(500) }),
      metadata: '{}',
    }));
    const { revision, position } = await store.append(streamId, expected, events);
    print(JSON.stringify({ streamId, revision, position: String(position), ids }));
    expected = revision;
  }
}

print('ready');
if (process.argv[3] !== 'idle') for (let n = 0; n < STREAMS; n += 1) void appendForEver(`tick-${n}`);
else setInterval(() => undefined, 1_000);
