import { Application, Converter, ReflectionKind } from "typedoc";

/** TypeDoc compiles all sources as one program instead of one per package. This plugin adds what that lacks. */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, nameModulesAsImported);
  app.on(Application.EVENT_VALIDATE_PROJECT, (project) => requireFunctionComments(app, project));
}

/** "query/src/sql" is read as `@ccl/query/sql`. */
function nameModulesAsImported({ project }) {
  const entries = project.getReflectionsByKind(ReflectionKind.Module);
  for (const module of entries.filter(({ parent }) => parent === project))
    module.name = `@ccl/${module.name.replace("/src", "")}`;
}

/**
 * TypeDoc's own check of functions includes every method of an interface. Here every exported function must be
 * documented.
 */
function requireFunctionComments(app, project) {
  for (const reflection of project.getReflectionsByKind(ReflectionKind.Function)) {
    if (reflection.signatures.every((signature) => signature.hasComment())) continue;
    app.logger.validationWarning(
      `${reflection.getFriendlyFullName()} (Function) does not have any documentation`,
    );
  }
}
