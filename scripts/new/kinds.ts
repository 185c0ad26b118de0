/** A text that is written into a file, where the first match of `after` ends. */
export interface Insertion {
  file: string;
  after: RegExp;
  text: string;
}

/** A kind of plug-in: which files begin it, and which tables name it. `NAME` and `TITLE` are replaced in each text and path. */
export interface PluginKind {
  /** Its plug-in, for the help. */
  adds: string;
  /** The form of its name, and an example. */
  name: { form: RegExp; says: string; example: string };
  /** By the skeleton of `skeletons`: the new file. */
  files: Readonly<Record<string, string>>;
  insertions: readonly Insertion[];
  /** The next steps, in order: commands, and files to write. */
  next: readonly string[];
}

const WORD = { form: /^[a-z][a-z0-9]*$/, says: 'lower-case letters and digits' };

/** The end of the last entry of a table that begins with this text. */
const lastOf = (table: string, end = '}'): RegExp => new RegExp(`^(?:export )?const ${table}\\b[\\s\\S]*?\\n(?=\\${end})`, 'm');

export const kinds = {
  provider: {
    adds: 'a traffic provider: a value of spec.provider',
    name: { ...WORD, example: 'acme' },
    files: {
      'provider/index.ts': 'src/routers/NAME/index.ts',
      'provider/router.ts': 'src/routers/NAME/router.ts',
      'provider/observer.ts': 'src/routers/NAME/observer.ts',
      'provider/case.ts': 'test/contracts/routers/NAME.ts',
      'provider/form.yaml': 'test/fixtures/public-forms/providers/NAME.yaml',
    },
    insertions: [
      {
        file: 'src/api/providers.ts',
        after: lastOf('providerFacts'),
        text: "  NAME: { can: weightsOnly, reads: [], writes: 'nothing', measuresPrimary: 'never' },\n",
      },
    ],
    next: [
      'npx vitest run --project unit src/routers test/contracts/routers: each failing test is a promise that the router has to keep',
      'write what TITLE can express into its entry of src/api/providers.ts',
      'test/fixtures/published-crds/NAME.json: the CRDs as the project publishes them',
      'test/fixtures/public-forms/providers/NAME.yaml: a Canary as its users write it',
      'npm run test:update, and read test/golden/NAME; then npm run generate',
      'src/routers/README.md: a data plane for whole releases',
    ],
  },
  backend: {
    adds: 'a metric backend: a value of spec.provider.type of a MetricTemplate',
    name: { ...WORD, example: 'acme' },
    files: {
      'backend/backend.ts': 'src/metrics/providers/NAME.ts',
      'backend/case.ts': 'test/contracts/metric-backends/NAME.ts',
      'backend/form.yaml': 'test/fixtures/public-forms/metrics/NAME.yaml',
    },
    insertions: [{ file: 'src/api/metric-template.ts', after: lastOf('metricProviders', ']'), text: "  'NAME',\n" }],
    next: [
      "npx vitest run test/contracts/metric-backends.integration.test.ts -t 'backend NAME' --hideSkippedTests: each failing test is a promise that the backend has to keep",
      'test/contracts/metric-backends/NAME.ts: the documented answers and requests of TITLE; src/metrics/providers/NAME.ts: its request, answer, rule and credentials',
      'test/fixtures/public-forms/metrics/NAME.yaml: a MetricTemplate as its users write it; then npm run generate, and the tests of step 1 again, which npm run check leaves out',
    ],
  },
  sink: {
    adds: 'an alert sink: a value of spec.type of an AlertProvider',
    name: { ...WORD, example: 'acme' },
    files: {
      'sink/sink.ts': 'src/notifiers/NAME.ts',
      'sink/case.ts': 'test/contracts/notifiers/NAME.ts',
      'sink/form.yaml': 'test/fixtures/public-forms/alerts/NAME.yaml',
    },
    insertions: [{ file: 'src/api/alert-provider.ts', after: /const alertProviders = \[[^\]]*/, text: ", 'NAME'" }],
    next: [
      'npx vitest run src/notifiers test/contracts: each failing test is a promise that the sink has to keep',
      'test/contracts/notifiers/NAME.ts: the documented payload, its limits, and its row in docs/alerts.md',
      'npx vitest run test/contracts -u writes test/golden/alerts/NAME.json: read it, then npm run generate',
      'test/fixtures/public-forms/alerts/NAME.yaml: an AlertProvider as its users write it',
    ],
  },
  verb: {
    adds: 'a verb that a release obeys, such as promote: serin NAME, and the request that it writes',
    name: { ...WORD, example: 'hold' },
    files: {},
    insertions: [
      {
        file: 'src/api/verb-definitions.ts',
        after: lastOf('verbDefinitions'),
        text: "  NAME: { does: 'say in one sentence what NAME does', takes: 'promote' },\n",
      },
      {
        file: 'src/engine/verbs.ts',
        after: lastOf('refusals'),
        text: "  NAME: () => 'NAME is not built yet',\n",
      },
      { file: 'test/scenarios/verbs/table.ts', after: lastOf('usually'), text: "  NAME: 'NAME is not built yet',\n" },
    ],
    next: [
      'src/api/verb-definitions.ts: its help, and the right that it takes',
      'src/engine/SPEC.md: a rule with a number; src/engine/verbs.ts: when it is refused',
      'src/engine/decision.ts, states/ and changes/verbs.ts: the decision, the states that make it, and the change',
      'test/scenarios/verbs/table.ts: each phase in which it does something; then npm run generate',
      'npx vitest run src/engine src/cli/canaries test/request-policy.integration.test.ts',
    ],
  },
  flag: {
    adds: 'a flag of serin controller',
    name: {
      form: /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/,
      says: 'words as on the command line, without dashes before it',
      example: 'drain-delay',
    },
    files: {},
    insertions: [
      {
        file: 'src/controller/flags.ts',
        after: lastOf('flags'),
        text: [
          '  NAME: {',
          "    kind: 'text',",
          "    value: '<value>',",
          "    help: 'say in one sentence what it changes',",
          "    fallback: '',",
          "    chart: { none: 'say why the chart has no value for it, or name the value' },",
          '  },\n',
        ].join('\n'),
      },
    ],
    next: [
      'src/controller/flags.ts: its kind, its help, its default, and the value of the chart (scripts/chart/values.ts, charts/serin/templates/_args.tpl)',
      'read it where it is needed: it is a field of the settings (src/controller/config.ts)',
      'docs/configuration.md: where users must know it; then npm run generate',
    ],
  },
} as const satisfies Readonly<Record<string, PluginKind>>;
