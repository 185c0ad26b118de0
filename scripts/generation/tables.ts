/** Files that a module uses and that do not show in its static imports, as globs from the root. */
export interface Inputs {
  /** Read as text, or listed. */
  readonly reads?: readonly string[];
  /** Imported late or by a computed name, or bundled: their own imports also count. */
  readonly loads?: readonly string[];
}

export interface Tables {
  /** Generators by the name of their file, with the files that each writes. */
  readonly writes: Readonly<Record<string, readonly string[]>>;
  /** By module. */
  readonly inputs: Readonly<Record<string, Inputs>>;
  /** Generated files that come with a module which a generator imports for something else. */
  readonly carried: readonly string[];
  /** Generated files that are written before the generators run. */
  readonly before?: readonly string[];
}

const REGISTRIES = ['src/metrics/providers/backends.ts', 'src/notifiers/formats.ts', 'src/routers/definitions.ts'];

/**
 * These tables and the imports decide which generators a change can affect. Every run of them compares the tables with the files that the generators really
 * read, import and write.
 */
export const tables = {
  writes: {
    'generate-alerts': ['docs/alert-messages.md', 'docs/alerts/*.svg'],
    'generate-argocd': ['examples/argocd/argocd-cm.yaml'],
    'generate-attacks': ['test/attacks/README.md'],
    'generate-beside-flagger': ['docs/beside-flagger.md'],
    'generate-boards': ['docs/boards.md'],
    'generate-chart': [
      'charts/serin/{Chart.yaml,README.md,values.schema.json,values.yaml}',
      'charts/serin/templates/_{apex-guard,request-policy,rules}.tpl',
      'src/cli/rights/chart-keys.json',
    ],
    'generate-cli': ['docs/cli.md', 'docs/schemas/cli-v1.json'],
    'generate-comparison': ['docs/comparison/picture.svg'],
    'generate-conformance': ['docs/conformance.md'],
    'generate-crds': ['charts/serin/files/crds/*.yaml'],
    'generate-dashboard': ['src/dashboard/*-assets.json'],
    'generate-differential': ['docs/differential.md'],
    'generate-appliers': ['docs/appliers.md'],
    'generate-flags': ['docs/flags.md'],
    'generate-grafana-chart': ['charts/grafana/{Chart.yaml,README.md,values.schema.json,values.yaml}', 'charts/grafana/dashboards/*.json'],
    'generate-kustomize': ['kustomize/**/*.yaml', 'charts/serin/files/kustomization.yaml'],
    'generate-loadtester-chart': ['charts/loadtester/{Chart.yaml,README.md,values.schema.json,values.yaml}'],
    'generate-long-connections': ['docs/long-connections.md'],
    'generate-observability': ['charts/serin/files/alerts.yaml', 'docs/observability.md'],
    'generate-permissions': ['docs/permissions.md'],
    'generate-plug-ins': ['docs/metrics.md', 'docs/alerts.md'],
    'generate-project': ['package.json', 'Dockerfile', '.github/ISSUE_TEMPLATE/config.yml'],
    'generate-providers': ['docs/providers.md'],
    'generate-reasons': ['docs/reasons.md'],
    'generate-recording': ['docs/demo/*.svg'],
    'generate-registries': REGISTRIES,
    'generate-rehearse': ['docs/rehearse.md'],
    'generate-release-rehearsal': ['docs/release-rehearsal.md'],
    'generate-resources': ['docs/resources.md'],
    'generate-rights': ['docs/rights.md'],
    'generate-statechart': ['docs/statechart.md'],
    'generate-study': ['docs/study.md', 'docs/study/*.svg'],
    'generate-tutorials': ['docs/tutorials/*.md'],
    'generate-validate': ['docs/validate.md'],
    'generate-verbs': ['docs/verbs.md'],
    'generate-views': ['docs/live-views.md'],
  },
  inputs: {
    'scripts/build/page.ts': {
      reads: ['src/dashboard/page/*.css'],
      loads: ['src/dashboard/page/main.tsx', 'src/dashboard/page/login.ts'],
    },
    'test/contracts/metric-backends/index.ts': { loads: ['test/contracts/metric-backends/*.ts'] },
    'test/contracts/notifiers/index.ts': { loads: ['test/contracts/notifiers/*.ts'] },
    'scripts/conformance/planes.ts': { reads: ['test/planes/*.test.ts', 'test/e2e/binaries/{envoy.txt,*/go.mod,go.mod}'] },
    'scripts/conformance/row-pages.ts': { reads: ['scripts/conformance/rows/*.yaml', 'scripts/conformance/not-applicable.yaml'] },
    'scripts/rules/shown.ts': { reads: ['test/rules.yaml'] },
    'scripts/generate-alerts.ts': { reads: ['test/golden/alerts/*.json'] },
    'scripts/generate-argocd.ts': { reads: ['examples/argocd/*.lua'] },
    'scripts/generate-attacks.ts': { reads: ['test/attacks/README.md'] },
    'scripts/generate-beside-flagger.ts': {
      reads: ['test/node/recorded/beside-flagger.json', 'test/bench/recorded/users.json', 'docs/beside-flagger.md'],
    },
    'scripts/generate-cli.ts': { reads: ['docs/cli.md'] },
    'scripts/generate-chart.ts': { reads: ['charts/serin/README.md'] },
    'scripts/generate-loadtester-chart.ts': { reads: ['charts/loadtester/README.md'] },
    'scripts/generate-grafana-chart.ts': { reads: ['charts/grafana/README.md'] },
    'scripts/generate-dashboard.ts': { reads: ['src/dashboard/page/*.html'] },
    'scripts/generate-appliers.ts': { reads: ['test/appliers/results.json'] },
    'scripts/generate-differential.ts': { reads: ['test/differential/results.json', 'test/differential/arrival-results.json'] },
    'scripts/generate-kustomize.ts': { reads: ['package.json'] },
    'scripts/generate-boards.ts': { reads: ['docs/boards.md'] },
    'scripts/generate-observability.ts': { reads: ['docs/observability.md'] },
    'scripts/generate-permissions.ts': { reads: ['docs/permissions.md'] },
    'scripts/generate-rights.ts': { reads: ['docs/rights.md'] },
    'scripts/generate-reasons.ts': { reads: ['docs/reasons.md'] },
    'scripts/generate-flags.ts': { reads: ['docs/flags.md'] },
    'scripts/generate-statechart.ts': { reads: ['docs/statechart.md'] },
    'scripts/generate-release-rehearsal.ts': { reads: ['docs/release-rehearsal.md'] },
    'scripts/release/rehearsal/recorded.ts': { reads: ['test/release/recorded.json'] },
    'scripts/generate-plug-ins.ts': { reads: ['docs/{metrics,alerts}.md'] },
    'scripts/generate-long-connections.ts': { reads: ['test/node/recorded/long-connections.json', 'docs/long-connections.md'] },
    'scripts/generate-project.ts': { reads: ['package.json', 'Dockerfile'] },
    'scripts/generate-providers.ts': { reads: ['docs/providers.md', 'test/{planes,e2e,integration}/*.test.ts'] },
    'scripts/generate-recording.ts': { reads: ['docs/demo/recording.json'] },
    'scripts/generate-registries.ts': { reads: ['src/routers/*/index.ts'] },
    'scripts/generate-rehearse.ts': { reads: ['docs/rehearse.md'] },
    'scripts/generate-study.ts': { reads: ['test/study/results.json'] },
    'scripts/generate-validate.ts': { reads: ['docs/validate.md'] },
    'scripts/generate-verbs.ts': { reads: ['docs/verbs.md'] },
    'scripts/generate-views.ts': { reads: ['test/golden/views/*.txt'] },
    'scripts/observability/log-lines.ts': { reads: ['src/**/*.ts'] },
    'scripts/rules/engine-sections.ts': { reads: ['src/engine/SPEC.md'] },
    'test/contracts/routers/index.ts': { loads: ['test/contracts/routers/*.ts'] },
  },
  carried: ['src/dashboard/page-assets.json'],
  before: REGISTRIES,
} satisfies Tables;
