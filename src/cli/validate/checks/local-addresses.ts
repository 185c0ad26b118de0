import { error, type Finding, warning } from '../../../api/finding.ts';
import { parseAlertProvider, parseCanary, parseMetricTemplate } from '../../../api/parse-canary.ts';
import { addressPolicy } from '../../../outgoing/address-policy.ts';
import { canaryAddresses, receiverAddresses, refusedAddresses, templateAddresses } from '../../../outgoing/written-addresses.ts';
import type { Item } from '../documents.ts';
import { findingOn, isFlaggerObject, type ManifestCheck } from '../manifests.ts';

/** Addresses of this pod, this node and metadata services, where they are written out. */
export const localAddresses: ManifestCheck = ({ items, allowedLocalAddresses }) => {
  const policy = addressPolicy({ allowedAddresses: [], allowedLocalAddresses, ownAddresses: [], apiServers: [] });
  // A metadata service is never called, with any flags.
  const everything = addressPolicy({
    allowedAddresses: [],
    allowedLocalAddresses: ['0.0.0.0/0', '::/0'],
    ownAddresses: [],
    apiServers: [],
  });
  return items.flatMap((item) => {
    const written = addressesIn(item);
    const hopeless = new Set(refusedAddresses(written, everything).map(({ path }) => path));
    const findings = refusedAddresses(written, policy).map(
      ({ path, message }): Finding => (hopeless.has(path) ? error(path, message) : warning(path, message)),
    );
    return findingOn(item, findings);
  });
};

function addressesIn({ object }: Item): Parameters<typeof refusedAddresses>[0] {
  if (!isFlaggerObject(object)) return [];
  if (object.kind === 'Canary') {
    const read = parseCanary(object);
    return 'problems' in read ? [] : canaryAddresses(read.canary);
  }
  if (object.kind === 'MetricTemplate') {
    const read = parseMetricTemplate(object);
    return 'problems' in read ? [] : templateAddresses(read.metricTemplate.spec);
  }
  const read = parseAlertProvider(object);
  return 'problems' in read ? [] : receiverAddresses(read.alertProvider.spec);
}
