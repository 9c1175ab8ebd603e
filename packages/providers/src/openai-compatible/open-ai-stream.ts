import type { ToolCall } from "@ccl/core";
import { type JsonRecord, isRecord, numberAt, parseJson, recordAt, stringAt } from "@ccl/core/json";
import type { StreamReader } from "../http/create-wire-model.ts";
import type { TextDelta } from "../http/whole-deltas.ts";
import { callsOf, reasoningOf, textOf, toToolCall } from "../wire/openai-chat/open-ai-answer.ts";
import { firstIn, without } from "../wire/wire-fields.ts";

/** Assembles the first choice of a streamed completion into a `/chat/completions` body. */
export function createOpenAiReader(): StreamReader {
  const said: Record<TextDelta["type"] | "refusal", string> = {
    text: "",
    reasoning: "",
    refusal: "",
  };
  const calls = new GrowingCalls();
  const root: JsonRecord = {};
  const message: JsonRecord = {};
  let choice: JsonRecord | undefined;

  /** Returns the new part of a text. A whole message within a stream repeats the deltas before it. */
  const add = (type: keyof typeof said, text: string, isWhole: boolean): string => {
    const fresh = isWhole && text.startsWith(said[type]) ? text.slice(said[type].length) : text;
    said[type] += fresh;
    return fresh;
  };
  return {
    push(chunk) {
      Object.assign(root, without(chunk, "choices", ...(root["id"] === undefined ? [] : ["id"])));
      const given = firstIn(chunk, "choices");
      if (given === undefined) return [];
      const { finish_reason: reason } = given;
      choice = { ...choice, ...without(given, "delta", "message", "text", "finish_reason") };
      // Some servers send an empty finish reason with each chunk.
      if (reason != null && reason !== "") choice["finish_reason"] = reason;
      const delta = recordAt(given, "delta");
      const whole = recordAt(given, "message");
      const isWhole = Object.keys(delta).length === 0 && Object.keys(whole).length > 0;
      // Some servers put the text where older APIs had it.
      const piece = isWhole ? whole : { content: given["text"], ...delta };
      Object.assign(message, without(piece));
      for (const call of callsOf(piece)) calls.push(call, isWhole);
      add("refusal", stringAt(piece, "refusal") ?? "", isWhole);
      return [
        { type: "reasoning", text: add("reasoning", reasoningOf(piece) ?? "", isWhole) },
        { type: "text", text: add("text", textOf(piece), isWhole) },
      ];
    },
    toBody(isDone) {
      if (choice?.["finish_reason"] === undefined && !isDone) return undefined;
      const { text: content, reasoning, refusal } = said;
      const whole = {
        ...without(message, "function_call", "reasoning"),
        content,
        reasoning_content: reasoning,
        refusal: refusal || undefined,
        tool_calls: calls.finish(),
      };
      return { ...root, choices: choice === undefined ? [] : [{ ...choice, message: whole }] };
    },
  };
}

interface GrowingCall {
  id: string;
  name: string;
  /** Pieces of the arguments. */
  pieces: string[];
  /**
   * True if a piece with only a name followed the complete arguments. Such a piece repeats the call or starts another.
   */
  isNamedAgain: boolean;
  /** The call's index in the stream. If missing, the previous call's index. */
  place: number;
}

interface Piece extends ToolCall {
  index: number | undefined;
}

/**
 * Assembles the calls of a stream. A piece may identify its call by index, by id, by both, or by neither. It starts a
 * new call if its id or index is new, or if it names a function after the previous call's arguments are complete.
 */
class GrowingCalls {
  readonly #calls: GrowingCall[] = [];
  readonly #atIndex = new Map<number | undefined, GrowingCall>();

  /** Adds a piece. A whole message may repeat the calls before it. */
  push(wire: unknown, isInWhole: boolean): void {
    const piece: Piece = { ...toToolCall(wire), index: numberAt(wire, "index") };
    if (!recordAt(wire, "function")["arguments"]) piece.arguments = "";
    const known = this.#find(piece);
    const isRepeated = piece.id !== "" && piece.id === known?.id;
    if (isInWhole && isRepeated && isWhole(known.pieces.join(""))) return;
    const call = known === undefined || startsCall(piece, known) ? this.#start(piece) : known;
    if (known?.isNamedAgain === true && call !== known) call.name = known.name;
    if (piece.index !== undefined) this.#atIndex.set(piece.index, call);
    call.id ||= piece.id;
    call.name = grown(call.name, piece.name);
    if (piece.arguments !== "") call.pieces.push(piece.arguments);
  }

  /** Returns the calls in the form of a whole answer. */
  finish(): JsonRecord[] {
    return this.#calls
      .toSorted((left, right) => left.place - right.place)
      .map(({ id, name, pieces }) => ({ id, function: { name, arguments: joinedText(pieces) } }));
  }

  #find({ id, index, name }: Piece): GrowingCall | undefined {
    const named = id === "" ? undefined : this.#calls.find((call) => call.id === id);
    const placed = this.#atIndex.get(index);
    // If neither id nor index is known, a piece that lacks a name or an index belongs to the previous call.
    const isUnidentified = name === "" || index === undefined;
    return named ?? placed ?? (isUnidentified ? this.#calls.at(-1) : undefined);
  }

  #start({ index }: Piece): GrowingCall {
    const place = index ?? this.#calls.at(-1)?.place ?? 0;
    const call = { id: "", name: "", pieces: [], isNamedAgain: false, place };
    this.#calls.push(call);
    return call;
  }
}

function startsCall(piece: Piece, call: GrowingCall): boolean {
  const text = call.pieces.at(-1)?.endsWith("}") === true ? call.pieces.join("") : "";
  // Some gateways invent a new id for each piece of a call, but name its function only once.
  if (piece.id !== "" && call.id !== "" && piece.id !== call.id)
    return piece.name !== "" || isWhole(text);
  if (call.isNamedAgain && piece.arguments !== "") return true;
  // Without id and index, a name continues the call only if it extends the call's name.
  if (piece.id === "" && piece.index === undefined && !piece.name.startsWith(call.name))
    return piece.name !== "";
  if (piece.name === "" || !isWhole(text)) return false;
  // An identical call repeats the previous one if it has an id or index. Otherwise it is a second call.
  const isSame = piece.name === call.name && (piece.id !== "" || piece.index !== undefined);
  call.isNamedAgain = isSame && piece.arguments === "";
  return !isSame || !(call.isNamedAgain || piece.arguments === text);
}

/**
 * Joins the pieces. Some servers repeat all of them in the last piece, in which case only that one is used. Gemini's
 * compatible server sends `{}` before the arguments.
 */
function joinedText(pieces: readonly string[]): string {
  const joined = pieces.join("").replace(/^\{\}(?=\{)/, "");
  const last = pieces.at(-1) ?? "";
  if (isWhole(joined) || !isWhole(last)) return joined;
  const before = pieces.slice(0, -1);
  const isRepeated =
    last.startsWith(before.join("")) || before.every((piece) => last.startsWith(piece));
  return isRepeated ? last : joined;
}

function isWhole(text: string): boolean {
  return isRecord(parseJson(text));
}

/** Extends a name. It arrives whole, in pieces, or again with each piece of the arguments. */
function grown(name: string, piece: string): string {
  return piece.startsWith(name) ? piece : name + piece;
}
