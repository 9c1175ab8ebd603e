import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Lists the templates in a folder, by name. */
export function listTemplates(templates: URL): { name: string; description: string }[] {
  return fs
    .readdirSync(templates)
    .sort()
    .map((name) => ({
      name,
      description: String(readManifest(fileURLToPath(new URL(name, templates)))["description"]),
    }));
}

/** Copies a template into a new or empty folder. Writes nothing if it throws. */
export function createProject(
  templates: URL,
  { template, folder }: { template: string; folder: string },
): { files: number } {
  const names = listTemplates(templates).map(({ name }) => name);
  if (!names.includes(template))
    throw new Error(`Unknown template "${template}". Known templates: ${names.join(", ")}`);
  const target = path.resolve(folder);
  const present = fs.existsSync(target) ? fs.readdirSync(target) : [];
  if (present.some((name) => name !== ".git"))
    throw new Error(`${folder} is not empty. Name a new folder: npm create ccl ${template} <new>`);
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
  // npm does not publish files with this name.
  fs.writeFileSync(path.join(target, ".gitignore"), "node_modules\ndist\n.next\n");
  const entries = fs.readdirSync(target, { recursive: true, withFileTypes: true });
  return { files: entries.filter((entry) => entry.isFile()).length };
}

function readManifest(folder: string): Record<string, unknown> {
  const manifest: unknown = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
  if (typeof manifest !== "object" || manifest === null)
    throw new Error(`The package.json in ${folder} is not an object`);
  return { ...manifest };
}
