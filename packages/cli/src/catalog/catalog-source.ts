import { type CatalogSource, sourceKey } from "@ccl/catalog/node";

import { CliError } from "../cli-error.ts";

const variableName = /^env:([A-Za-z_]\w*)$/;

/** True where both mean one source. File systems may not tell cases apart, so names do not either. */
export function isSameSource(left: CatalogSource, right: CatalogSource): boolean {
  return sourceKey(left).toLowerCase() === sourceKey(right).toLowerCase();
}

/** What a location stands for: itself, or the value of the variable that it names. */
export function resolveLocation(location: string, env: NodeJS.ProcessEnv): string {
  const variable = variableName.exec(location)?.[1];
  if (variable === undefined) return location;
  const value = env[variable];
  if (value === undefined || value === "")
    throw new CliError("usage", `The environment variable ${variable} is empty.`);
  return value;
}

/** True for `env:NAME`. */
export function isVariable(location: string): boolean {
  return variableName.test(location);
}
