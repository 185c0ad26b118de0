import { error, type Finding } from '../../../api/finding.ts';
import { specOf } from '../../../api/kinds/spec-of.ts';
import { findItem, findingOn, type ManifestCheck, type Manifests } from '../manifests.ts';

const PROBES = ['readinessProbe', 'startupProbe', 'livenessProbe'];

interface RawProbe {
  httpGet?: { port?: unknown };
  tcpSocket?: { port?: unknown };
}
type RawContainer = { name?: string; ports?: ({ name?: string } | null)[] } & Readonly<Record<string, RawProbe | undefined>>;

/** Probes of the targets that name a port: the API server takes any name, but if the container lacks the port, no pod is ever ready. */
export const probes: ManifestCheck = (manifests: Manifests) =>
  manifests.canaries.flatMap(({ canary, namespace }) => {
    const { kind, name } = canary.spec.targetRef;
    if (kind !== 'Deployment' && kind !== 'DaemonSet') return [];
    const target = findItem(manifests, { kind, group: 'apps', name, namespace });
    const containers = specOf<{ template: { spec?: { containers?: (RawContainer | null)[] } } }>(target?.object).template?.spec?.containers;
    if (!target?.place || !Array.isArray(containers)) return [];
    return findingOn(target, containers.flatMap(findingsOf));
  });

function findingsOf(container: RawContainer | null, index: number): Finding[] {
  if (container === null) return [];
  const names = Array.isArray(container.ports) ? container.ports.flatMap((port) => port?.name ?? []) : [];
  return PROBES.flatMap((probe) =>
    (['httpGet', 'tcpSocket'] as const).flatMap((handler) => {
      const port = container[probe]?.[handler]?.port;
      // A number in quotes is taken as one. Source: `extractPort` of the kubelet.
      if (typeof port !== 'string' || names.includes(port) || Number.isInteger(Number(port))) return [];
      const known = names.length === 0 ? 'none of its ports has a name' : `it has ${names.join(', ')}`;
      const path = `spec.template.spec.containers[${index}].${probe}.${handler}.port`;
      return [error(path, `is ${port}, and container ${container.name} has no port of that name, so that it is never ready: ${known}`)];
    }),
  );
}
