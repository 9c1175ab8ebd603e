import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** What there is to start from, by name, from the folder of all templates. */
export function listTemplates(templates: URL): { name: string; description: string }[] {
  return fs
    .readdirSync(templates)
    .sort()
    .map((name) => ({
      name,
      description: String(readManifest(fileURLToPath(new URL(name, templates)))["description"]),
    }));
}

/** Writes a template into a folder that is new or empty, and changes nothing where either is wrong. */
export function createProject(
  templates: URL,
  { template, folder }: { template: string; folder: string },
): { files: number } {
  const names = listTemplates(templates).map(({ name }) => name);
  if (!names.includes(template))
    throw new Error(`There is no template "${template}"; there are ${names.join(", ")}`);
  const target = path.resolve(folder);
  const present = fs.existsSync(target) ? fs.readdirSync(target) : [];
  if (present.some((name) => name !== ".git"))
    throw new Error(`${folder} is not empty; give a new folder: npm create ccl ${template} <new>`);
  fs.cpSync(fileURLToPath(new URL(template, templates)), target, { recursive: true });
  const name = path
    .basename(target)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-");
  const manifest = { ...readManifest(target), name: name.replaceAll(/^-+|-+$/g, "") || template };
  fs.writeFileSync(
    path.join(target, "package.json"),
    `${JSON.stringify(manifest, undefined, 2)}\n`,
  );
  // npm leaves a file of this name out of what it publishes.
  fs.writeFileSync(path.join(target, ".gitignore"), "node_modules\ndist\n.next\n");
  const entries = fs.readdirSync(target, { recursive: true, withFileTypes: true });
  return { files: entries.filter((entry) => entry.isFile()).length };
}

function readManifest(folder: string): Record<string, unknown> {
  const manifest: unknown = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
  if (typeof manifest !== "object" || manifest === null)
    throw new Error(`${folder} has no package.json that is an object`);
  return { ...manifest };
}
