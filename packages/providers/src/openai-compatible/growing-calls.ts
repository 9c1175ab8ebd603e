import type { ToolCall } from "@ccl/core";
import { isRecord, type JsonRecord, numberAt, parseJson, recordAt, stringAt } from "@ccl/core/json";

import { argumentText } from "../wire/call-ids.ts";

interface GrowingCall {
  id: string;
  name: string;
  /** Of the arguments. */
  pieces: string[];
  /** Where the stream says that it stands; of the last call where it says nothing. */
  place: number;
}

interface Piece extends ToolCall {
  index: number | undefined;
}

/**
 * The calls of a stream, from pieces that name theirs by index, by id, by both or not at all. A piece starts a call if its
 * id or index is new, or if it names a function though the arguments of the call before are complete.
 */
export class GrowingCalls {
  readonly #calls: GrowingCall[] = [];
  readonly #atIndex = new Map<number, GrowingCall>();

  push(wire: unknown): void {
    const given = recordAt(wire, "function");
    const piece: Piece = {
      index: numberAt(wire, "index"),
      id: stringAt(wire, "id") ?? "",
      name: stringAt(given, "name") ?? "",
      arguments: given["arguments"] == null ? "" : argumentText(given["arguments"]),
    };
    const known = this.#find(piece);
    const call = known === undefined || startsCall(piece, known) ? this.#start(piece) : known;
    if (piece.index !== undefined) this.#atIndex.set(piece.index, call);
    if (call.id === "") call.id = piece.id;
    call.name = grown(call.name, piece.name);
    if (piece.arguments !== "") call.pieces.push(piece.arguments);
  }

  /** The calls as a whole answer has them. */
  finish(): JsonRecord[] {
    return this.#calls
      .toSorted((left, right) => left.place - right.place)
      .map(({ id, name, pieces }) => ({ id, function: { name, arguments: textOf(pieces) } }));
  }

  #find({ id, index, name }: Piece): GrowingCall | undefined {
    const named = id === "" ? undefined : this.#calls.find((call) => call.id === id);
    const placed = index === undefined ? undefined : this.#atIndex.get(index);
    // A piece without an index, an id or a name of its own belongs to the call before.
    const isUntold = name === "" || index === undefined;
    return named ?? placed ?? (isUntold ? this.#calls.at(-1) : undefined);
  }

  #start({ index }: Piece): GrowingCall {
    const place = index ?? this.#calls.at(-1)?.place ?? 0;
    const call = { id: "", name: "", pieces: [], place };
    this.#calls.push(call);
    return call;
  }
}

function startsCall(piece: Piece, call: GrowingCall): boolean {
  if (piece.id !== "" && call.id !== "" && piece.id !== call.id) return true;
  if (piece.name === "" || !call.pieces.at(-1)?.endsWith("}")) return false;
  const text = call.pieces.join("");
  if (!isWhole(text)) return false;
  // The same call once more is a repetition where its place says so; without one it is a second call.
  const isSame = piece.name === call.name && (piece.id !== "" || piece.index !== undefined);
  return !isSame || !(piece.arguments === "" || piece.arguments === text);
}

/** The pieces in a row; the last alone where it repeats those before, as some servers send them. */
function textOf(pieces: readonly string[]): string {
  const joined = pieces.join("");
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

/** Names come whole, in pieces, or again with each piece of the arguments. */
function grown(name: string, piece: string): string {
  return piece.startsWith(name) ? piece : name + piece;
}
