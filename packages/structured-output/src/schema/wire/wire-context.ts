import type { Issue } from "@ccl/core";

import { isRecord, parseJson } from "@ccl/core/json";

/** A node of a wire schema under construction. */
export type WireNode = Record<string, unknown>;

/**
 * Decodes a wire value to a domain value. Anything without the wire's shape stays unchanged, so that the domain schema
 * decides. This also accepts a model that answered in the domain's shape.
 */
export type Decode = (wire: unknown) => unknown;

/** Decodes values that are the same on both sides. */
export const asItIs: Decode = (wire) => wire;

/** A converted part of the domain schema. */
export interface Converted {
  schema: WireNode;
  decode: Decode;
}

/** A node's path in the domain schema, the depth of its wire form, and the conversion it is part of. */
export interface Place {
  path: (string | number)[];
  depth: number;
  context: WireContext;
}

/** What the wire schema cannot express, or expresses differently. */
type WireNoteCode =
  /** A constraint that only local validation checks. */
  | "wire_constraint_dropped"
  /** A value that is sent as JSON text. */
  | "wire_json_text"
  /** The root is wrapped in a property because it is not an object. */
  | "wire_root_wrapped"
  /** Properties that the schema allows but the model is not asked for. */
  | "wire_extra_properties";

/** State shared by the conversion of one schema. */
export interface WireContext {
  readonly maxDepth: number;
  readonly notes: Issue[];
  /** How many more enum values the whole schema may have. */
  enumValuesLeft: number;
  /** Decisions that depend on unfinished definitions. They run in order after the conversion. */
  readonly settle: (() => void)[];
  /** Unions that may still become tagged. */
  readonly unsettled: Set<WireNode>;
  convert(node: unknown, place: Place): Converted;
  /** The target node of a domain reference. @throws StructuredOutputError */
  resolve(reference: unknown): unknown;
  /** The wire definition of a domain reference's target. */
  define(reference: unknown): Converted;
  /** The target node of a wire reference. */
  wireTarget(reference: unknown): WireNode | undefined;
}

/** A place below another. `deeper` is how many objects and lists lie between them on the wire. */
export function below(place: Place, deeper: number, ...steps: (string | number)[]): Place {
  return { ...place, depth: place.depth + deeper, path: [...place.path, ...steps] };
}

/** Records a warning. */
export function warn({ path, context }: Place, code: WireNoteCode, message: string): void {
  context.notes.push({ code, path, message, severity: "warning" });
}

/** Sends the value as JSON text and records the reason as a warning. */
export function jsonText(node: unknown, place: Place, reason: string): Converted {
  warn(place, "wire_json_text", `Travels as JSON text: ${reason}.`);
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
