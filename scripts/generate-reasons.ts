/** Writes docs/reasons.md from the closed lists of event reasons and of blockers; with `--check`, fails when the committed file differs. */
import { join } from 'node:path';
import { MOST_BLOCKERS } from '../src/api/blocker.ts';
import { actors, type BlockerMeaning, blockers } from '../src/api/blockers.ts';
import { Ending, endings } from '../src/api/ending.ts';
import { type Reason, reasons } from '../src/engine/reasons.ts';
import { formerNames } from './former-names.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/run-alone.ts';

const path = join(import.meta.dirname, '..', 'docs', 'reasons.md');

interface Advice {
  causes: string;
  /** The command to run, or the next action; NAME is the Canary, TARGET its workload. */
  next: string;
}

const nothing = 'none needed';
const describe = '`kubectl describe canary NAME`';
const pods = '`kubectl get pods -l app=TARGET`, then `kubectl describe pod` of one that is not ready';
const primaryStatus = '`kubectl rollout status deployment/TARGET-primary`';

/** Causes and remedies beside the list in the engine. A reason without advice does not compile. */
const advice: Readonly<Record<Reason, Advice>> = {
  Initialized: { causes: 'a new Canary whose primary became ready', next: nothing },
  PrimaryDelayed: {
    causes:
      'an image or volume that is not available, a full cluster, a quota, a readiness probe that fails, an anti-affinity that two copies cannot satisfy',
    next: `${primaryStatus}; correct the target, the primary follows`,
  },
  NewRevision: { causes: 'the pod template of the target was edited', next: '`kubectl get canary NAME -w`' },
  GateClosed: {
    causes: 'the receiver of a confirmation hook denies, answers 204 or an error, or does not answer',
    next: `open the gate that the message names; ${describe} shows the answer's body`,
  },
  HookPassed: { causes: 'the receiver of a confirmation, pre-rollout, rollback or post-rollout hook approves', next: nothing },
  WeightAdvanced: { causes: 'all checks of an interval passed', next: nothing },
  IterationAdvanced: { causes: 'all checks of an interval passed', next: nothing },
  CheckFailed: {
    causes: 'a metric out of its range, a webhook that refused, or an unmeasured check while `analysis.unmeasured` is `fail`',
    next: 'compare value and limit in the message; read the logs of the canary pods',
  },
  ComparedWorse: {
    causes:
      'the new version fails more often, or answers more slowly, than the primary at the same time; or it got one bad node, or one user whose requests always fail',
    next: '`serin status` shows both sides with their counts; set `analysis.comparison.mode: gate` where such a version should be rolled back',
  },
  PrimaryFailing: {
    causes: 'a dependency of both versions, a bad node, or a version that failed before this release',
    next: 'look at the primary: the canary is only compared with it, so that its own failures do not count against the canary',
  },
  Unmeasured: {
    causes: 'the metric server does not answer, its answer is empty, or a MetricTemplate is missing',
    next: 'run the query against the metric server by hand; send some traffic to the canary; the message says until when the release waits',
  },
  MetricsUnavailable: {
    causes: 'a wrong address, credentials that are refused, a MetricTemplate or Secret that is missing, a backend that is down',
    next: 'correct what the message names before the first release; Serin tries again when the Canary is edited',
  },
  CanaryUnavailable: { causes: 'the pods of the new version crash, lost their node, or were scaled to zero', next: pods },
  CanaryRecovered: { causes: 'the pods of the new version are ready again', next: nothing },
  Promoting: { causes: 'the last step passed, or `skipAnalysis` is set', next: primaryStatus },
  PrimaryRejected: {
    causes: 'an admission webhook or a quota refuses the primary, or another controller adds fields to it',
    next: '`kubectl get deployment TARGET-primary -o yaml --show-managed-fields`; the message names the field',
  },
  TrafficShifted: { causes: '`stepWeightPromotion` returns traffic in steps', next: nothing },
  Succeeded: { causes: 'the primary serves the new revision with all traffic', next: nothing },
  Failed: {
    causes: 'too many failed checks, pods that were not ready in time, or a rollback hook',
    next: `the message says which; ${describe}, correct the target and apply it again`,
  },
  PromotionFailed: {
    causes: 'resources that only the primary needs: capacity for two copies, a volume, a quota',
    next: `${primaryStatus}; traffic stays with the side that serves, wait until the primary is restored before pushing a fix`,
  },
  Superseded: { causes: 'the target was edited again during its release', next: '`kubectl get canary NAME -w`' },
  Cancelled: { causes: 'the edit of the target was reverted during its release', next: nothing },
  DeliveryExpired: {
    causes: 'an event webhook, post-rollout hook or alert receiver was down for 24 hours',
    next: 'correct its address; inform the receiver by hand if necessary',
  },
  HookFailed: {
    causes: 'a wrong url, a receiver that refuses the call, one that is down or too slow',
    next: 'correct what the message names; inform a receiver that has refused by hand',
  },
  AlertFailed: {
    causes:
      'an AlertProvider or its Secret that is missing, a revoked address or token, a channel that is gone, a chat service that is down',
    next: 'correct what the message names: the next attempt reads it anew',
  },
  InvalidSpec: {
    causes: 'a field of the wrong type, a weight that is never reached, a duration or name that Kubernetes refuses',
    next: '`serin validate -f FILE`; correct the field that the message names',
  },
  UnsupportedByProvider: {
    causes: 'a strategy that the provider cannot express, or a provider that is not built yet',
    next: 'correct the field that the message names, or choose another [provider](providers.md) or strategy',
  },
  CrossNamespaceRef: {
    causes:
      '`templateRef`, `alerts[].providerRef`, `upstreamRef` or a `mirror` names another namespace; a host or gateway of the routes is neither of this namespace nor in `--allowed-hosts` or `--allowed-gateways`',
    next: 'put a copy into the namespace of the Canary and refer to that; have the host or gateway allowed by the flag that the message names',
  },
  TargetTaken: {
    causes: 'a Canary was copied, or moved to another name without removing the first',
    next: '`kubectl get canary`; remove the younger one',
  },
  TargetNotFound: {
    causes: 'the Deployment is not applied yet, was deleted, or is misspelt',
    next: '`kubectl get deployment`; correct `spec.targetRef.name`',
  },
  ConfigUnavailable: {
    causes: 'a required ConfigMap or Secret is not applied yet or was deleted; Serin may not watch or read it',
    next: 'create the object that the message names, or grant what it asks for; the release goes on by itself',
  },
  PodsUnwatched: {
    causes: 'the role of Serin lacks `list` and `watch` on `pods`, as one of an earlier version does',
    next: 'grant both in that namespace, or install the chart of this version; the release goes on, and ends when its canary was not ready for the progress deadline in all',
  },
  ConfigUnwatched: {
    causes: 'the targets of one namespace read more than 100 ConfigMaps or Secrets, and the role of Serin grants them by `resourceNames`',
    next: 'grant `list` and `watch` without `resourceNames` in that namespace; until then a change of what the message names counts from the next release on',
  },
  Blocked: {
    causes: 'the CRD of the mesh is missing, another owner has an object of the name, or permission is missing',
    next: 'do what the message says; the release goes on by itself',
  },
  FieldIgnored: {
    causes: 'a field that the traffic provider cannot express, a weight above 100, an interval that is not a duration',
    next: 'remove or correct the field that the message names: `serin validate -f FILE` finds it before',
  },
  ProviderDeprecated: {
    causes: '`appmesh`, `appmesh:v1beta2`, `kuma` or `osm`, by `spec.provider` or `--mesh-provider`',
    next: 'plan the move that the message names: nothing is held up, but that provider gets no more fixes',
  },
  DriftCorrected: {
    causes: 'a change by hand, or by a tool, of a Service, route, scaler or replicas that Serin keeps',
    next: 'make the change in the Canary or its target; `spec.suspend: true` keeps changes by hand. Where it comes again, the condition `Contested` names the writer',
  },
  RouteWarning: {
    causes: 'a backend of a TrafficSplit lacks a port of the root Service, or is the root of another split',
    next: 'correct the Service or the split that the message names: `kubectl describe trafficsplit NAME`',
  },
  ScalerWarning: {
    causes:
      'a KEDA query that does not name the target, names the primary already, or is chosen by `metadata.name`; a scaler of something else',
    next: 'set `spec.autoscalerRef.primaryScalerQueries`, or correct the scaler as the message says',
  },
  PrimaryKept: {
    causes: 'a Canary that was deleted after a failed release, in the middle of one, or together with a push',
    next: '`serin list` shows it; push a good version, create the Canary again, or `serin accept NAME` to hand over as it is: [install.md](install.md#deleting-a-canary)',
  },
  TargetScaledUp: {
    causes:
      'a manifest with `spec.replicas` that Git, Helm or a GitOps tool applies again; an autoscaler that `spec.autoscalerRef` does not name',
    next: 'take `spec.replicas` out of the manifest, then `kubectl scale deployment TARGET --replicas=0`; or leave the pods, which get no traffic; without `spec.autoscalerRef` the next promotion gives the primary as many',
  },
  ServiceTrafficRejected: {
    causes:
      'a `trafficDistribution` that this cluster does not know: `PreferSameNode` on an older one, or `DOMAIN/NAME`; any such field beside a Knative target, which makes its Services itself',
    next: 'correct or remove the field of `spec.service` that the message names; after an upgrade of the cluster, restart Serin',
  },
  StatusTruncated: {
    causes:
      'many metrics, webhooks or alerts with long names; receivers of alerts that do not answer; a very long `spec.service`; a status that was edited by hand',
    next: 'use fewer or shorter ones; the release goes on, and what was left out is missing in `serin status` alone, but for the routes of a spec that was edited while a release is under way',
  },
  RequestCompleted: { causes: '`serin promote`, `rollback`, `pause`, `resume`, `retry` or `undo`', next: nothing },
  RequestRejected: {
    causes: 'the phase does not allow the verb, or an object that the message names blocks it',
    next: 'see [verbs](verbs.md) for the verbs of each phase; try again',
  },
  Suspended: { causes: 'a user set `spec.suspend`', next: '`kubectl patch canary NAME --type merge -p \'{"spec":{"suspend":false}}\'`' },
  ForeignController: {
    causes:
      'the other controller still runs, a second Serin runs without leader election or under another lease, or the status was edited by hand',
    next: 'stop the other one, then `kubectl annotate canary NAME serin.dev/resume="$(date)" --overwrite`; beside a second Serin this one goes on by itself when that one has written nothing for 5 minutes',
  },
  CRDOutdated: {
    causes: 'the CRD of another controller or an older version is installed',
    next: '`serin crds diff`, then `serin crds apply`, or apply `charts/serin/files/crds`',
  },
};

