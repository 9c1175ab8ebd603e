import { runCommand } from "../packages/run-command.mjs";

/** Throws unless npm knows the logged-in user as the scope, or as a member of its organization. */
export function requireOwnScope(scope, run = runCommand) {
  const refuse = (why) => {
    throw new Error(`@${scope} on npm is not yours: ${why}. Nothing was published.`);
  };
  let user;
  try {
    user = run(["npm", "whoami"]).trim();
  } catch {
    refuse("npm knows no user here; log in with npm login");
  }
  if (user === scope) return;
  let members = {};
  try {
    members = JSON.parse(run(["npm", "org", "ls", scope, "--json"]));
  } catch {
    refuse(`npm does not list the members of ${scope} for ${user}`);
  }
  if (!Object.hasOwn(members, user)) refuse(`${user} is not a member`);
}
