#!/usr/bin/env node
// npm create ccl <template> [folder]: writes a project into a new folder, and prints the next commands.
import { createProject, listTemplates } from "./create-project.ts";

const templates = new URL("templates/", import.meta.url);
const [template, folder = template] = process.argv.slice(2);
if (template === undefined || folder === undefined || template.startsWith("-")) {
  const lines = listTemplates(templates).map(
    ({ name, description }) => `  ${name.padEnd(10)} ${description}`,
  );
  console.log(`Pass a template and a folder: npm create ccl chat my-chat\n\n${lines.join("\n")}`);
} else {
  try {
    const { files } = createProject(templates, { template, folder });
    console.log(`${folder}: ${files} files. Nothing in it needs a key. Next:

  cd ${folder}
  npm install
  npm start`);
  } catch (error) {
    console.error(`create-ccl: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
