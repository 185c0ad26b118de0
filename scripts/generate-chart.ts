/** Writes what is generated of charts/serin: values, their schema, the README, names, rules and policies; with `--check`, fails when a file differs. */
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { crds } from '../src/api/crds.ts';
import { apexGuardTemplate, requestPolicyTemplate } from './admission/policy-templates.ts';
import { argsTemplate } from './chart/args-template.ts';
import { chartFiles } from './chart/chart-files.ts';
import { namesTemplate } from './chart/names-template.ts';
import { rulesTemplate } from './chart/rules-template.ts';
import { valueKeys } from './chart/value-keys.ts';
import { Values } from './chart/values.ts';
import { valuesSchema } from './chart/values-files.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/run-alone.ts';

const generator = 'generate-chart.ts';
const about = `# Helm chart of Serin

\`\`\`
docker build -t registry.example.com/serin:0.1.0 . && docker push registry.example.com/serin:0.1.0
helm install serin charts/serin --namespace serin --create-namespace \\
  --set image.repository=registry.example.com/serin --set meshProvider=istio --set metricsServer=http://prometheus.monitoring:9090
\`\`\`

Unknown values, and values of a wrong type, are refused before anything is changed.

- **Coming from Flagger**: the values of its chart have the same names here; remove those of its image. Stop it first, as docs/moving.md says.
  The roles are smaller: \`providers\` has to name every provider that a Canary names in \`spec.provider\`.
- **Permissions**: rules for what is switched on, listed in docs/permissions.md; docs/rights.md shows what a stolen token could do. With \`namespaces\` there are Roles in
  these and no ClusterRole; \`secrets.namespaces\` and \`secrets.names\` limit only Secrets.
- **Network**: a NetworkPolicy admits port 8080, and those of sidecars. Policies add up: beside a narrower one of yours set \`networkPolicy.from\`, or \`enabled\` to \`false\`.
- **Resource definitions** come and are upgraded with the chart (\`crds.install\`), and stay when it goes, and with them all Canaries. Definitions
  of another release or tool stay unchanged: \`serin crds diff\` shows the difference, and \`serin crds apply\` upgrades them without dropping anything.
- **Availability**: one replica leads; with \`leaderElection.replicaCount=2\` another one takes over within seconds. Applications serve on without any.
- **Memory**: the heap gets 60 % of \`resources.limits.memory\`, so that Serin collects garbage before the kernel ends it.
- **Hardening**: the restricted Pod Security Standard holds by default: another user than root, read-only root file system, no capabilities, a token of one hour.
- **Test**: \`helm test serin --namespace serin\` checks that a controller is ready, by a pod without rights.

`;

/** For the page of the chart on Artifact Hub. */
const definitions = {
  Canary: 'Release of new versions of one workload: target, Service, analysis',
  MetricTemplate: 'A query of a metric backend, for the checks of Canaries',
  AlertProvider: 'A chat service or webhook that receives messages about releases',
};

export const generate: Generate = () => [
  ...chartFiles({
    chart: {
      name: 'serin',
      description: manifest.description,
      keywords: ['canary', 'blue-green', 'a-b-testing', 'progressive-delivery'],
      category: 'integration-delivery',
      definitions: crds().map(({ metadata, spec }) => ({
        kind: spec.names.kind,
        version: spec.versions[0]?.name ?? '',
        name: metadata.name,
        description: definitions[spec.names.kind as keyof typeof definitions],
      })),
    },
    generator,
    values: { file: 'scripts/chart/values.ts', schema: Values },
    about,
    files: {
      'templates/_args.tpl': argsTemplate(),
      'templates/_names.tpl': namesTemplate('serin', generator, 'app.kubernetes.io/name: {{ include "serin.name" . }}'),
      'templates/_rules.tpl': rulesTemplate(),
      'templates/_request-policy.tpl': requestPolicyTemplate(),
      'templates/_apex-guard.tpl': apexGuardTemplate(),
    },
    source: 'scripts/chart, scripts/admission, src/controller/flags.ts and src/controller/permissions.ts',
  }),
  {
    path: join(import.meta.dirname, '..', 'src', 'cli', 'rights', 'chart-keys.json'),
    text: `${JSON.stringify(valueKeys(valuesSchema(Values)), null, 2)}\n`,
    source: 'scripts/chart/values.ts',
  },
];

if (import.meta.main) await runAlone(generate);
