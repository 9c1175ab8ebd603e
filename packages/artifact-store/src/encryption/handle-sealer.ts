import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { ArtifactHandle } from "../artifact-store.ts";
import { concatBytes } from "../store/blob-record.ts";
import { maxImportedSummaryChars } from "../store/check-input.ts";
import { copyHandle } from "../store/store-context.ts";
import { cutAtGrapheme } from "../summary/cut-at-grapheme.ts";
import type { EncryptionKeys } from "./derive-keys.ts";
import { layoutOf, sealBytes } from "./segment-cipher.ts";

/** The type that handles of encrypted artifacts show at rest. */
export const sealedMimeType = "application/vnd.ccl.encrypted";
const prefix = "ccl-enc-1";
const nonceBytes = 12;
const cutMark = " ...";

/** The fields of a handle that tell of its content. */
export interface SealedFields {
  summary: string;
  mimeType: string;
}

/**
 * Summary and type as one text that stands in the place of the summary, bound to the handle by its id. A summary that
 * would make it longer than a store takes is cut.
 */
export function sealFields(keys: EncryptionKeys, handleId: string, fields: SealedFields): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", keys.handleKey, nonce).setAAD(
    new TextEncoder().encode(handleId),
  );
  const start = `${prefix}.${keys.keyId}.`;
  const roomBytes =
    Math.floor((maxImportedSummaryChars - start.length) / 4) * 3 - nonceBytes - sealBytes;
  const plain = encodeWithin(roomBytes, fields);
  const sealed = concatBytes([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return `${start}${toBase64(sealed)}`;
}

function encodeWithin(maxBytes: number, { summary, mimeType }: SealedFields): Uint8Array {
  let kept = summary;
  for (let chars = summary.length; ; chars = Math.floor(0.95 * chars)) {
    const plain = new TextEncoder().encode(JSON.stringify({ summary: kept, mimeType }));
    if (plain.length <= maxBytes) return plain;
    kept = cutAtGrapheme(summary, chars) + cutMark;
  }
}

/** Whether a summary is the given one, or what sealing left of it. */
export function isSummaryOf(kept: string, summary: string): boolean {
  return (
    kept === summary ||
    (kept.endsWith(cutMark) && summary.startsWith(kept.slice(0, -cutMark.length)))
  );
}

/** True for a handle that was made under these keys. */
export function isOwn(keys: EncryptionKeys, handle: ArtifactHandle): boolean {
  return (
    handle.mimeType === sealedMimeType && handle.summary.startsWith(`${prefix}.${keys.keyId}.`)
  );
}

/** The handle in terms of the plain content. Fields that were tampered with are named as such; the payload is not concerned. */
export function openHandle(keys: EncryptionKeys, handle: ArtifactHandle): ArtifactHandle {
  const sizeBytes = layoutOf(handle.sizeBytes)?.plainBytes ?? 0;
  const fields = openFields(keys, handle) ?? {
    summary: "[summary damaged]",
    mimeType: "application/octet-stream",
  };
  return { ...copyHandle(handle), ...fields, sizeBytes };
}

function openFields(
  keys: EncryptionKeys,
  { handleId, summary }: ArtifactHandle,
): SealedFields | undefined {
  try {
    const sealed = fromBase64(summary.slice(summary.lastIndexOf(".") + 1));
    const nonce = sealed.subarray(0, nonceBytes);
    const decipher = createDecipheriv("aes-256-gcm", keys.handleKey, nonce, {
      authTagLength: sealBytes,
    });
    decipher.setAAD(new TextEncoder().encode(handleId)).setAuthTag(sealed.subarray(-sealBytes));
    const plain = concatBytes([
      decipher.update(sealed.subarray(nonceBytes, -sealBytes)),
      decipher.final(),
    ]);
    const fields: SealedFields = JSON.parse(new TextDecoder().decode(plain));
    return { summary: fields.summary, mimeType: fields.mimeType };
  } catch {
    return undefined;
  }
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
