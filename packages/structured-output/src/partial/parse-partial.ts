import { type Result, success } from "@ccl/core";
import { arrayAt, type JsonRecord, isRecord, isSameJson, valueAt } from "@ccl/core/json";
import { DEFAULT_LIMITS, extractJson } from "../extract/extract-json.ts";
import { decodeString, WINDOWS_PATH } from "../repair/decode-string.ts";
import { PlainReader } from "../repair/plain-reader.ts";
import { setField } from "../repair/set-field.ts";
import { alignValue } from "../schema/align-value.ts";
import { shapeOf } from "../schema/compile-schema.ts";
import { readAnswer } from "../schema/parse-structured.ts";
import { schemaAt } from "../schema/schema-at.ts";
import type { StructuredSchema } from "../schema/structured-schema.ts";
import { findStart } from "./find-start.ts";

/**
 * Yields the answer so far after each chunk that adds to it. For display only, since it is checked only at the end.
 * Text only grows, and finished values never change. A schema reshapes each value once it is finished. The last answer
 * has no `growing` if everything was read. Otherwise, `parseStructured` explains why.
 */
export async function* parsePartial<T = unknown>(
  chunks: AsyncIterable<string> | Iterable<string>,
  options: { schema?: StructuredSchema<T> | undefined } = {},
): AsyncGenerator<PartialAnswer<T>, void, undefined> {
  const answer = createPartialAnswer<T>(options.schema);
  for await (const chunk of chunks) {
    const news = answer.add(chunk);
    if (news !== undefined) yield news;
  }
  const last = answer.end();
  if (last !== undefined) yield last;
}

type Path = (string | number)[];

/** A partial value: any field may be absent, and the last string may be incomplete. */
export type PartialValue<T> = unknown extends T
  ? unknown
  : T extends readonly (infer Item)[]
    ? PartialValue<Item>[]
    : T extends object
      ? { [Key in keyof T]?: PartialValue<T[Key]> }
      : T;

/** A partial answer. */
export interface PartialAnswer<T> {
  /** The same growing object each time, before a schema library's transforms. Fields that have not begun are absent. */
  value: PartialValue<T>;
  /** Paths of values finished since the last answer. Each appears once, inner values first. */
  finished: Path[];
  /** Path of the innermost unfinished value. Undefined at the end. */
  growing: Path | undefined;
}

