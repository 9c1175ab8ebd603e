import { expect, it } from "vitest";

import { createVirtualClock, settlePromises } from "../testing/create-virtual-clock.ts";
import { boundStore } from "./bound-store.ts";

const outcomeOf = async (call: Promise<unknown>): Promise<unknown> =>
  call.catch((error: unknown) => Object(error).code ?? String(error));

it("gives what the store answers in time, and an error where it does not", async () => {
  const clock = createVirtualClock();
  const answers: ((value: string) => void)[] = [];
  const store = boundStore(
    {
      name: "mine",
      late: () => new Promise<string>((resolve) => answers.push(resolve)),
      plain: (value: string) => value,
      throws: (): string => {
        throw new Error("thrown");
      },
      rejects: () => Promise.reject(new Error("rejected")),
      own(): string {
        return this.name;
      },
    },
    { clock, timeoutMs: 100 },
  );
  expect(store.name).toBe("mine");
  expect(await store.plain("at once")).toBe("at once");
  expect(await store.own()).toBe("mine");
  const inTime = store.late();
  await clock.advance(99);
  answers[0]?.("in time");
  expect(await inTime).toBe("in time");
  const late = outcomeOf(store.late());
  await clock.advance(100);
  answers[1]?.("too late");
  expect(await late).toBe("unavailable");
  for (const call of [Promise.resolve().then(() => store.throws()), store.rejects()])
    expect(await outcomeOf(call)).toMatch(/^Error: (?:thrown|rejected)$/);
  await settlePromises();
  expect(clock.pendingTimers).toBe(0);
});
