import { setField } from "./set-field.ts";

/** An open bracket and what was read inside it so far. */
export interface Frame {
  kind: "object" | "array" | "paren";
  /** Offset of the bracket. */
  position: number;
  items: unknown[];
  fields: Record<string, unknown>;
  /** The key whose value comes next. */
  key: string | undefined;
  /** Offset of the last key that was read. */
  keyPosition: number;
  /** The key of the last value. */
  lastKey: string | undefined;
  /** A key was read and its colon was not. */
  awaitsColon: boolean;
  /** A value was read and no comma after it. */
  awaitsComma: boolean;
  isTouched: boolean;
  /** Opened by a key between array items: `["a": 1]`. */
  isImplicit: boolean;
}

/** Opens a frame for `{`, `[` or `(`. */
export function createFrame(bracket: string, position: number): Frame {
  return {
    kind: bracket === "{" ? "object" : bracket === "[" ? "array" : "paren",
    position,
    items: [],
    fields: {},
    key: undefined,
    keyPosition: position,
    lastKey: undefined,
    awaitsColon: false,
    awaitsComma: false,
    isTouched: false,
    isImplicit: false,
  };
}

/** Adds a value under the key that waits for one, or as the next item. */
export function addValue(frame: Frame, value: unknown): void {
  if (frame.kind === "object") {
    frame.lastKey = frame.key ?? "";
    setField(frame.fields, frame.lastKey, value);
    frame.key = undefined;
    frame.awaitsColon = false;
  } else frame.items.push(value);
  frame.awaitsComma = true;
  frame.isTouched = true;
}

/** The value that the frame stands for once it is closed: `(x)` is x, `(x, y)` a list. */
export function frameValue(frame: Frame): unknown {
  if (frame.kind === "object") return frame.fields;
  return frame.kind === "paren" && frame.items.length === 1 && frame.awaitsComma
    ? frame.items[0]
    : frame.items;
}
