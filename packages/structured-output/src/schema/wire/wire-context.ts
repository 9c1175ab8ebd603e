import type { Issue } from "@ccl/core";

import { isRecord, parseJson } from "@ccl/core/json";

/** A wire schema node under construction. */
export type WireNode = Record<string, unknown>;

/**
 * Decodes a wire value to a domain value. Anything not in the wire's shape stays unchanged, so that the domain schema
 * decides. This also accepts answers in the domain's shape.
 */
export type Decode = (wire: unknown) => unknown;

/** Decodes values that are identical on both sides. */
export const identity: Decode = (wire) => wire;

/** A converted part of a domain schema. */
export interface Converted {
  schema: WireNode;
  decode: Decode;
}

/** A node's path in the domain schema, the depth of its wire form, and the conversion it belongs to. */
export interface Place {
  path: (string | number)[];
  depth: number;
  context: WireContext;
}

/** What the wire schema cannot express or expresses differently. */
type WireNoteCode =
  /** A constraint checked only by local validation. */
  | "wire_constraint_dropped"
  /** A value sent as JSON text. */
  | "wire_json_text"
  /** The root is wrapped in a property because it is not an object. */
  | "wire_root_wrapped"
  /** Properties that the schema allows but that are not requested from the model. */
  | "wire_extra_properties";

/** State shared while converting one schema. */
export interface WireContext {
  readonly maxDepth: number;
  readonly notes: Issue[];
  /** Number of enum values left for the whole schema. */
  enumValuesLeft: number;
  /** Decisions that depend on unfinished definitions. Run in order after the conversion. */
  readonly settle: (() => void)[];
  /** Unions that may yet become tagged. */
  readonly unsettled: Set<WireNode>;
  convert(node: unknown, place: Place): Converted;
  /** Returns a domain reference's target node. @throws StructuredOutputError */
  resolve(reference: unknown): unknown;
  /** Returns the wire definition of a domain reference's target. */
  define(reference: unknown): Converted;
  /** Returns a wire reference's target node. */
  wireTarget(reference: unknown): WireNode | undefined;
}

/** Returns a place below another. `deeper` is the number of objects and lists between them on the wire. */
export function below(place: Place, deeper: number, ...steps: (string | number)[]): Place {
  return { ...place, depth: place.depth + deeper, path: [...place.path, ...steps] };
}

/** Records a warning. */
export function warn({ path, context }: Place, code: WireNoteCode, message: string): void {
  context.notes.push({ code, path, message, severity: "warning" });
}

/** Sends the value as JSON text, with the reason recorded as a warning. */
export function jsonText(node: unknown, place: Place, reason: string): Converted {
  warn(place, "wire_json_text", `Sent as JSON text: ${reason}.`);
  return { schema: { type: "string", description: jsonTextDescription(node) }, decode: parsed };
}

const maxSchemaCharacters = 500;

function jsonTextDescription(node: unknown): string {
  const { description, ...rules } = isRecord(node) ? node : {};
  const text = JSON.stringify(rules);
  const isDescribed = text !== "{}" && text.length <= maxSchemaCharacters;
  const form = isDescribed
    ? `JSON text that fits ${text}`
    : "A value as JSON text, strings in quotes";
  return typeof description === "string" ? `${description} (${form})` : `${form}.`;
}

/** Decodes JSON text. */
export function parsed(wire: unknown): unknown {
  const value = typeof wire === "string" ? parseJson(wire) : undefined;
  return value === undefined ? wire : value;
}
