import { numberIn, requiredJsonIn } from "@ccl/sql";
import type { RunEvent } from "../events/run-event.ts";
import type { RunInput } from "../ports/run-store.ts";
import type { RunResult } from "../run/run-result.ts";
import type { Row } from "./statement.ts";

// Repeated data of a run is stored once. An event contains neither its run nor its number, which its row has. The last
// event refers to the run's result. Rows of earlier versions contain everything themselves.

/** Limit of events in one row, so that a reader finds its first event without reading all. */
export const maxEventsInRow = 256;

// JSON never contains this character.
const place = "\u0001";

/** Packs JSON so that a text is stored once, at the front, with a placeholder wherever it belongs. */
export function packJson(value: unknown, text: string = ""): string {
  const [json, quoted] = [JSON.stringify(value), JSON.stringify(text)];
  return text === "" ? json : place + quoted + place + json.replaceAll(quoted, place);
}

/** Unpacks a column that `packJson` wrote. */
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

/** Packs the events of one row. If the run ends, they share its result. */
export function packEvents(events: readonly RunEvent[], result: RunResult | undefined): string {
  return JSON.stringify(
    events.map((event) => {
      const body = { ...event, ...noStamp };
      const isEnd = event.type === "run.finished" && result !== undefined;
      return isEnd ? { ...body, result: undefined } : body;
    }),
  );
}

/** Unpacks the events of a run's row. The result must be given if one of them refers to it. */
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
