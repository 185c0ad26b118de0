import { stringify } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { homepage, issues, repository } from '../repository.ts';

export interface ChartAbout {
  name: string;
  description: string;
  keywords: readonly string[];
  /** A category of Artifact Hub: https://artifacthub.io/docs/topics/annotations/helm/ */
  category: 'integration-delivery' | 'monitoring-logging';
  /** Resource definitions that it brings. */
  definitions?: readonly Definition[];
}

export interface Definition {
  kind: string;
  version: string;
  /** `canaries.flagger.app` */
  name: string;
  description: string;
}

/** Chart.yaml: version and addresses are those of package.json. */
export function chartFile({ name, description, keywords, category, definitions = [] }: ChartAbout): string {
  const { version, license } = manifest;
  return stringify(
    {
      apiVersion: 'v2',
      name,
      description,
      type: 'application',
      version,
      appVersion: version,
      kubeVersion: '>=1.25.0-0',
      home: homepage,
      sources: [repository],
      keywords,
      annotations: {
        'artifacthub.io/category': category,
        'artifacthub.io/license': license,
        'artifacthub.io/prerelease': String(/^0\.|-/.test(version)),
        'artifacthub.io/links': stringify([
          { name: 'Documentation', url: homepage },
          { name: 'Support', url: issues },
        ]),
        ...(definitions.length > 0 && {
          'artifacthub.io/operator': 'true',
          'artifacthub.io/crds': stringify(definitions.map((one) => ({ ...one, displayName: one.kind }))),
        }),
      },
    },
    { lineWidth: 140 },
  );
}
