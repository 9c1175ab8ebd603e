import type { RunEvent } from "@ccl/operations";

import type { ToldRun } from "../told-run.ts";
import { markup, type Html } from "./html.ts";

interface Row {
  name: string;
  status: string;
  note: string;
  /** Absent where it never started. */
  from?: number | undefined;
  to: number;
}

const size = { width: 960, label: 190, right: 96, row: 30, top: 30 };
// Of notes, which are 11 units high.
const characterWidth = 6;

/** What ran when, as a drawing: a bar for each operation and the main call, hollow marks for what never started. */
export function timeline({ result, events }: ToldRun): Html {
  const { startedAt, finishedAt } = result;
  const spanMs = Math.max(1, finishedAt - startedAt);
  const rows = rowsOf(events);
  const height = size.top + rows.length * size.row + 26;
  const inner = size.width - size.label - size.right;
  const x = (ts: number): number =>
    Math.round(10 * (size.label + ((ts - startedAt) / spanMs) * inner)) / 10;
  const ticks = ticksOf(spanMs).map((ms) => {
    const at = x(startedAt + ms);
    return markup`<line class="grid" x1="${at}" x2="${at}" y1="${size.top - 6}" y2="${height - 24}" /><text
        class="tick"
        x="${at}"
        y="${height - 8}"
        >${ms} ms</text
      >`;
  });
  const bands = bandsOf(events, finishedAt).map(({ name, from, to }, index) => {
    const width = Math.max(0, x(to) - x(from));
    const title =
      width > 64 ? markup`<text class="phase" x="${x(from) + 6}" y="16">${name}</text>` : markup``;
    return markup`<rect
        class="band b${index % 2}"
        x="${x(from)}"
        y="0"
        width="${width}"
        height="${height - 24}"
      />${title}`;
  });
  const bars = rows.map((row, index) => barOf(row, { x, y: size.top + index * size.row }));
  return markup`<svg viewBox="0 0 ${size.width} ${height}" role="img" aria-label="Timeline of the run">
    ${bands}${ticks}${bars}
  </svg>`;
}

function barOf(
  { name, status, note, from, to }: Row,
  { x, y }: { x: (ts: number) => number; y: number },
): Html {
  const middle = y + 15;
  const label = markup`<text class="name" x="0" y="${middle + 4}">${name}</text>`;
  if (from === undefined) {
    const at = x(to);
    const mark = `${at},${middle - 6} ${at + 6},${middle} ${at},${middle + 6} ${at - 6},${middle}`;
    const isRight = at > size.width - 260;
    const side = isRight
      ? markup`<text class="note end" x="${at - 12}" y="${middle + 4}">${note}</text>`
      : markup`<text class="note" x="${at + 12}" y="${middle + 4}">${note}</text>`;
    return markup`${label}<polygon class="hollow ${status}" points="${mark}" />${side}`;
  }
  const width = Math.max(4, x(to) - x(from));
  const hasRoom = x(from) + width + 8 + note.length * characterWidth < size.width;
  const said = hasRoom
    ? markup`<text class="note" x="${x(from) + width + 8}" y="${middle + 4}">${note}</text>`
    : markup`<text class="note end" x="${x(from) - 8}" y="${middle + 4}">${note}</text>`;
  const title = markup`<title>${name}: ${status}, ${to - from} ms</title>`;
  return markup`${label}<rect class="bar ${status}" x="${x(from)}" y="${y + 5}" width="${width}" height="20" rx="4">${title}</rect>${said}`;
}

/** The operations in the order of their ends' hooks, the main call between them. */
function rowsOf(events: readonly RunEvent[]): Row[] {
  const before: Row[] = [];
  const after: Row[] = [];
  const calls: Row[] = [];
  let lastHeard = 0;
  let mainFrom: number | undefined;
  for (const event of events) {
    if (event.type === "operation.finished") {
      const {
        operationName: name,
        status,
        startedAt: from,
        finishedAt: to,
        skippedReason,
        error,
      } = event;
      const said = skippedReason?.replaceAll("_", " ") ?? error?.code;
      const never = said === undefined ? `${status}, never started` : `${status}: ${said}`;
      const note = from === undefined ? never : (said ?? `${to - from} ms`);
      (event.hook === "before_main_llm" ? before : after).push({
        name,
        status,
        note,
        to,
        from,
      });
    }
    if (event.type === "main_llm.started") {
      // The call that a crash cut off ends where its process was last heard of.
      if (mainFrom !== undefined)
        calls.push({
          name: "Main model",
          status: "error",
          note: "process killed",
          from: mainFrom,
          to: lastHeard,
        });
      mainFrom = event.ts;
    }
    if (event.type !== "run.phase_changed") lastHeard = event.ts;
    if (event.type === "main_llm.finished") {
      const { status, finishReason, ts: to, partial } = event;
      const why = finishReason.replaceAll("_", " ");
      const note =
        status === "done"
          ? `${to - (mainFrom ?? to)} ms`
          : `${why}${partial === true ? ", partial" : ""}`;
      calls.push({
        name: "Main model",
        status: status === "done" ? "main" : status,
        note,
        to,
        from: mainFrom,
      });
    }
  }
  const byStart = (left: Row, right: Row): number =>
    (left.from ?? left.to) - (right.from ?? right.to);
  return [...before.sort(byStart), ...calls, ...after.sort(byStart)];
}

const phaseNames: Record<string, string> = {
  before_main_llm: "before",
  main_llm: "main model",
  after_main_llm: "after",
};

function bandsOf(
  events: readonly RunEvent[],
  finishedAt: number,
): { name: string; from: number; to: number }[] {
  const starts = events.flatMap((event) => {
    const name = event.type === "run.phase_changed" ? phaseNames[event.phase] : undefined;
    return name === undefined ? [] : [{ name, from: event.ts }];
  });
  return starts.map(({ name, from }, index) => ({
    name,
    from,
    to: starts[index + 1]?.from ?? finishedAt,
  }));
}

/** Four to eight round numbers of milliseconds. */
function ticksOf(spanMs: number): number[] {
  const step =
    [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000].find(
      (ms) => spanMs / ms <= 8,
    ) ?? spanMs;
  return Array.from({ length: Math.floor(spanMs / step) + 1 }, (_, index) => index * step);
}
