import type { Permission } from '../../api/permission.ts';

/** Words that need no quotes in a list of YAML: neither numbers nor keywords. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[a-z][a-z0-9./-]*$/;
/** A list on one line. */
export const flowList = (items: readonly string[]): string =>
  `[${items.map((item) => (PLAIN.test(item) ? item : JSON.stringify(item))).join(', ')}]`;

/** One rule of a role as YAML, with its purpose above it. `names`: a list of YAML, as the template of a chart writes it. */
export function ruleLines({ group, resources, verbs, purpose }: Permission, names = ''): string[] {
  return [
    `# ${purpose}`,
    `- apiGroups: ${flowList([group])}`,
    `  resources: ${flowList(resources)}`,
    ...(names === '' ? [] : [`  resourceNames: ${names}`]),
    `  verbs: ${flowList(verbs)}`,
  ];
}
