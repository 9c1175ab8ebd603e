import type { ResourceDetails } from "@ccl/catalog";
import { QueryError } from "../query-error.ts";
import type { Connector } from "./connector.ts";

/** A resource's connector and its key. */
export interface FoundConnector {
  key: string;
  connector: Connector;
}

/** Connectors by address prefix, such as `ada://any/db/pg:main` or `https://api.example.com`. */
export type Connectors = Readonly<Record<string, Connector>>;

/**
 * Finds the connector with the longest key that is a prefix of the resource's address, or of its id if it has no
 * address. The prefix must end at a `/` or `:`.
 */
export function findConnector(connectors: Connectors, resource: ResourceDetails): FoundConnector {
  const address = resource.uri ?? resource.id;
  const keys = Object.keys(connectors).filter((key) => isBeginning(key, address));
  const [key] = keys.toSorted((left, right) => right.length - left.length);
  const connector = key === undefined ? undefined : connectors[key];
  if (key !== undefined && connector !== undefined) return { key, connector };
  const message = `No connector serves ${JSON.stringify(resource.id)} (${address.slice(0, 200)}); pass one under a prefix of that address.`;
  throw new QueryError("connector_missing", message, { details: { resource: resource.id } });
}

function isBeginning(key: string, address: string): boolean {
  if (!address.startsWith(key)) return false;
  return (
    address.length === key.length || /[/:.]$/.test(key) || /^[/:.?]/.test(address.slice(key.length))
  );
}

/** Returns the last part of a resource's address, after `separator`, percent-decoded if possible. */
export function lastPart({ uri, id }: ResourceDetails, separator: string | RegExp): string {
  const last = (uri ?? id).split(/[?#]/)[0]?.split(separator).at(-1) ?? "";
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
