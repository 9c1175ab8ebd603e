import { isRecord, parseJson } from "@ccl/core/json";

/**
 * Maps between a domain value and its form on the wire. `decode` is lenient: what does not have the wire's shape stays
 * as it is, so that the domain schema decides, and a model that answered in the domain's shape is understood as well.
 */
export interface WireCodec {
  encode(value: unknown): unknown;
  decode(wire: unknown): unknown;
}

/** For values that are the same on both sides. */
export const identityCodec: WireCodec = { encode: (value) => value, decode: (wire) => wire };

/** For what the subset cannot describe: the value as JSON text. */
export const jsonTextCodec: WireCodec = {
  encode: (value) => JSON.stringify(value),
  decode: (wire) => {
    const value = typeof wire === "string" ? parseJson(wire) : undefined;
    return value === undefined ? wire : value;
  },
};

/** An array whose items all go through one codec. */
export function arrayCodec(item: WireCodec): WireCodec {
  if (item === identityCodec) return identityCodec;
  const each = (value: unknown, change: (item: unknown) => unknown): unknown =>
    Array.isArray(value) ? value.map((entry: unknown) => change(entry)) : value;
  return {
    encode: (value) => each(value, (entry) => item.encode(entry)),
    decode: (wire) => each(wire, (entry) => item.decode(entry)),
  };
}

/** A value inside an object with one property. */
export function boxCodec(property: string, inner: WireCodec): WireCodec {
  return {
    encode: (value) => ({ [property]: inner.encode(value) }),
    decode: (wire) => inner.decode(isBox(wire, property) ? wire[property] : wire),
  };
}

function isBox(value: unknown, property: string): value is Record<string, unknown> {
  return isRecord(value) && Object.hasOwn(value, property) && Object.keys(value).length === 1;
}

/** An object with any names, as an array of `{ key, value }`. A list with a name twice is not decoded. */
export function pairsCodec(inner: WireCodec): WireCodec {
  return {
    encode: (value) =>
      isRecord(value)
        ? Object.entries(value).map(([key, member]) => ({ key, value: inner.encode(member) }))
        : value,
    decode: (wire) => {
      if (!Array.isArray(wire) || !wire.every((pair) => isPair(pair))) return wire;
      const entries = wire.map(({ key, value }): [string, unknown] => [key, inner.decode(value)]);
      return new Set(entries.map(([key]) => key)).size === entries.length
        ? Object.fromEntries(entries)
        : wire;
    },
  };
}

function isPair(value: unknown): value is { key: string; value: unknown } {
  return (
    isRecord(value) &&
    typeof value["key"] === "string" &&
    "value" in value &&
    Object.keys(value).length === 2
  );
}
