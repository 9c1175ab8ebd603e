import { RESP_TYPES } from "@redis/client";

import type { Database, ListNamesOptions, ReadOptions, Write } from "./database.ts";

interface CommandOptions {
  typeMapping?: { [RESP_TYPES.BLOB_STRING]: typeof Buffer };
  abortSignal?: AbortSignal;
}

/** What the store needs of a connected client of `@redis/client` or `redis`. */
export interface RedisClient {
  sendCommand(args: readonly (string | Buffer)[], options?: CommandOptions): Promise<unknown>;
}

/**
 * Compares what was read with what is there, then writes. Redis runs a script alone, and a crash keeps all it did or none,
 * so this is a transaction without WATCH, which a lost connection would silently forget. A Redis at its maxmemory refuses a
 * script whose first change may need memory: removals come first, so that deleting and collecting still work.
 */
const writeScript = `
local names, prefix, at = KEYS[1], ARGV[1], 1
local function take() at = at + 1 return ARGV[at] end

for _ = 1, tonumber(take()) do
  local found = redis.call("GET", prefix .. take()) or ""
  if found ~= take() then return 0 end
end
local kept = {}
for index = 1, tonumber(take()) do
  kept[index] = prefix .. take()
  if redis.call("EXISTS", kept[index]) == 0 then return redis.error_reply("ERR staged bytes have expired") end
end

for _, key in ipairs(kept) do redis.call("PERSIST", key) end
for _ = 1, tonumber(take()) do redis.call("UNLINK", prefix .. take()) end
for _ = 1, tonumber(take()) do
  local name = take()
  redis.call("UNLINK", prefix .. name)
  redis.call("ZREM", names, name)
end
for _ = 1, tonumber(take()) do redis.call("ZADD", names, 0, take()) end
for _ = 1, tonumber(take()) do
  local key = prefix .. take()
  redis.call("SET", key, take())
end
for _ = 1, tonumber(take()) do
  local key = prefix .. take()
  if redis.call("INCRBY", key, take()) == 0 then redis.call("UNLINK", key) end
end
return 1
`;

/** How long staged bytes wait for their commit. */
const stagedSeconds = 86_400;

/** The database calls over Redis; all keys begin with the prefix. */
export class RedisDatabase implements Database {
  readonly #client: RedisClient;
  readonly #prefix: string;
  /** One sorted set of all marked names: Redis has no sorted keys of its own. */
  readonly #names: string;

  constructor(client: RedisClient, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
    this.#names = `${prefix}names`;
  }

  async get(
    names: readonly string[],
    { signal }: ReadOptions = {},
  ): Promise<(string | undefined)[]> {
    if (names.length === 0) return [];
    const reply = await this.#send(["MGET", ...names.map((name) => this.#prefix + name)], signal);
    return arrayOf(reply).map((value) =>
      value instanceof Uint8Array ? new TextDecoder().decode(value) : undefined,
    );
  }

  async list(prefix: string, { after = "", limit, signal }: ListNamesOptions): Promise<string[]> {
    const range = [`(${prefix}${after}`, `(${prefix}\u007f`];
    const reply = await this.#send(
      ["ZRANGE", this.#names, ...range, "BYLEX", "LIMIT", "0", String(limit)],
      signal,
    );
    return arrayOf(reply).map(String);
  }

  async putPiece(name: string, bytes: Uint8Array, { signal }: ReadOptions = {}): Promise<void> {
    const value = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    await this.#send(["SET", this.#prefix + name, value, "EX", String(stagedSeconds)], signal);
  }

  async getPiece(name: string, { signal }: ReadOptions = {}): Promise<Uint8Array | undefined> {
    const reply = await this.#send(["GET", this.#prefix + name], signal);
    // A copy: the client's buffer may be part of a larger one.
    return reply instanceof Uint8Array ? new Uint8Array(reply) : undefined;
  }

  async dropPieces(names: readonly string[]): Promise<void> {
    if (names.length > 0) await this.#send(["UNLINK", ...names.map((name) => this.#prefix + name)]);
  }

  async write({ seen, keep, drop, remove, mark, set, add }: Write): Promise<boolean> {
    const pairs = [...seen].flatMap(([name, value]) => [name, value ?? ""]);
    const lists = [
      [seen.size, ...pairs],
      counted(keep),
      counted(drop),
      counted(remove),
      counted(mark),
      [set.size, ...[...set].flat()],
      [add.size, ...[...add].flat()],
    ];
    const reply = await this.#send([
      "EVAL",
      writeScript,
      "1",
      this.#names,
      this.#prefix,
      ...lists.flat().map(String),
    ]);
    return reply === 1;
  }

  async #send(args: readonly (string | Buffer)[], abortSignal?: AbortSignal): Promise<unknown> {
    const typeMapping = { [RESP_TYPES.BLOB_STRING]: Buffer };
    try {
      return await this.#client.sendCommand(
        args,
        abortSignal ? { typeMapping, abortSignal } : { typeMapping },
      );
    } catch (cause) {
      if (!(cause instanceof Error && cause.message.startsWith("OOM "))) throw cause;
      // The code by which the store knows a full disk.
      throw Object.assign(new Error("Redis has reached its maxmemory", { cause }), {
        code: "ENOSPC",
      });
    }
  }
}

function counted(names: Iterable<string>): (string | number)[] {
  const list = [...names];
  return [list.length, ...list];
}

function arrayOf(reply: unknown): unknown[] {
  return Array.isArray(reply) ? reply : [];
}
