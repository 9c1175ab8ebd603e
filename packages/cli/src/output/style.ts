import { styleText } from "node:util";

type Colour = "bold" | "cyan" | "dim" | "green" | "red" | "yellow";

/** How to format text for one output stream. */
export interface Style {
  isTerminal: boolean;
  /** Width of the terminal in columns. Infinity if unknown. */
  width: number;
  /** Functions that colour text, or return it unchanged. */
  colours: Record<Colour, (text: string) => string>;
}

/**
 * Determines the style from the stream and NO_COLOR, FORCE_COLOR and TERM. The first variable that
 * is set decides.
 */
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
