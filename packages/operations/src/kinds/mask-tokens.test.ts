import { expect, it } from "vitest";

import { maskTokensDeep } from "./mask-tokens.ts";

it("keeps the values of keys that are masked alike", () => {
  const [one, other] = ["a1B2c3D4", "e5F6g7H8"].map((part) => `sk-proj-${part.repeat(6)}`);
  const masked = maskTokensDeep({ [`${one}`]: 1, [`${other}`]: 2, plain: 3 });
  expect(Object.values(Object(masked))).toEqual([1, 2, 3]);
  expect(JSON.stringify(masked)).not.toMatch(/sk-proj/);
});
