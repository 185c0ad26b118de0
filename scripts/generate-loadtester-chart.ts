/** Writes what is generated of charts/loadtester: values, their schema, the README and names; with `--check`, fails when a file differs. */

import { chartFiles } from './chart/chart-files.ts';
import { LoadTesterValues } from './chart/loadtester-values.ts';
import { namesTemplate } from './chart/names-template.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/run-alone.ts';

const generator = 'generate-loadtester-chart.ts';
/** `app`, since the Deployment of Flagger's chart selects by it, and can never select by another (06-LC14). */
const selector = 'app: {{ include "loadtester.name" . }}';
const about = `# Helm chart of the load tester

\`\`\`
helm install flagger-loadtester charts/loadtester --namespace test --set image.repository=registry.example.com/serin
\`\`\`

makes load, runs tests and keeps gates for webhooks with the address \`http://flagger-loadtester.test/\`. docs/loadtester.md says what it runs, and for whom.
Unknown values, and values of a wrong type, are refused before anything is changed.

- **Coming from Flagger's load tester**: the values of its chart have the same names here; remove those of its image. A release of it can
  be upgraded to this chart. Webhooks that run anything but \`hey\` and \`curl\` need \`commands.namespaces\`, credentials, and an image with their programs.
- **Credentials** are the keys of Secrets that you make; none is a value. Without them every client that reaches the port may start load and open gates:
  \`networkPolicy.enabled\` narrows who does. With \`commands\` and through \`istio\` they are required.
- **Gates** last as long as the pod, and with \`persistence.enabled\` longer.
- **Permissions**: none, and no token of an account, unless commands need them (\`rbac\`).
- **Hardening**: the restricted Pod Security Standard holds by default: another user than root, read-only root file system, no capabilities. Where commands are
  allowed, \`/tmp\` is a volume of the pod, and the processes of the pod share their namespace, so that orphans are reaped.
`;

export const generate: Generate = () =>
  chartFiles({
    chart: {
      name: 'loadtester',
      description: 'Load, tests and gates for the webhooks of Canaries',
      keywords: ['canary', 'load-testing', 'gates', 'progressive-delivery'],
      category: 'integration-delivery',
    },
    generator,
    values: { file: 'scripts/chart/loadtester-values.ts', schema: LoadTesterValues },
    about,
    files: { 'templates/_names.tpl': namesTemplate('loadtester', generator, selector) },
    source: 'scripts/chart',
  });

if (import.meta.main) await runAlone(generate);
