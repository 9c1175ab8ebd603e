import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createUuidV7Generator } from "./id-generator.ts";

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function timestampOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

function generatorAt(times: number[], fill?: number) {
  let call = 0;
  const clock = { now: () => times[Math.min(call++, times.length - 1)] ?? 0 };
  const random =
    fill === undefined ? undefined : (byteCount: number) => new Uint8Array(byteCount).fill(fill);
  return createUuidV7Generator(random === undefined ? { clock } : { clock, random });
}

describe("createUuidV7Generator", () => {
  it("puts the example time of RFC 9562, appendix A.6, into the first 48 bits", () => {
    expect(generatorAt([0x017f22e279b0]).next().slice(0, 15)).toBe("017f22e2-79b0-7");
  });

  it("fills all other bits from the given randomness", () => {
    expect(generatorAt([1], 0).next()).toBe("00000000-0001-7000-8000-000000000000");
    expect(generatorAt([1], 255).next()).toBe("00000000-0001-77ff-bfff-ffffffffffff");
  });

  it("advances the time when the counter of a millisecond is full", () => {
    let calls = 0;
    const random = (byteCount: number) => new Uint8Array(byteCount).fill(calls++ === 0 ? 255 : 0);
    const generator = createUuidV7Generator({ clock: { now: () => 0 }, random });
    const ids = Array.from({ length: 3 }, () => generator.next());
    expect([...ids].sort()).toEqual(ids);
  });

  it("stays well-formed if the clock is beyond 48 bits, negative or not a number", () => {
    const generator = generatorAt([-5, Number.NaN, 2 ** 60, Number.POSITIVE_INFINITY]);
    for (let call = 0; call < 4; call += 1) expect(generator.next()).toMatch(uuidV7);
  });

  it("generates well-formed ids that increase, whatever the clock does", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 2 ** 47 }), { minLength: 2, maxLength: 40 }),
        (times) => {
          const generator = generatorAt(times);
          const ids = times.map(() => generator.next());
          for (const id of ids) expect(id).toMatch(uuidV7);
          expect([...ids].sort()).toEqual(ids);
          expect(new Set(ids).size).toBe(ids.length);
          expect(ids.map(timestampOf)).toEqual(
            times.map((_, index) => Math.max(...times.slice(0, index + 1))),
          );
        },
      ),
    );
  });
});
