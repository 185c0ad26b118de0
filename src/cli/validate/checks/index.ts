import type { ManifestCheck } from '../manifests.ts';
import { arrivalLosses } from './arrival.ts';
import { configs } from './configs.ts';
import { duplicates } from './duplicates.ts';
import { gates } from './gates.ts';
import { gateways } from './gateways.ts';
import { idleFields } from './idle-fields.ts';
import { ingresses } from './ingresses.ts';
import { limits } from './limits.ts';
import { localAddresses } from './local-addresses.ts';
import { objects } from './objects.ts';
import { parents } from './parents.ts';
import { probes } from './probes.ts';
import { unservedProviders } from './providers.ts';
import { queryForms } from './query-forms.ts';
import { queryNames } from './query-names.ts';
import { references } from './references.ts';
import { rivals } from './rivals.ts';
import { scalerMismatches } from './scalers.ts';
import { secrets } from './secrets.ts';
import { services } from './services.ts';
import { spelling } from './spelling.ts';
import { splits } from './splits.ts';
import { targets } from './targets.ts';
import { usersRoutes } from './users-routes.ts';
import { webhookHosts } from './webhook-hosts.ts';

/** A check; the name and its findings are its line in docs/validate.md. */
type NamedCheck = readonly [name: string, finds: string, check: ManifestCheck];

/** All of them, in the order of the page. PromQL comes with its grammar, which is loaded only for a query. */
export function checksWith(promql: ManifestCheck): readonly NamedCheck[] {
  return [
    ['spelling', '`apiVersion` or `kind` of a Canary, MetricTemplate or AlertProvider that is misspelt', spelling],
    [
      'object',
      'one object by itself: types and required fields, unknown fields, values that the controller or the API server refuses',
      objects,
    ],
    [
      'local addresses',
      'addresses of metadata services, which are never called; loopback and link-local addresses that `--allowed-local-addresses` does not list',
      localAddresses,
    ],
    ['duplicates', 'the same object twice', duplicates],
    ['rivals', 'two Canaries for one target or one apex Service', rivals],
    [
      'targets',
      'a target that is a primary or is paused; a Deployment or DaemonSet without a label to distinguish its sides; with `--live` a target that does not exist in the namespace of its Canary',
      targets,
    ],
    ['configs', 'with `--live` ConfigMaps and Secrets that the pods of a target read and that do not exist', configs],
    ['providers', 'with `--live` CustomResourceDefinitions of the traffic provider that are not installed', unservedProviders],
    ['probes', 'probes of the target at a port name that its containers do not have, so that no pod becomes ready', probes],
    ['services', 'ports that the pods of the target do not have, and Services that would lose their endpoints to the Canary', services],
    [
      'arrival',
      'Services, policies, monitors and scalers of the files that would lose the application as the Canary arrives',
      arrivalLosses,
    ],
    ['scalers', 'a scaler of the target that `autoscalerRef` does not name; a named scaler that scales something else', scalerMismatches],
    ['references', 'MetricTemplates and AlertProviders that are not found, `templateVariables` that a template needs', references],
    [
      'secrets',
      'Secrets without a key that is read, of a type that no reference may use, or without the label that a reference needs; with `--live` also Secrets that do not exist',
      secrets,
    ],
    ['ingresses', 'an Ingress that does not lead to the apex Service', ingresses],
    ['splits', 'TrafficSplits, with the Services beside them', splits],
    ['gateways', 'Istio gateways with neither `mesh` nor hosts', gateways],
    ['parents', 'another port of the Service as parent of a route, whose requests would get the port of the Canary', parents],
    ['routes', 'fields without effect beside a route of yours for the application, if the files or the cluster have it', usersRoutes],
    ['idle fields', 'fields that have no effect with the traffic provider or the strategy', idleFields],
    [
      'limits',
      'limits in the wrong unit or direction, metrics of one name, a step over the maximum, releases and failures that take days',
      limits,
    ],
    ['gates', 'one URL for a rollback hook and a gate', gates],
    ['webhook hosts', 'webhook URLs and load tester commands at Services or ports that the Canary does not make', webhookHosts],
    ['query names', 'queries that do not depend on the workload', queryNames],
    ['query forms', 'Graphite without `target=`, CloudWatch with several results, a Datadog rollup with a text', queryForms],
    ['PromQL', 'queries that do not parse, cannot fail, measure the primary, or name pods after the canary Service', promql],
  ];
}
