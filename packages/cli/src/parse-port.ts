import { InvalidArgumentError } from "commander";

/** An option's port; 0 is any free one. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (text.trim() === "" || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError("Give a port such as 8788, or 0 for a free one.");
  return port;
}
