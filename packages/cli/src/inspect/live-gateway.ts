import { numberAt } from "@ccl/core/json";
import type { GatewayView } from "@ccl/inspector";

import { askProxy, isGateway, originOf } from "../commands/status.ts";
import type { UiFlags } from "./ui-flags.ts";

/** The statistics of the gateway that `--gateway` names. Undefined without the flag. */
export async function liveGateway(
  env: NodeJS.ProcessEnv,
  { gateway, tokenEnv }: UiFlags,
  emptyLog: string | undefined,
): Promise<GatewayView["live"]> {
  if (gateway === undefined) return undefined;
  const url = originOf(gateway);
  if (!isGateway(await askProxy(`${url}/health`)))
    return { url, problem: `No gateway answers at ${url}.` };
  const token = tokenEnv === undefined ? undefined : env[tokenEnv];
  const stats = await askProxy(`${url}/stats`, token);
  if (!isStats(stats))
    return {
      url,
      problem: "It wants a token: name the variable that holds it, ccl ui --token-env <name>",
    };
  const problem =
    emptyLog !== undefined && stats.requests > 0
      ? `Its requests are not in ${emptyLog}. Name the folder that it was started with: ccl ui --state <folder>`
      : undefined;
  return { url, problem, figures: stats };
}

const names = ["requests", "changed", "upstreamErrors", "clientsGone", "usd", "directUsd"];

function isStats(
  value: unknown,
): value is NonNullable<NonNullable<GatewayView["live"]>["figures"]> {
  return names.every((name) => numberAt(value, name) !== undefined);
}
