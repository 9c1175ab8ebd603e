import { sha256Hex } from "@ccl/core";
import type { FoundHandle } from "../artifact-driver.ts";
import type { ArtifactHandle, HandleKey } from "../artifact-store.ts";
import { copyHandle } from "../store/store-context.ts";

const checkDigits = 16;

const digitsOf = (text: string): string => sha256Hex(text).slice(0, checkDigits);

/** Writes a value as JSON, preceded by a checksum (16 digits of its SHA-256) and a space. */
export function toCheckedLine(value: object): string {
  const json = JSON.stringify(value);
  return `${digitsOf(json)} ${json}`;
}

/** Returns the value of a line, or undefined if it is damaged. Earlier versions wrote some lines without a checksum. */
export function fromCheckedLine<Value>(line: Uint8Array): Value | undefined {
  const text = new TextDecoder().decode(line);
  const isChecked = !text.startsWith("{");
  const json = isChecked ? text.slice(checkDigits + 1) : text;
  if (isChecked && `${digitsOf(json)} ${json}` !== text) return undefined;
  try {
    const value: Value = JSON.parse(json);
    return value;
  } catch {
    return undefined;
  }
}

/** Returns the handle in a line. It is damaged if the line is damaged or contains a different handle than requested. */
export function handleOfLine(key: HandleKey, line: Uint8Array): FoundHandle {
  const handle = fromCheckedLine<ArtifactHandle>(line);
  const isNamed = handle?.handleId === key.handleId && handle.artifactId === key.artifactId;
  return isNamed ? handle : damagedHandle(key);
}

/** Returns a checksum over all fields in the order of `copyHandle`, for drivers that store them in columns. */
export function handleChecksum(handle: ArtifactHandle): string {
  return digitsOf(JSON.stringify(copyHandle(handle)));
}

/**
 * Returns the handle in a database row with columns such as `handle_id` and `session_id`. It is damaged if the
 * `checksum` does not match. Rows written by earlier versions have none.
 */
export function handleOfRow(row: Readonly<Record<string, unknown>>): FoundHandle {
  const { session_id: sessionId, checksum } = row;
  const handle: ArtifactHandle = {
    handleId: String(row["handle_id"]),
    artifactId: String(row["artifact_id"]),
    summary: String(row["summary"]),
    sizeBytes: Number(row["size_bytes"]),
    mimeType: String(row["mime_type"]),
    createdAt: Number(row["created_at"]),
    source: String(row["source"]),
    sessionId: typeof sessionId === "string" ? sessionId : undefined,
  };
  const isWhole = typeof checksum !== "string" || checksum === handleChecksum(handle);
  return isWhole ? handle : damagedHandle(handle);
}

/** Returns a placeholder for a handle whose fields cannot be trusted. */
export function damagedHandle({ handleId, artifactId }: HandleKey): FoundHandle {
  return { handleId, artifactId, isDamaged: true };
}
