import { eventExample } from '@app/payments/http/public-events.docs';

/**
 * How a receiver verifies a webhook by the Standard Webhooks headers, in several languages. Each program is complete:
 * it compares in constant time, rejects timestamps more than 300 seconds old or ahead, and accepts any one valid
 * signature of several.
 */
const NODE = `
import { createHmac, timingSafeEqual } from 'node:crypto';

// rawBody: the bytes as they arrived, before any JSON parser. headers: request.headers.
export function isGenuine(rawBody, headers, webhookSecret) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp = '', 'webhook-signature': signatures = '' } = headers;
  if (!/^[0-9]{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const key = Buffer.from(webhookSecret.replace('whsec_', ''), 'base64');
  const hmac = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\`).update(rawBody);
  const expected = Buffer.from('v1,' + hmac.digest('base64'));
  return signatures.split(' ').some((one) => {
    const given = Buffer.from(one);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
`;

const PYTHON = `
import base64, hashlib, hmac, re, time

# raw_body: the bytes as they arrived, before any JSON parser. headers: the request's, by any case.
def is_genuine(raw_body, headers, webhook_secret):
    webhook_id = headers.get('webhook-id', '')
    timestamp = headers.get('webhook-timestamp', '')
    if not re.fullmatch('[0-9]{1,12}', timestamp) or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(webhook_secret.replace('whsec_', ''))
    signed = f'{webhook_id}.{timestamp}.'.encode() + raw_body
    expected = b'v1,' + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    signatures = headers.get('webhook-signature', '').encode().split(b' ')
    return any(hmac.compare_digest(one, expected) for one in signatures)
`;

const PHP = `
<?php
// $rawBody: file_get_contents('php://input'). $server: $_SERVER, which holds the headers.
function is_genuine(string $rawBody, array $server, string $webhookSecret): bool
{
    $id = $server['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $server['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!preg_match('/^[0-9]{1,12}$/D', $timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(str_replace('whsec_', '', $webhookSecret));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$rawBody", $key, true));
    foreach (explode(' ', $server['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $one) {
        if (hash_equals($expected, $one)) {
            return true;
        }
    }
    return false;
}
`;

const JAVA = `
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

final class CounterfoilWebhook {
    /** rawBody: the bytes as they arrived, before any JSON parser. header: request::getHeader. */
    static boolean isGenuine(byte[] rawBody, Function<String, String> header, String webhookSecret)
            throws GeneralSecurityException {
        String id = header.apply("webhook-id");
        String timestamp = header.apply("webhook-timestamp");
        String signatures = header.apply("webhook-signature");
        if (signatures == null || timestamp == null || !timestamp.matches("[0-9]{1,12}")) return false;
        if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(timestamp)) > 300) return false;
        byte[] key = Base64.getDecoder().decode(webhookSecret.replace("whsec_", ""));
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
        byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(rawBody)))
                .getBytes(StandardCharsets.UTF_8);
        for (String one : signatures.split(" ")) {
            if (MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), expected)) return true;
        }
        return false;
    }
}
`;

const GO = `
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// IsGenuine takes the body as it arrived, before any JSON decoder, and the headers of the request.
func IsGenuine(rawBody []byte, header http.Header, webhookSecret string) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return false
	}
	age := time.Now().Unix() - seconds
	if age > 300 || age < -300 {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(webhookSecret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(rawBody)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, one := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(one), expected) {
			return true
		}
	}
	return false
}
`;

/** A shell can't compare in constant time: only for checking a single webhook by hand. */
const SHELL = `
WEBHOOK_SECRET='whsec_…'
ID='…'         # webhook-id
TIMESTAMP='…'  # webhook-timestamp
SIGNATURES='…' # webhook-signature
BODY_FILE='body.json' # the bytes as they arrived

KEY=$(printf '%s' "\${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')
EXPECTED="v1,$({ printf '%s.%s.' "$ID" "$TIMESTAMP"; cat "$BODY_FILE"; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | openssl base64 -A)"
AGE=$(($(date +%s) - TIMESTAMP))
case " $SIGNATURES " in
  *" $EXPECTED "*) echo "genuine, sent $AGE seconds ago" ;;
  *) echo 'not genuine' ;;
esac
`;

/** Signs a webhook like the service, and sends it to a receiver under development. */
export const SENDER_PROGRAM = `
WEBHOOK_SECRET='whsec_…'
RECEIVER='http://127.0.0.1:8080/webhooks'
ID='whd_01JGFJK2Q0R8V5T3N7R2M4K6H9'
TIMESTAMP=$(date +%s)
BODY='${JSON.stringify(eventExample('payment.completed'))}'

KEY=$(printf '%s' "\${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')
STANDARD=$(printf '%s.%s.%s' "$ID" "$TIMESTAMP" "$BODY" |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | openssl base64 -A)
SIMPLE=$(printf '%s' "$BODY" | openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" -r | cut -d' ' -f1)

curl -sS -i "$RECEIVER" -H 'Content-Type: application/json' \\
  -H "webhook-id: $ID" -H "webhook-timestamp: $TIMESTAMP" -H "webhook-signature: v1,$STANDARD" \\
  -H "X-Webhook-ID: $ID" -H 'X-Event-Type: payment.completed' -H 'X-Event-Sequence: 3' -H 'X-Webhook-Attempt: 1' \\
  -H "X-Signature: sha256=$SIMPLE" --data-binary "$BODY"
`;

/** The other signature: over the body alone. */
export const SIMPLE_SIGNATURE_PROGRAM = `
import { createHmac, timingSafeEqual } from 'node:crypto';

export function hasRightSignature(rawBody, headers, webhookSecret) {
  const expected = Buffer.from('sha256=' + createHmac('sha256', webhookSecret).update(rawBody).digest('hex'));
  const given = Buffer.from(headers['x-signature'] ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
`;

/** By heading in the guide, with the language of the code block. */
export const VERIFICATION_PROGRAMS = {
  Node: { language: 'js', text: NODE },
  Python: { language: 'python', text: PYTHON },
  PHP: { language: 'php', text: PHP },
  Java: { language: 'java', text: JAVA },
  Go: { language: 'go', text: GO },
  'Shell, by hand': { language: 'sh', text: SHELL },
} as const;
