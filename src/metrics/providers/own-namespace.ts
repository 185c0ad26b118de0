/**
 * Reason for which a query of resources that are read with Serin's own permissions is refused (DF612): the author of a template may only see those of its
 * namespace.
 */
export function foreignNamespaceProblem(asked: string, own: string): string | undefined {
  if (asked === own) return undefined;
  const [there, here] = [asked, own].map((name) => JSON.stringify(name.slice(0, 80)));
  return `the query names namespace ${there}, and can read only namespace ${here}, that of its MetricTemplate: correct spec.query, or create the template there`;
}
