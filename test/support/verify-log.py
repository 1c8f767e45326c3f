#!/usr/bin/env python3
"""Verifies a dump of a Counterfoil log, written from docs/audit.md alone.

    python3 verify.py dump.jsonl key.pem

Prints `INTACT <events sealed> <root>`, or the first fault, and ends with 0 or 1. Python 3.8 or newer, and `openssl`
for Ed25519.
"""
import base64
import hashlib
import json
import re
import subprocess
import sys
import tempfile

SEALED = [
    r"payment-[0-9A-HJKMNP-TV-Z]{26}",
    r"merchant-[A-Za-z0-9_]{1,64}",
    r"webhookDelivery-[0-9A-HJKMNP-TV-Z]{26}",
    r"auditor-[0-9A-HJKMNP-TV-Z]{26}",
    r"auditReads-[0-9A-HJKMNP-TV-Z]{26}-[0-9]{8}",
    r"gateway-disputes",
    r"(request|projection)-.*",
    r"keys|installations",
]
SPKI = bytes.fromhex("302a300506032b6570032100")
TEXTS = ["correlationId", "actor", "previousHash", "macKeyId", "mac", "hash"]


class Fault(Exception):
    pass


def demand(condition, why):
    if not condition:
        raise Fault(why)


def sha256(data):
    return hashlib.sha256(data).digest()


