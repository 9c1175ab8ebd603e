import type { LanguageModel } from "@ccl/core";
import { generateStructured } from "@ccl/structured-output";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";

const shape = v.object({ name: v.string(), inhabitants: v.pipe(v.number(), v.integer()) });
const schema = toStandardJsonSchema(shape);

export async function askCity(
  model: LanguageModel,
): Promise<{ name: string; inhabitants: number }> {
  const messages = [{ role: "user" as const, content: "Name a city." }];
  const city = await generateStructured(model, { schema, messages });
  if (!city.ok) throw new Error(city.issues.map((issue) => issue.message).join("\n"));
  return city.value;
}
