import type { Webhook } from '../../../api/canary.ts';
import { type Finding, warning } from '../../../api/finding.ts';
import { isKnative } from '../../../api/knative.ts';
import { names } from '../../../api/names.ts';
import { type CanaryItem, findItem, isAbsent, isNear, type Manifests, perCanary } from '../manifests.ts';

/** Webhook URLs, and commands of the load tester, at Services that this Canary does not make. */
export const webhookHosts = perCanary((item, manifests) => {
  if (!item.place || isKnative(item.canary.spec.targetRef)) return [];
  const { webhooks = [] } = item.canary.spec.analysis;
  return webhooks.flatMap((webhook, index) => webhookFindings(manifests, item, webhook, `spec.analysis.webhooks[${index}]`));
});

interface CalledAddress {
  host: string;
  port: number | undefined;
}

function webhookFindings(manifests: Manifests, item: CanaryItem, { url, metadata = {} }: Webhook, path: string): Finding[] {
  const own = addressesIn(url);
  const receiver = own[0] && serviceOf(own[0].host);
  const ofUrl = own.flatMap((asked) => [
    ...addressFindings(manifests, item, asked, item.namespace, `${path}.url`),
    ...absentReceiver(manifests, item, asked, `${path}.url`),
  ]);
  // A short name is resolved where the command is run: in the namespace of the load tester.
  const within = receiver?.namespace ?? item.namespace;
  const ofCommands = Object.entries(metadata).flatMap(([key, text]) =>
    addressesIn(text).flatMap((asked) => addressFindings(manifests, item, asked, within, `${path}.metadata.${key}`)),
  );
  return [...ofUrl, ...ofCommands];
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

function addressFindings(
  manifests: Manifests,
  item: CanaryItem,
  { host, port }: CalledAddress,
  within: string | undefined,
  path: string,
): Finding[] {
  const asked = serviceOf(host);
  if (!asked) return [];
  const { canary } = item;
  const { apexService, primaryService, canaryService } = names(canary);
  const mine = [apexService, canaryService, primaryService];
  const namespace = asked.namespace ?? within;
  if (isKnown(manifests, asked.name, namespace)) return [];
  if (!mine.includes(asked.name)) {
    if (!/-(canary|primary)$/.test(asked.name) || makesElsewhere(manifests, asked.name, namespace)) return [];
    return [warning(path, `asks ${host}, a Service that this Canary does not make: it makes ${mine.join(', ')}`)];
  }
  if (!isNear(namespace, item.namespace)) {
    if (makesElsewhere(manifests, asked.name, namespace)) return [];
    const right = `${asked.name}.${item.namespace}`;
    return [
      warning(path, `asks ${host} in namespace ${namespace}, and this Canary makes ${asked.name} in ${item.namespace}: write ${right}`),
    ];
  }
  const { port: own, portDiscovery, headless } = canary.spec.service;
  if (port === own || portDiscovery || headless) return [];
  return [
    warning(
      path,
      `asks ${host} on port ${port}, and the Services of this Canary have port ${own}: write ${host}${own === 80 ? '' : `:${own}`}`,
    ),
  ];
}

const isKnown = (manifests: Manifests, name: string, namespace: string | undefined): boolean =>
  findItem(manifests, { kind: 'Service', group: '', name, namespace }) !== undefined;

const makesElsewhere = (manifests: Manifests, service: string, namespace: string | undefined): boolean =>
  manifests.canaries.some(({ canary, namespace: own }) => {
    const { apexService, primaryService, canaryService } = names(canary);
    return isNear(own, namespace) && [apexService, primaryService, canaryService].includes(service);
  });

/** The receiver of the call itself, such as the load tester. */
function absentReceiver(manifests: Manifests, item: CanaryItem, { host }: CalledAddress, path: string): Finding[] {
  const asked = serviceOf(host);
  const namespace = asked?.namespace;
  if (!asked || namespace === undefined || !isAbsent(manifests, 'Service') || isKnown(manifests, asked.name, namespace)) return [];
  if (makesElsewhere(manifests, asked.name, namespace) || item.place === undefined) return [];
  return [warning(path, `asks ${host}, and namespace ${namespace} has no Service ${asked.name}: install it, or correct the address`)];
}
