import { setField } from "../repair/set-field.ts";

/** Builds a value while its text arrives. */
export interface PartialReader {
  feed: (chunk: string) => void;
  /** The value so far, the same object each time as it grows; `undefined` before its first bracket. */
  value: () => unknown;
}

interface Container {
  items: unknown[] | undefined;
  fields: Record<string, unknown>;
  key: string | undefined;
  /** The last item is a string that is still being read. */
  endsInPart: boolean;
}

type Mode = "seek" | "think" | "between" | "string" | "word" | "done";

interface State {
  mode: Mode;
  stack: Container[];
  root: unknown;
  /** Text of the string, word or tag that is being read. */
  pending: string;
  /** An escape that has begun: a backslash and up to five characters. */
  escape: string;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);
const OPENING_TAG = "<think>";
const CLOSING_TAG = "</think>";

/** Reads one object or array, past prose, a fence or a reasoning block before it; what is no JSON in it ends the reading. */
export function createPartialReader(): PartialReader {
  const state: State = { mode: "seek", stack: [], root: undefined, pending: "", escape: "" };
  return {
    feed: (chunk) => {
      for (let at = 0; at < chunk.length && state.mode !== "done";) at = read(state, chunk, at);
      if (state.mode === "string") show(state);
    },
    value: () => state.root,
  };
}

function read(state: State, chunk: string, at: number): number {
  const character = chunk.charAt(at);
  if (state.mode === "string") return readString(state, chunk, at);
  if (state.mode === "word" && /[^\s,:}\]]/.test(character)) state.pending += character;
  else if (state.mode === "seek" || state.mode === "think") seek(state, character);
  else {
    if (state.mode === "word") endWord(state);
    readMark(state, character);
  }
  return at + 1;
}

function seek(state: State, character: string): void {
  state.pending = (state.pending + character).slice(-CLOSING_TAG.length);
  if (state.mode === "think") {
    if (state.pending === CLOSING_TAG) state.mode = "seek";
  } else if (state.pending.endsWith(OPENING_TAG)) state.mode = "think";
  else if (character === "{" || character === "[") open(state, character);
}

function readMark(state: State, character: string): void {
  const container = state.stack.at(-1);
  if (container === undefined) return;
  if (character === "{" || character === "[") open(state, character);
  else if (character === "}" || character === "]") close(state, container);
  else if (character === '"') {
    state.mode = "string";
    state.pending = "";
  } else if (character === ",") container.key = undefined;
  else if (/[^\s:]/.test(character)) {
    state.mode = "word";
    state.pending = character;
  }
}

function open(state: State, bracket: string): void {
  const items: unknown[] | undefined = bracket === "[" ? [] : undefined;
  const container: Container = { items, fields: {}, key: undefined, endsInPart: false };
  const value = items ?? container.fields;
  if (state.stack.length === 0) state.root = value;
  else add(state, value);
  state.stack.push(container);
  state.mode = "between";
}

function close(state: State, container: Container): void {
  container.key = undefined;
  state.stack.pop();
  state.mode = state.stack.length === 0 ? "done" : "between";
}

function add(state: State, value: unknown): void {
  const container = state.stack.at(-1);
  if (container?.items !== undefined) container.items.push(value);
  else if (container?.key !== undefined) setField(container.fields, container.key, value);
}

function endWord(state: State): void {
  state.mode = "between";
  try {
    add(state, JSON.parse(state.pending) as unknown);
  } catch {
    state.mode = "done";
  }
}

function readString(state: State, chunk: string, at: number): number {
  if (state.escape !== "") {
    readEscape(state, chunk.charAt(at));
    return at + 1;
  }
  let end = at;
  while (end < chunk.length && chunk[end] !== '"' && chunk[end] !== "\\") end += 1;
  state.pending += chunk.slice(at, end);
  if (chunk[end] === "\\") state.escape = "\\";
  else if (chunk[end] === '"') endString(state);
  return end + 1;
}

function readEscape(state: State, character: string): void {
  state.escape += character;
  if (state.escape.startsWith("\\u") && state.escape.length < 6) return;
  const code = Number.parseInt(state.escape.slice(2), 16);
  state.pending +=
    state.escape.length === 6 ? String.fromCharCode(code) : (ESCAPES.get(character) ?? character);
  state.escape = "";
}

function endString(state: State): void {
  const container = state.stack.at(-1);
  if (container === undefined) return;
  const isKey = container.items === undefined && container.key === undefined;
  if (isKey) container.key = state.pending;
  else show(state);
  container.endsInPart = false;
  state.mode = "between";
}

// Puts the string as far as it came where it belongs; a key that is not complete has no place yet.
function show(state: State): void {
  const container = state.stack.at(-1);
  if (container?.endsInPart === true) container.items?.pop();
  add(state, state.pending);
  if (container?.items !== undefined) container.endsInPart = true;
}
