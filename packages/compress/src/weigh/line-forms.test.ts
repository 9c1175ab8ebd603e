import { describe, expect, it } from "vitest";

import { groupByForm, maskLines } from "./line-forms.ts";

describe("groupByForm", () => {
  it("separates lines that share only the common facility and level", () => {
    const words = "alpha beta gamma delta omega sigma kappa theta lambda".split(" ");
    const lines = words.flatMap((word, at) => [
      `RAS KERNEL FATAL ${word} raised ${"again ".repeat(at)}`,
      `RAS KERNEL FATAL ${word} lost ${"again ".repeat(at)}`,
    ]);
    expect(groupByForm(maskLines(lines))).toHaveLength(lines.length);
  });

  it("joins lines that differ in a single word", () => {
    const names = "ann bob cy dan eve fay gus hal ida joe".split(" ");
    const lines = names.map((name) => `Failed password for user ${name} from 10.0.0.1 port 22`);
    expect(groupByForm(maskLines(lines))).toHaveLength(1);
  });
});