const rows = Object.entries(reasons).map(([reason, meaning]) => {
  const { causes, next } = advice[reason as Reason];
  return `| \`${reason}\` | ${meaning} | ${causes} | ${next} |`;
});

const blockerRows = Object.entries(blockers).map(([code, { meaning, actor, command, look }]: [string, BlockerMeaning]) => {
  return `| \`${code}\` | ${meaning} | ${actors[actor]} | \`${command ?? look ?? 'serin why CANARY -n NAMESPACE'}\` |`;
});

const endingRows = Object.entries(endings).map(([code, { meaning, actor, remedy }]) => {
  return `| \`${code}\` | ${meaning} | ${actors[actor]} | ${remedy} |`;
});
const endingFields = Object.entries(Ending.shape).map(([field, schema]) => `| \`${field}\` | ${schema.description} |`);

const formerRows = Object.entries(formerNames).map(([now, former]) => `| \`${former}\` | \`${now}\` |`);

const text = `<!-- Generated by scripts/generate-reasons.ts from src/engine/reasons.ts, src/api/blockers.ts and src/api/ending.ts. Do not edit. -->

# Reasons of events

Every event that a release writes has one of these reasons; programs may match on them. The message says what
happened, to which object, and what to do. \`kubectl get events --field-selector involvedObject.kind=Canary,reason=Failed\` finds one kind of them.

| reason | meaning | usual causes | next |
|---|---|---|---|
${rows.join('\n')}

# Blockers

\`status.release.blockers\` lists as data why a release does not go on now, at most ${MOST_BLOCKERS} entries, the most urgent one first; without an entry nothing
holds it. Programs may match on \`code\`; a later version may add codes. \`serin status -o json\` has the same list. Of a Canary that is refused before its
first release the condition \`Accepted\` has the code as its reason, and the field to correct as \`field\`.

| field | |
|---|---|
| \`code\` | reason from the list below |
| \`object\` | object concerned: \`apiVersion\`, \`kind\`, \`name\`, \`namespace\` |
| \`field\` | path of the field that decides it, in that object; without \`object\`, in the Canary |
| \`webhook\`, \`metric\` | name of the webhook or check of \`spec.analysis\` |
| \`since\` | when it was first seen |
| \`until\` | when the release is rolled back or goes on; absent: no limit |
| \`detail\` | text of a gate, the API server, a metrics server or another component, for users only |

\`serin why\` names the same codes unless it finds a more exact cause (see [cli](cli.md)), and says which command helps. In a command CANARY,
NAMESPACE, KIND and OBJECT stand for the names in the blocker, and VERSION for any value that was not there before.

| code | meaning | who can act | run |
|---|---|---|---|
${blockerRows.join('\n')}

# Endings

\`status.release.ending\` says as data what ended the last release. It is recorded once, when the end is decided; condition, event, alert, \`serin status\`,
\`serin why\`, \`serin list\`, the dashboard and a rehearsal say the same. While a release is promoted it has what the promotion goes by. The ending of a
release whose place a newer one has taken is in its event alone. Programs may match on \`code\`; a later version may add codes.

| field | |
|---|---|
${endingFields.join('\n')}

In a remedy TARGET, CANARY, NAMESPACE, WEBHOOK and FIELD stand for the names of the release.

| code | meaning | who can act | remedy |
|---|---|---|---|
${endingRows.join('\n')}

# Former names

Reasons, blocker codes, condition types, metrics and alert rules that had another name before 1.0. Filters, dashboards and alert rules of
your own are to be changed; a status that an older Serin has written is read as before.

| before | now |
|---|---|
${formerRows.join('\n')}
`;

export const generate: Generate = () => [{ path, text, source: 'src/engine/reasons.ts, src/api/blockers.ts and src/api/ending.ts' }];

if (import.meta.main) await runAlone(generate);
