import { createHmac } from "node:crypto";

/** HMAC-SHA-256 in hexadecimal: the same text has the same hash in one installation, and nobody else can try texts. */
export function promptHash(key: string | Uint8Array, text: string): string {
  return createHmac("sha256", key).update(text, "utf8").digest("hex");
}
