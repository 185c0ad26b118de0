import type { Webhook } from '../../../api/canary.ts';
import { type Finding, warning } from '../../../api/finding.ts';
import { isKnative } from '../../../api/knative.ts';
import { names } from '../../../api/names.ts';
import { type CanaryItem, findItem, isAbsent, isNear, type Manifests, perCanary } from '../manifests.ts';

/** Webhook URLs, and commands of the load tester, at Services that this Canary does not make. */
export const webhookHosts = perCanary(function* (item, manifests) {
  if (!item.place || isKnative(item.canary.spec.targetRef)) return;
  for (const [index, webhook] of (item.canary.spec.analysis.webhooks ?? []).entries())
    yield* webhookFindings(manifests, item, webhook, `spec.analysis.webhooks[${index}]`);
});

interface CalledAddress {
  host: string;
  port: number | undefined;
}

function* webhookFindings(manifests: Manifests, item: CanaryItem, { url, metadata = {} }: Webhook, path: string): Generator<Finding> {
  const own = addressesIn(url);
  for (const asked of own) {
    yield* addressFindings(manifests, item, asked, item.namespace, `${path}.url`);
    yield* absentReceiver(manifests, asked, `${path}.url`);
  }
  // A short name is resolved where the command is run: in the namespace of the load tester.
  const within = (own[0] && serviceOf(own[0].host)?.namespace) ?? item.namespace;
  for (const [key, text] of Object.entries(metadata))
    for (const asked of addressesIn(text)) yield* addressFindings(manifests, item, asked, within, `${path}.metadata.${key}`);
}

/** `http://HOST:PORT` and `HOST:PORT`, as curl, hey, ghz and grpc_health_probe take them. */
function addressesIn(text: string): CalledAddress[] {
  const found = [...text.slice(0, 10_000).matchAll(/(?:\b(https?):\/\/|(?<=[\s'"=]|^))([a-z0-9][a-z0-9.-]*)(?::(\d+))?(?=[\s'"/?]|$)/g)];
  return found.flatMap(([, scheme, host = '', port]) => {
    if (scheme === undefined && port === undefined) return [];
    return [{ host, port: port === undefined ? (scheme === 'https' ? 443 : 80) : Number(port) }];
  });
}

/** A Service of the cluster; undefined of any other host. */
function serviceOf(host: string): { name: string; namespace?: string } | undefined {
  const [name = '', namespace, svc] = host.split('.');
  if (svc !== undefined && svc !== 'svc') return undefined;
  return { name, ...(namespace === undefined ? {} : { namespace }) };
}

function* addressFindings(
  manifests: Manifests,
  item: CanaryItem,
  { host, port }: CalledAddress,
  within: string | undefined,
  path: string,
): Generator<Finding> {
  const asked = serviceOf(host);
  const namespace = asked?.namespace ?? within;
  if (!asked || isKnown(manifests, asked.name, namespace)) return;
  const { name } = asked;
  const mine = servicesOf(item);
  const { port: own, portDiscovery, headless } = item.canary.spec.service;
  if (!mine.includes(name)) {
    if (/-(canary|primary)$/.test(name) && !makesElsewhere(manifests, name, namespace))
      yield warning(path, `calls ${host}, a Service that this Canary does not make: it makes ${mine.join(', ')}`);
  } else if (!isNear(namespace, item.namespace)) {
    const there = `in namespace ${namespace}, and this Canary makes ${name} in ${item.namespace}`;
    if (!makesElsewhere(manifests, name, namespace)) yield warning(path, `calls ${host} ${there}: write ${name}.${item.namespace}`);
  } else if (port !== own && !portDiscovery && !headless) {
    const right = own === 80 ? host : `${host}:${own}`;
    yield warning(path, `calls ${host} on port ${port}, and the Services of this Canary have port ${own}: write ${right}`);
  }
}

function servicesOf({ canary }: CanaryItem): string[] {
  const { apexService, primaryService, canaryService } = names(canary);
  return [apexService, canaryService, primaryService];
}

const isKnown = (manifests: Manifests, name: string, namespace: string | undefined): boolean =>
  findItem(manifests, { kind: 'Service', group: '', name, namespace }) !== undefined;

const makesElsewhere = (manifests: Manifests, service: string, namespace: string | undefined): boolean =>
  manifests.canaries.some((item) => isNear(item.namespace, namespace) && servicesOf(item).includes(service));

/** The receiver of the call itself, such as the load tester. */
function* absentReceiver(manifests: Manifests, { host }: CalledAddress, path: string): Generator<Finding> {
  const asked = serviceOf(host);
  const namespace = asked?.namespace;
  if (!asked || namespace === undefined || !isAbsent(manifests, 'Service') || isKnown(manifests, asked.name, namespace)) return;
  if (!makesElsewhere(manifests, asked.name, namespace))
    yield warning(path, `calls ${host}, and namespace ${namespace} has no Service ${asked.name}: install it, or correct the address`);
}
