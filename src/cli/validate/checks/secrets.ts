import { error, type Finding, warning } from '../../../api/finding.ts';
import type { KubeObject } from '../../../api/kube-object.ts';
import { parseAlertProvider } from '../../../api/parse-canary.ts';
import { type SecretField, secretRefusal } from '../../../api/secret-use.ts';
import { secretProblems } from '../../../metrics/template-problems.ts';
import type { Item } from '../documents.ts';
import { findItem, isAbsent, isOurs, type ManifestCheck, type Manifests, on, type TemplateItem } from '../manifests.ts';

/** Secrets that are named: whether they exist, where the cluster was asked, and hold the keys that are read. */
export const secrets: ManifestCheck = (manifests) => [
  ...manifests.canaries.flatMap((item) => {
    const { metricsServerSecretRef, analysis } = item.canary.spec;
    const hooks = (analysis.webhooks ?? []).map(
      ({ secretRef }, index) => [secretRef, `spec.analysis.webhooks[${index}].secretRef`, 'spec.analysis.webhooks[].secretRef'] as const,
    );
    const server = 'spec.metricsServerSecretRef';
    const refs = [[metricsServerSecretRef, server, server] as const, ...hooks];
    return on(
      item,
      refs.flatMap(([ref, path, field]) =>
        ref ? [...absent(manifests, item, ref.name, path), ...refused(manifests, item, ref.name, field, path)] : [],
      ),
    );
  }),
  ...manifests.templates.flatMap((item) => on(item, templateFindings(manifests, item))),
  ...manifests.items.flatMap((item) => (isOurs(item.object, 'AlertProvider') ? on(item, receiverFindings(manifests, item)) : [])),
];

function templateFindings(manifests: Manifests, item: TemplateItem): Finding[] {
  const { secretRef, caSecretRef } = item.spec.provider;
  const unusable = [
    ...(secretRef ? refused(manifests, item, secretRef.name, 'spec.provider.secretRef') : []),
    ...(caSecretRef ? refused(manifests, item, caSecretRef.name, 'spec.provider.caSecretRef') : []),
  ];
  const name = secretRef?.name;
  if (name === undefined || unusable.length > 0) return unusable;
  const secret = secretOf(manifests, item, name);
  if (!secret) return absent(manifests, item, name, 'spec.provider.secretRef');
  return secretProblems(item.spec, dataOf(secret.object)).map(({ message }) => error('spec.provider.secretRef.name', message));
}

function receiverFindings(manifests: Manifests, item: Item): Finding[] {
  const read = parseAlertProvider(item.object);
  if ('problems' in read || !read.alertProvider.spec.secretRef) return [];
  const { secretRef, address } = read.alertProvider.spec;
  const secret = secretOf(manifests, item, secretRef.name);
  if (!secret) return absent(manifests, item, secretRef.name, 'spec.secretRef', warning);
  const unusable = refused(manifests, item, secretRef.name, 'spec.secretRef');
  if (unusable.length > 0 || address || dataOf(secret.object).address) return unusable;
  return [error('spec.secretRef.name', `is ${secretRef.name}, a Secret without the key address, and spec.address is not set: add the key`)];
}

const secretOf = (manifests: Manifests, { namespace }: Item, name: string) =>
  findItem(manifests, { kind: 'Secret', group: '', name, namespace });

/** A Secret that exists and that the controller would not use. */
function refused(manifests: Manifests, item: Item, name: string, field: SecretField, path: string = field): Finding[] {
  const secret = secretOf(manifests, item, name);
  const refusal = secret && secretRefusal(secret.object, field, { isLabelRequired: manifests.requireSecretLabel });
  return refusal ? [error(`${path}.name`, `is ${name}: ${refusal.reason}`)] : [];
}

function absent(manifests: Manifests, item: Item, name: string, path: string, find = error): Finding[] {
  if (!isAbsent(manifests, 'Secret') || secretOf(manifests, item, name)) return [];
  return [
    find(
      `${path}.name`,
      `is ${name}, but the Secret was not found${item.namespace === undefined ? '' : ` in namespace ${item.namespace}`}: create it`,
    ),
  ];
}

/** In plain text; values of `data` are base64. */
function dataOf({ data, stringData }: KubeObject): Record<string, string> {
  const decoded = Object.entries(data ?? {}).map(([key, value]) => [key, Buffer.from(String(value), 'base64').toString('utf8')]);
  const plain = Object.entries(stringData ?? {}).map(([key, value]) => [key, String(value)]);
  return Object.fromEntries([...decoded, ...plain]);
}
