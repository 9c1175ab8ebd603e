import { styleText } from "node:util";

type Colour = "bold" | "cyan" | "dim" | "green" | "red" | "yellow";

/** How one output stream is written to. */
export interface Style {
  isTerminal: boolean;
  /** Columns of the terminal, Infinity if unknown. */
  width: number;
  /** Colours, or functions that leave the text as it is. */
  colours: Record<Colour, (text: string) => string>;
}

/** Reads the stream and NO_COLOR, FORCE_COLOR, TERM: the first that is set decides. */
export function styleOf(
  stream: { isTTY?: boolean | undefined; columns?: number | undefined },
  environment: NodeJS.ProcessEnv,
): Style {
  const isTerminal = stream.isTTY === true;
  const isWanted = isColourWanted(isTerminal, environment);
  const colour = (name: Colour) => (text: string) =>
    isWanted ? styleText(name, text, { validateStream: false }) : text;
  return {
    isTerminal,
    width: stream.columns ?? Infinity,
    colours: {
      bold: colour("bold"),
      cyan: colour("cyan"),
      dim: colour("dim"),
      green: colour("green"),
      red: colour("red"),
      yellow: colour("yellow"),
    },
  };
}

function isColourWanted(isTerminal: boolean, environment: NodeJS.ProcessEnv): boolean {
  if (environment["NO_COLOR"] !== undefined && environment["NO_COLOR"] !== "") return false;
  const force = environment["FORCE_COLOR"];
  if (force !== undefined) return force !== "0" && force !== "false";
  return isTerminal && environment["TERM"] !== "dumb";
}
