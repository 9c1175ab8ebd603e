import { type Result, success } from "@ccl/core";
import { isRecord, isSameJson, type JsonRecord, valueAt } from "@ccl/core/json";

import { extractJson } from "../extract/extract-json.ts";
import { decodeString } from "../repair/decode-string.ts";
import { createPlainReader, type PlainReader } from "../repair/plain-reader.ts";
import { setField } from "../repair/set-field.ts";
import { alignValue } from "../schema/align-value.ts";
import { createChecker, shapeOf } from "../schema/compile-schema.ts";
import { readAnswer } from "../schema/read-answer.ts";
import { schemaAt } from "../schema/schema-at.ts";
import type { StructuredSchema } from "../schema/structured-schema.ts";
import { findStart } from "./find-start.ts";

type Path = (string | number)[];

/** What there is of a value: every member may be absent, and its last text may be its start. */
export type PartialValue<T> = unknown extends T
  ? unknown
  : T extends readonly (infer Item)[]
    ? PartialValue<Item>[]
    : T extends object
      ? { [Key in keyof T]?: PartialValue<T[Key]> }
      : T;

/** An answer as far as it has come. */
export interface PartialAnswer<T> {
  /** The same object each time, as it grows; before the transforms of a schema's library. What is absent has not begun. */
  value: PartialValue<T>;
  /** The places of the values that are finished since the last time, each given once, those inside a value before it. */
  finished: Path[];
  /** The place of the innermost value that still grows; all on the way to it are not finished. Undefined at the end. */
  growing: Path | undefined;
}

const LIMITS = { maxDepth: 512, maxRepairs: 100_000 };
/** Escapes that a text with backslashes of its own would not mean. */
const DOUBTFUL_ESCAPE = /\\(?:[bf]|$|u[\da-fA-F]{0,3}$)|\\(?!["\\/nrtu])/;

/** Collects an answer in pieces. */
export function createPartialAnswer<T>(schema: StructuredSchema<T> | undefined): {
  add: (chunk: string) => PartialAnswer<T> | undefined;
  end: () => PartialAnswer<T> | undefined;
} {
  const shape = schema && shapeOf(schema);
  const given = new Map<string, unknown>();
  let text = "";
  let from = 0;
  let reader: PlainReader | undefined;
  let isStuck = false;
  let root: unknown;
  let shown: { path: Path; text: string; end: number } | undefined;
  let waiting: { path: Path; value: unknown }[] = [];
  let finished: Path[] = [];

  // What a string ends with is sure only when the next value is read: its last mark might be its own.
  const onValue = (path: Path, value: unknown): void => {
    const isLeaf = typeof value !== "object" || value === null;
    if (isLeaf) flush();
    waiting.push({ path, value: isLeaf ? put(path, value) : value });
  };
  const flush = (): void => {
    for (const { path, value } of waiting.splice(0)) {
      given.set(JSON.stringify(path), value);
      finished.push(path);
    }
  };
  const put = (path: Path, value: unknown): unknown => {
    const node = shape && schemaAt(shape, path);
    const aligned = node === undefined ? undefined : alignValue(node, value)?.value;
    const taken = aligned === undefined ? value : aligned;
    if (taken !== value) place(reader?.value, path, taken);
    return taken;
  };

  const read = (isEnd: boolean): void => {
    if (reader === undefined) {
      const start = findStart(text, from, isEnd);
      from = start.from;
      if (start.at === undefined) return;
      reader = createPlainReader(start.at, { ...LIMITS, onValue });
    }
    isStuck ||= reader.read(text, isEnd) === "stuck";
    if (!isStuck) showText(reader);
    root = reader.value;
  };

  const showText = ({ open, value }: PlainReader): void => {
    const { path, start, end } = open();
    if (start === undefined || !mayGrow(shape && schemaAt(shape, path))) return;
    if (shown?.path.join("/") !== path.join("/")) shown = { path, text: "", end: start };
    const raw = text.slice(shown.end, end);
    const doubt = raw.search(DOUBTFUL_ESCAPE);
    const sure = doubt < 0 ? raw : raw.slice(0, doubt);
    shown = {
      path,
      text: shown.text + (decodeString(sure, { mark: "", offset: 0, repairs: [] }) ?? ""),
      end: shown.end + sure.length,
    };
    if (path.length === 0 && reader !== undefined) reader.value = shown.text;
    else place(value, path, shown.text);
  };

  const news = (growing: Path | undefined): PartialAnswer<T> | undefined => {
    if (root === undefined) return undefined;
    const places = finished;
    finished = [];
    // The schema or the caller says what T is.
    return { value: root as PartialValue<T>, finished: places, growing };
  };

  let last = "";
  return {
    add: (chunk) => {
      text += chunk;
      if (isStuck) return undefined;
      read(false);
      const growing = reader?.open().path ?? [];
      const state = `${JSON.stringify(growing)} ${given.size} ${shown?.text.length} ${waiting.length}`;
      if (state === last) return undefined;
      last = state;
      return news(growing);
    },
    end: () => {
      if (!isStuck) read(true);
      const whole = readWhole(text, schema);
      if (!whole.ok) return finished.length > 0 ? news(reader?.open().path ?? []) : undefined;
      const { value } = whole;
      const isSame = [...given].every(([key, before]) => {
        const now = valueAt(value, JSON.parse(key) as Path);
        return now === undefined || isSameJson(now, before);
      });
      const now = shown && valueAt(value, shown.path);
      const isLonger = typeof now !== "string" || now.startsWith(shown?.text ?? "");
      if (!isSame || !isLonger)
        return finished.length > 0 ? news(reader?.open().path ?? []) : undefined;
      root = value;
      waiting = [];
      for (const path of placesIn(value, []))
        if (!given.has(JSON.stringify(path))) finished.push(path);
      return news(undefined);
    },
  };
}

function readWhole<T>(text: string, schema: StructuredSchema<T> | undefined): Result<unknown> {
  if (schema === undefined) {
    const found = extractJson(text);
    return found.ok ? success(found.value.value) : found;
  }
  const check = createChecker(schema);
  const found = readAnswer(text, {
    check: (value) => {
      const result = check(value);
      return result.ok ? success(value) : result;
    },
    shape: () => shapeOf(schema),
  });
  return found.ok ? success(found.value.value) : found;
}

function mayGrow(node: JsonRecord | undefined): boolean {
  if (node === undefined) return true;
  const { type } = node;
  return (
    !("enum" in node || "const" in node) && (type === undefined || [type].flat().includes("string"))
  );
}

function place(root: unknown, path: Path, value: unknown): void {
  const holder = valueAt(root, path.slice(0, -1));
  const key = path.at(-1);
  if (Array.isArray(holder) && typeof key === "number") holder[key] = value;
  else if (isRecord(holder) && key !== undefined) setField(holder, String(key), value);
}

function* placesIn(value: unknown, path: Path): Generator<Path> {
  if (typeof value === "object" && value !== null)
    for (const [key, child] of Object.entries(value))
      yield* placesIn(child, [...path, Array.isArray(value) ? Number(key) : key]);
  yield path;
}
