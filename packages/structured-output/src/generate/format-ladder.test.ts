import { createScriptedModel } from "@ccl/core/testing";
import { describe, expect, it } from "vitest";

import { createFormatLadder } from "./format-ladder.ts";

const model = createScriptedModel([]);

describe("createFormatLadder", () => {
  it("goes down one rung a refusal, and ends below none", async () => {
    const ladder = createFormatLadder();
    expect(await ladder.current(model)).toBe("json_schema");
    expect(await ladder.stepDown(model, "json_schema")).toBe("json_object");
    expect(await ladder.stepDown(model, "json_object")).toBe("none");
    expect(await ladder.stepDown(model, "none")).toBeUndefined();
    expect(await ladder.current(model)).toBe("none");
  });

  it("keeps provider and model apart", async () => {
    const ladder = createFormatLadder();
    await ladder.stepDown({ ...model, provider: "a", modelId: "b" }, "json_schema");
    expect(await ladder.current({ ...model, provider: "a", modelId: "c" })).toBe("json_schema");
    expect(await ladder.current({ ...model, provider: "c", modelId: "b" })).toBe("json_schema");
    expect(await ladder.current({ ...model, provider: "a", modelId: "b" })).toBe("json_object");
  });

  it("starts where the model says that it stands", async () => {
    const capabilities = { structuredOutput: "json_object" } as const;
    expect(await createFormatLadder().current({ ...model, capabilities })).toBe("json_object");
  });

  it("does not go up again when an older call reports a refusal", async () => {
    const ladder = createFormatLadder();
    await ladder.stepDown(model, "json_object");
    expect(await ladder.stepDown(model, "json_schema")).toBe("none");
  });
});
