import type { ToolCall } from "@ccl/core";
import { isRecord, type JsonRecord, numberAt, parseJson, recordAt, stringAt } from "@ccl/core/json";

import { argumentText } from "../wire/call-ids.ts";

interface GrowingCall extends ToolCall {
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
    call.arguments = isRepeated(piece, call) ? piece.arguments : call.arguments + piece.arguments;
  }

  /** The calls as a whole answer has them. */
  finish(): JsonRecord[] {
    return this.#calls
      .toSorted((left, right) => left.place - right.place)
      .map(({ id, name, arguments: text }) => ({ id, function: { name, arguments: text } }));
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
    const call = { id: "", name: "", arguments: "", place };
    this.#calls.push(call);
    return call;
  }
}

function startsCall(piece: Piece, call: GrowingCall): boolean {
  if (piece.id !== "" && call.id !== "" && piece.id !== call.id) return true;
  if (piece.name === "" || !isRecord(parseJson(call.arguments))) return false;
  // The same call once more is a repetition where its place says so; without one it is a second call.
  const isSame = piece.name === call.name && (piece.id !== "" || piece.index !== undefined);
  return !isSame || !(piece.arguments === "" || isRepeated(piece, call));
}

/** True for arguments that hold those before: no JSON object goes on with its own beginning. */
function isRepeated(piece: Piece, call: GrowingCall): boolean {
  return call.arguments.startsWith("{") && piece.arguments.startsWith(call.arguments);
}

/** Names come whole, in pieces, or again with each piece of the arguments. */
function grown(name: string, piece: string): string {
  return piece.startsWith(name) ? piece : name + piece;
}
