import { describe, expect, it } from "vitest";
import { detectMode } from "./detect-mode.ts";

describe("detectMode", () => {
  it.each([
    ["plan: create a page", "plan", "create a page", "prefix"],
    [" Apply : fix it", "apply", "fix it", "prefix"],
    ["plan:", "plan", "", "prefix"],
    ["Fix the login", "plan", "Fix the login", "verb"],
    ["Пожалуйста, исправь тест", "plan", "Пожалуйста, исправь тест", "verb"],
    ["почини!", "plan", "почини!", "verb"],
    ["generate a client", "apply", "generate a client", "verb"],
    ["Создай README", "apply", "Создай README", "verb"],
    ["create a test and fix the bug", "plan", "create a test and fix the bug", "verb"],
    ["prefix the names", undefined, "prefix the names", "none"],
    ["the creator of this", undefined, "the creator of this", "none"],
    ["пересоздай", undefined, "пересоздай", "none"],
    ["ok", undefined, "ok", "none"],
    ["planning: poker", undefined, "planning: poker", "none"],
    ["", undefined, "", "none"],
  ] as const)("reads %j without a saved plan", (text, mode, goal, reason) => {
    expect(detectMode(text)).toEqual({ mode, goal, reason });
  });

  it.each(["ok", "OK.", "ок", " Применяй! ", "да", "apply"])(
    "takes %j as a trigger while a plan is saved",
    (text) => {
      expect(detectMode(text, { savedPlan: {} })).toEqual({
        mode: "apply",
        goal: "",
        reason: "trigger",
      });
    },
  );

  it("lets a trigger be the whole message only, and a prefix win", () => {
    expect(detectMode("ok, but fix the tests first", { savedPlan: true }).mode).toBe("plan");
    expect(detectMode("ok then", { savedPlan: true }).mode).toBeUndefined();
    expect(detectMode("plan: ok", { savedPlan: true })).toEqual({
      mode: "plan",
      goal: "ok",
      reason: "prefix",
    });
  });
});
