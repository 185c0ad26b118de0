import { error, type Finding, warning } from '../../../api/finding.ts';
import type { KubeObject } from '../../../api/kube-object.ts';
import { parseAlertProvider } from '../../../api/parse-canary.ts';
import { type SecretField, secretRefusal } from '../../../api/secret-use.ts';
import { secretProblems } from '../../../metrics/template-problems.ts';
import { formats } from '../../../notifiers/index.ts';
import type { AlertFormat } from '../../../notifiers/notifier.ts';
import type { Item } from '../documents.ts';
import {
  type CanaryItem,
  findItem,
  findingOn,
  isAbsent,
  isFlaggerObject,
  type ManifestCheck,
  type Manifests,
  type TemplateItem,
} from '../manifests.ts';

/** Named Secrets: checks that they exist, if the cluster was read, and have the keys that are read. */
export const secrets: ManifestCheck = function* (manifests) {
  for (const item of manifests.canaries) yield* findingOn(item, canaryFindings(manifests, item));
  for (const item of manifests.templates) yield* findingOn(item, templateFindings(manifests, item));
  for (const item of manifests.items)
    if (isFlaggerObject(item.object, 'AlertProvider')) yield* findingOn(item, receiverFindings(manifests, item));
};

function* canaryFindings(manifests: Manifests, item: CanaryItem): Generator<Finding> {
  const { metricsServerSecretRef: server, analysis } = item.canary.spec;
  if (server) yield* unusable(manifests, item, server.name, 'spec.metricsServerSecretRef');
  for (const [index, { secretRef }] of (analysis.webhooks ?? []).entries())
    if (secretRef)
      yield* unusable(manifests, item, secretRef.name, 'spec.analysis.webhooks[].secretRef', `spec.analysis.webhooks[${index}].secretRef`);
}

function* templateFindings(manifests: Manifests, item: TemplateItem): Generator<Finding> {
  const { secretRef, caSecretRef } = item.spec.provider;
  const found = [
    ...(secretRef ? refused(manifests, item, secretRef.name, 'spec.provider.secretRef') : []),
    ...(caSecretRef ? refused(manifests, item, caSecretRef.name, 'spec.provider.caSecretRef') : []),
  ];
  yield* found;
  if (!secretRef || found.length > 0) return;
  const secret = secretOf(manifests, item, secretRef.name);
  if (!secret) yield* absent(manifests, item, secretRef.name, 'spec.provider.secretRef');
  else for (const { path, message } of secretProblems(item.spec, dataOf(secret.object))) yield error(path, message);
}

function* receiverFindings(manifests: Manifests, item: Item): Generator<Finding> {
  const read = parseAlertProvider(item.object);
  if ('problems' in read || !read.alertProvider.spec.secretRef) return;
  const { secretRef, address, type } = read.alertProvider.spec;
  const secret = secretOf(manifests, item, secretRef.name);
  const found = [...unusable(manifests, item, secretRef.name, 'spec.secretRef', 'spec.secretRef', warning)];
  yield* found;
  if (!secret || found.length > 0) return;
  const { marksCommits }: AlertFormat = formats[type];
  const data = dataOf(secret.object);
  if (marksCommits && !data.token)
    yield error('spec.secretRef.name', `is ${secretRef.name}, a Secret without the key token: add a token that may write commit statuses`);
  if (!address && !data.address)
    yield error('spec.secretRef.name', `is ${secretRef.name}, a Secret without the key address, and spec.address is not set: add the key`);
}

const secretOf = (manifests: Manifests, { namespace }: Item, name: string) =>
  findItem(manifests, { kind: 'Secret', group: '', name, namespace });

/** A Secret that is absent or refused. */
function* unusable(
  manifests: Manifests,
  item: Item,
  name: string,
  field: SecretField,
  path: string = field,
  find = error,
): Generator<Finding> {
  yield* absent(manifests, item, name, path, find);
  yield* refused(manifests, item, name, field, path);
}

/** A Secret that exists and that the controller would not use. */
function* refused(manifests: Manifests, item: Item, name: string, field: SecretField, path: string = field): Generator<Finding> {
  const secret = secretOf(manifests, item, name);
  const refusal = secret && secretRefusal(secret.object, field, { isLabelRequired: manifests.requireSecretLabel });
  if (refusal) yield error(`${path}.name`, `is ${name}: ${refusal.reason}`);
}

function* absent(manifests: Manifests, item: Item, name: string, path: string, find = error): Generator<Finding> {
  if (!isAbsent(manifests, 'Secret') || secretOf(manifests, item, name)) return;
  const where = item.namespace === undefined ? '' : ` in namespace ${item.namespace}`;
  yield find(`${path}.name`, `is ${name}, but the Secret was not found${where}: create it`);
}

/** In plain text; values of `data` are base64. */
function dataOf({ data, stringData }: KubeObject): Record<string, string> {
  const decoded = Object.entries(data ?? {}).map(([key, value]) => [key, Buffer.from(String(value), 'base64').toString('utf8')]);
  const plain = Object.entries(stringData ?? {}).map(([key, value]) => [key, String(value)]);
  return Object.fromEntries([...decoded, ...plain]);
}
