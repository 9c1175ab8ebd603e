// TypeDoc's own check of functions takes in every method of an interface; the rule here is: every exported function.
import { Application, ReflectionKind } from "typedoc";

export function load(app) {
  app.on(Application.EVENT_VALIDATE_PROJECT, (project) => {
    for (const reflection of project.getReflectionsByKind(ReflectionKind.Function)) {
      if (reflection.signatures.every((signature) => signature.hasComment())) continue;
      app.logger.validationWarning(
        `${reflection.getFriendlyFullName()} (Function) does not have any documentation`,
      );
    }
  });
}
