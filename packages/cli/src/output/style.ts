import pc from "picocolors";

/** How one output stream is written to. */
export interface Style {
  isTerminal: boolean;
  /** Colours, or functions that leave the text as it is. */
  colours: ReturnType<typeof pc.createColors>;
}

/** Reads the stream and NO_COLOR, FORCE_COLOR, TERM: the first that is set decides. */
export function styleOf(stream: { isTTY?: boolean }, environment: NodeJS.ProcessEnv): Style {
  const isTerminal = stream.isTTY === true;
  return {
    isTerminal,
    colours: pc.createColors(isColourWanted(isTerminal, environment)),
  };
}

function isColourWanted(isTerminal: boolean, environment: NodeJS.ProcessEnv): boolean {
  if (environment["NO_COLOR"] !== undefined && environment["NO_COLOR"] !== "") return false;
  const force = environment["FORCE_COLOR"];
  if (force !== undefined) return force !== "0" && force !== "false";
  return isTerminal && environment["TERM"] !== "dumb";
}
