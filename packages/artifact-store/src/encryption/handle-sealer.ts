import { randomBytes } from "@ccl/core/hash";
import { fromBase64, toBase64 } from "@ccl/core/json";
import type { ArtifactHandle } from "../artifact-store.ts";
import { concatBytes } from "../store/blob-record.ts";
import { maxImportedSummaryChars } from "../store/check-input.ts";
import { copyHandle } from "../store/store-context.ts";
import { cutAtGrapheme } from "../summary/cut-at-grapheme.ts";
import type { EncryptionKeys } from "./derive-keys.ts";
import { seal, sealBytes, unseal } from "./aes-gcm.ts";
import { layoutOf } from "./segment-cipher.ts";

/** MIME type stored in the handles of encrypted artifacts. */
export const sealedMimeType = "application/vnd.ccl.encrypted";
const prefix = "ccl-enc-1";
const nonceBytes = 12;
const cutMark = " ...";

/** Fields of a handle that describe its content. */
export interface SealedFields {
  summary: string;
  mimeType: string;
}

/**
 * Encrypts summary and type into one string, which replaces the summary and is bound to the handle's id. Cuts a summary
 * that would make the string longer than a store accepts.
 */
export async function sealFields(
  keys: EncryptionKeys,
  handleId: string,
  fields: SealedFields,
): Promise<string> {
  const nonce = randomBytes(nonceBytes);
  const start = `${prefix}.${keys.keyId}.`;
  const roomBytes =
    Math.floor((maxImportedSummaryChars - start.length) / 4) * 3 - nonceBytes - sealBytes;
  const context = new TextEncoder().encode(handleId);
  const plain = encodeWithin(roomBytes, fields);
  const sealed = await seal(plain, { key: keys.handleKey, nonce, context });
  return `${start}${toBase64(concatBytes([nonce, sealed]))}`;
}

function encodeWithin(maxBytes: number, { summary, mimeType }: SealedFields): Uint8Array {
  let kept = summary;
  for (let chars = summary.length; ; chars = Math.floor(0.95 * chars)) {
    const plain = new TextEncoder().encode(JSON.stringify({ summary: kept, mimeType }));
    if (plain.length <= maxBytes) return plain;
    kept = cutAtGrapheme(summary, chars) + cutMark;
  }
}

/** True if `kept` is the given summary, or what remained of it after sealing. */
export function isSummaryOf(kept: string, summary: string): boolean {
  return (
    kept === summary ||
    (kept.endsWith(cutMark) && summary.startsWith(kept.slice(0, -cutMark.length)))
  );
}

/** True if the handle was created with these keys. */
export function isOwn(keys: EncryptionKeys, handle: ArtifactHandle): boolean {
  return (
    handle.mimeType === sealedMimeType && handle.summary.startsWith(`${prefix}.${keys.keyId}.`)
  );
}

/**
 * Returns the handle of the plain content. Marks fields that fail authentication as tampered with. This does not affect
 * the payload.
 */
export async function openHandle(
  keys: EncryptionKeys,
  handle: ArtifactHandle,
): Promise<ArtifactHandle> {
  const sizeBytes = layoutOf(handle.sizeBytes)?.plainBytes ?? 0;
  const fields = (await openFields(keys, handle)) ?? {
    summary: "[summary damaged]",
    mimeType: "application/octet-stream",
  };
  return { ...copyHandle(handle), ...fields, sizeBytes };
}

async function openFields(
  keys: EncryptionKeys,
  { handleId, summary }: ArtifactHandle,
): Promise<SealedFields | undefined> {
  const sealed = fromBase64(summary.slice(summary.lastIndexOf(".") + 1)) ?? new Uint8Array();
  const plain = await unseal(sealed.subarray(nonceBytes), {
    key: keys.handleKey,
    nonce: sealed.subarray(0, nonceBytes),
    context: new TextEncoder().encode(handleId),
  });
  if (plain === undefined) return undefined;
  const fields: SealedFields = JSON.parse(new TextDecoder().decode(plain));
  return { summary: fields.summary, mimeType: fields.mimeType };
}
