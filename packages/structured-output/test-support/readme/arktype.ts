import type { LanguageModel } from "@ccl/core";
import { generateStructured } from "@ccl/structured-output";
import { type } from "arktype";

const schema = type({ name: "string", inhabitants: "number.integer >= 0" });

export async function askCity(
  model: LanguageModel,
): Promise<{ name: string; inhabitants: number }> {
  const messages = [{ role: "user" as const, content: "Name a city." }];
  const city = await generateStructured(model, { schema, messages });
  if (!city.ok) throw new Error(city.issues.map((issue) => issue.message).join("\n"));
  return city.value;
}
