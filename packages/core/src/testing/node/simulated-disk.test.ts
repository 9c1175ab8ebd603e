import { describe, expect, it } from "vitest";

import { SimulatedDisk } from "./simulated-disk.ts";

/** The content of each state's files by name, without duplicates. */
function statesOf(disk: SimulatedDisk): string[] {
  const states = disk.crashStates(1_000).map(({ root }) =>
    [...root.names].map(([name, node]) => {
      return node.kind === "file" ? `${name}=${new TextDecoder().decode(node.bytes)}` : name;
    }),
  );
  return [...new Set(states.map((names) => names.join(" ")))].sort();
}

describe("SimulatedDisk", () => {
  it("tears a file that was not synced, even if its folder was", () => {
    const disk = new SimulatedDisk();
    const file = disk.createFile(disk.root, "a");
    disk.sync(disk.root);
    disk.write(file, new TextEncoder().encode("text"));
    expect(statesOf(disk)).toEqual(["a=", "a=\0\0\0\0", "a=te", "a=text"]);
    disk.sync(file);
    expect(statesOf(disk)).toEqual(["a=text"]);
  });

  it("loses any subset of the name changes since the last sync", () => {
    const disk = new SimulatedDisk();
    for (const name of ["a", "b"]) disk.sync(disk.createFile(disk.root, name));
    expect(statesOf(disk)).toEqual(["", "a=", "a= b=", "b="]);
    disk.sync(disk.root);
    disk.rename(disk.root, "a", "c", disk.find(disk.root, "a"));
    expect(statesOf(disk)).toEqual(["a= b=", "b= c="]);
  });

  it("does nothing after its power was cut", () => {
    const disk = new SimulatedDisk();
    disk.cutBefore = 1;
    disk.createFile(disk.root, "a");
    expect(() => disk.createFile(disk.root, "b")).toThrow("The power failed");
    expect(() => disk.look()).toThrow("The power failed");
    expect([...disk.root.names.keys()]).toEqual(["a"]);
  });
});
