import type { ProviderFields } from "@ccl/core";
import { isRecord } from "@ccl/core/json";

import type { AiSdkJson, AiSdkOptioned, AiSdkProviderOptions } from "./ai-sdk-message.ts";

const ownFields = new Set(["ai-sdk", "wire"]);

/** Converts `providerMetadata` to provider options. Leaves out the SDK's own fields under `ai-sdk`. */
export function providerOptionsOf(owner: ProviderFields): AiSdkOptioned {
  const options: AiSdkProviderOptions = {};
  for (const [provider, fields] of Object.entries(owner.providerMetadata ?? {})) {
    if (!ownFields.has(provider) && isJsonRecord(fields)) options[provider] = fields;
  }
  return Object.keys(options).length === 0 ? {} : { providerOptions: options };
}

/** Converts provider options to `providerMetadata`, along with any fields of the SDK itself. */
export function metadataOf(options: unknown, own: Record<string, unknown> = {}): ProviderFields {
  const fields = Object.entries(own).filter(([, value]) => value !== undefined);
  const metadata: Record<string, unknown> = isRecord(options) ? { ...options } : {};
  if (fields.length > 0) metadata["ai-sdk"] = Object.fromEntries(fields);
  return Object.keys(metadata).length === 0 ? {} : { providerMetadata: metadata };
}

/** Returns true if the value can be written as JSON. Like the SDK, allows undefined fields in objects. */
export function isJson(value: unknown): value is AiSdkJson {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  return Array.isArray(value) ? value.every(isJson) : isJsonRecord(value);
}

function isJsonRecord(value: unknown): value is { [key: string]: AiSdkJson | undefined } {
  return (
    isRecord(value) &&
    Object.values(value).every((member) => member === undefined || isJson(member))
  );
}
