import type { ManifestCheck } from '../manifests.ts';
import { duplicates } from './duplicates.ts';
import { gates } from './gates.ts';
import { gateways } from './gateways.ts';
import { idleFields } from './idle-fields.ts';
import { ingresses } from './ingresses.ts';
import { limits } from './limits.ts';
import { objects } from './objects.ts';
import { probes } from './probes.ts';
import { queryForms } from './query-forms.ts';
import { queryNames } from './query-names.ts';
import { references } from './references.ts';
import { rivals } from './rivals.ts';
import { scalers } from './scalers.ts';
import { secrets } from './secrets.ts';
import { services } from './services.ts';
import { spelling } from './spelling.ts';
import { splits } from './splits.ts';
import { targets } from './targets.ts';
import { webhookHosts } from './webhook-hosts.ts';

/** A check with its line in docs/validate.md. */
interface NamedCheck {
  name: string;
  finds: string;
  check: ManifestCheck;
}

/** All of them, in the order of the page. PromQL comes with its grammar, which is loaded only for a query. */
export function checksWith(promql: ManifestCheck): readonly NamedCheck[] {
  return [
    { name: 'spelling', finds: '`apiVersion` or `kind` of a Canary, MetricTemplate or AlertProvider that is misspelt', check: spelling },
    {
      name: 'object',
      finds: 'one object by itself: types and required fields, unknown fields, values that the controller or the API server refuses',
      check: objects,
    },
    { name: 'duplicates', finds: 'the same object twice', check: duplicates },
    { name: 'rivals', finds: 'two Canaries for one target or one apex Service', check: rivals },
    {
      name: 'targets',
      finds: 'a target that is a primary; a Deployment or DaemonSet without a label to distinguish its sides',
      check: targets,
    },
    { name: 'probes', finds: 'probes of the target at a port that has no such name, with which no pod is ever ready', check: probes },
    {
      name: 'services',
      finds: 'ports that the pods of the target do not have, and Services that would lose their endpoints by what the Canary asks for',
      check: services,
    },
    {
      name: 'scalers',
      finds: 'a scaler of the target that `autoscalerRef` does not name; one that it names and that scales something else',
      check: scalers,
    },
    {
      name: 'references',
      finds: 'MetricTemplates and AlertProviders that are not found, `templateVariables` that a template asks for',
      check: references,
    },
    {
      name: 'secrets',
      finds:
        'Secrets without a key that is read, of a type that no reference may use, or without the label that one needs; with `--live` those that do not exist',
      check: secrets,
    },
    { name: 'ingresses', finds: 'an Ingress that does not lead to the apex Service', check: ingresses },
    { name: 'splits', finds: 'TrafficSplits, with the Services beside them', check: splits },
    { name: 'gateways', finds: 'Istio gateways with neither `mesh` nor hosts', check: gateways },
    { name: 'idle fields', finds: 'fields that have no effect with the traffic provider or the strategy', check: idleFields },
    {
      name: 'limits',
      finds: 'limits in the wrong unit or direction, metrics of one name, a step over the maximum, releases and failures that take days',
      check: limits,
    },
    { name: 'gates', finds: 'one URL for a rollback hook and a gate', check: gates },
    {
      name: 'webhook hosts',
      finds: 'webhook URLs and load tester commands at Services or ports that the Canary does not make',
      check: webhookHosts,
    },
    { name: 'query names', finds: 'queries that do not depend on the workload', check: queryNames },
    {
      name: 'query forms',
      finds: 'Graphite without `target=`, CloudWatch with several results, a Datadog rollup by a text',
      check: queryForms,
    },
    {
      name: 'PromQL',
      finds: 'queries that do not parse, cannot fail, measure the primary, or name pods after the canary Service',
      check: promql,
    },
  ];
}
