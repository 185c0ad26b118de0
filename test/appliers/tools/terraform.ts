import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { runProgram } from '../../e2e/helm.ts';
import { type Raw, raw } from '../../fakes/raw.ts';
import type { Applier } from '../applier.ts';
import { APP } from '../shop.ts';
import { type CommandLine, type Known, outcome } from './command-line.ts';

/** Attributes that the user ignores, by kind of resource. */
export type Ignored = Readonly<Record<string, readonly string[]>>;

/** `tofu apply` of a Service and a Deployment, with the resources of Terraform's provider for Kubernetes. `ignored`: `lifecycle.ignore_changes`. */
export const terraform = (
  { tofu, provider }: { tofu: string; provider: string },
  { kubeconfig, folder }: CommandLine,
  known: Known,
  ignored: Ignored = {},
): Applier => {
  const settings = join(folder, 'tofurc');
  // The provider was built here: no provider is fetched, and `tofu init` is not needed.
  writeFileSync(settings, `provider_installation {\n  dev_overrides {\n    "hashicorp/kubernetes" = "${dirname(provider)}"\n  }\n}\n`);
  const env = { TF_CLI_CONFIG_FILE: settings, TF_IN_AUTOMATION: '1', CHECKPOINT_DISABLE: '1', TF_PLUGIN_CACHE_DIR: '' };
  return {
    ...known,
    // The version of the provider that builds from the Go proxy has no resource for other kinds.
    lacks: ['HTTPRoute', 'VirtualService'],
    async apply(namespace, manifests) {
      const dir = join(folder, `${known.id}-${namespace}`);
      mkdirSync(dir, { recursive: true });
      const resources = Object.fromEntries(manifests.map((one) => resourceOf(one, namespace, ignored)));
      const plan = {
        terraform: { required_providers: { kubernetes: { source: 'hashicorp/kubernetes' } } },
        provider: { kubernetes: { config_path: kubeconfig } },
        resource: resources,
      };
      writeFileSync(join(dir, 'main.tf.json'), JSON.stringify(plan));
      return outcome(await runProgram(tofu, [`-chdir=${dir}`, 'apply', '-auto-approve', '-no-color', '-input=false'], env));
    },
  };
};

function resourceOf(object: KubeObject, namespace: string, ignored: Ignored): [string, object] {
  const { kind, metadata } = object;
  const { labels } = metadata;
  const lifecycle = ignored[kind] && { lifecycle: { ignore_changes: ignored[kind] } };
  const body = { metadata: [{ name: metadata.name, namespace, ...(labels && { labels }) }], ...lifecycle };
  if (kind === 'Service') return ['kubernetes_service', { [APP]: { ...body, spec: [serviceOf(raw(object).spec)] } }];
  return ['kubernetes_deployment', { [APP]: { ...body, wait_for_rollout: false, spec: [deploymentOf(raw(object).spec)] } }];
}

const serviceOf = ({ selector, ports }: Raw): object => ({
  selector,
  port: ports.map(({ name, port, targetPort, protocol }: Raw) => ({ name, port, target_port: targetPort, protocol })),
});

const deploymentOf = ({ replicas, selector, template }: Raw): object => ({
  ...(replicas !== undefined && { replicas }),
  selector: [{ match_labels: selector.matchLabels }],
  template: [
    {
      metadata: [{ labels: template.metadata.labels }],
      spec: [
        {
          container: template.spec.containers.map(({ name, image, ports }: Raw) => ({
            name,
            image,
            port: ports.map((port: Raw) => ({ name: port.name, container_port: port.containerPort })),
          })),
        },
      ],
    },
  ],
});
