import { describe, expect, it } from "vitest";

import { visibleResources } from "./visible-resources.ts";

describe("visible resources", () => {
  const table = (name: string, keys: string[] = []) => ({
    id: `res:${name}`,
    uri: `ada://any/db/pg/${name}`,
    kind: "tabular",
    title: name,
    columns: keys.map((fk, at) => ({ name: `key_${at}`, type: "int", fk })),
  });
  const orders = table("public.orders", ["public.users.id", "hr.people.id", "users.id"]);
  const details = [orders, table("public.users"), table("hr.people")];
  const keysOf = (hidden: string): unknown[] => {
    const access = {
      canRead: ({ resource }: { resource: { id: string } }) => resource.id !== `res:${hidden}`,
    };
    const seen = visibleResources(details, { access }).get(orders.id);
    return (seen?.columns ?? []).map(({ fk }) => fk);
  };

  it("have no foreign key to a hidden table", () => {
    expect(keysOf("hr.people")).toEqual(["public.users.id", undefined, "users.id"]);
    expect(keysOf("public.users")).toEqual([undefined, "hr.people.id", undefined]);
    expect(keysOf("none")).toEqual(["public.users.id", "hr.people.id", "users.id"]);
  });
});
