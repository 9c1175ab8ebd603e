import type { ProviderFields } from "@ccl/core";
import { type JsonRecord, recordAt } from "@ccl/core/json";

/** The members of a record that a converter does not know, as `providerMetadata` under the name of the wire format. */
export function unknownFields(
  format: string,
  record: JsonRecord,
  known: readonly string[],
): { [format: string]: JsonRecord } | undefined {
  const rest = Object.entries(record).filter(
    ([key, value]) => value !== undefined && !known.includes(key),
  );
  return rest.length === 0 ? undefined : { [format]: Object.fromEntries(rest) };
}

/** The fields that a message, part or call carries for this wire format. */
export function fieldsFor(format: string, owner: ProviderFields): JsonRecord {
  return recordAt(owner.providerMetadata, format);
}
