#!/usr/bin/env node
// Checks that an event stood in the log of a Counterfoil installation when the log was sealed.
//
//     node check-proof.mjs proof.json key.pem
//
// proof.json: as `counterfoil audit prove` writes it. key.pem: the installation's public key, which you got from it by
// another way. Nothing else is needed: no network, no package, only Node 20 or newer. Ends with 0 if the proof holds,
// with 20 if it does not, and with 1 if the files cannot be read.
//
// What is shown: whoever has the private key signed a Merkle tree (RFC 6962) of `size` events, and each event printed
// is one of them, word for word. What is not: that the tree still holds today, or that nothing came after the seal.
// docs/audit.md describes the format.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';

const REFUSED = 20;

/** SHA-256 of texts and bytes, one after the other. */
const sha256 = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** Each text as `<length in bytes>:<bytes in UTF-8>,`. */
const netstrings = (texts) => texts.map((text) => `${Buffer.byteLength(text)}:${text},`).join('');

class NoProof extends Error {}

function demand(condition, why) {
  if (!condition) throw new NoProof(why);
}

/** The hash of an event, from its content: what it says of its own hash is not asked. */
function eventHash({ streamId, revision, id, type, data, metadata: text }) {
  const metadata = JSON.parse(text);
  const { recordedAt, previousHash, schemaVersion, correlationId, causationId, actor, macKeyId, mac } = metadata;
  const content = [streamId, String(revision), id, type, recordedAt, data, previousHash, String(schemaVersion)];
  content.push(correlationId, causationId ?? '', actor, macKeyId, mac);
  const hash = sha256(netstrings(content)).toString('hex');
  demand(metadata.hash === hash, `${streamId} at revision ${revision} is not what its hash says`);
  return hash;
}

/** The root that a leaf and its path lead to, by RFC 6962 (as RFC 9162, section 2.1.3.2, checks it). */
function rootOf(leaf, index, size, path) {
  let node = leaf;
  let [left, last] = [index, size - 1];
  for (const text of path) {
    const sibling = Buffer.from(text, 'hex');
    demand(sibling.length === 32 && last > 0, 'a path is too long, or has a part that is no hash');
    if (left % 2 === 1 || left === last) {
      node = sha256(Buffer.from([1]), sibling, node);
      while (left % 2 === 0 && left !== 0) [left, last] = [Math.floor(left / 2), Math.floor(last / 2)];
    } else {
      node = sha256(Buffer.from([1]), node, sibling);
    }
    [left, last] = [Math.floor(left / 2), Math.floor(last / 2)];
  }
  demand(last === 0, 'a path is too short');
  return node.toString('hex');
}

/** What the signature of a seal covers. */
function sealText(seal) {
  const { size, root, lastLeaf, position, streamEndsDigest, refusedDigest, previousSeal, keyId, sealedAt } = seal;
  const leaf = [lastLeaf.streamId, String(lastLeaf.revision), lastLeaf.hash];
  const digests = [streamEndsDigest, refusedDigest];
  return netstrings([
    'counterfoil seal 1',
    String(size),
    root,
    ...leaf,
    position,
    ...digests,
    previousSeal,
    keyId,
    sealedAt,
  ]);
}

/** What both signatures under a new key cover. */
function introductionText({ keyId, publicKey, previousKeyId, previousSeal, introducedAt }) {
  return netstrings(['counterfoil seal key 1', keyId, publicKey, previousKeyId ?? '', previousSeal, introducedAt]);
}

const rawKey = (key) => key.export({ format: 'der', type: 'spki' }).subarray(-32);
const keyIdOf = (raw) => sha256(raw).toString('hex').slice(0, 32);
const keyFrom = (raw) =>
  createPublicKey({
    key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]),
    format: 'der',
    type: 'spki',
  });
const isSigned = (text, signature, key) => verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'));

/** The key that signed the seal: the given one, or one that it handed over to, step by step. */
function sealingKey(given, { keyId }, introductions) {
  let key = given;
  for (const introduction of introductions) {
    if (keyIdOf(rawKey(key)) === keyId) break;
    if (introduction.previousKeyId !== keyIdOf(rawKey(key))) continue;
    const next = keyFrom(Buffer.from(introduction.publicKey, 'base64'));
    const text = introductionText(introduction);
    const isHandedOver =
      isSigned(text, introduction.previousSignature, key) && isSigned(text, introduction.signature, next);
    demand(isHandedOver, `the key ${introduction.keyId} was not introduced by the one before it`);
    key = next;
  }
  demand(keyIdOf(rawKey(key)) === keyId, `the seal is signed with the key ${keyId}, not with the given one`);
  return key;
}

function check({ format, seal, introductions, events }, given) {
  demand(format === 'counterfoil-inclusion-proof-1', 'it is not a proof, or one of a newer release');
  demand(
    isSigned(sealText(seal), seal.signature, sealingKey(given, seal, introductions)),
    'the signature of the seal is wrong',
  );
  demand(events.length > 0, 'it is a proof of nothing');
  for (const { leafIndex, path, ...event } of events) {
    const place = `${event.streamId} at revision ${event.revision}`;
    const leaf = sha256(Buffer.from([0]), netstrings([event.streamId, String(event.revision), eventHash(event)]));
    const isIndex = Number.isSafeInteger(leafIndex) && leafIndex >= 0 && leafIndex < seal.size;
    demand(isIndex && rootOf(leaf, leafIndex, seal.size, path) === seal.root, `${place} is not in the sealed tree`);
    console.log(`${place} is event ${leafIndex + 1} of ${seal.size}: ${event.type} ${event.data}`);
  }
  console.log(`Sealed on ${seal.sealedAt}, with the key ${seal.keyId}. The proof holds.`);
}

function read(file, parse) {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    console.error(`${file} can't be used: ${error.message}`);
    return process.exit(1);
  }
}

const [proofFile, keyFile] = process.argv.slice(2);
if (proofFile === undefined || keyFile === undefined) {
  console.error('Usage: node check-proof.mjs <proof.json> <key.pem>');
  process.exit(2);
}
const proof = read(proofFile, (text) => JSON.parse(text));
const key = read(keyFile, (text) => createPublicKey(text));
try {
  check(proof, key);
} catch (error) {
  // A field that is missing or of another kind is no proof either.
  console.error(`The proof does not hold: ${error instanceof NoProof ? error.message : 'it is not whole'}.`);
  process.exitCode = REFUSED;
}
