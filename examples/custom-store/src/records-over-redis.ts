import type { KeyValue } from "@ccl/records";
import type { createClient } from "@redis/client";

/** A client of the package `redis` or `@redis/client`. */
export type RedisClient = ReturnType<typeof createClient<{}, {}, {}, 3, {}>>;

/** Runs atomically: no other client comes between the checks and the writes. */
const commitScript = `
  local at = 2
  for _ = 1, tonumber(ARGV[1]) do
    local text = redis.call('HGET', KEYS[1], ARGV[at])
    if (text and '=' .. text or '') ~= ARGV[at + 1] then return 0 end
    at = at + 2
  end
  while ARGV[at] do
    if ARGV[at + 1] == '' then
      redis.call('HDEL', KEYS[1], ARGV[at])
      redis.call('ZREM', KEYS[2], ARGV[at])
    else
      redis.call('HSET', KEYS[1], ARGV[at], string.sub(ARGV[at + 1], 2))
      redis.call('ZADD', KEYS[2], 0, ARGV[at])
    end
    at = at + 2
  end
  return 1`;

/** Records in Redis: texts in a hash, and their keys in a sorted set. `appendfsync` decides how durable it is. */
export function recordsOverRedis(client: RedisClient, namespace: string): KeyValue {
  const keys = [`{${namespace}}:texts`, `{${namespace}}:keys`];
  const [texts = "", sorted = ""] = keys;
  const get = async (wanted: readonly string[]): Promise<(string | undefined)[]> =>
    wanted.length === 0
      ? []
      : (await client.hmGet(texts, [...wanted])).map((text) => text ?? undefined);
  return {
    get,
    async list({ from, before, limit }) {
      const range = { BY: "LEX", LIMIT: { offset: 0, count: limit } } as const;
      const found = await client.zRange(sorted, `[${from}`, `(${before}`, range);
      const values = await get(found);
      return found.flatMap((key, at) => {
        const text = values[at];
        return text === undefined ? [] : [[key, text] as const];
      });
    },
    async commit({ checks, writes }) {
      const pairs = [...checks, ...writes].flatMap(([key, text]) => [
        key,
        text === undefined ? "" : `=${text}`,
      ]);
      const argumentsOfScript = [String(checks.length), ...pairs];
      return (await client.eval(commitScript, { keys, arguments: argumentsOfScript })) === 1;
    },
  };
}
