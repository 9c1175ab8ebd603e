import { isDeepStrictEqual } from "node:util";

import type { ModelResponse } from "@ccl/core";

import type { Caller } from "./adapter-callers.ts";
import type { FaultServer } from "./fault-server.ts";
import { type Fault, played } from "./fault-table.ts";

/** What became of one call: the whole answer, an answer with something missing, an error, or no end in bounded time. */
export type Ending = "whole" | "part" | "error" | "hang";

/** One call of the matrix. */
export interface Cell {
  caller: string;
  fault: string;
  ending: Ending;
  /** The server gave a whole answer sooner or later, so that an error lost it. */
  hadAnswer: boolean;
  /** Beyond the time limit; negative before it. */
  lateMs: number;
  error?: unknown;
}

/** The time limits of a matrix. */
export interface MatrixLimits {
  /** For servers that hang. */
  shortMs: number;
  /** For all others. */
  longMs: number;
  /** A call that has not ended so long after its limit, for each of its attempts, hangs. */
  graceMs: number;
}

/** True where the fault is one of the caller's format, and of streams for streams alone. */
export function concerns(fault: Fault, { name, format }: Caller): boolean {
  if (fault.only === undefined) return true;
  if (!name.endsWith("streamed")) return false;
  return fault.only === "streams" || format.streamType === "text/event-stream";
}

/** Every caller against one fault, at once. */
export async function playRow(
  server: FaultServer,
  fault: Fault,
  callers: readonly Caller[],
  limits: MatrixLimits,
): Promise<Cell[]> {
  const concerned = callers.filter((caller) => concerns(fault, caller));
  return Promise.all(concerned.map((caller) => playCell(server, fault, caller, limits)));
}

async function playCell(
  server: FaultServer,
  fault: Fault,
  caller: Caller,
  { shortMs, longMs, graceMs }: MatrixLimits,
): Promise<Cell> {
  const isSlow = fault.codes?.includes("timeout") === true;
  const limitMs = isSlow ? shortMs : longMs;
  const { baseUrl } = server.register(fault, caller.format);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const startedAt = performance.now();
  const hung = new Promise<[Ending]>((resolve) => {
    timer = setTimeout(() => resolve(["hang"]), (limitMs + graceMs) * 2);
  });
  const ended = caller.run(baseUrl, limitMs).then(
    (response): [Ending] => [isWhole(response) ? "whole" : "part"],
    (error: unknown): [Ending, unknown] => ["error", error],
  );
  const [ending, error] = await Promise.race<[Ending, unknown?]>([ended, hung]);
  clearTimeout(timer);
  const lateMs = performance.now() - startedAt - limitMs;
  const isStream = caller.name.endsWith("streamed");
  const hadAnswer = (isStream ? (fault.streamCodes ?? fault.codes) : fault.codes) === undefined;
  return { caller: caller.name, fault: fault.name, ending, hadAnswer, lateMs, error };
}

function isWhole({ text, toolCalls, finishReason }: Partial<ModelResponse>): boolean {
  const calls = toolCalls?.map(({ id, name, arguments: given }) => ({
    id,
    name,
    arguments: given,
  }));
  return isDeepStrictEqual(
    [text, calls, finishReason],
    [played.text, played.toolCalls, "tool_calls"],
  );
}

/** True for a call that hung, lost a part of the answer, or failed though the server answered. */
export function isBad({ ending, hadAnswer }: Cell): boolean {
  return ending === "hang" || ending === "part" || (ending === "error" && hadAnswer);
}

/** The table in Markdown: a row for each fault, and sums. */
export function renderMatrix(cells: readonly Cell[], callers: readonly Caller[]): string {
  const names = callers.map(({ name }) => name);
  const faults = [...new Set(cells.map(({ fault }) => fault))];
  const rowOf = (title: string, cellOf: (name: string) => string): string =>
    `| ${[title, ...names.map(cellOf)].join(" | ")} |`;
  const mine = (name: string): Cell[] => cells.filter(({ caller }) => caller === name);
  const shown = (cell: Cell | undefined): string =>
    cell === undefined ? "" : isBad(cell) ? `**${cell.ending}**` : cell.ending;
  const count = (name: string, test: (cell: Cell) => boolean): string =>
    String(mine(name).filter(test).length);
  return [
    rowOf("the server", (name) => name),
    rowOf("---", () => "---"),
    ...faults.map((fault) =>
      rowOf(fault, (name) => shown(mine(name).find((cell) => cell.fault === fault))),
    ),
    rowOf("hangs", (name) => count(name, ({ ending }) => ending === "hang")),
    rowOf("answers with a part missing", (name) => count(name, ({ ending }) => ending === "part")),
    rowOf("errors in place of an answer", (name) =>
      count(name, ({ ending, hadAnswer }) => ending === "error" && hadAnswer),
    ),
    rowOf("answers in place of an error", (name) =>
      count(name, ({ ending, hadAnswer }) => ending === "whole" && !hadAnswer),
    ),
    rowOf("ms beyond the limit, at most", (name) =>
      String(Math.round(Math.max(0, ...mine(name).map(({ lateMs }) => lateMs)))),
    ),
  ].join("\n");
}
