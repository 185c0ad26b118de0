import type { KubeObject } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import { analysisOf, nextVersion } from '../manifests.ts';
import type { Manifests, Mistake } from '../mistake.ts';
import { canaryRef, newVersionOnly, setOfCanary } from './corrections.ts';

const METRICS_HOST = 'prometheus.monitoring.invalid';
const HOOK_HOST = 'tests.example.invalid';

const hook = (manifests: Manifests, type: string, url: string) => {
  analysisOf(manifests).webhooks = [{ name: 'acceptance', type, url, timeout: '2s' }];
};
const push = (manifests: Manifests) => nextVersion(manifests);

/** A check or a hook is at fault, and the version is good. */
export const checkMistakes: readonly Mistake[] = [
  {
    id: 'metrics-secret-missing',
    hasGoodVersion: true,
    what: 'a MetricTemplate whose Secret does not exist',
    names: /prometheus-login[^\n]{0,160}not (found|exist)/i,
    code: /SecretNotFound|Unmeasured/,
    validates: 'live',
    arrives(manifests, { prometheusUrl }, namespace) {
      analysisOf(manifests).metrics = [{ name: 'errors', interval: '6s', templateRef: { name: 'error-rate' }, thresholdRange: { max: 1 } }];
      manifests.more.push({
        apiVersion: 'flagger.app/v1beta1',
        kind: 'MetricTemplate',
        metadata: { name: 'error-rate', namespace },
        spec: { provider: { type: 'prometheus', address: prometheusUrl, secretRef: { name: 'prometheus-login' } }, query: 'vector(0)' },
      } as KubeObject);
    },
    pushes: push,
    remedies: [
      {
        says: /(create )?Secret (\S+\/)?prometheus-login|create the Secret/,
        do: ({ environment }, namespace) =>
          environment.cluster.create({
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: 'prometheus-login', namespace },
            stringData: { username: 'serin', password: 'serin' },
          } as KubeObject),
      },
      newVersionOnly,
    ],
  },
  {
    id: 'metrics-address',
    hasGoodVersion: true,
    what: 'metricsServer names a host that does not exist',
    names: new RegExp(
      `${METRICS_HOST}[^\\n]{0,160}(not found|ENOTFOUND|EAI_AGAIN|resolve|no answer|unknown)|(resolve|no answer|ENOTFOUND|not found)[^\\n]{0,160}${METRICS_HOST}`,
      'i',
    ),
    code: /Unmeasured|MetricsUnavailable/,
    arrives(manifests) {
      raw(manifests.canary).spec.metricsServer = `http://${METRICS_HOST}:9090`;
    },
    pushes: push,
    remedies: [
      {
        says: /spec\.metricsServer/,
        do: (fixture, namespace) => setOfCanary(fixture, namespace, 'spec.metricsServer', fixture.prometheusUrl),
      },
      newVersionOnly,
    ],
  },
  {
    id: 'no-traffic',
    hasGoodVersion: true,
    what: 'no one sends requests to the application',
    names:
      /\bNoTraffic\b|send requests|knows requests of other namespaces, but none|no (requests|traffic)|not receiv\w+ (any )?(requests|traffic)|without (requests|traffic)/i,
    code: /NoTraffic|WorkloadUnknown/,
    hasUsers: false,
    pushes: push,
    remedies: [{ says: /send requests/, do: (fixture, namespace) => fixture.askFor(namespace) }, newVersionOnly],
  },
  {
    id: 'hook-misspelt',
    hasGoodVersion: true,
    what: 'a webhook whose host does not exist',
    names: new RegExp(
      `acceptance[^\\n]{0,160}(ENOTFOUND|EAI_AGAIN|resolve|host[^\\n]{0,160}(not found|unknown)|not found|unreachable)|${HOOK_HOST}[^\\n]{0,160}(ENOTFOUND|EAI_AGAIN|resolve|not found|unreachable)`,
      'i',
    ),
    code: /WebhookUnreachable/,
    arrives: (manifests) => hook(manifests, 'pre-rollout', `http://${HOOK_HOST}/`),
    pushes: push,
    remedies: [
      {
        says: /webhooks\[\w+\]\.url/,
        do: (fixture, namespace) => setOfCanary(fixture, namespace, 'spec.analysis.webhooks[acceptance].url', fixture.hooks.url(namespace)),
      },
      newVersionOnly,
    ],
  },
  {
    id: 'hook-tls',
    hasGoodVersion: true,
    what: 'a webhook with a certificate of a private authority',
    names: /acceptance[^\n]{0,160}(certificate|SELF_SIGNED)|(certificate|SELF_SIGNED)[^\n]{0,160}acceptance/i,
    code: /WebhookUnreachable/,
    arrives: (manifests, { untrustedUrl }) => hook(manifests, 'pre-rollout', untrustedUrl),
    pushes: push,
    remedies: [
      {
        says: /webhooks\[\w+\]\.url|certificate/,
        do: (fixture, namespace) => setOfCanary(fixture, namespace, 'spec.analysis.webhooks[acceptance].url', fixture.hooks.url(namespace)),
      },
      newVersionOnly,
    ],
  },
  {
    id: 'approval-waits',
    what: 'a confirmation gate that no one opens',
    names: /(gate|confirm-rollout|confirmation)[^\n]{0,160}acceptance|acceptance[^\n]{0,160}(gate|confirm|approve)/i,
    code: /GateClosed/,
    isEndless: true,
    alertsWhileWaiting: true,
    arrives(manifests, { hooks }, namespace) {
      hooks.answers(namespace, 403);
      hook(manifests, 'confirm-rollout', hooks.url(namespace));
    },
    pushes: push,
    remedies: [{ says: /owner of the (gate|webhook)|gate/, do: ({ hooks }, namespace) => hooks.answers(namespace, 200) }],
  },
  {
    id: 'suspend-left-on',
    what: 'spec.suspend was left on',
    names: /spec\.suspend|suspended/i,
    code: /Suspended/,
    isEndless: true,
    pushes(manifests) {
      nextVersion(manifests);
      raw(manifests.canary).spec.suspend = true;
    },
    remedies: [{ says: /spec\.suspend/, do: (fixture, namespace) => setOfCanary(fixture, namespace, 'spec.suspend', false) }],
  },
  {
    id: 'alert-address',
    what: 'an AlertProvider whose host does not exist',
    names:
      /on-call[^\n]{0,160}(ENOTFOUND|EAI_AGAIN|resolve|not found|no answer|pager\.example\.invalid)|wait for their receivers: AlertProvider \S*on-call/i,
    code: /AlertFailed|Delivering|Undelivered/,
    isHarmless: true,
    arrives(manifests) {
      raw(manifests.more[0]).spec.address = 'http://pager.example.invalid/';
    },
    pushes: push,
    remedies: [
      {
        says: /AlertProvider|address|receiver/,
        do: ({ environment, alertUrl }, namespace) =>
          environment.cluster.patch(
            { ...canaryRef(namespace, 'on-call'), kind: 'AlertProvider' },
            { spec: { address: alertUrl(namespace) } },
          ),
      },
    ],
  },
];
