import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseAlias } from "../registry/alias-name.ts";
import { cardFileName } from "./context-files.ts";

describe("the name of a card's file", () => {
  it.each([
    ["S.entities", "S.entities.md"],
    ["A.ADR1", "A.ADR1.md"],
    ["CON.main", "_CON.main.md"],
    ["COM1.port", "_COM1.port.md"],
    ["CONF.main", "CONF.main.md"],
    ["H.main@9f8e7d6c", undefined],
    ["../H.main", undefined],
    ["H.a/b", undefined],
    ["", undefined],
  ])("of %j is %j", (alias, name) => {
    expect(cardFileName(alias)).toBe(name);
  });

  it("has no separator, is not a device and belongs to one alias, for any alias", () => {
    const alias = fc.stringMatching(/^[A-Z][A-Z0-9]{0,3}\.[A-Za-z0-9_][A-Za-z0-9_.-]{0,20}$/);
    fc.assert(
      fc.property(alias, alias, (one, other) => {
        fc.pre(parseAlias(one).ok && parseAlias(other).ok);
        const name = cardFileName(one);
        expect(name).toMatch(/^[A-Za-z0-9_.-]+\.md$/);
        expect(name).not.toMatch(/^(?:CON|PRN|AUX|NUL|COM\d|LPT\d)\./);
        expect(name === cardFileName(other)).toBe(one === other);
      }),
    );
  });
});
