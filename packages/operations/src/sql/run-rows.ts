import { numberIn, requiredJsonIn } from "@ccl/sql";
import type { RunEvent } from "../events/run-event.ts";
import type { RunInput } from "../ports/run-store.ts";
import type { RunResult } from "../run/run-result.ts";
import type { Row } from "./statement.ts";

// What a run says more than once is stored once: an event names neither its run nor its number, which its row knows, and
// the last one leaves the result to the run. Rows of earlier versions hold everything themselves.

/** How many events stand in one row at most, so that a reader finds its first without looking at all. */
export const maxEventsInRow = 256;

// JSON never holds it.
const place = "\u0001";

/** JSON in which a text stands once, in front, and a mark where it belongs. */
export function packJson(value: unknown, text: string = ""): string {
  const [json, quoted] = [JSON.stringify(value), JSON.stringify(text)];
  return text === "" ? json : place + quoted + place + json.replaceAll(quoted, place);
}

/** The row with the JSON that `packJson` made for a column. */
export function unpacked(row: Row, column: string): Row {
  const [json, quoted, ...parts] = String(row[column] ?? "").split(place);
  return quoted === undefined ? row : { [column]: json + parts.join(quoted) };
}

const noStamp = {
  runId: undefined,
  chatId: undefined,
  branchId: undefined,
  userMessageId: undefined,
  trigger: undefined,
  seq: undefined,
};

/** Events of one row; of a run that ends, with its result. */
export function packEvents(events: readonly RunEvent[], result: RunResult | undefined): string {
  return JSON.stringify(
    events.map((event) => {
      const body = { ...event, ...noStamp };
      const isEnd = event.type === "run.finished" && result !== undefined;
      return isEnd ? { ...body, result: undefined } : body;
    }),
  );
}

/** Events of a row of a run; its result is there where one of them refers to it. */
export function unpackEvents(
  row: Row,
  { input, result }: { input: RunInput; result: RunResult | undefined },
): RunEvent[] {
  const { runId, chatId, branchId, userMessageId, trigger } = input;
  const firstSeq = numberIn(row, "first_seq");
  return requiredJsonIn<RunEvent[]>(row, "events").map((event, index) => {
    const seq = firstSeq + index;
    const whole = { ...event, runId, chatId, branchId, userMessageId, trigger, seq };
    if (whole.type === "run.finished") whole.result = result ?? whole.result;
    return Object.freeze(whole);
  });
}
