import { Liquid } from "liquidjs";
import { describe, expect, it } from "vitest";

import { CompiledTemplates } from "./compiled-templates.ts";

function track(limits?: { templates?: number; chars?: number }): {
  get: (template: string) => void;
  compiled: string[];
  templates: CompiledTemplates;
} {
  const liquid = new Liquid();
  const compiled: string[] = [];
  const templates = new CompiledTemplates(limits);
  const compile = (template: string) => {
    compiled.push(template);
    return liquid.parse(template);
  };
  return { get: (template) => void templates.get(template, compile), compiled, templates };
}

describe("CompiledTemplates", () => {
  it("compiles a template once and drops the least recently used", () => {
    const { get, compiled, templates } = track({ templates: 2 });
    for (const template of ["a", "b", "a", "c", "a", "b"]) get(template);
    expect(compiled).toEqual(["a", "b", "c", "b"]);
    expect(templates.size).toBe(2);
  });

  it("keeps no more characters than allowed", () => {
    const { get, compiled, templates } = track({ chars: 10 });
    for (const template of ["x".repeat(6), "y".repeat(6), "z".repeat(20), "z".repeat(20)])
      get(template);
    expect(compiled).toHaveLength(4);
    expect(templates.size).toBe(0);
  });

  it("does not keep what cannot be compiled", () => {
    const { get, compiled, templates } = track();
    expect(() => get("{% if %}")).toThrow(/invalid value expression/);
    expect(() => get("{% if %}")).toThrow(/invalid value expression/);
    expect(compiled).toHaveLength(2);
    expect(templates.size).toBe(0);
  });
});