def utf8(text):
    """An unpaired surrogate is written as U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")


def netstrings(*texts):
    return b"".join(b"%d:%s," % (len(raw), raw) for raw in map(utf8, texts))


def is_leaf(stream):
    return any(re.fullmatch(pattern, stream, re.DOTALL) for pattern in SEALED)


def is_whole(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value) and abs(value) < 2**53


def refuse(name):
    raise ValueError(name)


def own_metadata(event):
    """The metadata if the service can have written them, else None."""
    try:
        metadata = json.loads(event["metadata"], parse_constant=refuse)
    except ValueError:
        return None
    if not isinstance(metadata, dict) or not is_whole(metadata.get("schemaVersion")):
        return None
    time = metadata.get("recordedAt")
    if not isinstance(time, str) or not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", time, re.ASCII):
        return None
    if not all(isinstance(metadata.get(name), str) for name in TEXTS):
        return None
    causation = metadata.get("causationId", 0)
    return metadata if causation is None or isinstance(causation, str) else None


def event_hash(event, metadata):
    place = [event["streamId"], str(event["revision"]), event["id"], event["type"]]
    if metadata is None:
        return sha256(netstrings("foreign", *place, event["data"], event["metadata"])).hex()
    content = place + [metadata["recordedAt"], event["data"], metadata["previousHash"]]
    content += [str(int(metadata["schemaVersion"])), metadata["correlationId"], metadata["causationId"] or ""]
    return sha256(netstrings(*content, metadata["actor"], metadata["macKeyId"], metadata["mac"])).hex()


class Tree:
    """RFC 6962: the roots of the perfect subtrees, with their sizes."""

    def __init__(self):
        self.peaks = []

    def add(self, data):
        size, node = 1, sha256(b"\0" + data)
        while self.peaks and self.peaks[-1][0] == size:
            node = sha256(b"\1" + self.peaks.pop()[1] + node)
            size *= 2
        self.peaks.append((size, node))

    def root(self):
        node = self.peaks[-1][1]
        for _, left in reversed(self.peaks[:-1]):
            node = sha256(b"\1" + left + node)
        return node.hex()


def is_signed(text, signature, raw_key):
    pem = b"-----BEGIN PUBLIC KEY-----\n" + base64.b64encode(SPKI + raw_key) + b"\n-----END PUBLIC KEY-----\n"
    with tempfile.TemporaryDirectory() as folder:
        for name, content in (("key", pem), ("text", text), ("signature", base64.b64decode(signature))):
            with open(f"{folder}/{name}", "wb") as file:
                file.write(content)
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-rawin", "-inkey", f"{folder}/key"]
        command += ["-in", f"{folder}/text", "-sigfile", f"{folder}/signature"]
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def key_id(raw_key):
    return sha256(raw_key).hex()[:32]


def digest(items, *names):
    return sha256(netstrings(*(str(item[name]) for item in items for name in names))).hex()


class Seals:
    def __init__(self, given):
        self.given, self.key, self.is_met, self.size, self.root = given, None, False, 0, ""

    def introduce(self, data, previous):
        raw = base64.b64decode(data["publicKey"])
        demand(data["keyId"] == key_id(raw), "the id of a key is not that of the key")
        demand(data["previousSeal"] == previous, "the introduction of a key does not follow on the seal before it")
        old = data["previousKeyId"]
        text = netstrings("counterfoil seal key 1", data["keyId"], data["publicKey"], old or "", previous, data["introducedAt"])
        demand(is_signed(text, data["signature"], raw), "a new key did not sign its introduction")
        if self.key is None:
            demand(old is None, "a key replaces one that was never introduced")
        else:
            demand(old == key_id(self.key), "a key replaces another one than the one that signs")
            demand(is_signed(text, data["previousSignature"], self.key), "a key was not introduced by the one before it")
        self.key = raw
        self.is_met = self.is_met or raw == self.given

    def take(self, data, previous, leaves, tree):
        demand(self.key is not None and data["keyId"] == key_id(self.key), "a seal has another key than the one introduced")
        demand(data["previousSeal"] == previous, "a seal does not follow on the seal before it")
        last = data["lastLeaf"]
        text = netstrings(
            "counterfoil seal 1", str(data["size"]), data["root"],
            last["streamId"], str(last["revision"]), last["hash"], data["position"],
            digest(data["streamEnds"], "streamId", "revision", "hash"), digest(data["refused"], "streamId", "revision"),
            data["previousSeal"], data["keyId"], data["sealedAt"],
        )
        demand(is_signed(text, data["signature"], self.key), "the signature of a seal is wrong")
        demand(data["size"] > self.size, "a seal covers no more than the one before it")
        count = data["size"] - self.size
        demand(len(leaves) >= count, "events that a seal covers are missing")
        for leaf in leaves[:count]:
            tree.add(leaf)
        del leaves[:count]
        demand(tree.root() == data["root"], f"the events of the seal of {data['sealedAt']} are others")
        demand(not data["refused"], "the service itself refused an event")
        self.size, self.root = data["size"], data["root"]


def verify(dump, given):
    ends, leaves, tree, seals = {}, [], Tree(), Seals(given)
    for line in dump:
        event = json.loads(line)
        stream, revision = event["streamId"], event["revision"]
        if not is_leaf(stream) and stream != "seals":
            continue
        place = f"{stream} at revision {revision}"
        metadata = own_metadata(event)
        value = event_hash(event, metadata)
        demand(metadata is not None, f"{place} was not written by the service")
        demand(metadata["hash"] == value, f"{place} is not what its hash says")
        before = ends.get(stream, (-1, ""))
        demand(revision == before[0] + 1, f"{place} does not follow on revision {before[0]}")
        demand(metadata["previousHash"] == before[1], f"{place} does not follow on the event before it")
        ends[stream] = (revision, value)
        if stream != "seals":
            leaves.append(netstrings(stream, str(revision), value))
        elif event["type"] == "SealKeyIntroduced":
            seals.introduce(json.loads(event["data"]), before[1])
        else:
            demand(event["type"] == "HistorySealed", f"{place} is of a newer release")
            seals.take(json.loads(event["data"]), before[1], leaves, tree)
    demand(seals.size > 0, "there is no seal")
    demand(seals.is_met, "no seal is signed with the given key")
    return seals


if __name__ == "__main__":
    with open(sys.argv[2]) as file:
        der = base64.b64decode("".join(line for line in file.read().split("\n") if "-----" not in line))
    assert der[: len(SPKI)] == SPKI, "not an Ed25519 public key"
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            found = verify(file, der[len(SPKI):])
        print("INTACT", found.size, found.root)
    except Fault as fault:
        print("FAULT", fault)
        sys.exit(1)
