import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord, type JsonRecord, recordsIn, textsIn, valueAt } from '../../base/json.ts';
import type { Item } from '../validate/documents.ts';
import type { RightsProblem } from './inventory.ts';
import type { Account } from './settings.ts';
import { mergedValues, readValues, valuesProblems } from './values.ts';

/** Start settings of the controller, from the files. */
export interface Installation {
  args: readonly string[];
  account: Account;
  takeOver: boolean;
  notes: readonly string[];
}

const CONTAINER = 'serin';
const EXTRA_RULES = 'rbac.extraRules of the values are not printed: grant them by a role of your own.';

/** A document without apiVersion and kind: values of the chart, where a file is named for them. */
export const isValues = ({ object }: Item): boolean => object.apiVersion === undefined && object.kind === undefined;

/** By the values of the chart, or by the Deployment that Kustomize or Helm has rendered; without either as the chart starts it. */
export function installationOf(
  values: readonly Item[],
  items: readonly Item[],
  account: Account,
): Installation | { problems: RightsProblem[] } {
  const deployments = items.filter(({ object }) => containerIn(object) !== undefined);
  const wrong = values.flatMap((item) => valuesProblems(asRecord(item)).map((problem) => ({ item, ...problem })));
  if (wrong.length > 0) return { problems: wrong };
  const [deployment, ...more] = deployments;
  const second = deployment && (more[0] ?? values[0]);
  if (second) {
    const message = 'says how Serin is started, as another file does: name the Deployment of one installation, or its values';
    return { problems: [{ item: second, path: '', message }] };
  }
  if (deployment) return { ...installed(deployment, account), takeOver: true, notes: [] };
  const { hasExtraRules, ...read } = readValues(mergedValues(values.map(asRecord)), account);
  return { ...read, notes: hasExtraRules ? [EXTRA_RULES] : [] };
}

const asRecord = ({ object }: Item): JsonRecord => ({ ...object });

function containerIn(object: KubeObject): JsonRecord | undefined {
  if (object.kind !== 'Deployment' || !isRecord(object.spec)) return undefined;
  const containers = recordsIn(valueAt(object.spec, ['template', 'spec', 'containers']));
  return containers.find(({ name, args }) => name === CONTAINER && textsIn(args)[0] === 'controller');
}

function installed({ object, namespace = '' }: Item, account: Account): Pick<Installation, 'args' | 'account'> {
  const name = valueAt(object.spec, ['template', 'spec', 'serviceAccountName']);
  const where = namespace || account.namespace;
  const [, ...args] = textsIn(containerIn(object)?.args);
  return {
    args: args.map((arg) => arg.replaceAll('$(POD_NAMESPACE)', where)),
    account: { namespace: where, name: typeof name === 'string' ? name : account.name },
  };
}
