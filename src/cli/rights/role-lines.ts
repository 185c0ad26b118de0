import { cleaned } from '../output/text.ts';
import type { LeastRole, LeastRule } from './roles.ts';
import { flowList, ruleLines } from './rule-lines.ts';
import type { Account } from './settings.ts';

const GROUP = 'rbac.authorization.k8s.io';
/** Most names in the comment on a rule. */
const MOST_NAMED = 3;

/** A role and its binding to the account, as two documents of YAML. */
export function roleLines({ namespace, rules }: LeastRole, account: Account): string[] {
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  const name = `${account.name}-rights`;
  const metadata = ['metadata:', `  name: ${text(name)}`, ...(namespace === undefined ? [] : [`  namespace: ${text(namespace)}`])];
  return [
    '---',
    `apiVersion: ${GROUP}/v1`,
    `kind: ${kind}`,
    ...metadata,
    'rules:',
    ...rules.flatMap(leastRuleLines).map((line) => `  ${line}`),
    '---',
    `apiVersion: ${GROUP}/v1`,
    `kind: ${kind}Binding`,
    ...metadata,
    'roleRef:',
    `  apiGroup: ${GROUP}`,
    `  kind: ${kind}`,
    `  name: ${text(name)}`,
    'subjects:',
    '  - kind: ServiceAccount',
    `    name: ${text(account.name)}`,
    `    namespace: ${text(account.namespace)}`,
  ];
}

function leastRuleLines({ permission, by }: LeastRule): string[] {
  const named = by.slice(0, MOST_NAMED).join(', ');
  const more = by.length > MOST_NAMED ? ` and ${by.length - MOST_NAMED} more` : '';
  const { names } = permission;
  // Cleaned: no content of the files can end the line of the comment.
  const purpose = cleaned(`${permission.purpose} (for ${named}${more})`, { unicode: true });
  return ruleLines({ ...permission, purpose }, names && flowList(names));
}

/** A name as YAML: a name like `1234` is also text. */
const text = (name: string): string => flowList([name]).slice(1, -1);
