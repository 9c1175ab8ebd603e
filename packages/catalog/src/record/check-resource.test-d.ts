import { expectTypeOf, it } from "vitest";

import type { ResourceInput } from "./resource-record.ts";
import { checkResources } from "./check-resource.ts";

it("gives resources as the contract has them", () => {
  expectTypeOf<Extract<ReturnType<typeof checkResources>, { ok: true }>["value"]>().toEqualTypeOf<
    ResourceInput[]
  >();
});
