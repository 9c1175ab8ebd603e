import { spawn } from "node:child_process";
import { realpath } from "node:fs/promises";
import { relative, sep } from "node:path";

import type { CatalogFiles } from "@ccl/catalog";

import { CliError } from "../cli-error.ts";
import type { Session } from "../session.ts";
import { catalogFolder } from "./read-catalog.ts";

const MAX_BYTES = 1024 * 1024 * 1024;

/** The files of the catalog as git has them at a revision; undefined where it has none there. */
export async function gitSnapshot(
  session: Session,
  revision: string,
): Promise<CatalogFiles | undefined> {
  if (revision.startsWith("-")) throw new CliError("usage", `${revision} is no revision.`);
  const top = (await git(session, ["rev-parse", "--show-toplevel"])).toString("utf8").trim();
  const path = await realpath(catalogFolder(session).path);
  const folder = relative(await realpath(top), path)
    .split(sep)
    .join("/");
  const commit = (
    await git(session, ["rev-parse", "--verify", "--end-of-options", `${revision}^{tree}`])
  )
    .toString("utf8")
    .trim();
  const listed = await git(session, [
    "ls-tree",
    "-r",
    "-z",
    "--full-tree",
    commit,
    "--",
    `${folder}/`,
  ]);
  const blobs = listed
    .toString("utf8")
    .split("\0")
    .flatMap((line) => {
      const [, hash, path = ""] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
      const name = path.slice(folder.length + 1);
      const isOurs = name === "overview.jsonl" || name.startsWith("details/");
      return hash === undefined || !isOurs ? [] : [{ hash, name }];
    });
  if (!blobs.some(({ name }) => name === "overview.jsonl")) return undefined;
  const contents = await git(
    session,
    ["cat-file", "--batch"],
    blobs.map(({ hash }) => `${hash}\n`).join(""),
  );
  const texts = textsOf(contents);
  return Object.fromEntries(blobs.map(({ name }, index) => [name, texts[index] ?? ""]));
}

/** The objects of `git cat-file --batch`: a header line with the size, the bytes, a line feed. */
function textsOf(output: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(10, at);
    const size = Number(output.toString("utf8", at, end).split(" ")[2]);
    texts.push(output.toString("utf8", end + 1, end + 1 + size));
    at = end + size + 2;
  }
  return texts;
}

async function git(
  { root, signal, terminal }: Session,
  args: string[],
  input = "",
): Promise<Buffer> {
  const child = spawn("git", ["-C", root, ...args], {
    env: { ...process.env, ...terminal.env, LC_ALL: "C" },
    signal,
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  const pieces: Buffer[] = [];
  let size = 0;
  let complaint = "";
  child.stdout.on("data", (piece: Buffer) => {
    size += piece.length;
    if (size > MAX_BYTES) child.kill();
    else pieces.push(piece);
  });
  child.stderr
    .setEncoding("utf8")
    .on("data", (text: string) => (complaint = (complaint + text).slice(0, 500)));
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const code = await new Promise<number | null | Error>((settle) => {
    child.on("error", settle);
    child.on("close", settle);
  });
  signal.throwIfAborted();
  if (code === 0) return Buffer.concat(pieces);
  const reason = code instanceof Error ? code.message : complaint.trim();
  throw new CliError(
    "usage",
    `git has nothing to compare with: ${reason || `it ended with ${code}`}`,
  );
}