/** Text before an escape that is incomplete, half of a surrogate pair, or unlikely in text with literal backslashes. */
const SURE_TEXT =
  /^(?:[^\\]+|\\(?:["\\/nrt]|u(?![dD][89a-bA-B])[\da-fA-F]{4}|u[dD][89a-bA-B][\da-fA-F]{2}\\u[\da-fA-F]{4}))*/;
/** The same for a path, whose `\t` may be the start of a name, and which may begin with two literal backslashes. */
const SURE_PATH = /^(?!\\\\(?:\w|$))(?:[^\\]+|\\\\)*/;

/** Collects an answer's pieces. */
function createPartialAnswer<T>(schema: StructuredSchema<T> | undefined): {
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
  let shown: Growing | undefined;
  let waiting: { path: Path; value: unknown }[] = [];
  let finished: Path[] = [];

  // A string's end is certain only at the next value, since its last quote may belong to the content.
  const onValue = (path: Path, value: unknown, digits?: string): void => {
    const isLeaf = typeof value !== "object" || value === null;
    if (isLeaf) flush();
    if (value === null && shape !== undefined && isLeftOut(shape, path)) {
      place(reader?.value, path, undefined);
      return;
    }
    waiting.push({ path, value: isLeaf ? put(path, value, digits) : value });
  };
  const flush = (): void => {
    for (const { path, value } of waiting.splice(0)) {
      // If the schema may drop a field or read it by another branch, it is finished only with the whole answer.
      if (shape !== undefined && schemaAt(shape, path) === undefined) continue;
      given.set(JSON.stringify(path), value);
      finished.push(path);
    }
  };
  const put = (path: Path, value: unknown, digits: string | undefined): unknown => {
    const node = shape && schemaAt(shape, path);
    const aligned = node === undefined ? undefined : alignValue(node, value, () => digits)?.value;
    const taken = aligned === undefined ? value : aligned;
    if (taken !== value) place(reader?.value, path, taken);
    return taken;
  };

  const read = (isEnd: boolean): void => {
    if (reader === undefined) {
      const start = findStart(text, from, isEnd);
      from = start.from;
      if (start.at === undefined) return;
      reader = new PlainReader(start.at, { ...DEFAULT_LIMITS, onValue });
    }
    isStuck ||= reader.read(text, isEnd) === "stuck";
    if (!isStuck) showText(reader);
    root = reader.value;
  };

  const showText = (current: PlainReader): void => {
    const { path, start, end } = current.open();
    if (start === undefined || !mayGrow(shape && schemaAt(shape, path))) return;
    const before = shown !== undefined && isSameJson(shown.path, path) ? shown : undefined;
    shown = grown(text, before ?? { path, text: "", end: start }, { start, end });
    if (path.length === 0) current.value = shown.text;
    else place(current.value, path, shown.text);
  };

  const news = (growing: Path | undefined): PartialAnswer<T> | undefined => {
    if (root === undefined) return undefined;
    const places = finished;
    finished = [];
    // T is defined by the schema or the caller.
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
      if (whole.ok && isContinued(whole.value, given, shown)) {
        root = whole.value;
        for (const path of placesIn(root, []))
          if (!given.has(JSON.stringify(path))) finished.push(path);
        return news(undefined);
      }
      return finished.length > 0 ? news(reader?.open().path ?? []) : undefined;
    },
  };
}

/** The visible part of a string. */
interface Growing {
  path: Path;
  text: string;
  /** Where the hidden part begins. */
  end: number;
}

function grown(
  text: string,
  { path, text: before, end: from }: Growing,
  { start, end: to }: { start: number; end: number },
): Growing {
  const isPath = WINDOWS_PATH.test(text.slice(start, start + 4));
  const [sure = ""] = (isPath ? SURE_PATH : SURE_TEXT).exec(text.slice(from, to)) ?? [];
  const added = decodeString(sure, { mark: "", offset: 0, repairs: [] }) ?? "";
  return { path, text: before + added, end: from + sure.length };
}

/** True if the complete value only extends what was yielded before. */
function isContinued(
  value: unknown,
  given: ReadonlyMap<string, unknown>,
  shown: Growing | undefined,
): boolean {
  const now = shown && valueAt(value, shown.path);
  if (typeof now === "string" && !now.startsWith(shown?.text ?? "")) return false;
  return [...given].every(([key, before]) => {
    const after = valueAt(value, JSON.parse(key) as Path);
    return isSameJson(after, before);
  });
}

function readWhole<T>(text: string, schema: StructuredSchema<T> | undefined): Result<unknown> {
  const found = schema === undefined ? extractJson(text) : readAnswer(text, { schema });
  if (!found.ok) return found;
  const { value } = found;
  return success("json" in value ? value.json : value.value);
}

function mayGrow(node: JsonRecord | undefined): boolean {
  if (node === undefined) return true;
  const { type } = node;
  return (
    !("enum" in node || "const" in node) && (type === undefined || [type].flat().includes("string"))
  );
}

/** True if the complete answer omits a null there: the schema has an optional field that is not nullable. */
function isLeftOut(shape: JsonRecord, path: Path): boolean {
  const key = path.at(-1);
  const node = schemaAt(shape, path);
  if (typeof key !== "string" || node === undefined || alignValue(node, null) !== undefined)
    return false;
  return !arrayAt(schemaAt(shape, path.slice(0, -1)), "required").includes(key);
}

/** Sets a value. Undefined removes a field. */
function place(root: unknown, path: Path, value: unknown): void {
  const holder = valueAt(root, path.slice(0, -1));
  const key = path.at(-1);
  if (Array.isArray(holder) && typeof key === "number") holder[key] = value;
  else if (isRecord(holder) && key !== undefined && value === undefined)
    Reflect.deleteProperty(holder, key);
  else if (isRecord(holder) && key !== undefined) setField(holder, String(key), value);
}

function* placesIn(value: unknown, path: Path): Generator<Path> {
  if (typeof value === "object" && value !== null)
    for (const [key, child] of Object.entries(value))
      yield* placesIn(child, [...path, Array.isArray(value) ? Number(key) : key]);
  yield path;
}
