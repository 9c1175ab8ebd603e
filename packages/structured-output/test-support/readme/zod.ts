import type { LanguageModel } from "@ccl/core";
import { generateStructured } from "@ccl/structured-output";
import { z } from "zod";

const schema = z.object({
  name: z.string(),
  founded: z.iso.date().transform((day) => Number(day.slice(0, 4))),
});

export async function askCity(model: LanguageModel): Promise<{ name: string; founded: number }> {
  const messages = [{ role: "user" as const, content: "Name a city." }];
  const city = await generateStructured(model, { schema, messages });
  if (!city.ok) throw new Error(city.issues.map((issue) => issue.message).join("\n"));
  return city.value;
}
