import { expect, test } from "vitest";

import { createEventFeed } from "./event-feed.ts";
import type { RunEvent } from "./run-event.ts";

const stamp = {
  runId: "run",
  chatId: "chat",
  branchId: "main",
  userMessageId: "m",
  trigger: "generate",
} as const;

function eventAt(seq: number): RunEvent {
  return { ...stamp, type: "run.started", seq, epoch: 1, ts: seq };
}

test.each([1, 2, 3, 7])(
  "keeps the newest events, and all or nothing of what is asked for: pages of %d",
  (length) => {
    const feed = createEventFeed(4);
    for (let first = 1; first <= 40; first += length) {
      feed.publish(Array.from({ length }, (_, index) => eventAt(first + index)));
      const { lastSeq } = feed;
      const kept = Array.from({ length: lastSeq + 1 }, (_, seq) =>
        feed.after(seq)?.map((event) => event.seq),
      );
      const wanted = kept.map((_, seq) =>
        Array.from({ length: lastSeq - seq }, (__, index) => seq + 1 + index),
      );
      const from = kept.findIndex((events) => events !== undefined);
      expect(kept.slice(from)).toEqual(wanted.slice(from));
      expect(lastSeq - from).toBeGreaterThanOrEqual(Math.min(4, lastSeq));
      expect(lastSeq - from).toBeLessThanOrEqual(8);
    }
  },
);

test("reports what a listener throws, and still calls the others", () => {
  const errors: unknown[] = [];
  const feed = createEventFeed(4, (error) => errors.push(error));
  const received: number[] = [];
  feed.listen(() => {
    throw new Error("thrown");
  });
  const unsubscribe = feed.listen(({ seq }) => received.push(seq));
  feed.publish([eventAt(1)]);
  unsubscribe();
  feed.publish([eventAt(2)]);
  expect([received, errors.map(String)]).toEqual([[1], ["Error: thrown", "Error: thrown"]]);
});
