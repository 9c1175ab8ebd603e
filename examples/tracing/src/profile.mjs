import { compute, defineProfile, template } from "@ccl/operations";

/** Operations before and after the answer. One of them fails. */
export const profile = defineProfile({
  id: "forecast",
  operations: {
    tone: template("Answer in one line.", { appendTo: "system" }),
    place: compute(() => "Lisbon"),
    length: compute(({ answer }) => answer.length, { after: true, dependsOn: [] }),
    broken: compute(() => Promise.reject(new Error("No index.")), { required: false }),
  },
});
